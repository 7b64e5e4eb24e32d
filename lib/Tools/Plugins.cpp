//===- Plugins.cpp - Passes and dialects loaded at run time ---------------===//
//
// MLIR loads plugins by itself, but ignores those that it cannot load, says
// nothing of why, and finds unresolved functions only when they are called.
//
//===----------------------------------------------------------------------===//

#include "Plugins.h"

#include "tensorcast/Support/Wording.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>

using namespace mlir;
using namespace mlir::tensorcast;

/// What the linker says, with names as they are written.
static std::string explain(StringRef error) {
  auto [rest, symbol] = error.split("undefined symbol: ");
  if (symbol.empty())
    return error.str();
  return "this program has no '" + llvm::demangle(symbol.take_until([](char c) {
           return c == ' ' || c == ',';
         })) +
         "', which it needs; it may have been built for another version, "
         "or use a part of MLIR that is not in here";
}

/// Loads the library at `path`, or says what is wrong with it.
template <typename PluginT>
static std::optional<std::string> load(StringRef path, StringRef entry,
                                       function_ref<void(PluginT &)> use) {
  auto fail = [&](const Twine &why) {
    return ("cannot load the plugin " + Twine(quoteText(path)) + ": " + why)
        .str();
  };
  // Without a folder, the linker would look everywhere but here.
  llvm::SmallString<128> absolute;
  if (std::error_code error = llvm::sys::fs::real_path(path, absolute))
    return fail(error.message());
  // All symbols now: what is missing would end the program in the middle.
  void *known = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!known)
    return fail(explain(dlerror()));
  if (!dlsym(known, entry.str().c_str()))
    return fail("expected a function '" + entry + "', but it has none");
  llvm::Expected<PluginT> plugin = PluginT::load(absolute.str().str());
  if (!plugin)
    return fail(llvm::toString(plugin.takeError()));
  // Classes differ from one version to the next, and nothing else checks it.
  if (plugin->getPluginVersion() != LLVM_VERSION_STRING)
    return fail("expected its version to be LLVM_VERSION_STRING, which is " +
                Twine(LLVM_VERSION_STRING) + " here, but got " +
                quoteText(plugin->getPluginVersion()));
  use(*plugin);
  return std::nullopt;
}

/// The value of option `name` at `args[index]`, as one argument or two; null if
/// there is another option. Sets `size` to how many arguments it takes.
static const char *getValue(ArrayRef<char *> args, size_t index, StringRef name,
                            size_t &size) {
  StringRef arg = args[index];
  size = 1;
  if (!arg.consume_front("--") && !arg.consume_front("-"))
    return nullptr;
  if (!arg.consume_front(name))
    return nullptr;
  if (arg.starts_with("="))
    return arg.data() + 1;
  size = 2;
  return arg.empty() && index + 1 < args.size() ? args[index + 1] : nullptr;
}

std::optional<std::string>
tensorcast::loadPlugins(SmallVectorImpl<char *> &args,
                        DialectRegistry &registry) {
  SmallVector<char *> rest;
  for (size_t index = 0, size = 1; index < args.size(); index += size) {
    std::optional<std::string> problem;
    if (const char *path = getValue(args, index, "load-pass-plugin", size)) {
      problem = load<PassPlugin>(
          path, "mlirGetPassPluginInfo",
          [](PassPlugin &plugin) { plugin.registerPassRegistryCallbacks(); });
    } else if (const char *dialects =
                   getValue(args, index, "load-dialect-plugin", size)) {
      problem = load<DialectPlugin>(
          dialects, "mlirGetDialectPluginInfo", [&](DialectPlugin &plugin) {
            plugin.registerDialectRegistryCallbacks(registry);
          });
    } else {
      size = 1;
      rest.push_back(args[index]);
    }
    if (problem)
      return problem;
  }
  args = rest;
  return std::nullopt;
}
