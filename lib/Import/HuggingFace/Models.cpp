//===- Models.cpp - Models by name or path --------------------------------===//

#include "tensorcast/Import/HuggingFace/Models.h"

#include "Family.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {
struct Preset {
  const char *stem;
  const char *text;
};

/// Another name under which a model is known on the hub.
struct Alias {
  StringRef name;
  StringRef preset;
};
} // namespace

/// The files of models/, sorted by name.
static constexpr Preset presets[] = {
#include "tensorcast/Data/models.inc"
};

static constexpr Alias aliases[] = {
    {"meta-llama/Llama-3.1-8B", "meta-llama/Meta-Llama-3.1-8B"},
    {"meta-llama/Llama-3.1-70B", "meta-llama/Meta-Llama-3.1-70B"},
    {"meta-llama/Llama-3.1-405B", "meta-llama/Meta-Llama-3.1-405B"},
};

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// `Qwen/Qwen3-32B` for `Qwen__Qwen3-32B`: files cannot have the slash.
static std::string nameOfStem(StringRef stem) {
  auto [organization, name] = stem.split("__");
  return name.empty() ? stem.str() : (organization + "/" + name).str();
}

static SmallVector<std::string> presetNames() {
  SmallVector<std::string> names;
  for (const Preset &preset : presets)
    names.push_back(nameOfStem(preset.stem));
  return names;
}

/// Whether a user who wrote `given` may have meant `name`.
static bool matches(StringRef given, StringRef name) {
  return given.equals_insensitive(name) ||
         given.equals_insensitive(name.split('/').second);
}

/// The names of the presets that `given` may mean, without repetition.
static SmallVector<std::string> findPresets(StringRef given,
                                            ArrayRef<std::string> names) {
  if (const Alias *alias = llvm::find_if(
          aliases,
          [&](const Alias &alias) { return matches(given, alias.name); });
      alias != std::end(aliases))
    given = alias->preset;
  SmallVector<std::string> found;
  for (const std::string &name : names)
    if (matches(given, name))
      found.push_back(name);
  return found;
}

/// The preset nearest to a name that may lack its organization.
static std::optional<StringRef> nearestPreset(StringRef given,
                                              ArrayRef<StringRef> names) {
  if (given.contains('/'))
    return nearestName(given, names);
  SmallVector<StringRef> bareNames;
  for (StringRef name : names)
    bareNames.push_back(name.split('/').second);
  std::optional<StringRef> nearest = nearestName(given, bareNames);
  for (auto [name, bareName] : llvm::zip(names, bareNames))
    if (nearest == bareName)
      return name;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Presets
//===----------------------------------------------------------------------===//

static FailureOr<DecoderConfig> readPreset(const Preset &preset,
                                           MLIRContext *context) {
  std::string name = nameOfStem(preset.stem);
  FailureOr<Json> json = parseJson(preset.text, name, context);
  if (failed(json))
    return failure();
  return readConfig(*json, name, name, context);
}

SmallVector<PresetInfo> tensorcast::listPresets(MLIRContext *context) {
  SmallVector<PresetInfo> infos;
  // What is not modelled of a preset is said when it is imported.
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &diag) {
    return success(diag.getSeverity() == DiagnosticSeverity::Warning);
  });
  for (const Preset &preset : presets) {
    FailureOr<DecoderConfig> config = readPreset(preset, context);
    if (failed(config))
      continue;
    PresetInfo &info = infos.emplace_back();
    info.name = config->name;
    llvm::raw_string_ostream os(info.description);
    os << config->numHiddenLayers << " layers, hidden size "
       << config->hiddenSize << ", "
       << llvm::format("%.1f billion parameters",
                       countParameters(*config) / 1e9);
    if (config->mixture)
      os << llvm::format(", %.1f of them active",
                         countActiveParameters(*config) / 1e9);
  }
  llvm::sort(infos,
             [](const auto &a, const auto &b) { return a.name < b.name; });
  return infos;
}

static FailureOr<DecoderConfig> loadPreset(StringRef model,
                                           MLIRContext *context) {
  SmallVector<std::string> names = presetNames();
  SmallVector<std::string> found = findPresets(model, names);
  if (found.size() == 1)
    return readPreset(presets[llvm::find(names, found[0]) - names.begin()],
                      context);
  InFlightDiagnostic diagnostic = emitError(UnknownLoc::get(context));
  if (found.size() > 1) {
    SmallVector<StringRef> candidates(found.begin(), found.end());
    return diagnostic << "expected the name of one model, but "
                      << quoteText(model) << " may be "
                      << joinNames(candidates, " or ", "'");
  }
  SmallVector<StringRef> known(names.begin(), names.end());
  return diagnostic << unknownName("model", model, known,
                                   nearestPreset(model, known))
                    << " (or the path of a config.json)";
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// What to call the model in a file: after the file, or after the directory
/// of one that is called as all are.
static std::string nameOfFile(StringRef path) {
  StringRef stem = llvm::sys::path::stem(path);
  if (stem != "config")
    return nameOfStem(stem);
  llvm::SmallString<256> absolute(path);
  if (llvm::sys::fs::make_absolute(absolute))
    return stem.str();
  llvm::sys::path::remove_dots(absolute, /*remove_dot_dot=*/true);
  StringRef directory =
      llvm::sys::path::filename(llvm::sys::path::parent_path(absolute));
  // The root of the file system has no name.
  return directory.empty() || directory == "/" ? stem.str()
                                               : nameOfStem(directory);
}

static FailureOr<DecoderConfig> loadFile(StringRef path, StringRef familiesFile,
                                         MLIRContext *context) {
  FailureOr<Json> json = readJsonFile(path, context);
  if (failed(json))
    return failure();
  return readConfig(*json, path, nameOfFile(path), context, familiesFile);
}

FailureOr<DecoderConfig> tensorcast::loadModel(StringRef model,
                                               MLIRContext *context,
                                               StringRef familiesFile) {
  if (llvm::sys::fs::is_directory(model)) {
    llvm::SmallString<256> path(model);
    llvm::sys::path::append(path, "config.json");
    if (!llvm::sys::fs::exists(path))
      return emitError(UnknownLoc::get(context))
             << "expected a config.json in " << quoteText(model)
             << ", but there is none";
    return loadFile(path, familiesFile, context);
  }
  // What no preset could be called is a path even if nothing is there.
  bool looksLikePath = model.ends_with_insensitive(".json") ||
                       model.starts_with(".") || model.starts_with("/") ||
                       model.count('/') > 1;
  if (looksLikePath || llvm::sys::fs::exists(model))
    return loadFile(model, familiesFile, context);
  if (!familiesFile.empty() && failed(readFamilies(familiesFile, context)))
    return failure();
  return loadPreset(model, context);
}
