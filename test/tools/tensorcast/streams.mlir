// RUN: rm -rf %t && mkdir %t
// RUN: tensorcast report %s --format json | FileCheck %s --check-prefix=ONE
// RUN: tc-opt %s --ascend-schedule -o %t/flow.mlir
// RUN: tensorcast report %t/flow.mlir --format json | FileCheck %s --check-prefix=FLOW
// RUN: tc-opt %s --ascend-schedule="rule=direct-waits" -o %t/direct.mlir
// RUN: tensorcast report %t/direct.mlir --format json | FileCheck %s --check-prefix=DIRECT
// RUN: tc-opt %s --ascend-schedule="rule=direct-waits-in-place" -o %t/place.mlir
// RUN: tensorcast report %t/place.mlir --format json | FileCheck %s --check-prefix=PLACE
// RUN: tensorcast report %t/flow.mlir | FileCheck %s --check-prefix=TABLE

// The time ends with the last stream, and tokens per second count it. A layer
// of experts takes 1 s to route, 8 s to exchange, 2 s to quantize, 4 s to
// compute, 8 s to exchange and 1 s to add; a shared expert, on what the layer
// got, 3 s. Two layers are 54 s in a row.
//
// With all dependences kept, only the shared expert runs during an exchange: 3 s
// of each layer are hidden. Where the quantization is not waited for (it has two
// results), nothing waits for the first exchange, and its 8 s are. In place, what
// follows that is behind it, but for the experts, which the second exchange waits
// for: their 4 s are hidden.

// ONE:         "execution_time_s": 54.0,
// ONE-NEXT:    "kernel_time_s": 54.0,
// FLOW:        "execution_time_s": 48.0,
// FLOW-NEXT:   "kernel_time_s": 54.0,
// DIRECT:      "execution_time_s": 38.0,
// DIRECT-NEXT: "kernel_time_s": 54.0,
// PLACE:       "execution_time_s": 46.0,
// PLACE-NEXT:  "kernel_time_s": 54.0,
// TABLE:       total {{.*}} 54.000 s
// TABLE:       execution time: 48.000000 s

module attributes {ascend.device = #ascend.device<{
    name = "any", cube_ops_per_s = {f16 = 1.0e12}, vector_ops_per_s = {f16 = 1.0e9},
    compute_efficiency = 0.5, memory_bytes = 1000000, memory_bandwidth_bytes_per_s = 1.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 0.0, vector = 0.0, collective = 0.0}, interconnect = []}>} {
  func.func private @layer(%x: tensor<4xf16>) -> tensor<4xf16> {
    %0 = ascend.launch "route"(%x) cost <time = 1.0> : (tensor<4xf16>) -> tensor<4xf16>
    %1 = ascend.launch "all_to_all"(%0) cost <time = 8.0> : (tensor<4xf16>) -> tensor<4xf16> { ascend.collective all_to_all bytes(8) over<2> }
    %2 = ascend.launch "shared"(%x) cost <time = 3.0> : (tensor<4xf16>) -> tensor<4xf16>
    %3:2 = ascend.launch "quantize"(%1) cost <time = 2.0> : (tensor<4xf16>) -> (tensor<4xi8>, tensor<f32>)
    %4 = ascend.launch "experts"(%3#0, %3#1) cost <time = 4.0> : (tensor<4xi8>, tensor<f32>) -> tensor<4xf16>
    %5 = ascend.launch "all_to_all"(%4) cost <time = 8.0> : (tensor<4xf16>) -> tensor<4xf16> { ascend.collective all_to_all bytes(8) over<2> }
    %6 = ascend.launch "add"(%5, %2) cost <time = 1.0> : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    return %6 : tensor<4xf16>
  }
  func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
    %0 = transformer.layer @layer(%x) name("model.layers.0") : (tensor<4xf16>) -> tensor<4xf16>
    %1 = transformer.layer @layer(%0) name("model.layers.1") : (tensor<4xf16>) -> tensor<4xf16>
    return %1 : tensor<4xf16>
  }
}
