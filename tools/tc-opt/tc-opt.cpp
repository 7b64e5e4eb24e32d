//===- tc-opt.cpp - Runs passes on .mlir files ----------------------------===//

#include "tensorcast/InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::tensorcast::registerAllDialects(registry);
  mlir::tensorcast::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "TensorCast optimizer driver\n", registry));
}
