//===- RewriteRun.h - One run of patterns over a function -------*- C++ -*-===//

#ifndef TENSORCAST_LIB_PATTERNS_REWRITERUN_H
#define TENSORCAST_LIB_PATTERNS_REWRITERUN_H

#include "tensorcast/Patterns/PatternSet.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tensorcast {

/// Registers what guarded patterns call.
void registerNatives(PDLPatternModule &patterns);

/// What is known during a run. Native functions find it by their thread. After
/// a mistake nothing is rewritten any more.
class RewriteRun {
public:
  RewriteRun(PatternEvents &events, Location start, int64_t maxRewrites);
  ~RewriteRun();
  RewriteRun(const RewriteRun &) = delete;

  /// The run of the current thread.
  static RewriteRun &get();

  bool hasFailed() const { return failed; }

  /// Lets the pattern called `name` match nothing.
  void disable(StringRef name) { disabled.insert(name); }
  bool isDisabled(StringRef name) const { return disabled.contains(name); }

  /// Reports a mistake of the current pattern at `place` in its file.
  InFlightDiagnostic fail(LocationAttr place);

  void begin(LocationAttr place, StringRef name, Operation *op);
  void end(LocationAttr place, PatternRewriter &rewriter);

  /// Creates an op of the current rewrite, or one without meaning on failure.
  Operation *create(LocationAttr place, PatternRewriter &rewriter,
                    OperationState &state);
  void replace(LocationAttr place, PatternRewriter &rewriter, Operation *op,
               ArrayRef<Value> values);
  void erase(LocationAttr place, Operation *op);
  SmallVector<Value> fuse(LocationAttr place, PatternRewriter &rewriter,
                          StringRef kernel, ValueRange values);

private:
  /// Reports that an op which ends its block would go.
  LogicalResult checkNotTerminator(LocationAttr place, Operation *op);

  /// Whether every value that `op` reads is defined in front of it.
  LogicalResult checkOrder(LocationAttr place, Operation *op);

  PatternEvents &events;
  RewriteRun *outer;
  bool failed = false;

  /// The rewrite that is going on.
  StringRef pattern;
  Operation *root = nullptr;
  Location rootLoc;
  SmallVector<std::pair<LocationAttr, Operation *>> created;
  /// Ops that go at its end, with the place that says so; null if only what is
  /// left without users goes.
  llvm::MapVector<Operation *, LocationAttr> erased;

  int64_t maxRewrites;
  llvm::StringMap<int64_t> numRewrites;
  llvm::StringSet<> disabled;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_PATTERNS_REWRITERUN_H
