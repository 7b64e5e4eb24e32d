// RUN: tc-opt %s --ascend-schedule="rule=direct-waits tuples=one tensors=two part-readers=parts" | FileCheck %s
// RUN: not tc-opt %s --ascend-schedule="rule=direct" 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: Cannot find option named 'direct'!

// Results count as the software stack has them, and operands too.

// CHECK-LABEL: func @named
// CHECK:         "all_reduce"(%{{.*}}) on <communication> :
// CHECK-NEXT:    "one"(%{{.*}}) :
// CHECK-NEXT:    "two"(%{{.*}}) on <compute, after(0)> :
// CHECK-NEXT:    "parts"(%{{.*}}) :
// CHECK-NEXT:    "all_gather"(%{{.*}}) on <communication, after(0)> :
func.func @named(%x: tensor<4xf16>) {
  %0 = ascend.launch "all_reduce"(%x) : (tensor<4xf16>) -> tensor<4xf16> { ascend.collective all_reduce bytes(8) over<2> }
  %1 = ascend.launch "one"(%0) : (tensor<4xf16>) -> tensor<4xf16>
  %2:2 = ascend.launch "two"(%0) : (tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>)
  %3 = ascend.launch "parts"(%0) : (tensor<4xf16>) -> tensor<4xf16>
  %4 = ascend.launch "all_gather"(%3) : (tensor<4xf16>) -> tensor<8xf16> { ascend.collective all_gather bytes(8) over<2> }
  return
}
