//===- Timeline.cpp - When launches start and end -------------------------===//

#include "Timeline.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using ascend::Stream;
using transformer::LayerOp;
using transformer::StageOp;
using transformer::WorkloadAttr;

FailureOr<Timeline> Timeline::get(ModuleOp module) {
  auto workload =
      module->getAttrOfType<WorkloadAttr>(transformer::kWorkloadAttrName);
  auto measure =
      [&](ascend::LaunchOp launch) -> FailureOr<LaunchTimeOf<double>> {
    ascend::CostAttr cost = launch.getCostAttr();
    if (!cost)
      return launch.emitOpError("expected a cost; run ascend-estimate first");
    FailureOr<double> starts = countStarts(launch, /*runs=*/1, workload);
    if (failed(starts))
      return failure();
    return LaunchTimeOf<double>{*starts,
                                *starts * cost.getTime().getValueAsDouble()};
  };
  FailureOr<StreamMap<double>> map = StreamMap<double>::get(module, measure);
  if (failed(map))
    return failure();
  return Timeline(std::move(*map));
}

FailureOr<std::optional<Formula>> mlir::tensorcast::formulateTimeline(
    ModuleOp module,
    function_ref<FailureOr<LaunchTimeOf<Formula>>(ascend::LaunchOp)> measure) {
  FailureOr<StreamMap<Formula>> map = StreamMap<Formula>::get(module, measure);
  if (failed(map))
    return failure();
  std::optional<Formula> seconds;
  if (map->severalStreams)
    seconds = map->getSeconds();
  return seconds;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

class Timeline::Collector {
public:
  Collector(const Timeline &timeline, TimelineSpans &result)
      : timeline(timeline), result(result) {}

  void add(func::FuncOp function, ArrayRef<double> inputs, unsigned depth,
           unsigned call) {
    for (const TimelineEvent &event :
         timeline.map.functions.find(function)->second.events) {
      if (event.callee) {
        if (isa<StageOp>(event.op))
          stage = numStages++;
        addCall(event, inputs, depth);
        continue;
      }
      // Sums of seconds are rounded; what is behind another launch must not
      // begin before that ends.
      int64_t &streamEndNs = endNs[getIndex(event.stream)];
      double startS = evaluate<double>(event.start, inputs);
      int64_t startNs =
          std::max<int64_t>(std::llround(startS * 1e9), streamEndNs);
      streamEndNs = std::max<int64_t>(
          std::llround((startS + event.seconds) * 1e9), startNs);
      result.spans.push_back(
          {&event, event.stream, startNs, streamEndNs, depth, call, stage});
    }
  }

private:
  /// Adds a call: a span on each stream that it has kernels on, and those.
  void addCall(const TimelineEvent &event, ArrayRef<double> inputs,
               unsigned depth) {
    SmallVector<double> calleeInputs;
    for (const MaxPlusOf<double> &input : event.inputs)
      calleeInputs.push_back(evaluate<double>(input, inputs));
    unsigned call = result.calls.size();
    auto layer = dyn_cast<LayerOp>(event.op);
    result.calls.push_back(layer ? layer.getName()
                                 : func::FuncOp(event.callee).getName());
    size_t first = result.spans.size();
    for (unsigned i = 0; i < numStreams; ++i)
      result.spans.push_back({&event, static_cast<Stream>(i), /*startNs=*/-1,
                              -1, depth, call, stage});
    add(event.callee, calleeInputs, depth + 1, call);
    for (const TimelineSpan &inner :
         ArrayRef(result.spans).drop_front(first + numStreams)) {
      TimelineSpan &outer = result.spans[first + getIndex(inner.stream)];
      if (outer.startNs < 0)
        outer.startNs = inner.startNs;
      outer.endNs = std::max(outer.endNs, inner.endNs);
    }
  }

  const Timeline &timeline;
  TimelineSpans &result;
  std::array<int64_t, numStreams> endNs = {};
  /// The stage that runs, and how many there have been.
  unsigned stage = 0, numStages = 0;
};

TimelineSpans Timeline::getSpans() const {
  TimelineSpans result;
  Collector collector(*this, result);
  double startS = 0;
  for (func::FuncOp root : map.roots) {
    collector.add(root, SmallVector<double>(map.getNumInputs(root), startS),
                  /*depth=*/0, /*call=*/0);
    startS = map.getEnd(root, startS);
  }
  llvm::erase_if(result.spans,
                 [](const TimelineSpan &span) { return span.startNs < 0; });
  return result;
}
