//===- ChromeTrace.cpp - A run as a timeline for viewers ------------------===//
//
// Writes the JSON of Chrome's trace viewer, which Perfetto reads: one process
// per model, one thread per stream, layers around their kernels.
//
//===----------------------------------------------------------------------===//

#include "InputShapes.h"
#include "Timeline.h"
#include "tensorcast/Report/ReportJson.h"

#include "tensorcast/Support/Numbers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// One line of JSON; names come from files, and may be no UTF-8.
static std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Microseconds, the format's unit, without rounding.
static void printMicroseconds(raw_ostream &os, int64_t nanoseconds) {
  os << nanoseconds / 1000 << llvm::format(".%03d", int(nanoseconds % 1000));
}

/// `model.layers.*.mlp` in the layer `model.layers.7` is `model.layers.7.mlp`.
static std::string specializeName(StringRef name, StringRef layer) {
  SmallVector<StringRef> parts, layerParts;
  name.split(parts, '.');
  layer.split(layerParts, '.');
  for (auto [part, layerPart] : llvm::zip(parts, layerParts))
    if (part == "*")
      part = layerPart;
  return llvm::join(parts, ".");
}

namespace {
class TraceWriter {
public:
  TraceWriter(raw_ostream &os, const Report &report) : os(os), report(report) {}

  void write(const Timeline &timeline) {
    os << "{\"displayTimeUnit\":\"ms\",\n\"otherData\":"
       << dump({{"device", report.device},
                {"num_devices", report.devices},
                {"cost_model", report.costModel},
                {"kernel_set", report.kernelSet},
                {"execution_time_s", report.executionTimeS},
                {"kernel_time_s", report.kernelTimeS}})
       << ",\n\"traceEvents\":[\n";
    writeName("process_name", 0, report.model);
    for (unsigned i = 0; i < (timeline.hasStreams() ? numStreams : 1); ++i) {
      os << ",\n";
      writeName("thread_name", i,
                ascend::stringifyStream(static_cast<ascend::Stream>(i)));
    }
    TimelineSpans run = timeline.getSpans();
    // Viewers want events by time, and what is around others before them.
    SmallVector<std::pair<int64_t, size_t>> order;
    for (auto [index, span] : llvm::enumerate(run.spans))
      order.emplace_back(span.startNs, index);
    llvm::sort(order);
    for (auto [start, index] : order)
      writeSpan(run.spans[index], run.calls[run.spans[index].call]);
    os << "\n]}\n";
  }

private:
  /// What a process or thread is called; threads are sorted by number.
  void writeName(StringRef kind, unsigned thread, StringRef name) {
    os << "{\"name\":\"" << kind
       << "\",\"ph\":\"M\",\"pid\":0,\"tid\":" << thread
       << ",\"args\":" << dump({{"name", name.str()}}) << "}";
  }

  void writeSpan(const TimelineSpan &span, StringRef layer) {
    auto launch = dyn_cast<ascend::LaunchOp>(span.event->op);
    os << ",\n{\"ph\":\"X\",\"pid\":0,\"tid\":"
       << static_cast<unsigned>(span.stream) << ",\"ts\":";
    printMicroseconds(os, span.startNs);
    os << ",\"dur\":";
    printMicroseconds(os, span.endNs - span.startNs);
    if (!launch) {
      auto call = cast<transformer::LayerOp>(span.event->op);
      os << ",\"cat\":\"layer\",\"name\":" << dump(layer.str())
         << ",\"args\":{\"function\":" << dump(call.getCallee().str()) << "}}";
      return;
    }
    auto [text, isNew] = texts.try_emplace(span.event);
    if (isNew)
      text->second = describe(launch, span.event->starts);
    os << text->second;
    if (std::optional<StringRef> name = launch.getProvenance())
      os << ",\"provenance\":" << dump(specializeName(*name, layer));
    os << "}}";
  }

  /// What all runs of a launch have in common, without the closing braces.
  static std::string describe(ascend::LaunchOp launch, double starts) {
    CostTerms terms = getTerms(launch.getCostAttr());
    Json args = {{"inputs", describeTypes(launch->getOperandTypes())},
                 {"outputs", describeTypes(launch->getResultTypes())},
                 {"bound", stringifyBound(getBound(terms)).str()},
                 {"time_s", terms.totalS},
                 {"cube_s", terms.cubeS},
                 {"vector_s", terms.vectorS},
                 {"memory_s", terms.memoryS},
                 {"communication_s", terms.communicationS},
                 {"launch_s", terms.launchS}};
    if (starts != 1)
      args["starts"] = toIntegerJson(starts);
    if (std::optional<StringRef> name = launch.getReferenceName())
      args["reference_name"] = name->str();
    std::string text = dump(args);
    text.pop_back();
    return ",\"cat\":\"kernel\",\"name\":" + dump(launch.getKernel().str()) +
           ",\"args\":" + text;
  }

  raw_ostream &os;
  const Report &report;
  llvm::DenseMap<const TimelineEvent *, std::string> texts;
};
} // namespace

LogicalResult mlir::tensorcast::printChromeTrace(raw_ostream &os,
                                                 ModuleOp module,
                                                 const Report &report) {
  FailureOr<Timeline> timeline = Timeline::get(module);
  if (failed(timeline))
    return failure();
  if (timeline->getSeconds() > Timeline::maxSeconds)
    return mlir::emitError(module.getLoc(), "expected a run of at most ")
           << describeNumber(Timeline::maxSeconds)
           << " s for a trace, but got one of "
           << describeNumber(timeline->getSeconds()) << " s";
  TraceWriter(os, report).write(*timeline);
  return success();
}
