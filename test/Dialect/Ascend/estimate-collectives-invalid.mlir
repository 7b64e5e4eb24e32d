// RUN: tc-opt %s --split-input-file --ascend-estimate --verify-diagnostics

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 3.0e-6}, interconnect = [
      {size = 4, topology = "clos", bandwidth_bytes_per_s = 2.0e8, latency_s = 1.0e-4, efficiency = 0.5},
      {size = 8, topology = "full_mesh", bandwidth_bytes_per_s = 2.0e9, latency_s = 1.0e-6, efficiency = 0.5}]}>
module attributes {ascend.device = #device} {
  func.func @one_too_many() {
    // expected-error @below {{'ascend.launch' op expected ranks within the 32 devices that round numbers connects, but got 33 in steps of 1}}
    ascend.launch "all_reduce"() : () -> () { ascend.collective all_reduce bytes(8) over<33> }
    return
  }
}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 3.0e-6}, interconnect = [
      {size = 4, topology = "clos", bandwidth_bytes_per_s = 2.0e8, latency_s = 1.0e-4, efficiency = 0.5},
      {size = 8, topology = "full_mesh", bandwidth_bytes_per_s = 2.0e9, latency_s = 1.0e-6, efficiency = 0.5}]}>
module attributes {ascend.device = #device} {
  func.func @steps_that_go_too_far() {
    // Devices 0, 8, 16, 24 are there; 32 is not.
    // expected-error @below {{'ascend.launch' op expected ranks within the 32 devices that round numbers connects, but got 5 in steps of 8}}
    ascend.launch "all_gather"() : () -> () { ascend.collective all_gather bytes(8) over<5, step = 8> }
    return
  }
}

// -----

#alone = #ascend.device<{
    name = "alone", cube_ops_per_s = {f16 = 2.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 3.0e-6}, interconnect = []}>
module attributes {ascend.device = #alone} {
  func.func @no_links() {
    // expected-error @below {{'ascend.launch' op expected ranks within the 1 devices that alone connects, but got 2 in steps of 1}}
    ascend.launch "all_reduce"() : () -> () { ascend.collective all_reduce bytes(8) over<2> }
    return
  }
}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 3.0e-6}, interconnect = [
      {size = 4, topology = "clos", bandwidth_bytes_per_s = 2.0e8, latency_s = 1.0e-4, efficiency = 0.5},
      {size = 8, topology = "full_mesh", bandwidth_bytes_per_s = 2.0e9, latency_s = 1.0e-6, efficiency = 0.5}]}>
module attributes {ascend.device = #device} {
  func.func @fewer_bytes_than_none() {
    // expected-error @below {{'ascend.launch' op expected a finite number of bytes of at least 0, but got -8.0}}
    ascend.launch "all_reduce"() : () -> () { ascend.collective all_reduce bytes(-8) over<2> }
    return
  }
}
