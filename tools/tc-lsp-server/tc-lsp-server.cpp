//===- tc-lsp-server.cpp - Serves editors of .mlir files ------------------===//
//
// Diagnostics, hover, completion and go-to-definition over the language server
// protocol, for the dialects of the project and for schedules.
//
//===----------------------------------------------------------------------===//

#include "tensorcast/Dialect/Transformer/TransformOps/TransformOps.h"
#include "tensorcast/InitAll.h"

#include "mlir/IR/Dialect.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::tensorcast::registerAllDialects(registry);
  mlir::transformer::registerTransformOps(registry);
  return llvm::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
