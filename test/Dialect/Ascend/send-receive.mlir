// RUN: tc-opt %s --ascend-estimate --ascend-print-cost 2>&1 >/dev/null | grep remark: | FileCheck %s
// RUN: tc-opt %s | tc-opt | FileCheck %s --check-prefix=PRINT
// RUN: tc-opt %s --ascend-estimate | tensorcast explain --op near | FileCheck %s --check-prefix=EXPLAIN

// 4 nodes of 8 devices. Within a node, a device has 1e9 bytes per second for
// the links to its 7 neighbours together, and a message takes 1 us; between
// nodes it has 1e8 bytes per second, and a message takes 100 us. Memory moves
// 1e9 bytes per second; a transfer starts in 3 us.
module attributes {ascend.device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 3.0e-6}, interconnect = [
      {size = 4, topology = "clos", bandwidth_bytes_per_s = 2.0e8, latency_s = 1.0e-4, efficiency = 0.5},
      {size = 8, topology = "full_mesh", bandwidth_bytes_per_s = 2.0e9, latency_s = 1.0e-6, efficiency = 0.5}]}>} {

// Within a node: 1 us + 1e6 bytes / 1e9 per second, and not a seventh of that.
// CHECK:   near takes 1.004 ms, bound by communication: communication 1.001 ms, launch 3.000 us
// PRINT:   ascend.launch "near"() : () -> () { ascend.send_receive bytes(1000000) from(0) to(4) }
// EXPLAIN: communication: 1.001 ms = send_receive of 1e+06 bytes between devices 0 and 4
func.func @near() {
  ascend.launch "near"() : () -> () { ascend.send_receive bytes(1000000) from(0) to(4) }
  return
}

// Neither of the two is in the first node, but both are in the second.
// CHECK: same_node takes 1.004 ms
func.func @same_node() {
  ascend.launch "same_node"() : () -> () { ascend.send_receive bytes(1000000) from(12) to(8) }
  return
}

// From node to node, however near the numbers are: 100 us + 1e6 / 1e8.
// CHECK: node_to_node takes 10.10 ms, bound by communication: communication 10.10 ms, launch 3.000 us
func.func @node_to_node() {
  ascend.launch "node_to_node"() : () -> () { ascend.send_receive bytes(1000000) from(7) to(8) }
  return
}

// A kernel that reads and writes more than it sends is bound by memory.
// CHECK: copies takes 2.003 ms, bound by memory: memory 2.000 ms, communication 1.500 us, launch 3.000 us
func.func @copies(%x: tensor<500000xf16>) {
  %0 = ascend.launch "copies"(%x) : (tensor<500000xf16>) -> tensor<500000xf16> { ascend.send_receive bytes(500) from(0) to(1) }
  return
}
}
