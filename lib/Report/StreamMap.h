//===- StreamMap.h - Functions as maps of times -----------------*- C++ -*-===//
//
// A function is a map from the times at which streams and arguments are ready
// to the times at which streams and results are: a maximum of sums. Each
// function is mapped once, and its calls compose the maps. Times are doubles,
// or formulas where the batch is not known yet.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_REPORT_STREAMMAP_H
#define TENSORCAST_LIB_REPORT_STREAMMAP_H

#include "tensorcast/Report/Formulas.h"

namespace mlir::tensorcast {

constexpr unsigned numStreams = ascend::getMaxEnumValForStream() + 1;

inline unsigned getIndex(ascend::Stream stream) {
  return static_cast<unsigned>(stream);
}

/// A time in seconds as the maximum over the inputs of a function (its streams,
/// then its arguments if anything waits) of the input's time and a delay; minus
/// infinity for an input that it does not depend on.
template <typename Number> using MaxPlusOf = SmallVector<Number, 4>;

constexpr double never = -std::numeric_limits<double>::infinity();

/// The later of two times, in place.
template <typename Number>
void maximize(MaxPlusOf<Number> &time, const MaxPlusOf<Number> &other) {
  for (auto [delay, otherDelay] : llvm::zip_equal(time, other))
    delay = max(delay, otherDelay);
}

template <typename Number>
MaxPlusOf<Number> delay(MaxPlusOf<Number> time, Number seconds) {
  for (Number &part : time)
    part += seconds;
  return time;
}

/// `time` of a callee, in terms of what its `inputs` are in terms of.
template <typename Number>
MaxPlusOf<Number> compose(const MaxPlusOf<Number> &time,
                          ArrayRef<MaxPlusOf<Number>> inputs) {
  MaxPlusOf<Number> result(inputs.front().size(), never);
  for (auto [part, input] : llvm::zip_equal(time, inputs))
    if (!isKnown(part, never))
      maximize(result, delay(input, part));
  return result;
}

/// `time` where the inputs are known.
template <typename Number>
Number evaluate(const MaxPlusOf<Number> &time, ArrayRef<Number> inputs) {
  Number result = never;
  for (auto [part, input] : llvm::zip_equal(time, inputs))
    result = max(result, part + input);
  return result;
}

/// A launch or a call of a layer or stage in a function.
template <typename Number> struct TimelineEventOf {
  Operation *op;
  /// Of a launch: its stream, start, time and how often it starts in a row.
  ascend::Stream stream = ascend::Stream::Compute;
  MaxPlusOf<Number> start = {};
  Number seconds = 0, starts = 0;
  /// Of a call: the callee, and the times of its inputs.
  func::FuncOp callee = {};
  SmallVector<MaxPlusOf<Number>, 0> inputs = {};
};

template <typename Number> struct FunctionTimelineOf {
  SmallVector<TimelineEventOf<Number>, 0> events;
  /// When each stream is ready, and then each result.
  SmallVector<MaxPlusOf<Number>, 0> outputs;
};

/// The maps of the functions of a module.
template <typename Number> class StreamMap {
public:
  using Measure =
      function_ref<FailureOr<LaunchTimeOf<Number>>(ascend::LaunchOp)>;

  /// Maps all functions; `measure` gives the time of a launch.
  static FailureOr<StreamMap> get(ModuleOp module, Measure measure);

  /// Inputs of a function: streams, and arguments if anything waits for them.
  unsigned getNumInputs(func::FuncOp function) const {
    return numStreams + (anyWaits ? function.getNumArguments() : 0);
  }

  /// The end of a run of `root` that starts at `startS`.
  Number getEnd(func::FuncOp root, Number startS) const {
    SmallVector<Number> inputs(getNumInputs(root), startS);
    Number endS = startS;
    const FunctionTimelineOf<Number> &function = functions.find(root)->second;
    for (const MaxPlusOf<Number> &stream :
         ArrayRef(function.outputs).take_front(numStreams))
      endS = max(endS, evaluate<Number>(stream, inputs));
    return endS;
  }

  /// Functions that nothing calls run one after the other.
  Number getSeconds() const {
    Number endS = 0;
    for (func::FuncOp root : roots)
      endS = getEnd(root, endS);
    return endS;
  }

  llvm::DenseMap<Operation *, FunctionTimelineOf<Number>> functions;
  /// Functions that nothing calls.
  SmallVector<func::FuncOp> roots;
  bool severalStreams = false;
  /// Whether anything waits; else it does not matter when arguments are ready.
  bool anyWaits = false;

private:
  class Mapper;
};

//===----------------------------------------------------------------------===//
// Mapping
//===----------------------------------------------------------------------===//

template <typename Number> class StreamMap<Number>::Mapper {
public:
  using Time = MaxPlusOf<Number>;

  Mapper(ModuleOp module, StreamMap &result, Measure measure)
      : symbols(module), result(result), measure(measure) {
    module.walk([&](Operation *op) {
      ascend::SlotAttr slot = ascend::getSlot(op);
      result.anyWaits |= slot && !slot.getWaits().empty();
    });
  }

  /// Maps `function` and, before it, those that it calls, which `countRuns` has
  /// found to be no deeper than recursion may go.
  LogicalResult map(func::FuncOp function) {
    if (!result.functions.try_emplace(function).second)
      return success();
    unsigned numInputs = result.getNumInputs(function);
    State state;
    state.always.assign(numInputs, never);
    for (unsigned i = 0; i < numInputs; ++i) {
      Time time = state.always;
      time[i] = 0;
      if (i < numStreams)
        state.streams.push_back(time);
      else
        state.ready[function.getArgument(i - numStreams)] = time;
    }
    for (Operation &op : function.getBody().front()) {
      LogicalResult mapped = success();
      if (auto layer = dyn_cast<transformer::LayerOp>(op)) {
        mapped = addCall(layer, layer.getCallee(), state);
      } else if (auto stage = dyn_cast<transformer::StageOp>(op)) {
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
    FunctionTimelineOf<Number> timeline{std::move(state.events),
                                        std::move(state.streams)};
    if (result.anyWaits)
      for (Value operand : function.getBody().front().back().getOperands())
        timeline.outputs.push_back(state.getReady(operand));
    // All calls share what was found here.
    for (Time &time : timeline.outputs)
      for (Number &part : time)
        part = name(part);
    result.functions[function] = std::move(timeline);
    return success();
  }

private:
  /// What is known at a place in a function.
  struct State {
    /// The time of what nothing makes, such as a weight.
    Time always;
    SmallVector<Time, 0> streams;
    llvm::DenseMap<Value, Time> ready;
    SmallVector<TimelineEventOf<Number>, 0> events;

    const Time &getReady(Value value) const {
      auto found = ready.find(value);
      return found == ready.end() ? always : found->second;
    }

    /// When all operands are ready.
    Time getReady(ValueRange operands) const {
      Time time = always;
      for (Value operand : operands)
        maximize(time, getReady(operand));
      return time;
    }
  };

  static void joinStreams(State &state) {
    Time last = state.streams.front();
    for (const Time &stream : state.streams)
      maximize(last, stream);
    llvm::fill(state.streams, last);
  }

  LogicalResult addCall(Operation *call, StringRef name, State &state) {
    auto callee = symbols.lookup<func::FuncOp>(name);
    if (failed(map(callee)))
      return failure();
    TimelineEventOf<Number> event{call};
    event.callee = callee;
    event.inputs = state.streams;
    if (result.anyWaits)
      for (Value operand : call->getOperands())
        event.inputs.push_back(state.getReady(operand));
    const FunctionTimelineOf<Number> &called =
        result.functions.find(callee)->second;
    for (auto [index, output] : llvm::enumerate(called.outputs)) {
      Time time = compose<Number>(output, event.inputs);
      if (index < numStreams)
        state.streams[index] = std::move(time);
      else if (index - numStreams < call->getNumResults())
        state.ready[call->getResult(index - numStreams)] = std::move(time);
    }
    state.events.push_back(std::move(event));
    return success();
  }

  LogicalResult addLaunch(Operation *op, State &state) {
    TimelineEventOf<Number> event{op};
    if (auto launch = dyn_cast<ascend::LaunchOp>(op)) {
      FailureOr<LaunchTimeOf<Number>> time = measure(launch);
      if (failed(time))
        return failure();
      event.starts = time->starts;
      event.seconds = time->seconds;
    }
    ascend::SlotAttr slot = ascend::getSlot(op);
    bool isPlace = slot && isa<ascend::ViewOp>(op);
    Truth<Number> starts = isNonZero(event.starts);
    if (!isPlace && isKnown(event.starts, 0)) {
      // What it shows or leaves as it was, is ready when its operands are.
      if (result.anyWaits) {
        Time time = state.getReady(op->getOperands());
        for (Value value : op->getResults())
          state.ready[value] = time;
      }
      return success();
    }
    event.stream = slot ? slot.getStream() : ascend::Stream::Compute;
    result.severalStreams |= event.stream != ascend::Stream::Compute;
    Time &stream = state.streams[getIndex(event.stream)];
    event.start = stream;
    if (slot)
      for (int64_t operand : slot.getWaits())
        maximize(event.start, state.getReady(op->getOperand(operand)));
    Time end = delay(event.start, event.seconds);
    Time shown = end;
    if (!isPlace && !isKnown(starts, true)) {
      // Whether it starts depends on the batch.
      if (result.anyWaits)
        shown = choose(starts, end, state.getReady(op->getOperands()));
      end = choose(starts, end, stream);
    }
    stream = end;
    if (result.anyWaits)
      for (Value value : op->getResults())
        state.ready[value] = shown;
    if (!isPlace)
      state.events.push_back(std::move(event));
    return success();
  }

  static Time choose(Truth<Number> condition, const Time &lhs,
                     const Time &rhs) {
    Time time;
    for (auto [left, right] : llvm::zip_equal(lhs, rhs))
      time.push_back(select(condition, left, right));
    return time;
  }

  SymbolTable symbols;
  StreamMap &result;
  Measure measure;
};

template <typename Number>
FailureOr<StreamMap<Number>> StreamMap<Number>::get(ModuleOp module,
                                                    Measure measure) {
  // Finds calls that cannot be followed.
  if (failed(countRuns(module)))
    return failure();
  StreamMap result;
  Mapper mapper(module, result, measure);
  llvm::DenseSet<StringAttr> called;
  module.walk([&](Operation *op) {
    if (FlatSymbolRefAttr callee = transformer::getCallee(op))
      called.insert(callee.getAttr());
  });
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || called.contains(function.getSymNameAttr()))
      continue;
    result.roots.push_back(function);
    if (failed(mapper.map(function)))
      return failure();
  }
  return result;
}

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_REPORT_STREAMMAP_H
