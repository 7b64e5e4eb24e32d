//===- FuseLinearSilu.h - A fusion in C++ -----------------------*- C++ -*-===//

#ifndef MYCAST_FUSELINEARSILU_H
#define MYCAST_FUSELINEARSILU_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

/// Makes one kernel of a linear layer and the SiLU that alone reads it.
struct FuseLinearSilu
    : mlir::PassWrapper<FuseLinearSilu,
                        mlir::OperationPass<mlir::func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseLinearSilu)

  llvm::StringRef getArgument() const final { return "my-fuse-linear-silu"; }
  llvm::StringRef getDescription() const final {
    return "Makes one kernel of a linear layer and the SiLU behind it";
  }

  void runOnOperation() override;
};

#endif // MYCAST_FUSELINEARSILU_H
