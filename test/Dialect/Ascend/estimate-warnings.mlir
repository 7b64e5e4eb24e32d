// RUN: tc-opt %s --split-input-file --ascend-estimate --verify-diagnostics | FileCheck %s

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>

// Operations without a rate are dropped: what is left is the traffic, and the
// start of a kernel that does not compute on the cube. One warning per type.
// CHECK-LABEL: func @no_rate
// CHECK:         ascend.launch "a"(%{{.*}}) cost <time = 3.0e-06, memory = 1.0e-06, launch = 2.0e-06>
// CHECK:         ascend.launch "b"(%{{.*}}) cost <time = 3.0e-06, memory = 1.0e-06, launch = 2.0e-06>
// CHECK:         ascend.launch "c"(%{{.*}}) cost <time = 3.0e-06, memory = 1.0e-06, launch = 2.0e-06>
module attributes {ascend.device = #device} {
  func.func @no_rate(%x: tensor<500xf16>) {
    // expected-warning @below {{device round numbers has no rate for operations of 'bf16', so tensorcast-2026.08 counts only the memory traffic of such kernels}}
    ascend.launch "a"(%x) : (tensor<500xf16>) -> () { ascend.matmul m(1000) n(1000) k(1000) : bf16 }
    ascend.launch "b"(%x) : (tensor<500xf16>) -> () { ascend.elementwise elements(1000) operations(1) : bf16 }
    // expected-warning @below {{device round numbers has no rate for operations of 'i16', so}}
    ascend.launch "c"(%x) : (tensor<500xf16>) -> () { ascend.elementwise elements(1000) operations(1) : i16 }
    return
  }
}

// -----

// The cube has a rate for i8, the vector units have none.
#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>

// CHECK-LABEL: func @no_rate_on_one_unit
// CHECK:         ascend.launch "a"() cost <time = 0.001005, cube = 0.001, launch = 5.0e-06>
module attributes {ascend.device = #device} {
  func.func @no_rate_on_one_unit() {
    // expected-warning @below {{device round numbers has no rate for operations of 'i8', so}}
    ascend.launch "a"() : () -> () {
      ascend.matmul m(1000) n(1000) k(1000) : i8
      ascend.elementwise elements(1000) operations(1) : i8
    }
    return
  }
}

// -----

// No operations need no rate.
#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>

// CHECK-LABEL: func @no_operations
// CHECK:         ascend.launch "a"() cost <time = 0.0>
module attributes {ascend.device = #device} {
  func.func @no_operations() {
    ascend.launch "a"() : () -> () { ascend.elementwise elements(0) operations(1) : bf16 }
    return
  }
}
