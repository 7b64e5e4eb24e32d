// RUN: tensorcast report %s --format json | FileCheck %s --check-prefix=SHORT
// RUN: sed 's/context_length = 600/context_length = 6000/' %s | tensorcast report - --format json | FileCheck %s --check-prefix=LONG

// Three requests of 600 + 1 + 1 tokens. A window of 128 takes a block of 128 slots
// of 8 bytes for each, at any length. Rows that stand for 4 tokens are
// floor(1806 / 4) = 451 in 4 blocks; with 9 tokens to come, floor(1830 / 8) = 228 in
// 2; what is auxiliary counts as an activation, beside two numbers. Of 6000 tokens, 4501 and 2253 rows
// take 36 and 18 blocks.

// SHORT: "kv_cache_bytes": 9216,
// SHORT-NEXT: "activation_bytes": 4100,
// LONG: "kv_cache_bytes": 58368,
// LONG-NEXT: "activation_bytes": 4100,

module attributes {
    transformer.workload = #transformer.workload<queries = 3, query_length = 1, context_length = 600>,
    ascend.device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12}, vector_ops_per_s = {f16 = 2.0e9},
    compute_efficiency = 0.5, memory_bytes = 1073741824, memory_bandwidth_bytes_per_s = 2.0e9,
    memory_efficiency = 0.5, launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0},
    interconnect = []}>} {
  func.func @main(%x: tensor<1xf16>) {
    %0 = ascend.launch "k"(%x) : (tensor<1xf16>) -> tensor<1xf16>
    %w = transformer.kv_cache "window" window(128) : !transformer.kv_cache<4xf16, block_size = 128>
    %c = transformer.kv_cache "compressed" ratio(4) : !transformer.kv_cache<4xf16, block_size = 128>
    %s = transformer.kv_cache "spare" spare(9) ratio(8) : !transformer.kv_cache<4xf16, block_size = 128>
    %o = transformer.kv_cache "state" auxiliary window(8) : !transformer.kv_cache<8xf32, block_size = 128>
    return
  }
}
