// A report counts every launch, or says that it cannot.

// RUN: split-file %s %t
// RUN: not tensorcast report %t/outside.mlir --device TEST_DEVICE 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tensorcast report %t/nested.mlir --device TEST_DEVICE 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tensorcast report %t/declared.mlir --device TEST_DEVICE 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DECLARED

// OUTSIDE: [[#]]:[[#]]: error: 'ascend.launch' op expected to be in a function of one block in the outermost module, whose runs can be counted
// DECLARED: 4:3: error: 'transformer.layer' op expected a function with a body, but @layer has none

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
