// RUN: tc-opt %s --split-input-file --verify-diagnostics --ascend-estimate

func.func @itself() {
  ascend.launch "send_receive"() : () -> () {
    // expected-error @below {{'ascend.send_receive' op expected two devices, but got 3 twice}}
    ascend.send_receive bytes(8) from(3) to(3)
  }
  return
}

// -----

func.func @far_away() {
  ascend.launch "send_receive"() : () -> () {
    // expected-error @below {{'ascend.send_receive' op expected a device up to 2147483648, but got 9223372036854775807}}
    ascend.send_receive bytes(8) from(0) to(9223372036854775807)
  }
  return
}

// -----

func.func @negative() {
  ascend.launch "send_receive"() : () -> () {
    // expected-error @below {{attribute 'from' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
    ascend.send_receive bytes(8) from(-3) to(0)
  }
  return
}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 3.0e-6}, interconnect = [
      {size = 8, topology = "full_mesh", bandwidth_bytes_per_s = 2.0e9, latency_s = 1.0e-6, efficiency = 0.5}]}>
module attributes {ascend.device = #device} {
  func.func @one_too_far() {
    // expected-error @below {{'ascend.launch' op expected ranks within the 8 devices that round numbers connects, but got 2 in steps of 4 from 4}}
    ascend.launch "send_receive"() : () -> () { ascend.send_receive bytes(8) from(4) to(8) }
    return
  }
}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 3.0e-6}, interconnect = []}>
module attributes {ascend.device = #device} {
  func.func @no_links() {
    // expected-error @below {{'ascend.launch' op expected ranks within the 1 devices that round numbers connects, but got 2 in steps of 1}}
    ascend.launch "send_receive"() : () -> () { ascend.send_receive bytes(8) from(0) to(1) }
    return
  }
}
