//===- DeviceProfile.cpp - What a device can do ---------------------------===//

#include "tensorcast/Device/DeviceProfile.h"
#include "DictionaryReader.h"

#include "tensorcast/Support/Wording.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tensorcast;

//===----------------------------------------------------------------------===//
// Names of closed sets
//===----------------------------------------------------------------------===//

/// In the order of `RateKey`.
static constexpr StringRef rateKeyNames[numRateKeys] = {"f32", "bf16", "f16",
                                                        "i8",  "f8",   "f4"};

/// In the order of `Topology`.
static constexpr StringRef topologyNames[] = {"clos", "full_mesh"};

/// The enumerator whose name is `name`, given all names in order.
template <typename EnumT>
static std::optional<EnumT> symbolize(ArrayRef<StringRef> names,
                                      StringRef name) {
  const StringRef *found = llvm::find(names, name);
  if (found == names.end())
    return std::nullopt;
  return static_cast<EnumT>(found - names.begin());
}

StringRef tensorcast::stringifyRateKey(RateKey key) {
  return rateKeyNames[static_cast<unsigned>(key)];
}

std::optional<RateKey> tensorcast::symbolizeRateKey(StringRef name) {
  return symbolize<RateKey>(rateKeyNames, name);
}

StringRef tensorcast::stringifyTopology(Topology topology) {
  return topologyNames[static_cast<unsigned>(topology)];
}

std::optional<Topology> tensorcast::symbolizeTopology(StringRef name) {
  return symbolize<Topology>(topologyNames, name);
}

//===----------------------------------------------------------------------===//
// Ranges: wide enough for any hardware, tight enough to catch wrong units and
// to keep later arithmetic finite.
//===----------------------------------------------------------------------===//

static constexpr NumberRange rateRange = {1, 1e18};
static constexpr NumberRange bandwidthRange = {1, 1e16};
static constexpr NumberRange shareRange = {1e-6, 1};
static constexpr NumberRange secondsRange = {0, 1};
static constexpr int64_t maxMemoryBytes = int64_t(1) << 50;
static constexpr int64_t maxCores = 65536;
static constexpr int64_t maxDevices = int64_t(1) << 24;
static constexpr unsigned maxLevels = 8;

//===----------------------------------------------------------------------===//
// Parts of a profile
//===----------------------------------------------------------------------===//

static Rates readRates(DictionaryReader &profile, StringRef key,
                       DictionaryErrors &errors) {
  Rates rates;
  DictionaryAttr dictionary = profile.dictionaryOf(key);
  if (!dictionary)
    return rates;
  if (dictionary.empty())
    profile.emitError(key) << "expected the rate of at least one of "
                           << joinNames(rateKeyNames);
  DictionaryReader reader(dictionary, key + ".", errors);
  reader.rejectOthers(rateKeyNames);
  for (auto [name, rate] : llvm::zip(rateKeyNames, rates.opsPerSecond))
    rate = reader.optionalNumber(name, rateRange);
  return rates;
}

static LaunchCosts readLaunchCosts(DictionaryReader &profile,
                                   DictionaryErrors &errors) {
  StringRef key = "launch_cost_s";
  DictionaryAttr dictionary = profile.dictionaryOf(key);
  if (!dictionary)
    return {};
  DictionaryReader reader(dictionary, key + ".", errors);
  reader.rejectOthers({"cube", "vector", "collective"});
  LaunchCosts costs;
  costs.cubeS = reader.number("cube", secondsRange);
  costs.vectorS = reader.number("vector", secondsRange);
  costs.collectiveS = reader.number("collective", secondsRange);
  return costs;
}

static BufferSizes readBuffers(DictionaryReader &profile,
                               DictionaryErrors &errors) {
  BufferSizes sizes;
  StringRef key = "buffer_bytes";
  DictionaryAttr dictionary = profile.optionalDictionaryOf(key);
  if (!dictionary)
    return sizes;
  static constexpr StringRef names[] = {"l0a", "l0b", "l0c", "l1", "ub", "l2"};
  std::optional<int64_t> *fields[] = {&sizes.l0aBytes, &sizes.l0bBytes,
                                      &sizes.l0cBytes, &sizes.l1Bytes,
                                      &sizes.ubBytes,  &sizes.l2Bytes};
  DictionaryReader reader(dictionary, key + ".", errors);
  reader.rejectOthers(names);
  for (auto [name, field] : llvm::zip(names, fields))
    *field = reader.optionalInteger(name, 1, maxMemoryBytes);
  return sizes;
}

static InterconnectLevel readLevel(DictionaryAttr dictionary, const Twine &path,
                                   DictionaryErrors &errors) {
  DictionaryReader reader(dictionary, path + ".", errors);
  reader.rejectOthers(
      {"size", "topology", "bandwidth_bytes_per_s", "latency_s", "efficiency"});
  InterconnectLevel level;
  level.size = reader.integer("size", 2, maxDevices);
  std::string topology = reader.string("topology");
  if (std::optional<Topology> known = symbolizeTopology(topology))
    level.topology = *known;
  else if (!topology.empty())
    reader.emitError("topology")
        << unknownName("topology", topology, topologyNames);
  level.bandwidthBytesPerS =
      reader.number("bandwidth_bytes_per_s", bandwidthRange);
  level.latencyS = reader.number("latency_s", secondsRange);
  level.efficiency = reader.number("efficiency", shareRange);
  return level;
}

static SmallVector<InterconnectLevel, 3>
readInterconnect(DictionaryReader &profile, DictionaryErrors &errors) {
  SmallVector<InterconnectLevel, 3> levels;
  StringRef key = "interconnect";
  ArrayAttr array = profile.arrayOf(key);
  if (!array)
    return levels;
  if (array.size() > maxLevels) {
    profile.emitError(key) << "expected at most " << maxLevels
                           << " levels, but got " << array.size();
    return levels;
  }
  int64_t devices = 1;
  for (auto [index, element] : llvm::enumerate(array)) {
    std::string name = (key + "[" + Twine(index) + "]").str();
    auto dictionary = dyn_cast<DictionaryAttr>(element);
    if (!dictionary) {
      profile.emitError(name) << "expected a dictionary, but got " << element;
      continue;
    }
    levels.push_back(readLevel(dictionary, name, errors));
    // The product of two factors within the limit cannot overflow.
    if (devices <= maxDevices)
      devices *= levels.back().size;
  }
  if (devices > maxDevices)
    profile.emitError(key) << "expected the product of all sizes to be at most "
                           << maxDevices << " devices";
  return levels;
}

//===----------------------------------------------------------------------===//
// The profile
//===----------------------------------------------------------------------===//

int64_t DeviceProfile::getNumDevices() const {
  int64_t devices = 1;
  for (const InterconnectLevel &level : interconnect)
    devices *= level.size;
  return devices;
}

FailureOr<DeviceProfile> tensorcast::parseDeviceProfile(
    DictionaryAttr dictionary,
    llvm::function_ref<InFlightDiagnostic()> emitError) {
  DictionaryErrors errors{emitError};
  DictionaryReader reader(dictionary, "", errors);
  reader.rejectOthers({"name", "source", "cube_ops_per_s", "vector_ops_per_s",
                       "compute_efficiency", "memory_bytes",
                       "memory_bandwidth_bytes_per_s", "memory_efficiency",
                       "launch_cost_s", "cube_cores", "vector_cores",
                       "buffer_bytes", "interconnect"});
  DeviceProfile profile;
  profile.name = reader.string("name");
  profile.source = reader.optionalString("source");
  profile.cubeOpsPerS = readRates(reader, "cube_ops_per_s", errors);
  profile.vectorOpsPerS = readRates(reader, "vector_ops_per_s", errors);
  profile.computeEfficiency = reader.number("compute_efficiency", shareRange);
  profile.memoryBytes = reader.integer("memory_bytes", 1, maxMemoryBytes);
  profile.memoryBandwidthBytesPerS =
      reader.number("memory_bandwidth_bytes_per_s", bandwidthRange);
  profile.memoryEfficiency = reader.number("memory_efficiency", shareRange);
  profile.launchCosts = readLaunchCosts(reader, errors);
  profile.cubeCores = reader.optionalInteger("cube_cores", 1, maxCores);
  profile.vectorCores = reader.optionalInteger("vector_cores", 1, maxCores);
  profile.buffers = readBuffers(reader, errors);
  profile.interconnect = readInterconnect(reader, errors);
  if (failed(errors.finish()))
    return failure();
  return profile;
}
