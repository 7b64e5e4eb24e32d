//===- DeviceProfileTest.cpp - Checking device profiles -------------------===//

#include "../Support/CollectDiagnostics.h"

#include "tensorcast/Device/DeviceProfile.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

/// All that a profile must have, as one would write it in IR.
constexpr StringRef smallest = R"(
  name = "D", cube_ops_per_s = {f16 = 3.5e14}, vector_ops_per_s = {f32 = 5},
  compute_efficiency = 0.7, memory_bytes = 1024,
  memory_bandwidth_bytes_per_s = 1.0e12, memory_efficiency = 1,
  launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0},
  interconnect = [])";

class DeviceProfileTest : public DiagnosticTest {
protected:
  DictionaryAttr dictionary(const Twine &members) {
    Attribute attribute = parseAttribute(("{" + members + "}").str(), &context);
    EXPECT_TRUE(attribute) << takeMessages();
    return cast<DictionaryAttr>(attribute);
  }

  FailureOr<DeviceProfile> parse(DictionaryAttr profile) {
    return parseDeviceProfile(profile,
                              [&]() { return emitError(unknownLoc()); });
  }

  /// The messages about the smallest profile with `key` set to `value`, or
  /// without it if `value` is empty.
  std::string parseWith(StringRef key, StringRef value) {
    NamedAttrList members(dictionary(smallest));
    if (value.empty()) {
      members.erase(key);
    } else {
      Attribute attribute = parseAttribute(value, &context);
      EXPECT_TRUE(attribute) << takeMessages();
      members.set(key, attribute);
    }
    bool isValid = succeeded(parse(members.getDictionary(&context)));
    EXPECT_EQ(isValid, messages.empty());
    return takeMessages();
  }
};

TEST_F(DeviceProfileTest, SmallestProfile) {
  FailureOr<DeviceProfile> profile = parse(dictionary(smallest));
  ASSERT_TRUE(succeeded(profile)) << takeMessages();
  EXPECT_EQ(profile->name, "D");
  EXPECT_EQ(profile->source, "");
  EXPECT_EQ(profile->cubeOpsPerS[RateKey::F16], 3.5e14);
  EXPECT_EQ(profile->cubeOpsPerS[RateKey::F32], std::nullopt);
  // Integers count as numbers.
  EXPECT_EQ(profile->vectorOpsPerS[RateKey::F32], 5.0);
  EXPECT_EQ(profile->memoryEfficiency, 1.0);
  EXPECT_EQ(profile->memoryBytes, 1024);
  EXPECT_EQ(profile->launchCosts.cubeS, 5e-6);
  EXPECT_EQ(profile->launchCosts.collectiveS, 0);
  EXPECT_EQ(profile->cubeCores, std::nullopt);
  EXPECT_EQ(profile->getNumDevices(), 1);
}

TEST_F(DeviceProfileTest, WholeProfile) {
  FailureOr<DeviceProfile> profile = parse(dictionary(R"(
      name = "D", source = "invented",
      cube_ops_per_s = {f32 = 1, bf16 = 2, f16 = 3, i8 = 4, f8 = 5, f4 = 6},
      vector_ops_per_s = {f32 = 7.0 : f32},
      compute_efficiency = 0.5, memory_bytes = 1024 : i32,
      memory_bandwidth_bytes_per_s = 8, memory_efficiency = 0.25,
      launch_cost_s = {cube = 0.1, vector = 0.2, collective = 0.3},
      cube_cores = 24, vector_cores = 48,
      buffer_bytes = {l0a = 1, l0b = 2, l0c = 3, l1 = 4, ub = 5, l2 = 6},
      interconnect = [
        {size = 128, topology = "clos", bandwidth_bytes_per_s = 2.5e10,
         latency_s = 1.5e-6, efficiency = 0.7},
        {size = 8, topology = "full_mesh", bandwidth_bytes_per_s = 1.96e11,
         latency_s = 0, efficiency = 1}])"));
  ASSERT_TRUE(succeeded(profile)) << takeMessages();
  EXPECT_EQ(profile->source, "invented");
  EXPECT_EQ(profile->cubeOpsPerS[RateKey::F4], 6.0);
  EXPECT_EQ(profile->cubeCores, 24);
  EXPECT_EQ(profile->vectorCores, 48);
  EXPECT_EQ(profile->buffers.l0aBytes, 1);
  EXPECT_EQ(profile->buffers.l2Bytes, 6);
  ASSERT_EQ(profile->interconnect.size(), 2u);
  EXPECT_EQ(profile->interconnect[0].size, 128);
  EXPECT_EQ(profile->interconnect[0].topology, Topology::Clos);
  EXPECT_EQ(profile->interconnect[0].bandwidthBytesPerS, 2.5e10);
  EXPECT_EQ(profile->interconnect[0].latencyS, 1.5e-6);
  EXPECT_EQ(profile->interconnect[0].efficiency, 0.7);
  EXPECT_EQ(profile->interconnect[1].topology, Topology::FullMesh);
  EXPECT_EQ(profile->getNumDevices(), 1024);
}

TEST_F(DeviceProfileTest, MissingKeysAreReportedTogether) {
  EXPECT_TRUE(failed(parse(dictionary("launch_cost_s = {cube = 0}"))));
  EXPECT_EQ(takeMessages(),
            "expected keys 'name', 'cube_ops_per_s', 'vector_ops_per_s', "
            "'compute_efficiency', 'memory_bytes', "
            "'memory_bandwidth_bytes_per_s', 'memory_efficiency', "
            "'launch_cost_s.vector', 'launch_cost_s.collective', "
            "'interconnect', but they are missing");
  EXPECT_EQ(parseWith("memory_bytes", ""),
            "expected key 'memory_bytes', but it is missing");
  EXPECT_EQ(parseWith("interconnect", "[{size = 2, latency_s = 0}]"),
            "expected keys 'interconnect[0].topology', "
            "'interconnect[0].bandwidth_bytes_per_s', "
            "'interconnect[0].efficiency', but they are missing");
}

TEST_F(DeviceProfileTest, UnknownKeysNameTheNearest) {
  std::string message = parseWith("memory_byte", "1");
  EXPECT_TRUE(StringRef(message).starts_with(
      "unknown key 'memory_byte'; did you mean 'memory_bytes'? known keys: "
      "name, source, "))
      << message;
  EXPECT_EQ(parseWith("cube_ops_per_s", "{fp16 = 1}"),
            "'cube_ops_per_s': unknown key 'fp16'; did you mean 'f16'? known "
            "keys: f32, bf16, f16, i8, f8, f4");
  EXPECT_EQ(parseWith("buffer_bytes", "{l3 = 1}"),
            "'buffer_bytes': unknown key 'l3'; did you mean 'l1'? known keys: "
            "l0a, l0b, l0c, l1, ub, l2");
  EXPECT_EQ(parseWith("launch_cost_s",
                      "{cube = 0, vector = 0, collective = 0, host = 0}"),
            "'launch_cost_s': unknown key 'host'; known keys: cube, vector, "
            "collective");
}

TEST_F(DeviceProfileTest, WrongTypes) {
  EXPECT_EQ(parseWith("name", "3"), "'name': expected a string, but got 3");
  EXPECT_EQ(parseWith("name", "\"\""),
            "'name': expected a string, but got an empty one");
  EXPECT_EQ(parseWith("source", "unit"),
            "'source': expected a string, but got unit");
  EXPECT_EQ(parseWith("cube_ops_per_s", "1.0"),
            "'cube_ops_per_s': expected a dictionary, but got 1.0");
  EXPECT_EQ(parseWith("launch_cost_s", "[]"),
            "'launch_cost_s': expected a dictionary, but got an empty array");
  EXPECT_EQ(parseWith("buffer_bytes", "\"x\""),
            "'buffer_bytes': expected a dictionary, but got 'x'");
  EXPECT_EQ(parseWith("interconnect", "{}"),
            "'interconnect': expected an array, but got a dictionary");
  EXPECT_EQ(parseWith("interconnect", "[8]"),
            "'interconnect[0]': expected a dictionary, but got 8 : i64");
  EXPECT_EQ(parseWith("memory_bytes", "1.5"),
            "'memory_bytes': expected an integer from 1 to 1125899906842624, "
            "but got 1.5");
  EXPECT_EQ(parseWith("memory_efficiency", "true"),
            "'memory_efficiency': expected a number from 1.0e-06 to 1.0, "
            "but got true");
  EXPECT_EQ(parseWith("cube_ops_per_s", "{f16 = \"1e12\"}"),
            "'cube_ops_per_s.f16': expected a number from 1.0 to "
            "1.0e+18, but got '1e12'");
}

TEST_F(DeviceProfileTest, WrongRanges) {
  EXPECT_EQ(parseWith("compute_efficiency", "0"),
            "'compute_efficiency': expected a number from 1.0e-06 to "
            "1.0, but got 0");
  EXPECT_EQ(parseWith("compute_efficiency", "1.1"),
            "'compute_efficiency': expected a number from 1.0e-06 to "
            "1.0, but got 1.1");
  EXPECT_EQ(parseWith("memory_bandwidth_bytes_per_s", "-1.0"),
            "'memory_bandwidth_bytes_per_s': expected a number from 1.0 "
            "to 1.0e+16, but got -1.0");
  EXPECT_EQ(parseWith("vector_ops_per_s", "{f32 = 0x7FF0000000000000 : f64}"),
            "'vector_ops_per_s.f32': expected a number from 1.0 to "
            "1.0e+18, but got 0x7FF0000000000000 : f64");
  EXPECT_EQ(parseWith("vector_ops_per_s", "{f32 = 0x7FF8000000000000 : f64}"),
            "'vector_ops_per_s.f32': expected a number from 1.0 to "
            "1.0e+18, but got 0x7FF8000000000000 : f64");
  EXPECT_EQ(
      parseWith("launch_cost_s", "{cube = -1, vector = 2.0, collective = 0}"),
      "'launch_cost_s.cube': expected a number from 0.0 to 1.0, but got "
      "-1\n"
      "'launch_cost_s.vector': expected a number from 0.0 to 1.0, but "
      "got 2.0");
  EXPECT_EQ(parseWith("memory_bytes", "0"),
            "'memory_bytes': expected an integer from 1 to 1125899906842624, "
            "but got 0");
  EXPECT_EQ(parseWith("memory_bytes", "1125899906842625"),
            "'memory_bytes': expected an integer from 1 to 1125899906842624, "
            "but got 1125899906842625");
  EXPECT_EQ(parseWith("cube_cores", "-1"),
            "'cube_cores': expected an integer from 1 to 65536, but got -1");
  EXPECT_EQ(parseWith("cube_ops_per_s", "{}"),
            "'cube_ops_per_s': expected the rate of at least one of f32, bf16, "
            "f16, i8, f8, f4");
}

TEST_F(DeviceProfileTest, IntegersOfAnyWidth) {
  EXPECT_EQ(parseWith("memory_bytes", "1024 : i128"), "");
  EXPECT_EQ(parseWith("memory_bytes", "1024 : ui64"), "");
  EXPECT_EQ(parseWith("memory_bytes", "1024 : index"), "");
  EXPECT_EQ(parseWith("memory_bytes", "18446744073709551615 : ui64"),
            "'memory_bytes': expected an integer from 1 to 1125899906842624, "
            "but got 18446744073709551615");
  EXPECT_EQ(parseWith("memory_bytes", "36893488147419103232 : i128"),
            "'memory_bytes': expected an integer from 1 to 1125899906842624, "
            "but got 36893488147419103232");
}

TEST_F(DeviceProfileTest, InterconnectLevels) {
  auto level = [](StringRef size, StringRef topology) {
    return ("{size = " + size + ", topology = \"" + topology +
            "\", bandwidth_bytes_per_s = 1, latency_s = 0, efficiency = 1}")
        .str();
  };
  EXPECT_EQ(parseWith("interconnect", "[" + level("1", "clos") + "]"),
            "'interconnect[0].size': expected an integer from 2 to 16777216, "
            "but got 1");
  EXPECT_EQ(parseWith("interconnect", "[" + level("2", "clos") + ", " +
                                          level("2", "full-mesh") + "]"),
            "'interconnect[1].topology': unknown topology 'full-mesh'; did you "
            "mean 'full_mesh'? known topologies: clos, full_mesh");
  std::string large = level("16777216", "clos");
  EXPECT_EQ(parseWith("interconnect",
                      "[" + large + ", " + large + ", " + large + "]"),
            "'interconnect': expected the product of all sizes to be at most "
            "16777216 devices");
  std::string many = level("2", "clos");
  for (int i = 0; i < 8; ++i)
    many += ", " + level("2", "clos");
  EXPECT_EQ(parseWith("interconnect", "[" + many + "]"),
            "'interconnect': expected at most 8 levels, but got 9");
}

TEST(DeviceNamesTest, RoundTrip) {
  for (RateKey key : {RateKey::F32, RateKey::BF16, RateKey::F16, RateKey::I8,
                      RateKey::F8, RateKey::F4})
    EXPECT_EQ(symbolizeRateKey(stringifyRateKey(key)), key);
  for (Topology topology : {Topology::Clos, Topology::FullMesh})
    EXPECT_EQ(symbolizeTopology(stringifyTopology(topology)), topology);
  EXPECT_EQ(symbolizeRateKey("f64"), std::nullopt);
  EXPECT_EQ(symbolizeTopology(""), std::nullopt);
}

} // namespace
