//===- my-opt.cpp - tc-opt with a pass of one's own -----------------------===//

#include "FuseLinearSilu.h"

#include "tensorcast/Tools/OptMain.h"

int main(int argc, char **argv) {
  mlir::PassRegistration<FuseLinearSilu>();
  mlir::DialectRegistry registry;
  return mlir::tensorcast::runOptMain(argc, argv, "MyCast optimizer driver\n",
                                      registry);
}
