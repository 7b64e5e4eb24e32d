//===- AnotherVersion.cpp - A plugin built with another LLVM --------------===//

#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Old", "21.1.0", [] {}};
}
