//===- KernelCoefficients.h - What single kernels reach ---------*- C++ -*-===//
//
// A device profile says what share of the peaks programs reach. A coefficient
// file says it of single kernels, as measured or as hoped for:
//
//   {"kernels": {"norm_linear": {"compute_efficiency": 0.6, "launch_s": 2e-6,
//                                "source": "a guess"}}}
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_DEVICE_KERNELCOEFFICIENTS_H
#define TENSORCAST_DEVICE_KERNELCOEFFICIENTS_H

#include "tensorcast/Device/DeviceProfile.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::tensorcast {

/// A device as each kernel finds it.
class KernelDevices {
public:
  /// Reads `coefficients`, a dictionary from kernel to numbers (null for none):
  /// `compute_efficiency` and `memory_efficiency` (above 0, at most 1) and
  /// `launch_s` (seconds), each optional, and `source`. Reports everything that
  /// is wrong.
  static FailureOr<KernelDevices>
  get(const DeviceProfile &device, DictionaryAttr coefficients,
      llvm::function_ref<InFlightDiagnostic()> emitError);

  /// The device with the efficiencies and launch costs of `kernel`.
  const DeviceProfile &operator[](StringRef kernel) const;

  /// Where the numbers of `kernel` are from; none if the device has no special
  /// ones for it.
  std::optional<StringRef> getSource(StringRef kernel) const;

private:
  explicit KernelDevices(const DeviceProfile &device) : device(device) {}

  struct Entry {
    DeviceProfile device;
    std::string source;
  };
  DeviceProfile device;
  llvm::StringMap<Entry> kernels;
};

/// Reads a coefficient file and returns its dictionary of kernels.
FailureOr<DictionaryAttr> loadKernelCoefficients(StringRef path, Location loc);

} // namespace mlir::tensorcast

#endif // TENSORCAST_DEVICE_KERNELCOEFFICIENTS_H
