//===- DeviceRegistryTest.cpp - Devices by name ---------------------------===//

#include "../Support/CollectDiagnostics.h"

#include "tensorcast/Device/DeviceProfile.h"
#include "tensorcast/Device/DeviceRegistry.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

class DeviceRegistryTest : public DiagnosticTest {
protected:
  FailureOr<DeviceProfile> load(StringRef name) {
    FailureOr<DictionaryAttr> dictionary = loadDevice(name, unknownLoc());
    if (failed(dictionary))
      return failure();
    return parseDeviceProfile(*dictionary,
                              [&]() { return emitError(unknownLoc()); });
  }
};

TEST_F(DeviceRegistryTest, AllProfilesLoadUnderTheirNames) {
  SmallVector<StringRef> names = listDevices();
  EXPECT_GE(names.size(), 11u);
  EXPECT_TRUE(llvm::is_sorted(names));
  EXPECT_FALSE(llvm::is_contained(names, "schema"));
  for (StringRef name : names) {
    FailureOr<DeviceProfile> profile = load(name);
    ASSERT_TRUE(succeeded(profile)) << name.str() << ": " << takeMessages();
    EXPECT_EQ(profile->name, name);
    EXPECT_NE(profile->source, "") << name.str();
  }
}

TEST_F(DeviceRegistryTest, NumbersOfTheTestDevice) {
  FailureOr<DeviceProfile> profile = load("test_device");
  ASSERT_TRUE(succeeded(profile)) << takeMessages();
  EXPECT_EQ(profile->cubeOpsPerS[RateKey::BF16], 353.9e12);
  EXPECT_EQ(profile->vectorOpsPerS[RateKey::F32], 5.5e12);
  EXPECT_EQ(profile->memoryBytes, int64_t(64) << 30);
  EXPECT_EQ(profile->memoryBandwidthBytesPerS, 1.6 * (int64_t(1) << 40));
  EXPECT_EQ(profile->getNumDevices(), 2048);
}

TEST_F(DeviceRegistryTest, UnknownNamesNameTheNearest) {
  EXPECT_TRUE(failed(load("TEST_DEVISE")));
  std::string message = takeMessages();
  EXPECT_TRUE(StringRef(message).starts_with(
      "unknown device 'TEST_DEVISE'; did you mean 'TEST_DEVICE'? known "
      "devices: ATLAS_350_425T_112G, "))
      << message;
}

TEST_F(DeviceRegistryTest, ProfilesFromFiles) {
  TemporaryDirectory directory;
  std::string path = directory.write("mine.json", R"({
    "name": "MINE", "cube_ops_per_s": {"f16": 1e12},
    "vector_ops_per_s": {"f16": 1e12}, "compute_efficiency": 1,
    "memory_bytes": 1024, "memory_bandwidth_bytes_per_s": 1e12,
    "memory_efficiency": 1, "interconnect": [],
    "launch_cost_s": {"cube": 0, "vector": 0, "collective": 0}})");
  FailureOr<DeviceProfile> profile = load(path);
  ASSERT_TRUE(succeeded(profile)) << takeMessages();
  EXPECT_EQ(profile->name, "MINE");
}

TEST_F(DeviceRegistryTest, FilesThatAreNoProfiles) {
  TemporaryDirectory directory;
  std::string missing = directory.path("none.json");
  EXPECT_TRUE(failed(load(missing)));
  EXPECT_EQ(takeMessages(),
            "cannot read '" + missing + "': No such file or directory");
  EXPECT_TRUE(failed(load("none.json")));
  EXPECT_EQ(takeMessages(),
            "cannot read 'none.json': No such file or directory");

  std::string array = directory.write("array.json", "[]");
  EXPECT_TRUE(failed(load(array)));
  EXPECT_EQ(takeMessages(),
            array + ": expected an object, but got an empty array");

  std::string null = directory.write("null.json", "{\"name\": null}");
  EXPECT_TRUE(failed(load(null)));
  EXPECT_EQ(takeMessages(), null + ": /name: expected a value, but got null");

  std::string name = directory.write("name.json", "{\"name\": 3}");
  EXPECT_TRUE(failed(load(name)));
  std::string message = takeMessages();
  EXPECT_TRUE(StringRef(message).starts_with(
      name + ": 'name': expected a string, but got 3\n" + name +
      ": expected keys 'cube_ops_per_s', "))
      << message;
}

} // namespace
