// RUN: tc-opt %s --ascend-estimate --ascend-print-cost 2>&1 >/dev/null | grep remark: | FileCheck %s --check-prefixes=CHECK,AUGUST
// RUN: tc-opt %s --ascend-estimate="cost-model=tensorcast-2026.06" --ascend-print-cost 2>&1 >/dev/null | grep remark: | FileCheck %s --check-prefixes=CHECK,JUNE

// 4 nodes of 8 devices. Within a node, a device has 1e9 bytes per second for
// the links to its 7 neighbours together, and a message takes 1 us; between
// nodes it has 1e8 bytes per second, and a message takes 100 us. Memory moves
// 1e9 bytes per second; a collective starts in 3 us.
module attributes {ascend.device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 3.0e-6}, interconnect = [
      {size = 4, topology = "clos", bandwidth_bytes_per_s = 2.0e8, latency_s = 1.0e-4, efficiency = 0.5},
      {size = 8, topology = "full_mesh", bandwidth_bytes_per_s = 2.0e9, latency_s = 1.0e-6, efficiency = 0.5}]}>} {

// A ring takes 2 * 7 messages and sends 2 * 7/8 of the bytes:
// 14 us + 1400 us; a tree takes 2 * 3 messages and sends twice the bytes:
// 6 us + 1600 us. The ring is faster.
// CHECK:      all_reduce_by_ring takes 1.417 ms, bound by communication: communication 1.414 ms, launch 3.000 us
func.func @all_reduce_by_ring() {
  ascend.launch "all_reduce_by_ring"() : () -> () { ascend.collective all_reduce bytes(800000) over<8> }
  return
}

// Few bytes: 14 us + 1.4 us by ring, 6 us + 1.6 us by tree.
// CHECK:      all_reduce_by_tree takes 10.60 us, bound by communication: communication 7.600 us, launch 3.000 us
func.func @all_reduce_by_tree() {
  ascend.launch "all_reduce_by_tree"() : () -> () { ascend.collective all_reduce bytes(800) over<8> }
  return
}

// Two of 8 devices use one of the 7 links: a seventh of the bandwidth.
// 2 us + 1e6 bytes / (1e9 / 7 per second) = 7002 us.
// CHECK:      share_of_a_full_mesh takes 7.005 ms, bound by communication: communication 7.002 ms, launch 3.000 us
func.func @share_of_a_full_mesh() {
  ascend.launch "share_of_a_full_mesh"() : () -> () { ascend.collective all_reduce bytes(1000000) over<2> }
  return
}

// 7 parts of 1000 bytes come in 3 messages: 3 us + 7 us.
// CHECK:      all_gather takes 13.00 us, bound by communication: communication 10.00 us, launch 3.000 us
func.func @all_gather() {
  ascend.launch "all_gather"() : () -> () { ascend.collective all_gather bytes(1000) over<8> }
  return
}

// 7/8 of 8000 bytes go: 3 us + 7 us.
// CHECK:      reduce_scatter takes 13.00 us, bound by communication: communication 10.00 us, launch 3.000 us
func.func @reduce_scatter() {
  ascend.launch "reduce_scatter"() : () -> () { ascend.collective reduce_scatter bytes(8000) over<8> }
  return
}

// 1000 bytes over a seventh of the links: 1 us + 7 us.
// CHECK:      all_to_all takes 11.00 us, bound by communication: communication 8.000 us, launch 3.000 us
func.func @all_to_all() {
  ascend.launch "all_to_all"() : () -> () { ascend.collective all_to_all bytes(1000) over<2> }
  return
}

// Between 3 devices, log2(3) messages and 2000 bytes over 2/7 of the links:
// 1.584962... us + 7 us.
// CHECK:      three_devices takes 11.58 us, bound by communication: communication 8.585 us, launch 3.000 us
func.func @three_devices() {
  ascend.launch "three_devices"() : () -> () { ascend.collective all_gather bytes(1000) over<3> }
  return
}

// Devices 0 and 4 are neighbours: 1 us + 1000 bytes over a seventh of the links.
// Devices 0, 8, 16 and 24 are in four nodes: 2 messages and 3000 bytes,
// 200 us + 30 us. So are some of devices 0 to 15: 400 us + 150 us.
// CHECK:      levels_0 takes 11.00 us, bound by communication: communication 8.000 us, launch 3.000 us
// CHECK:      levels_1 takes 233.0 us, bound by communication: communication 230.0 us, launch 3.000 us
// CHECK:      levels_2 takes 553.0 us, bound by communication: communication 550.0 us, launch 3.000 us
func.func @levels() {
  ascend.launch "levels_0"() : () -> () { ascend.collective all_gather bytes(1000) over<2, step = 4> }
  ascend.launch "levels_1"() : () -> () { ascend.collective all_gather bytes(1000) over<4, step = 8> }
  ascend.launch "levels_2"() : () -> () { ascend.collective all_gather bytes(1000) over<16> }
  return
}

// All of the device's 32 are connected.
// CHECK:      whole_device takes 813.0 us, bound by communication: communication 810.0 us, launch 3.000 us
func.func @whole_device() {
  ascend.launch "whole_device"() : () -> () { ascend.collective all_gather bytes(1000) over<32> }
  return
}

// A device alone exchanges nothing, but starts.
// CHECK:      alone takes 3.000 us, bound by memory: launch 3.000 us
func.func @alone() {
  ascend.launch "alone"() : () -> () { ascend.collective all_reduce bytes(800000) over<1> }
  return
}

// 200000 bytes are read and written, 400 us; the links take 14 us + 350 us.
// CHECK:      bound_by_memory takes 403.0 us, bound by memory: memory 400.0 us, communication 364.0 us, launch 3.000 us
func.func @bound_by_memory(%x: tensor<100000xf16>) {
  %0 = ascend.launch "bound_by_memory"(%x) : (tensor<100000xf16>) -> tensor<100000xf16> {
    ascend.collective all_reduce bytes(200000) over<8>
  }
  return
}

// The product takes 2 ms and 5 us for its start, the sum 1.6 ms in memory and
// 1.414 ms on links: the kernel takes the longer of the two. In June such
// kernels counted under no resource.
// AUGUST:     computes_longer takes 2.005 ms, bound by cube: cube 2.000 ms, memory 1.600 ms, communication 1.414 ms, launch 5.000 us
// JUNE:       computes_longer takes 2.005 ms, bound by memory: launch 5.000 us
func.func @computes_longer() {
  ascend.launch "computes_longer"() : () -> () {
    ascend.matmul m(1000) n(1000) k(1000) : f16
    ascend.collective all_reduce bytes(800000) over<8>
  }
  return
}

// Ten times the bytes: 16 ms in memory, 14.014 ms on links, and the start of a
// collective.
// AUGUST:     exchanges_longer takes 16.00 ms, bound by memory: cube 2.000 ms, memory 16.00 ms, communication 14.01 ms, launch 3.000 us
// JUNE:       exchanges_longer takes 16.00 ms, bound by memory: launch 3.000 us
func.func @exchanges_longer() {
  ascend.launch "exchanges_longer"() : () -> () {
    ascend.matmul m(1000) n(1000) k(1000) : f16
    ascend.collective all_reduce bytes(8000000) over<8>
  }
  return
}

// 1 us of work, in front of and behind which 1000 bytes go, in 4 us and with
// 3 us to start: the exchanges add up, with their starts, and the kernel has
// none of its own.
// CHECK:      serial takes 15.00 us, bound by communication: cube 1.000 us, communication 14.00 us
func.func @serial() {
  ascend.launch "serial"() : () -> () {
    ascend.matmul m(1000) n(500) k(1) : f16
    ascend.collective all_to_all bytes(1000) over<8> serial
    ascend.collective all_to_all bytes(1000) over<8> serial
  }
  return
}

// Its copies in memory may take longer than its links: 2 * 7000 bytes.
// Compute of both units counts as the cube's.
// CHECK:      serial_copies takes 1.000 s, bound by cube: cube 1.000 s, communication 17.00 us
func.func @serial_copies() {
  ascend.launch "serial_copies"() : () -> () {
    ascend.elementwise elements(1000000000) operations(1) : f16
    ascend.collective all_to_all bytes(7000) over<8> serial
  }
  return
}
}
