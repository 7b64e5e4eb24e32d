// Integers beyond 64 bits are read as they are, or refused.

// RUN: tc-opt %s --split-input-file --verify-diagnostics \
// RUN:   --transformer-bind-workload="queries=1 query-length=1" | FileCheck %s

// CHECK: times(9223372036854775808)
// CHECK: times(18446744073709551616)
// CHECK: times(-36893488147419103232)
// CHECK: times(1267650600228229401496703205376)
func.func @large() {
  ascend.launch "k"() times(9223372036854775807) : () -> ()
  ascend.launch "k"() times(18446744073709551616) : () -> ()
  ascend.launch "k"() times(-36893488147419103232) : () -> ()
  ascend.launch "k"() times(1267650600228229401496703205376) : () -> ()
  return
}

// -----

func.func @too_large() {
  // expected-error @+1 {{expected a number of at most 2^100}}
  ascend.launch "k"() times(2535301200456458802993406410752) : () -> ()
  return
}
