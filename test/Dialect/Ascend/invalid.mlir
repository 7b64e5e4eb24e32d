// RUN: tc-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Launches and work
//===----------------------------------------------------------------------===//

func.func @launch_without_a_name() {
  // expected-error @below {{'ascend.launch' op expected the name of a kernel, but got none}}
  ascend.launch ""() : () -> ()
  return
}

// -----

func.func @launch_of_what_is_no_work(%x: tensor<7x8xf16>) {
  // expected-error @below {{'ascend.launch' op expected only work ops in the body, but got 'transformer.weight'}}
  ascend.launch "k"() : () -> () {
    // expected-note @below {{the op is here}}
    %w = transformer.weight "w" : tensor<8xf16>
  }
  return
}

// -----

func.func @launch_within_a_launch() {
  // expected-error @below {{'ascend.launch' op expected only work ops in the body, but got 'ascend.launch'}}
  ascend.launch "outer"() : () -> () {
    // expected-note @below {{the op is here}}
    ascend.launch "inner"() : () -> ()
  }
  return
}

// -----

func.func @work_outside_of_a_launch() {
  // expected-error @below {{'ascend.matmul' op expects parent op 'ascend.launch'}}
  ascend.matmul m(7) n(4) k(8) : f16
  return
}

// -----

func.func @attention_without_heads() {
  ascend.launch "attention"() : () -> () {
    // expected-error @below {{'ascend.attention' op expected 'heads' to be at least 1, but got 0}}
    ascend.attention pairs(1) heads(0) key_size(8) value_size(8) softmax(4)
        rows(1) kv_heads(1) metadata(0) : f16, f16, f16
  }
  return
}

// -----

func.func @attention_without_keys() {
  ascend.launch "attention"() : () -> () {
    // expected-error @below {{'ascend.attention' op expected 'key_size' to be at least 1, but got 0}}
    ascend.attention pairs(1) heads(1) key_size(0) value_size(8) softmax(4)
        rows(1) kv_heads(1) metadata(0) : f16, f16, f16
  }
  return
}

// -----

func.func @attention_without_values() {
  ascend.launch "attention"() : () -> () {
    // expected-error @below {{'ascend.attention' op expected 'value_size' to be at least 1, but got -8}}
    ascend.attention pairs(1) heads(1) key_size(8) value_size(-8) softmax(4)
        rows(1) kv_heads(1) metadata(0) : f16, f16, f16
  }
  return
}

// -----

func.func @attention_without_kv_heads() {
  ascend.launch "attention"() : () -> () {
    // expected-error @below {{'ascend.attention' op expected 'kv_heads' to be at least 1, but got 0}}
    ascend.attention pairs(1) heads(1) key_size(8) value_size(8) softmax(4)
        rows(1) kv_heads(0) metadata(0) : f16, f16, f16
  }
  return
}

// -----

func.func @attention_over_a_cache_without_a_size() {
  ascend.launch "attention"() : () -> () {
    // expected-error @below {{'ascend.attention' op expected an integer or float cache type, but got 'index'}}
    ascend.attention pairs(1) heads(1) key_size(8) value_size(8) softmax(4)
        rows(1) kv_heads(1) metadata(0) : f16, index, f16
  }
  return
}

// -----

func.func @work_per_request() {
  ascend.launch "k"() : () -> () {
    // expected-error @below {{expected 'q' and 'kv' inside of sum(...) or max(...), since they differ by request}}
    ascend.elementwise elements(8 * q) operations(1) : f16
  }
  return
}

// -----

func.func @work_that_multiplies_many_terms() {
  ascend.launch "k"() : () -> () {
    // expected-error @below {{'ascend.matmul' op expected expressions whose product has at most 4096 terms}}
    ascend.matmul m((1 + tokens) * (1 + sequences) * (1 + decode) * (1 + max(q)) * (1 + max(kv)) * (1 + sum(kv)))
        n((1 + tokens) * (1 + sequences) * (1 + decode) * (1 + max(q)) * (1 + max(kv)) * (1 + sum(kv)) * (1 + log2(tokens)))
        k(8) : f16
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

// expected-error @below {{unknown term 'tme'; did you mean 'time'? known terms: time, cube, vector, memory, communication, launch}}
#cost = #ascend.cost<tme = 1.0>

// -----

// expected-error @below {{expected a time of at least 0 s}}
#cost = #ascend.cost<time = -1.0>

// -----

// expected-error @below {{expected a time of at least 0 s}}
#cost = #ascend.cost<time = 1.0, memory = 1.0e400>

// -----

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

// expected-error @below {{expected keys 'name', 'cube_ops_per_s', 'vector_ops_per_s', 'compute_efficiency', 'memory_bytes', 'memory_bandwidth_bytes_per_s', 'memory_efficiency', 'launch_cost_s', 'interconnect', but they are missing}}
#empty = #ascend.device<{}>

// -----

#no_bandwidth = #ascend.device<{
// expected-error @above {{expected keys 'memory_bandwidth_bytes_per_s', 'launch_cost_s.vector', but they are missing}}
  name = "tiny", cube_ops_per_s = {f16 = 1.0e12}, vector_ops_per_s = {f16 = 1.0e10},
  compute_efficiency = 0.7, memory_bytes = 1000000000, memory_efficiency = 0.6,
  launch_cost_s = {cube = 5.0e-6, collective = 0.0}, interconnect = []}>

// -----

#unknown_keys = #ascend.device<{
// expected-error @above {{unknown key 'memory_byte'; did you mean 'memory_bytes'? known keys:}}
// expected-error @above {{expected key 'memory_bytes', but it is missing}}
  name = "tiny", cube_ops_per_s = {f16 = 1.0e12}, vector_ops_per_s = {f16 = 1.0e10},
  compute_efficiency = 0.7, memory_byte = 1000000000, memory_bandwidth_bytes_per_s = 1.0e10,
  memory_efficiency = 0.6, launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0},
  interconnect = []}>

// -----

#share_beyond_1 = #ascend.device<{
// expected-error @above {{'compute_efficiency': expected a number from 1.0e-06 to 1.0, but got 70}}
  name = "tiny", cube_ops_per_s = {f16 = 1.0e12}, vector_ops_per_s = {f16 = 1.0e10},
  compute_efficiency = 70, memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 1.0e10,
  memory_efficiency = 0.6, launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0},
  interconnect = []}>

// -----

//===----------------------------------------------------------------------===//
// Module attributes
//===----------------------------------------------------------------------===//

// expected-error @below {{'builtin.module' op unknown attribute 'ascend.devise'; did you mean 'ascend.device'? known attributes: ascend.device, ascend.cost_model, ascend.kernel_coefficients, ascend.kernel_set, ascend.reserved_bytes}}
module attributes {ascend.devise = 1} {}

// -----

// expected-error @below {{'builtin.module' op expected 'ascend.device' to be an #ascend.device, but got "TEST_DEVICE"}}
module attributes {ascend.device = "TEST_DEVICE"} {}

// -----

// expected-error @below {{'builtin.module' op expected 'ascend.kernel_coefficients' to be a dictionary, but got 7 : i64}}
module attributes {ascend.kernel_coefficients = 7} {}

// -----

// expected-error @below {{'builtin.module' op 'ascend.kernel_coefficients': 'swiglu.launch_s': expected a number from 0.0 to 1.0, but got 2.0}}
module attributes {ascend.kernel_coefficients = {swiglu = {launch_s = 2.0}}} {}

// -----

// expected-error @below {{'builtin.module' op expected 'ascend.cost_model' to be a string, but got 7 : i64}}
module attributes {ascend.cost_model = 7} {}

// -----

// expected-error @below {{'builtin.module' op expected 'ascend.kernel_set' to be a string, but got unit}}
module attributes {ascend.kernel_set} {}

// -----

// expected-error @below {{'builtin.module' op expected 'ascend.reserved_bytes' to be a 64-bit integer of at least 0, but got -1 : i64}}
module attributes {ascend.reserved_bytes = -1} {}

// -----

// expected-error @below {{'builtin.module' op expected 'ascend.reserved_bytes' to be a 64-bit integer of at least 0, but got 1 : i32}}
module attributes {ascend.reserved_bytes = 1 : i32} {}

// -----

// expected-error @below {{'builtin.module' op expected 'ascend.reserved_bytes' to be a 64-bit integer of at least 0, but got 1.000000e+09 : f64}}
module attributes {ascend.reserved_bytes = 1.0e9} {}

// -----

// expected-error @below {{'func.func' op expected 'ascend.cost_model' on a module, but got it on this op}}
func.func private @cost_model_on_a_function() attributes {ascend.cost_model = "tensorcast-2026.08"}

// -----

func.func @collective_outside_of_a_launch() {
  // expected-error @below {{'ascend.collective' op expects parent op 'ascend.launch'}}
  ascend.collective all_reduce bytes(8) over<2>
  return
}

// -----

func.func @unknown_collective() {
  // expected-error @below {{expected one of [all_reduce, all_gather, reduce_scatter, all_to_all] for exchange between devices, got: broadcast}}
  // expected-error @below {{invalid value for property kind, expected exchange between devices}}
  ascend.launch "k"() : () -> () { ascend.collective broadcast bytes(8) over<2> }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

func.func @launch_that_waits_for_no_operand(%x: tensor<7xf16>) {
  // expected-error @below {{'ascend.launch' op expected to wait for one of 1 operands, but got number 1}}
  ascend.launch "k"(%x) on <compute, after(0, 1)> : (tensor<7xf16>) -> ()
  return
}

// -----

func.func @view_that_waits_for_no_operand(%x: tensor<7xf16>) {
  // expected-error @below {{'ascend.view' op expected to wait for one of 1 operands, but got number 3}}
  %0 = ascend.view %x on <compute, after(3)> : (tensor<7xf16>) -> tensor<7x1xf16>
  return
}

// -----

func.func @waits_out_of_order(%x: tensor<7xf16>) {
  // expected-error @below {{expected ascending numbers of operands to wait for, but got 0 behind a larger one}}
  ascend.launch "k"(%x, %x) on <compute, after(1, 0)> : (tensor<7xf16>, tensor<7xf16>) -> ()
  return
}

// -----

func.func @negative_wait(%x: tensor<7xf16>) {
  // expected-error @below {{expected ascending numbers of operands to wait for, but got -1}}
  ascend.launch "k"(%x) on <compute, after(-1)> : (tensor<7xf16>) -> ()
  return
}

// -----

func.func @unknown_stream() {
  // expected-error @below {{expected one of [compute, communication] for queue of kernels, got: memory}}
  // expected-error @below {{failed to parse Ascend_SlotAttr parameter 'stream'}}
  ascend.launch "k"() on <memory> : () -> ()
  return
}

// -----

// expected-error @below {{'builtin.module' op expected 'ascend.stream_rule' to be an #ascend.stream_rule, but got "data_flow"}}
module attributes {ascend.stream_rule = "data_flow"} {
}

// -----

func.func @serial_alone() {
  ascend.launch "k"() : () -> () {
    // expected-error @below {{expected other work that a 'serial' exchange comes before or after, but got none}}
    ascend.collective all_to_all bytes(8) over<2> serial
    ascend.collective all_to_all bytes(8) over<2>
  }
  return
}

// -----

func.func @part_of_no_kernel() {
  // expected-error @below {{expected 'ascend.part' on the work of a launch, but got it on this op}}
  ascend.launch "k"() {ascend.part = "matmul"} : () -> ()
  return
}

// -----

func.func @part_without_name() {
  ascend.launch "k"() : () -> () {
    // expected-error @below {{expected 'ascend.part' to be a string, but got 1 : i64}}
    ascend.elementwise elements(8) operations(1) {ascend.part = 1} : f16
  }
  return
}
