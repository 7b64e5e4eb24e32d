//===- Executable.h - Modules compiled in process ---------------*- C++ -*-===//

#ifndef TENSORCAST_VERIFY_EXECUTABLE_H
#define TENSORCAST_VERIFY_EXECUTABLE_H

#include "tensorcast/Verify/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace mlir {
class DialectRegistry;
class ExecutionEngine;
} // namespace mlir

namespace mlir::tensorcast {

/// The dialects and interfaces that execution needs.
void registerExecutionDialects(DialectRegistry &registry);

/// What it takes to run a module once.
struct WorkEstimate {
  /// Scalar arithmetic operations.
  double operations = 0;
  /// Bytes of all arguments and intermediate tensors.
  double bytes = 0;
};

/// Estimates `module`, which holds linalg on tensors.
WorkEstimate estimateWork(ModuleOp module);

/// A module of linalg on static tensors, compiled for this machine.
class Executable {
public:
  /// Compiles `module`, which is lowered on the way and of no use afterwards.
  static FailureOr<Executable> compile(ModuleOp module);

  Executable(Executable &&);
  Executable &operator=(Executable &&);
  ~Executable();

  /// Calls a public function of the module. Arguments are not changed.
  FailureOr<std::vector<HostTensor>> run(StringRef function,
                                         ArrayRef<HostTensor> arguments);

private:
  Executable(MLIRContext *context);

  MLIRContext *context;
  llvm::StringMap<FunctionType> functions;
  std::unique_ptr<ExecutionEngine> engine;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_VERIFY_EXECUTABLE_H
