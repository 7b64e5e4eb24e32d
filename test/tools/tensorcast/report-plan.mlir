// RUN: tensorcast report %s --num-queries 7 --query-length 50 --format json | FileCheck %s
// RUN: tensorcast report %s --num-queries 7 --query-length 50 | FileCheck %s --check-prefix=TABLE
// RUN: tensorcast explain %s --num-queries 7 --query-length 50 --op all_reduce | FileCheck %s --check-prefix=EXPLAIN

// 2 groups of 4 devices share 7 requests; device 0 has 4 of them, 200 tokens.
// 200000 operations take 200 us, a start 2 us. The 4 devices of a group sum
// 4000 bytes in a ring: 2 * 3/4 * 4000 bytes over 3 of 7 links with 1e9 bytes
// per second, 14 us, and 6 messages of 1 us, against 4 messages and 8000 bytes by
// tree, 22.67 us; a start takes 3 us. All in all 202 us + 20 us + 3 us.
// 7 * 50 tokens in that time on 8 devices: 194444 tokens per second and device.
// The cache holds 4 requests of 50 + 1 slots, 2 blocks of 128 x 2 x 2 x 8 bytes.

// CHECK:      "num_devices": 8,
// CHECK:      "execution_time_s": 0.000225
// CHECK:      "tokens_per_second_per_device": 194444.{{[0-9]+}},
// CHECK:      "kv_cache_bytes": 8192,
// CHECK:      "communication_s": 2e-05
// TABLE:      on 8 x round numbers
// TABLE:      (1.944e+05 tokens/s per device)
// 200 of 220 us, without the starts.
// TABLE:      bound by: cube 0.0 %, vector 90.9 %, memory 0.0 %, communication 9.1 %
// EXPLAIN:    all_reduce: 1 x 23.00 us, bound by communication
// EXPLAIN:    communication: 20.00 us = all_reduce of 4000 bytes over 4 devices in steps of 1, 6000 bytes on the wire of each
// EXPLAIN:    launch: 3.000 us

module attributes {
    transformer.plan = #transformer.plan<devices = 8, data_parallel = 2>,
    ascend.device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12}, vector_ops_per_s = {f16 = 2.0e9},
    compute_efficiency = 0.5, memory_bytes = 1073741824, memory_bandwidth_bytes_per_s = 2.0e9,
    memory_efficiency = 0.5, launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 3.0e-6}, interconnect = [
      {size = 8, topology = "full_mesh", bandwidth_bytes_per_s = 2.0e9, latency_s = 1.0e-6, efficiency = 0.5}]}>} {
  func.func @main() {
    %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x2x8xi8, block_size = 128>
    ascend.launch "activation"() : () -> () { ascend.elementwise elements(1000 * tokens) operations(1) : f16 }
    ascend.launch "all_reduce"() : () -> () { ascend.collective all_reduce bytes(20 * tokens) over<4> }
    return
  }
}
