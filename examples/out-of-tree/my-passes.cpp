//===- my-passes.cpp - A plugin with a pass of one's own ------------------===//
//
//     tc-opt --load-pass-plugin=my-passes.so --my-fuse-linear-silu
//
//===----------------------------------------------------------------------===//

#include "FuseLinearSilu.h"

#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

// tc-opt takes only plugins that are built with its own version of LLVM.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "MyPasses", LLVM_VERSION_STRING,
          [] { mlir::PassRegistration<FuseLinearSilu>(); }};
}
