//===- Timeline.cpp - When launches start and end -------------------------===//

#include "Timeline.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::tensorcast;
using ascend::SlotAttr;
using ascend::Stream;
using transformer::LayerOp;
using transformer::StageOp;
using transformer::WorkloadAttr;

static constexpr double never = -std::numeric_limits<double>::infinity();

static unsigned getIndex(Stream stream) {
  return static_cast<unsigned>(stream);
}

/// The later of two times, in place.
static void maximize(MaxPlus &time, const MaxPlus &other) {
  for (auto [delay, otherDelay] : llvm::zip_equal(time, other))
    delay = std::max(delay, otherDelay);
}

static MaxPlus delay(MaxPlus time, double seconds) {
  for (double &part : time)
    part += seconds;
  return time;
}

/// `time` of a callee, in terms of what its `inputs` are in terms of.
static MaxPlus compose(const MaxPlus &time, ArrayRef<MaxPlus> inputs) {
  MaxPlus result(inputs.front().size(), never);
  for (auto [part, input] : llvm::zip_equal(time, inputs))
    if (part != never)
      maximize(result, delay(input, part));
  return result;
}

/// `time` where the inputs are known.
static double evaluate(const MaxPlus &time, ArrayRef<double> inputs) {
  double result = never;
  for (auto [part, input] : llvm::zip_equal(time, inputs))
    result = std::max(result, part + input);
  return result;
}

//===----------------------------------------------------------------------===//
// Functions as maps
//===----------------------------------------------------------------------===//

class Timeline::Mapper {
public:
  Mapper(ModuleOp module, Timeline &timeline)
      : symbols(module), timeline(timeline),
        workload(module->getAttrOfType<WorkloadAttr>(
            transformer::kWorkloadAttrName)) {
    module.walk([&](Operation *op) {
      SlotAttr slot = ascend::getSlot(op);
      timeline.anyWaits |= slot && !slot.getWaits().empty();
    });
  }

  /// Maps `function` and, before it, those that it calls, which `countRuns` has
  /// found to be no deeper than recursion may go.
  LogicalResult map(func::FuncOp function) {
    if (!timeline.functions.try_emplace(function).second)
      return success();
    unsigned numInputs = timeline.getNumInputs(function);
    State state;
    state.always.assign(numInputs, never);
    for (unsigned i = 0; i < numInputs; ++i) {
      MaxPlus time = state.always;
      time[i] = 0;
      if (i < numStreams)
        state.streams.push_back(time);
      else
        state.ready[function.getArgument(i - numStreams)] = time;
    }
    for (Operation &op : function.getBody().front()) {
      LogicalResult mapped = success();
      if (auto layer = dyn_cast<LayerOp>(op)) {
        mapped = addCall(layer, layer.getCallee(), state);
      } else if (auto stage = dyn_cast<StageOp>(op)) {
        // Another device goes on when all of this one has ended.
        joinStreams(state);
        mapped = addCall(stage, stage.getCallee(), state);
        joinStreams(state);
      } else if (isa<ascend::LaunchOp, ascend::ViewOp>(op)) {
        mapped = addLaunch(&op, state);
      }
      if (failed(mapped))
        return failure();
    }
    FunctionTimeline result{std::move(state.events), std::move(state.streams)};
    if (timeline.anyWaits)
      for (Value operand : function.getBody().front().back().getOperands())
        result.outputs.push_back(state.getReady(operand));
    timeline.functions[function] = std::move(result);
    return success();
  }

private:
  /// What is known at a place in a function.
  struct State {
    /// The time of what nothing makes, such as a weight.
    MaxPlus always;
    SmallVector<MaxPlus> streams;
    llvm::DenseMap<Value, MaxPlus> ready;
    SmallVector<TimelineEvent> events;

    const MaxPlus &getReady(Value value) const {
      auto found = ready.find(value);
      return found == ready.end() ? always : found->second;
    }
  };

  static void joinStreams(State &state) {
    MaxPlus last = state.streams.front();
    for (const MaxPlus &stream : state.streams)
      maximize(last, stream);
    llvm::fill(state.streams, last);
  }

  LogicalResult addCall(Operation *call, StringRef name, State &state) {
    auto callee = symbols.lookup<func::FuncOp>(name);
    if (failed(map(callee)))
      return failure();
    TimelineEvent event{call};
    event.callee = callee;
    event.inputs = state.streams;
    if (timeline.anyWaits)
      for (Value operand : call->getOperands())
        event.inputs.push_back(state.getReady(operand));
    const FunctionTimeline &called = timeline.functions.find(callee)->second;
    for (auto [index, output] : llvm::enumerate(called.outputs)) {
      MaxPlus time = compose(output, event.inputs);
      if (index < numStreams)
        state.streams[index] = std::move(time);
      else if (index - numStreams < call->getNumResults())
        state.ready[call->getResult(index - numStreams)] = std::move(time);
    }
    state.events.push_back(std::move(event));
    return success();
  }

  LogicalResult addLaunch(Operation *op, State &state) {
    TimelineEvent event{op};
    if (auto launch = dyn_cast<ascend::LaunchOp>(op))
      if (failed(measure(launch, event)))
        return failure();
    SlotAttr slot = ascend::getSlot(op);
    bool isPlaced = event.starts != 0 || (slot && isa<ascend::ViewOp>(op));
    if (!isPlaced) {
      // What it shows or leaves as it was, is ready when its operands are.
      if (timeline.anyWaits) {
        MaxPlus time = state.always;
        for (Value operand : op->getOperands())
          maximize(time, state.getReady(operand));
        for (Value result : op->getResults())
          state.ready[result] = time;
      }
      return success();
    }
    event.stream = slot ? slot.getStream() : Stream::Compute;
    timeline.severalStreams |= event.stream != Stream::Compute;
    MaxPlus &stream = state.streams[getIndex(event.stream)];
    if (slot)
      for (int64_t operand : slot.getWaits())
        maximize(stream, state.getReady(op->getOperand(operand)));
    event.start = stream;
    stream = delay(std::move(stream), event.seconds);
    if (timeline.anyWaits)
      for (Value result : op->getResults())
        state.ready[result] = stream;
    if (event.starts != 0)
      state.events.push_back(std::move(event));
    return success();
  }

  LogicalResult measure(ascend::LaunchOp launch, TimelineEvent &event) {
    ascend::CostAttr cost = launch.getCostAttr();
    if (!cost)
      return launch.emitOpError("expected a cost; run ascend-estimate first");
    FailureOr<double> starts = countStarts(launch, /*runs=*/1, workload);
    if (failed(starts))
      return failure();
    event.starts = *starts;
    event.seconds = *starts * cost.getTime().getValueAsDouble();
    return success();
  }

  SymbolTable symbols;
  Timeline &timeline;
  WorkloadAttr workload;
};

unsigned Timeline::getNumInputs(func::FuncOp function) const {
  return numStreams + (anyWaits ? function.getNumArguments() : 0);
}

FailureOr<Timeline> Timeline::get(ModuleOp module) {
  // Finds calls that cannot be followed.
  if (failed(countRuns(module)))
    return failure();
  Timeline timeline;
  Mapper mapper(module, timeline);
  llvm::DenseSet<StringAttr> called;
  module.walk([&](Operation *op) {
    if (FlatSymbolRefAttr callee = transformer::getCallee(op))
      called.insert(callee.getAttr());
  });
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || called.contains(function.getSymNameAttr()))
      continue;
    timeline.roots.push_back(function);
    if (failed(mapper.map(function)))
      return failure();
  }
  return timeline;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

double Timeline::getEnd(func::FuncOp root, double startS) const {
  SmallVector<double> inputs(getNumInputs(root), startS);
  double endS = startS;
  const FunctionTimeline &function = functions.find(root)->second;
  for (const MaxPlus &stream :
       ArrayRef(function.outputs).take_front(numStreams))
    endS = std::max(endS, evaluate(stream, inputs));
  return endS;
}

double Timeline::getSeconds() const {
  double endS = 0;
  for (func::FuncOp root : roots)
    endS = getEnd(root, endS);
  return endS;
}

class Timeline::Collector {
public:
  Collector(const Timeline &timeline, TimelineSpans &result)
      : timeline(timeline), result(result) {}

  void add(func::FuncOp function, ArrayRef<double> inputs, unsigned depth,
           unsigned call) {
    for (const TimelineEvent &event :
         timeline.functions.find(function)->second.events) {
      if (event.callee) {
        if (isa<StageOp>(event.op))
          stage = numStages++;
        addCall(event, inputs, depth);
        continue;
      }
      // Sums of seconds are rounded; what is behind another launch must not
      // begin before that ends.
      int64_t &streamEndNs = endNs[getIndex(event.stream)];
      double startS = evaluate(event.start, inputs);
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
    for (const MaxPlus &input : event.inputs)
      calleeInputs.push_back(evaluate(input, inputs));
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
  for (func::FuncOp root : roots) {
    collector.add(root, SmallVector<double>(getNumInputs(root), startS),
                  /*depth=*/0, /*call=*/0);
    startS = getEnd(root, startS);
  }
  llvm::erase_if(result.spans,
                 [](const TimelineSpan &span) { return span.startNs < 0; });
  return result;
}
