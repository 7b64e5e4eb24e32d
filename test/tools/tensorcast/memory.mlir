// RUN: tensorcast report %s --format json | FileCheck %s

// Activations: what is live at the worst moment, in bytes of f16.
//
// @main is given 1000 elements. Running "a" makes 2000 more; "b" reads both
// through views and makes 500; then the 2000 are not needed any more. The layer
// needs 3000 at its worst, beside what its caller holds: 1000 and 500. Results
// that nobody reads ("c" makes 4000) are there only while they are made: beside
// 1000, 500 and the 100 that the layer returned.
//
//   while "a" runs      1000 + 2000
//   while "b" runs      1000 + 2000 + 500
//   in the layer        1000 + 500 + 3000
//   while "c" runs      1000 + 500 + 100 + 4000 = 5600 elements, 11200 bytes
//
// Weights: 10 elements of 4 bytes in main, 300 of half a byte in each of two
// layers; a name declared twice in one function is one weight.
// Caches: each of two layers has one, and 3 requests of 40 + 1 + 1 slots take one
// block of 128 tokens, of 2*2*8 elements of one byte each.

// CHECK:      "device_bytes": 1073741824,
// CHECK-NEXT: "weights_bytes": 340,
// CHECK-NEXT: "kv_cache_bytes": 8192,
// CHECK-NEXT: "activation_bytes": 11200,
// CHECK-NEXT: "reserved_bytes": 1000000,
// CHECK-NEXT: "available_bytes": 1072722092

module attributes {
    transformer.workload = #transformer.workload<queries = 3, query_length = 1, context_length = 40>,
    ascend.reserved_bytes = 1000000 : i64, ascend.device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12}, vector_ops_per_s = {f16 = 2.0e9},
    compute_efficiency = 0.5, memory_bytes = 1073741824, memory_bandwidth_bytes_per_s = 2.0e9,
    memory_efficiency = 0.5, launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0},
    interconnect = []}>} {

  func.func private @layer(%x: tensor<500xf16>) -> tensor<100xf16> {
    %w = transformer.weight "packed" : tensor<300xi4>
    %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x2x8xi8, block_size = 128>
    %0 = ascend.launch "large"(%x) : (tensor<500xf16>) -> tensor<2900xf16>
    %1 = ascend.launch "small"(%0) : (tensor<2900xf16>) -> tensor<100xf16>
    return %1 : tensor<100xf16>
  }

  func.func @main(%x: tensor<1000xf16>) -> (tensor<1000xf16>, tensor<500xf16>, tensor<100xf16>) {
    %w = transformer.weight "w" : tensor<10xf32>
    %again = transformer.weight "w" : tensor<10xf32>
    %a = ascend.launch "a"(%x) : (tensor<1000xf16>) -> tensor<2000xf16>
    %view = ascend.view %a : (tensor<2000xf16>) -> tensor<20x100xf16>
    %part = ascend.view %view : (tensor<20x100xf16>) -> tensor<100xf16>
    %b = ascend.launch "b"(%part) : (tensor<100xf16>) -> tensor<500xf16>
    %0 = transformer.layer @layer(%b) name("model.layers.0") : (tensor<500xf16>) -> tensor<100xf16>
    %1 = transformer.layer @layer(%b) name("model.layers.1") : (tensor<500xf16>) -> tensor<100xf16>
    %c = ascend.launch "c"(%x) : (tensor<1000xf16>) -> tensor<4000xf16>
    return %x, %b, %0 : tensor<1000xf16>, tensor<500xf16>, tensor<100xf16>
  }
}
