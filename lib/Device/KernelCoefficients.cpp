//===- KernelCoefficients.cpp - What single kernels reach -----------------===//

#include "tensorcast/Device/KernelCoefficients.h"

#include "DictionaryReader.h"
#include "tensorcast/Support/Json.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// Seconds that a kernel may take to start; more is a mistake in the unit.
static constexpr NumberRange launchRange = {0, 1};
static constexpr NumberRange efficiencyRange = {1e-6, 1};

FailureOr<KernelDevices>
KernelDevices::get(const DeviceProfile &device, DictionaryAttr coefficients,
                   llvm::function_ref<InFlightDiagnostic()> emitError) {
  KernelDevices devices(device);
  if (!coefficients)
    return devices;
  DictionaryErrors errors{emitError};
  DictionaryReader table(coefficients, "", errors);
  for (NamedAttribute kernel : coefficients) {
    DictionaryAttr numbers = table.dictionaryOf(kernel.getName());
    if (!numbers)
      continue;
    DictionaryReader reader(numbers, kernel.getName().getValue() + ".", errors);
    reader.rejectOthers(
        {"compute_efficiency", "launch_s", "memory_efficiency", "source"});
    Entry &entry = devices.kernels[kernel.getName()];
    entry.device = device;
    if (auto share =
            reader.optionalNumber("compute_efficiency", efficiencyRange))
      entry.device.computeEfficiency = *share;
    if (auto share =
            reader.optionalNumber("memory_efficiency", efficiencyRange))
      entry.device.memoryEfficiency = *share;
    if (auto seconds = reader.optionalNumber("launch_s", launchRange))
      entry.device.launchCosts = {*seconds, *seconds, *seconds};
    entry.source = reader.optionalString("source");
  }
  if (failed(errors.finish()))
    return failure();
  return devices;
}

const DeviceProfile &KernelDevices::operator[](StringRef kernel) const {
  auto found = kernels.find(kernel);
  return found == kernels.end() ? device : found->second.device;
}

std::optional<StringRef> KernelDevices::getSource(StringRef kernel) const {
  auto found = kernels.find(kernel);
  if (found == kernels.end())
    return std::nullopt;
  return StringRef(found->second.source);
}

FailureOr<DictionaryAttr>
mlir::tensorcast::loadKernelCoefficients(StringRef path, Location loc) {
  FailureOr<Json> json = readJsonFile(path, loc.getContext());
  if (failed(json))
    return failure();
  auto emitFileError = [&] {
    InFlightDiagnostic diag = emitError(loc);
    diag << path << ": ";
    return diag;
  };
  FailureOr<DictionaryAttr> file =
      jsonToDictionary(*json, emitFileError, loc.getContext());
  if (failed(file))
    return failure();
  DictionaryErrors errors{emitFileError};
  DictionaryReader reader(*file, "", errors);
  reader.rejectOthers({"kernels"});
  DictionaryAttr kernels = reader.dictionaryOf("kernels");
  // What is wrong with a kernel is said of the file, not of a module later.
  DeviceProfile any;
  if (failed(errors.finish()) ||
      failed(KernelDevices::get(any, kernels, emitFileError)))
    return failure();
  return kernels;
}
