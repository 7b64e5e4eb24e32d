// A report counts every launch, or says that it cannot.

// RUN: split-file %s %t
// RUN: not tensorcast report %t/outside.mlir --device TEST_DEVICE 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tensorcast report %t/nested.mlir --device TEST_DEVICE 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tensorcast report %t/declared.mlir --device TEST_DEVICE 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DECLARED
// RUN: not tensorcast report %t/priced.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STARTS
// RUN: not tensorcast explain %t/priced.mlir --op k 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STARTS

// OUTSIDE: [[#]]:[[#]]: error: 'ascend.launch' op expected to be in a function of one block in the outermost module, whose runs can be counted
// DECLARED: 4:3: error: 'transformer.layer' op expected a function with a body, but @layer has none
// STARTS: error: 'ascend.launch' op expected a finite number of starts of at least 0, but got -5

//--- outside.mlir
ascend.launch "k"() : () -> () { ascend.matmul m(8) n(8) k(8) : f16 }

//--- nested.mlir
module {
  module {
    func.func @main() {
      ascend.launch "k"() : () -> () { ascend.matmul m(8) n(8) k(8) : f16 }
      return
    }
  }
}

//--- declared.mlir
func.func private @layer()
func.func @main() {
  ascend.launch "k"() : () -> () { ascend.matmul m(8) n(8) k(8) : f16 }
  transformer.layer @layer() name("layers.0") : () -> ()
  return
}

//--- priced.mlir
module attributes {ascend.device = #ascend.device<{
    name = "tiny", cube_ops_per_s = {f16 = 1.0e12},
    vector_ops_per_s = {f16 = 1.0e10}, compute_efficiency = 0.7,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 1.0e10,
    memory_efficiency = 0.6, interconnect = [],
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}}>,
    ascend.cost_model = "tensorcast-2026.08"} {
func.func @main() {
  ascend.launch "k"() times(-5) cost <time = 1.0e-03, memory = 1.0e-03> : () -> ()
  return
}
}
