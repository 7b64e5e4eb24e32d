//===- AnotherInterface.cpp - A plugin of another kind of driver ----------===//

#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION + 1, "Later", LLVM_VERSION_STRING, [] {}};
}
