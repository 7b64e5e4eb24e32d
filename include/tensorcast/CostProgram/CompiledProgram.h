//===- CompiledProgram.h - Cost programs as machine code --------*- C++ -*-===//
//
// Takes most of LLVM, so that what starts often should not link it.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_COSTPROGRAM_COMPILEDPROGRAM_H
#define TENSORCAST_COSTPROGRAM_COMPILEDPROGRAM_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir::tensorcast {

class CompiledProgram {
public:
  /// Compiles what `CostProgram::emitLLVM` writes for this machine. Fails, and
  /// says what is wrong with other text.
  static FailureOr<CompiledProgram> compile(StringRef text,
                                            std::string &mistake);

  CompiledProgram(CompiledProgram &&);
  CompiledProgram &operator=(CompiledProgram &&);
  ~CompiledProgram();

  /// Computes the outputs of `count` batches: `features[i][j]` is feature i of
  /// batch j, and `outputs[i][j]` becomes output i.
  void run(ArrayRef<const double *> features, size_t count,
           ArrayRef<double *> outputs) const {
    function(features.data(), count, outputs.data());
  }

private:
  using Function = void (*)(const double *const *, uint64_t, double *const *);

  explicit CompiledProgram(std::unique_ptr<llvm::orc::LLJIT> jit);

  std::unique_ptr<llvm::orc::LLJIT> jit;
  Function function = nullptr;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_COSTPROGRAM_COMPILEDPROGRAM_H
