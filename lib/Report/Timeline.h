//===- Timeline.h - When launches start and end -----------------*- C++ -*-===//
//
// A function is a map from the times at which streams and arguments are ready
// to the times at which streams and results are: a maximum of sums. Each
// function is mapped once, and its calls compose the maps.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_REPORT_TIMELINE_H
#define TENSORCAST_LIB_REPORT_TIMELINE_H

#include "tensorcast/Report/Report.h"

namespace mlir::tensorcast {

constexpr unsigned numStreams = ascend::getMaxEnumValForStream() + 1;

/// A time in seconds as the maximum over the inputs of a function (its streams,
/// then its arguments if anything waits) of the input's time and a delay; minus
/// infinity for an input that it does not depend on.
using MaxPlus = SmallVector<double, 8>;

/// A launch or a call of a layer or stage in a function.
struct TimelineEvent {
  Operation *op;
  /// Of a launch: its stream, start, time and how often it starts in a row.
  ascend::Stream stream = ascend::Stream::Compute;
  MaxPlus start = {};
  double seconds = 0, starts = 0;
  /// Of a call: the callee, and the times of its inputs.
  func::FuncOp callee = {};
  SmallVector<MaxPlus> inputs = {};
};

struct FunctionTimeline {
  SmallVector<TimelineEvent> events;
  /// When each stream is ready, and then each result.
  SmallVector<MaxPlus> outputs;
};

/// A launch or the part of a layer on one stream, at its time in nanoseconds:
/// spans of a stream follow each other or are within each other.
struct TimelineSpan {
  const TimelineEvent *event;
  ascend::Stream stream;
  int64_t startNs, endNs;
  /// The layers around it.
  unsigned depth;
  /// The innermost call around it, as an index of the spans' calls.
  unsigned call;
  /// The stage of a pipeline that it is on, or that sends.
  unsigned stage = 0;
};

/// All spans of a run, in the order of launches and layers before what they
/// contain, and the names of the calls that they are in.
struct TimelineSpans {
  SmallVector<TimelineSpan> spans;
  /// The names of layers; the first is the model and empty.
  SmallVector<StringRef> calls = {""};
};

class Timeline {
public:
  /// Maps all functions of a module whose launches have costs.
  static FailureOr<Timeline> get(ModuleOp module);

  /// Seconds to the end of the last stream; functions that nothing calls run
  /// one after the other.
  double getSeconds() const;

  /// Seconds of one run of a function that runs.
  double getSeconds(func::FuncOp function) const {
    return getEnd(function, /*startS=*/0);
  }

  /// Whether kernels run on more than one stream.
  bool hasStreams() const { return severalStreams; }

  /// The spans of a run of at most `maxSeconds`.
  TimelineSpans getSpans() const;

  /// More nanoseconds are no 64-bit integer.
  static constexpr double maxSeconds = 9e9;

private:
  class Mapper;
  class Collector;

  unsigned getNumInputs(func::FuncOp function) const;
  /// The end of a run of `root` that starts at `startS`.
  double getEnd(func::FuncOp root, double startS) const;

  llvm::DenseMap<Operation *, FunctionTimeline> functions;
  /// Functions that nothing calls.
  SmallVector<func::FuncOp> roots;
  bool severalStreams = false;
  /// Whether anything waits; else it does not matter when arguments are ready.
  bool anyWaits = false;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_REPORT_TIMELINE_H
