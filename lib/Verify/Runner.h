//===- Runner.h - One module, lowered and run -------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_VERIFY_RUNNER_H
#define TENSORCAST_LIB_VERIFY_RUNNER_H

#include "Probes.h"
#include "UnrollRanks.h"

#include "tensorcast/Verify/Executable.h"
#include "tensorcast/Verify/SeededInputs.h"
#include "tensorcast/Verify/Verify.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tensorcast {

/// What to look at besides the results of one function.
struct ProbeRequest {
  StringRef function;
  /// Called before layers are inlined, or after.
  bool beforeInlining = false;
  llvm::function_ref<SmallVector<Probe>(func::FuncOp)> find;
};

struct NamedTensor {
  SmallVector<std::string, 1> names;
  HostTensor tensor;
};

/// What another rank has of a result that the first one of its group has as
/// well.
struct RankCopy {
  std::string name;
  int64_t rank;
  HostTensor own, first;
};

/// What one call of a function gave.
struct FunctionRun {
  SmallVector<NamedTensor> results, probes;
  SmallVector<RankCopy> copies;
};

/// A bound module, lowered with its probes and ready to run.
class LoweredModule {
public:
  /// Lowers a copy of `module`; if it is sharded, with all ranks of it, which
  /// have parts of `whole`.
  static FailureOr<LoweredModule> lower(ModuleOp module,
                                        const WholeModel &whole,
                                        const ProbeRequest *request = nullptr);

  /// Refuses what exceeds the limits.
  LogicalResult checkLimits(const VerifyOptions &options) const;

  LogicalResult compile();

  /// The functions in module order, and the arguments of each.
  llvm::MapVector<StringRef, SmallVector<ArgumentInfo>> &getFunctions() {
    return functions;
  }

  FailureOr<FunctionRun> run(StringRef function, const SeededInputs &inputs);

private:
  explicit LoweredModule(Location loc) : loc(loc) {}

  OwningOpRef<ModuleOp> module;
  Location loc;
  llvm::MapVector<StringRef, SmallVector<ArgumentInfo>> functions;
  /// A result of a function, of one rank or of all.
  struct ResultInfo {
    std::string name;
    std::optional<Part> part;
  };

  LogicalResult addProbes(const ProbeRequest &request);
  void describeFunctions();

  /// The results of each function, probes after them.
  llvm::StringMap<SmallVector<ResultInfo>> resultInfos;
  /// Ranks of a data-parallel group, which have the same requests.
  int64_t groupSize = 1;
  std::string probed;
  SmallVector<SmallVector<std::string, 1>> probeNames;
  unsigned firstProbe = 0;
  std::optional<Executable> executable;
};

/// Checks that two modules have the same functions.
LogicalResult checkFunctions(ModuleOp before, ModuleOp after);

/// The public functions of a module that have a body.
SmallVector<func::FuncOp> getPublicFunctions(ModuleOp module);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_RUNNER_H
