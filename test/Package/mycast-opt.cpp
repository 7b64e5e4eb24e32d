//===- mycast-opt.cpp - An opt tool of another project --------------------===//

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry
      .insert<mlir::func::FuncDialect, mlir::transformer::TransformerDialect>();
  mlir::transformer::registerTransformerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "MyCast optimizer driver\n", registry));
}
