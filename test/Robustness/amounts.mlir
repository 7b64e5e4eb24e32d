// Work, starts and times that no kernel can have are refused.

// RUN: tc-opt %s --split-input-file --verify-diagnostics \
// RUN:   --ascend-estimate=device=TEST_DEVICE

func.func @negative_work() {
  // expected-error @+1 {{expected a finite number of operations of at least 0, but got -1280000.0}}
  ascend.launch "k"() : () -> () { ascend.matmul m(-10000) n(8) k(8) : f16 }
  return
}

// -----

func.func @negative_bytes() {
  // expected-error @+1 {{expected a finite number of bytes of at least 0, but got -8.0}}
  ascend.launch "k"() : () -> () {
    ascend.gather rows(-2) row_bytes(4) index(0)
  }
  return
}

// -----

func.func @negative_starts() {
  // expected-error @+1 {{expected a finite number of starts of at least 0, but got -5.0}}
  ascend.launch "k"() times(-5) : () -> ()
  return
}

// -----

module attributes {transformer.workload = #transformer.workload<queries = 2,
                                                                query_length = 7>} {
  func.func @infinite_work() {
    // expected-error @+1 {{expected a finite number of operations of at least 0, but got -inf}}
    ascend.launch "k"() : () -> () { ascend.matmul m(log2(0)) n(8) k(8) : f16 }
    return
  }
}
