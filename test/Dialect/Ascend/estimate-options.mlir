// RUN: tc-opt %s --ascend-estimate="device=TEST_DEVICE" | FileCheck %s --check-prefix=NAME
// RUN: tc-opt %s --ascend-estimate="device=test_device" | FileCheck %s --check-prefix=NAME
// RUN: tc-opt %s --ascend-estimate="default-device=TEST_DEVICE" | FileCheck %s --check-prefix=DEFAULT
// RUN: tc-opt %s --ascend-estimate="device=ATLAS_800_A2_313T_64G default-device=TEST_DEVICE" \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: tc-opt %s --ascend-estimate="device=%source_root/device_profiles/TEST_DEVICE.json" \
// RUN:   | FileCheck %s --check-prefix=NAME
// RUN: tc-opt %s --ascend-estimate="device=TEST_DEVICE" --ascend-estimate \
// RUN:   | FileCheck %s --check-prefix=NAME
// RUN: tc-opt %s --ascend-estimate="device=TEST_DEVICE cost-model=tensorcast-2026.08" \
// RUN:   | FileCheck %s --check-prefix=MODEL
// RUN: tc-opt %s --ascend-estimate="device=TEST_DEVICE reserved-memory-gb=1.5" \
// RUN:   | FileCheck %s --check-prefix=RESERVED

// NAME:     name = "TEST_DEVICE"
// NAME:     ascend.cost_model = "tensorcast-2026.08"
// NAME-NOT: ascend.reserved_bytes

// BOTH:     name = "ATLAS_800_A2_313T_64G"

// The default is for modules that name no device.
// DEFAULT:     name = "round numbers"
// DEFAULT-NOT: TEST_DEVICE

// MODEL:    ascend.cost_model = "tensorcast-2026.08"

// 1.5 * 2^30 bytes.
// RESERVED: ascend.reserved_bytes = 1610612736 : i64

module attributes {ascend.device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>} {
  func.func @main(%x: tensor<500xf16>) {
    ascend.launch "k"(%x) : (tensor<500xf16>) -> ()
    return
  }
}
