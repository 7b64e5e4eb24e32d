//===- tc-opt.cpp - Runs passes on .mlir files ----------------------------===//

#include "tensorcast/Tools/OptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  return mlir::tensorcast::runOptMain(
      argc, argv, "TensorCast optimizer driver\n", registry);
}
