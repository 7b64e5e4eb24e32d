//===- Plugins.h - Passes and dialects loaded at run time -------*- C++ -*-===//

#ifndef TENSORCAST_LIB_TOOLS_PLUGINS_H
#define TENSORCAST_LIB_TOOLS_PLUGINS_H

#include "mlir/IR/DialectRegistry.h"

#include <optional>
#include <string>

namespace mlir::tensorcast {

/// Loads the plugins that `args` name with `--load-pass-plugin` and
/// `--load-dialect-plugin`, and takes these options out, so that what plugins
/// register is there when the others are read. Returns what is wrong with the
/// first that cannot be loaded.
std::optional<std::string> loadPlugins(SmallVectorImpl<char *> &args,
                                       DialectRegistry &registry);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_TOOLS_PLUGINS_H
