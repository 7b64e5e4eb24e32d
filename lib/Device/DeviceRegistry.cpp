//===- DeviceRegistry.cpp - Devices by name -------------------------------===//

#include "tensorcast/Device/DeviceRegistry.h"
#include "tensorcast/Device/DeviceProfile.h"
#include "tensorcast/Support/Json.h"
#include "tensorcast/Support/Wording.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {
struct EmbeddedProfile {
  const char *name;
  const char *text;
};
} // namespace

/// The files of device_profiles/, sorted by name.
static constexpr EmbeddedProfile embeddedProfiles[] = {
#include "tensorcast/Data/device_profiles.inc"
};

SmallVector<StringRef> tensorcast::listDevices() {
  SmallVector<StringRef> names;
  for (const EmbeddedProfile &profile : embeddedProfiles)
    names.push_back(profile.name);
  return names;
}

/// Checks the profile in `json`, which `source` names in messages.
static FailureOr<DictionaryAttr> checkProfile(const Json &json,
                                              StringRef source, Location loc) {
  auto emitProfileError = [&]() {
    InFlightDiagnostic diagnostic = emitError(loc);
    diagnostic << source << ": ";
    return diagnostic;
  };
  FailureOr<DictionaryAttr> dictionary =
      jsonToDictionary(json, emitProfileError, loc.getContext());
  if (failed(dictionary) ||
      failed(parseDeviceProfile(*dictionary, emitProfileError)))
    return failure();
  return dictionary;
}

FailureOr<DictionaryAttr> tensorcast::loadDevice(StringRef nameOrPath,
                                                 Location loc) {
  MLIRContext *context = loc.getContext();
  if (nameOrPath.ends_with_insensitive(".json") ||
      llvm::sys::path::has_parent_path(nameOrPath)) {
    FailureOr<Json> json = readJsonFile(nameOrPath, context);
    if (failed(json))
      return failure();
    return checkProfile(*json, nameOrPath, loc);
  }
  for (const EmbeddedProfile &profile : embeddedProfiles) {
    if (!nameOrPath.equals_insensitive(profile.name))
      continue;
    FailureOr<Json> json = parseJson(profile.text, profile.name, context);
    if (failed(json))
      return failure();
    return checkProfile(*json, profile.name, loc);
  }
  return emitError(loc) << unknownName("device", nameOrPath, listDevices())
                        << " (or the path of a .json file)";
}
