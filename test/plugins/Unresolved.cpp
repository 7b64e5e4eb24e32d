//===- Unresolved.cpp - A plugin that calls what is nowhere ---------------===//

#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

namespace mlir {
void callNobodyHas(int number);
} // namespace mlir

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Unresolved", LLVM_VERSION_STRING,
          [] { mlir::callNobodyHas(1); }};
}
