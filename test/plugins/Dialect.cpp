//===- Dialect.cpp - A plugin with a dialect ------------------------------===//

#include "mlir/IR/Dialect.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;

namespace {
/// A dialect that takes any op of its name.
class MineDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MineDialect)

  explicit MineDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<MineDialect>()) {
    allowUnknownOperations();
  }
  static StringRef getDialectNamespace() { return "mine"; }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Mine", LLVM_VERSION_STRING,
          [](DialectRegistry *registry) { registry->insert<MineDialect>(); }};
}
