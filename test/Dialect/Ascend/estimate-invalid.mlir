// RUN: tc-opt %s --split-input-file --ascend-estimate --verify-diagnostics

// expected-error @below {{expected a device, but found neither the option 'device' nor the attribute 'ascend.device'}}
module @no_device {}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>
module attributes {ascend.device = #device} {
  func.func @not_lowered(%x: tensor<7x8xf16>) {
    // expected-error @below {{'transformer.silu' op expected only launches to price; run convert-transformer-to-ascend first}}
    %0 = transformer.silu %x : tensor<7x8xf16>
    return
  }
}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>
#workload = #transformer.workload<queries = 1, query_length = 1>
module attributes {ascend.device = #device, transformer.workload = #workload} {
  func.func @operand_of_unknown_size(%x: tensor<?x8xf16>) {
    // expected-error @below {{'ascend.launch' op expected operands of known size, but one has a '?' without #transformer.dims or no size in memory}}
    ascend.launch "k"(%x) : (tensor<?x8xf16>) -> ()
    return
  }
}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>
#workload = #transformer.workload<queries = 1, query_length = 1>
module attributes {ascend.device = #device, transformer.workload = #workload} {
  func.func @operand_without_a_size(%x: memref<8xf16>) {
    // expected-error @below {{'ascend.launch' op expected operands of known size, but one has a '?' without #transformer.dims or no size in memory}}
    ascend.launch "k"(%x) : (memref<8xf16>) -> ()
    return
  }
}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>
#workload = #transformer.workload<queries = 1, query_length = 1>
module attributes {ascend.device = #device, transformer.workload = #workload} {
  func.func @negative_bytes_read() {
    // expected-error @below {{'ascend.launch' op expected a finite number of bytes of at least 0, but got -8000.0}}
    ascend.launch "k"() : () -> () { ascend.gather rows(-8) row_bytes(1000) index(0) }
    return
  }
}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>
#workload = #transformer.workload<queries = 1, query_length = 1>
module attributes {ascend.device = #device, transformer.workload = #workload} {
  func.func @negative_bytes_written() {
    // expected-error @below {{'ascend.launch' op expected a finite number of bytes of at least 0, but got -8000.0}}
    ascend.launch "k"() : () -> () { ascend.scatter rows(-8) row_bytes(1000) index(0) }
    return
  }
}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>
#workload = #transformer.workload<queries = 1, query_length = 4>
module attributes {ascend.device = #device, transformer.workload = #workload} {
  func.func @negative_operations_of_the_cube() {
    // expected-error @below {{'ascend.launch' op expected a finite number of operations of at least 0, but got -96.0}}
    ascend.launch "k"() : () -> () { ascend.matmul m(tokens - 7) n(4) k(4) : f16 }
    return
  }
}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>
#workload = #transformer.workload<queries = 1, query_length = 4>
module attributes {ascend.device = #device, transformer.workload = #workload} {
  func.func @negative_operations_of_vector_units() {
    // expected-error @below {{'ascend.launch' op expected a finite number of operations of at least 0, but got -3.0}}
    ascend.launch "k"() : () -> () { ascend.elementwise elements(tokens - 7) operations(1) : f16 }
    return
  }
}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>
#workload = #transformer.workload<queries = 1, query_length = 4>
module attributes {ascend.device = #device, transformer.workload = #workload} {
  func.func @negative_starts() {
    // expected-error @below {{'ascend.launch' op expected a finite number of starts of at least 0, but got -3.0}}
    ascend.launch "k"() times(tokens - 7) : () -> ()
    return
  }
}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>
#workload = #transformer.workload<queries = 1, query_length = 4>
module attributes {ascend.device = #device, transformer.workload = #workload} {
  func.func @division_by_zero() {
    // expected-error @below {{'ascend.launch' op expected a finite number of operations of at least 0, but got inf}}
    ascend.launch "k"() : () -> () { ascend.elementwise elements(ceildiv(tokens, decode)) operations(1) : f16 }
    return
  }
}

// -----

#device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>
// expected-error @below {{unknown cost model 'tensorcast-2026.8'; did you mean 'tensorcast-2026.08'? known cost models: tensorcast-2026.06, tensorcast-2026.08}}
module attributes {ascend.device = #device, ascend.cost_model = "tensorcast-2026.8"} {}
