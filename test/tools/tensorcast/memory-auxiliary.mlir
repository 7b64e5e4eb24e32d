// RUN: tc-opt %s --ascend-estimate | tensorcast report - --format json | FileCheck %s

// Two layers with a cache of rows of 576 elements of 2 bytes, and one of 128,
// which is counted with the activations: 3 requests of 40 + 1 + 1 slots take one
// block of 128 tokens.
// CHECK:      "kv_cache_bytes": 294912,
// CHECK-NEXT: "activation_bytes": 65536,

module attributes {
    transformer.workload = #transformer.workload<queries = 3, query_length = 1, context_length = 40>,
    ascend.cost_model = "tensorcast-2026.08", ascend.device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12}, vector_ops_per_s = {f16 = 2.0e9},
    compute_efficiency = 0.5, memory_bytes = 1073741824, memory_bandwidth_bytes_per_s = 2.0e9,
    memory_efficiency = 0.5, launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0},
    interconnect = []}>} {
  func.func private @layer() {
    %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<576xf16, block_size = 128>
    %keys = transformer.kv_cache "self_attn.indexer" auxiliary : !transformer.kv_cache<128xf16, block_size = 128>
    ascend.launch "a"() : () -> () { ascend.elementwise elements(1000) operations(1) : f16 }
    return
  }
  func.func @main() {
    transformer.layer @layer() name("model.layers.0") : () -> ()
    transformer.layer @layer() name("model.layers.1") : () -> ()
    return
  }
}
