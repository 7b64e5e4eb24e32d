// RUN: tc-opt %s --ascend-print-cost --verify-diagnostics

func.func @launch_without_a_cost(%x: tensor<1000xf16>) {
  // expected-remark @below {{a takes 1.000 s, bound by memory}}
  ascend.launch "a"(%x) cost <time = 1.0> : (tensor<1000xf16>) -> ()
  // expected-error @below {{'ascend.launch' op expected a cost; run ascend-estimate on a bound module first}}
  ascend.launch "b"(%x) : (tensor<1000xf16>) -> ()
  return
}
