//===- Timeline.h - When launches start and end -----------------*- C++ -*-===//
//
// The spans of a run, from the maps of its functions.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_REPORT_TIMELINE_H
#define TENSORCAST_LIB_REPORT_TIMELINE_H

#include "StreamMap.h"

namespace mlir::tensorcast {

using TimelineEvent = TimelineEventOf<double>;
using FunctionTimeline = FunctionTimelineOf<double>;

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
  double getSeconds() const { return map.getSeconds(); }

  /// Seconds of one run of a function that runs.
  double getSeconds(func::FuncOp function) const {
    return map.getEnd(function, /*startS=*/0);
  }

  /// Whether kernels run on more than one stream.
  bool hasStreams() const { return map.severalStreams; }

  /// The spans of a run of at most `maxSeconds`.
  TimelineSpans getSpans() const;

  /// More nanoseconds are no 64-bit integer.
  static constexpr double maxSeconds = 9e9;

private:
  class Collector;

  explicit Timeline(StreamMap<double> map) : map(std::move(map)) {}

  StreamMap<double> map;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_REPORT_TIMELINE_H
