//===- Runner.h - One module, lowered and run -------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_VERIFY_RUNNER_H
#define TENSORCAST_LIB_VERIFY_RUNNER_H

#include "Probes.h"

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

/// What one call of a function gave.
struct FunctionRun {
  SmallVector<NamedTensor> results, probes;
};

/// A bound module, lowered with its probes and ready to run.
class LoweredModule {
public:
  /// Lowers a copy of `module`.
  static FailureOr<LoweredModule> lower(ModuleOp module,
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
  /// Names of the results of each function, probes after them.
  llvm::StringMap<SmallVector<std::string>> resultNames;
  std::string probed;
  SmallVector<SmallVector<std::string, 1>> probeNames;
  unsigned firstProbe = 0;
  std::optional<Executable> executable;
};

/// The public functions of a module that have a body.
SmallVector<func::FuncOp> getPublicFunctions(ModuleOp module);

/// Reports where the public functions of two modules do not have the same names
/// and types.
LogicalResult checkFunctions(ModuleOp before, ModuleOp after);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_RUNNER_H
