// RUN: tc-opt %s --ascend-estimate --ascend-print-cost --verify-diagnostics

// With efficiencies of a half: 1e12 cube operations of f16 per second, 1e9
// vector operations, 1e9 bytes.
module attributes {ascend.device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>} {

func.func @memory(%x: tensor<1000xf16>) {
  // expected-remark @below {{copy takes 6.000 us, bound by memory: memory 4.000 us, launch 2.000 us}}
  %0 = ascend.launch "copy"(%x) : (tensor<1000xf16>) -> tensor<1000xf16>
  return
}

func.func @cube(%x: tensor<1000xf16>) {
  // expected-remark @below {{matmul takes 2.005 ms, bound by cube: cube 2.000 ms, memory 2.000 us, launch 5.000 us}}
  ascend.launch "matmul"(%x) : (tensor<1000xf16>) -> () { ascend.matmul m(1000) n(1000) k(1000) : f16 }
  return
}

func.func @vector() {
  // expected-remark @below {{activation takes 6.000 us, bound by vector: vector 4.000 us, launch 2.000 us}}
  ascend.launch "activation"() : () -> () { ascend.elementwise elements(1000) operations(4) : f16 }
  return
}

// Together they take longer than memory, of the two the vector units take more.
func.func @cube_and_vector(%x: tensor<1250xf16>) {
  // expected-remark @below {{fused takes 8.000 us, bound by vector: cube 1.000 us, vector 2.000 us, memory 2.500 us, launch 5.000 us}}
  ascend.launch "fused"(%x) : (tensor<1250xf16>) -> () {
    ascend.matmul m(100) n(100) k(50) : f16
    ascend.elementwise elements(2000) operations(1) : f16
  }
  return
}

// At the ridge of the roofline, memory is what is named.
func.func @as_long_as_memory(%x: tensor<1000xf16>) {
  // expected-remark @below {{activation takes 4.000 us, bound by memory: vector 2.000 us, memory 2.000 us, launch 2.000 us}}
  ascend.launch "activation"(%x) : (tensor<1000xf16>) -> () {
    ascend.elementwise elements(2000) operations(1) : f16
  }
  return
}

func.func @nothing() {
  // expected-remark @below {{nothing takes 0 s, bound by memory}}
  ascend.launch "nothing"() : () -> ()
  return
}

}
