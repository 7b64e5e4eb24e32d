//===- DeviceProfile.h - What a device can do -------------------*- C++ -*-===//
//
// The numbers of one device, read from a dictionary of attributes.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_DEVICE_DEVICEPROFILE_H
#define TENSORCAST_DEVICE_DEVICEPROFILE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"

#include <array>
#include <optional>
#include <string>

namespace mlir::tensorcast {

/// The element types that devices state rates for. All 8-bit floats share one
/// rate.
enum class RateKey { F32, BF16, F16, I8, F8, F4 };
constexpr unsigned numRateKeys = 6;

/// `f32`, `bf16`, `f16`, `i8`, `f8` or `f4`.
StringRef stringifyRateKey(RateKey key);
std::optional<RateKey> symbolizeRateKey(StringRef name);

/// Peak operations per second by element type; absent where the unit has no
/// arithmetic of that type.
struct Rates {
  std::array<std::optional<double>, numRateKeys> opsPerSecond;

  std::optional<double> operator[](RateKey key) const {
    return opsPerSecond[static_cast<unsigned>(key)];
  }
};

/// How the members of one level are connected.
enum class Topology {
  Clos,    ///< Through switches: any member has the full bandwidth to any.
  FullMesh ///< A link between each two, each with its share of the bandwidth.
};

StringRef stringifyTopology(Topology topology);
std::optional<Topology> symbolizeTopology(StringRef name);

/// One level of the interconnect.
struct InterconnectLevel {
  /// Members: devices at the innermost level, groups further out.
  int64_t size = 0;
  Topology topology = Topology::Clos;
  /// Of one device, in one direction.
  double bandwidthBytesPerS = 0;
  /// Of one step.
  double latencyS = 0;
  /// The share of the bandwidth that transfers reach.
  double efficiency = 0;
};

/// Fixed cost of starting a kernel, by what is in it.
struct LaunchCosts {
  double cubeS = 0;
  double vectorS = 0;
  double collectiveS = 0;
};

/// On-chip memories, per core but for the L2 cache. Profiles may leave out any.
struct BufferSizes {
  std::optional<int64_t> l0aBytes, l0bBytes, l0cBytes, l1Bytes, ubBytes,
      l2Bytes;
};

/// One device. Rates and bandwidths are peaks; the efficiencies say which
/// share of them programs reach.
struct DeviceProfile {
  std::string name;
  /// Where the numbers are from; may be empty for a profile inside IR.
  std::string source;

  /// Matrix unit; a multiplication with its addition is two operations.
  Rates cubeOpsPerS;
  Rates vectorOpsPerS;
  double computeEfficiency = 0;

  int64_t memoryBytes = 0;
  double memoryBandwidthBytesPerS = 0;
  double memoryEfficiency = 0;

  LaunchCosts launchCosts;

  std::optional<int64_t> cubeCores, vectorCores;
  BufferSizes buffers;

  /// Outermost level first; empty for a device alone.
  SmallVector<InterconnectLevel, 3> interconnect;

  /// How many devices the interconnect joins.
  int64_t getNumDevices() const;
};

/// Checks and reads a profile: a JSON file through `jsonToDictionary`, or a
/// dictionary in IR. Reports everything that is wrong, all missing keys in one
/// diagnostic.
FailureOr<DeviceProfile>
parseDeviceProfile(DictionaryAttr dictionary,
                   llvm::function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::tensorcast

#endif // TENSORCAST_DEVICE_DEVICEPROFILE_H
