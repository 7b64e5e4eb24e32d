// RUN: tc-opt %s --ascend-estimate | FileCheck %s --check-prefix=UNBOUND
// RUN: tc-opt %s --transformer-bind-workload="queries=2 query-length=250" --ascend-estimate \
// RUN:   | FileCheck %s --check-prefix=BOUND
// RUN: tc-opt %s --ascend-estimate --transformer-bind-workload="queries=2 query-length=250" \
// RUN:   --ascend-estimate | FileCheck %s --check-prefix=BOUND

// 1e9 bytes per second with the efficiency of a half; a start takes 2 us.
#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>
#tokens = #transformer.dims<tokens>

// Without a workload, what to price for is recorded and nothing priced, not
// even what does not depend on it.
// UNBOUND:     module
// UNBOUND-SAME: ascend.cost_model = "tensorcast-2026.08"
// UNBOUND-SAME: ascend.device = #device
// UNBOUND-NOT: cost <
// UNBOUND:     ascend.launch "varies"
// UNBOUND:     ascend.launch "counted"
// UNBOUND:     ascend.launch "fixed"
// UNBOUND-NOT: cost <

// 500 tokens of 2 bytes take 1 us.
// BOUND: ascend.launch "varies"(%{{.*}}) cost <time = 3.0e-06, memory = 1.0e-06, launch = 2.0e-06>
// BOUND: ascend.launch "counted"(%{{.*}}) times(0) cost <time = 3.0e-06, memory = 1.0e-06, launch = 2.0e-06>
// BOUND: ascend.launch "fixed"(%{{.*}}) cost <time = 3.0e-06, memory = 1.0e-06, launch = 2.0e-06>
module attributes {ascend.device = #device} {
  func.func @main(%x: tensor<?xf16, #tokens>, %y: tensor<500xf16>) {
    ascend.launch "varies"(%x) : (tensor<?xf16, #tokens>) -> ()
    ascend.launch "counted"(%y) times(decode) : (tensor<500xf16>) -> ()
    ascend.launch "fixed"(%y) : (tensor<500xf16>) -> ()
    return
  }
}
