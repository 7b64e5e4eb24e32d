// RUN: tc-opt %s --split-input-file --ascend-schedule | FileCheck %s --check-prefixes=CHECK,FLOW
// RUN: tc-opt %s --split-input-file --ascend-schedule="rule=direct-waits" | FileCheck %s --check-prefixes=CHECK,DIRECT
// RUN: tc-opt %s --split-input-file --ascend-schedule="rule=direct-waits-in-place" | FileCheck %s --check-prefixes=CHECK,PLACE
// RUN: tc-opt %s --split-input-file --ascend-schedule="rule=direct-waits-in-place" --ascend-schedule="rule=direct-waits" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,DIRECT

// An exchange has a stream of its own, which it enters when its operand is
// ready and whose end is waited for where one tensor is made of its result.

// FLOW: module attributes {ascend.stream_rule = #ascend.stream_rule<data_flow>}
// DIRECT: module attributes {ascend.stream_rule = #ascend.stream_rule<direct_waits>}
// PLACE: module attributes {ascend.stream_rule = #ascend.stream_rule<direct_waits_in_place>}
// CHECK-LABEL: func @sum_and_add
// CHECK-NEXT:    "matmul"(%{{.*}}) :
// CHECK-NEXT:    "all_reduce"(%{{.*}}) on <communication, after(0)> :
// CHECK-NEXT:    "add"(%{{.*}}, %{{.*}}) on <compute, after(1)> :
func.func @sum_and_add(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = ascend.launch "matmul"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  %1 = ascend.launch "all_reduce"(%0) : (tensor<4xf16>) -> tensor<4xf16> { ascend.collective all_reduce bytes(8) over<2> }
  %2 = ascend.launch "add"(%x, %1) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %2 : tensor<4xf16>
}

// -----

// A kernel with two results is not seen: nothing waits for the exchange in front
// of it, and in place, it stays on the stream of that.

// CHECK-LABEL: func @sum_and_norm
// CHECK-NEXT:    "matmul"(%{{.*}}) :
// CHECK-NEXT:    "all_reduce"(%{{.*}}) on <communication, after(0)> :
// FLOW-NEXT:     "norm"(%{{.*}}) on <compute, after(0)> :
// FLOW-NEXT:     "activation"(%{{.*}}) :
// DIRECT-NEXT:   "norm"(%{{.*}}) :
// DIRECT-NEXT:   "activation"(%{{.*}}) :
// PLACE-NEXT:    "norm"(%{{.*}}) on <communication> :
// PLACE-NEXT:    "activation"(%{{.*}}) on <communication> :
// CHECK-NEXT:    "down"(%{{.*}}) :
// CHECK-NEXT:    "all_reduce"(%{{.*}}) on <communication, after(0)> :
// CHECK-NEXT:    "add"(%{{.*}}) on <compute, after(0)> :
// CHECK-NEXT:    "behind"(%{{.*}}) :
func.func @sum_and_norm(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = ascend.launch "matmul"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  %1 = ascend.launch "all_reduce"(%0) : (tensor<4xf16>) -> tensor<4xf16> { ascend.collective all_reduce bytes(8) over<2> }
  %2:2 = ascend.launch "norm"(%1) : (tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>)
  %3 = ascend.launch "activation"(%2#0) : (tensor<4xf16>) -> tensor<4xf16>
  %4 = ascend.launch "down"(%3) : (tensor<4xf16>) -> tensor<4xf16>
  %5 = ascend.launch "all_reduce"(%4) : (tensor<4xf16>) -> tensor<4xf16> { ascend.collective all_reduce bytes(8) over<2> }
  %6 = ascend.launch "add"(%5) : (tensor<4xf16>) -> tensor<4xf16>
  %7 = ascend.launch "behind"(%6) : (tensor<4xf16>) -> tensor<4xf16>
  return %7 : tensor<4xf16>
}

// -----

// Experts on other devices: what quantizes the tokens that came makes two
// tensors; what puts the experts' results back makes one.

// CHECK-LABEL: func @experts
// CHECK-NEXT:    "route"(%{{.*}}) :
// CHECK-NEXT:    "all_to_all"(%{{.*}}) on <communication, after(0)> :
// FLOW-NEXT:     "quantize"(%{{.*}}) on <compute, after(0)> :
// FLOW-NEXT:     "experts"(%{{.*}}) :
// DIRECT-NEXT:   "quantize"(%{{.*}}) :
// DIRECT-NEXT:   "experts"(%{{.*}}) :
// PLACE-NEXT:    "quantize"(%{{.*}}) on <communication> :
// PLACE-NEXT:    "experts"(%{{.*}}) on <communication> :
// CHECK-NEXT:    "concat"(%{{.*}}) :
// CHECK-NEXT:    "all_to_all"(%{{.*}}) on <communication, after(0)> :
// CHECK-NEXT:    "unpermute"(%{{.*}}) on <compute, after(0)> :
func.func @experts(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = ascend.launch "route"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  %1 = ascend.launch "all_to_all"(%0) : (tensor<4xf16>) -> tensor<4xf16> { ascend.collective all_to_all bytes(8) over<2> }
  %2:2 = ascend.launch "quantize"(%1) : (tensor<4xf16>) -> (tensor<4xi8>, tensor<f32>)
  %3 = ascend.launch "experts"(%2#0, %2#1) : (tensor<4xi8>, tensor<f32>) -> tensor<4xf16>
  %4 = ascend.launch "concat"(%3) : (tensor<4xf16>) -> tensor<4xf16>
  %5 = ascend.launch "all_to_all"(%4) : (tensor<4xf16>) -> tensor<4xf16> { ascend.collective all_to_all bytes(8) over<2> }
  %6 = ascend.launch "unpermute"(%5) : (tensor<4xf16>) -> tensor<4xf16>
  return %6 : tensor<4xf16>
}

// -----

// A view of the whole is seen and waits itself; what is behind it on its stream
// waits with it. So is the view of one part, but several split a tensor and are
// not seen. What is computed from all, data flow knows.

// CHECK-LABEL: func @views
// CHECK-NEXT:    "matmul"
// DIRECT-NEXT:   ascend.view %{{.*}} on <compute> :
// PLACE-NEXT:    ascend.view %{{.*}} on <compute> :
// FLOW-NEXT:     ascend.view %{{.*}} :
// CHECK-NEXT:    "all_gather"(%{{.*}}) on <communication, after(0)> :
// FLOW-NEXT:     ascend.view %{{.*}} :
// FLOW-NEXT:     "whole"(%{{.*}}) on <compute, after(0)> :
// DIRECT-NEXT:   ascend.view %{{.*}} on <compute, after(0)> :
// DIRECT-NEXT:   "whole"(%{{.*}}) :
// PLACE-NEXT:    ascend.view %{{.*}} on <compute, after(0)> :
// PLACE-NEXT:    "whole"(%{{.*}}) :
// CHECK-NEXT:    "all_gather"(%{{.*}}) on <communication, after(0)> :
// DIRECT-NEXT:   ascend.view %{{.*}} on <compute, after(0)> :
// PLACE-NEXT:    ascend.view %{{.*}} on <compute, after(0)> :
// FLOW-NEXT:     ascend.view %{{.*}} :
// FLOW-NEXT:     "part"(%{{.*}}) on <compute, after(0)> :
// DIRECT-NEXT:   "part"(%{{.*}}) :
// PLACE-NEXT:    "part"(%{{.*}}) :
// CHECK-NEXT:    "all_gather"(%{{.*}}) on <communication, after(0)> :
// CHECK-NEXT:    ascend.view %{{.*}} :
// CHECK-NEXT:    ascend.view %{{.*}} :
// FLOW-NEXT:     "split"(%{{.*}}) on <compute, after(0)> :
// DIRECT-NEXT:   "split"(%{{.*}}) :
// PLACE-NEXT:    "split"(%{{.*}}) on <communication> :
func.func @views(%x: tensor<4xf16>) -> tensor<2xf16> {
  %0 = ascend.launch "matmul"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  %1 = ascend.view %0 : (tensor<4xf16>) -> tensor<2x2xf16>
  %2 = ascend.launch "all_gather"(%1) : (tensor<2x2xf16>) -> tensor<4x2xf16> { ascend.collective all_gather bytes(8) over<2> }
  %3 = ascend.view %2 : (tensor<4x2xf16>) -> tensor<8xf16>
  %4 = ascend.launch "whole"(%3) : (tensor<8xf16>) -> tensor<4xf16>
  %5 = ascend.launch "all_gather"(%4) : (tensor<4xf16>) -> tensor<8xf16> { ascend.collective all_gather bytes(8) over<2> }
  %6 = ascend.view %5 : (tensor<8xf16>) -> tensor<2xf16>
  %7 = ascend.launch "part"(%6) : (tensor<2xf16>) -> tensor<2xf16>
  %8 = ascend.launch "all_gather"(%7) : (tensor<2xf16>) -> tensor<4xf16> { ascend.collective all_gather bytes(4) over<2> }
  %9 = ascend.view %8 : (tensor<4xf16>) -> tensor<2xf16>
  %10 = ascend.view %8 : (tensor<4xf16>) -> tensor<2xf16>
  %11 = ascend.launch "split"(%9) : (tensor<2xf16>) -> tensor<2xf16>
  return %11 : tensor<2xf16>
}

// -----

// A launch that no batch needs is not there; one that some batches need is, but
// what is in front of it may be what its reader has to wait for.

// CHECK-LABEL: func @launches_that_may_not_start
// CHECK-NEXT:    "all_reduce"(%{{.*}}) on <communication> :
// CHECK-NEXT:    "pad"(%{{.*}}) times(0) :
// CHECK-NEXT:    "behind_none"(%{{.*}}) on <compute, after(0)> :
// CHECK-NEXT:    "all_reduce"(%{{.*}}) on <communication, after(0)> :
// CHECK-NEXT:    "pad"(%{{.*}}) times(decode) on <compute, after(0)> :
// CHECK-NEXT:    "behind_some"(%{{.*}}) on <compute, after(0)> :
func.func @launches_that_may_not_start(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = ascend.launch "all_reduce"(%x) : (tensor<4xf16>) -> tensor<4xf16> { ascend.collective all_reduce bytes(8) over<2> }
  %1 = ascend.launch "pad"(%0) times(0) : (tensor<4xf16>) -> tensor<4xf16>
  %2 = ascend.launch "behind_none"(%1) : (tensor<4xf16>) -> tensor<4xf16>
  %3 = ascend.launch "all_reduce"(%2) : (tensor<4xf16>) -> tensor<4xf16> { ascend.collective all_reduce bytes(8) over<2> }
  %4 = ascend.launch "pad"(%3) times(decode) : (tensor<4xf16>) -> tensor<4xf16>
  %5 = ascend.launch "behind_some"(%4) : (tensor<4xf16>) -> tensor<4xf16>
  return %5 : tensor<4xf16>
}

// -----

// Layers: only data flow knows across their edges. A layer begins on the stream
// that is current at its first call, and goes on as it has begun.

// CHECK-LABEL: func private @layer
// FLOW-NEXT:     "first"(%{{.*}}) on <compute, after(0)> :
// DIRECT-NEXT:   "first"(%{{.*}}) :
// PLACE-NEXT:    "first"(%{{.*}}) on <communication> :
// FLOW-NEXT:     "all_reduce"(%{{.*}}) on <communication, after(0)> :
func.func private @layer(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0:2 = ascend.launch "first"(%x) : (tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>)
  %1 = ascend.launch "all_reduce"(%0#0) : (tensor<4xf16>) -> tensor<4xf16> { ascend.collective all_reduce bytes(8) over<2> }
  return %1 : tensor<4xf16>
}

// CHECK-LABEL: func @main
// CHECK-NEXT:    "all_gather"(%{{.*}}) on <communication> :
// CHECK:         transformer.layer
// FLOW:          "last"(%{{.*}}) on <compute, after(0)> :
// DIRECT:        "last"(%{{.*}}) :
// PLACE:         "last"(%{{.*}}) on <communication> :
func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = ascend.launch "all_gather"(%x) : (tensor<4xf16>) -> tensor<4xf16> { ascend.collective all_gather bytes(8) over<2> }
  %1 = transformer.layer @layer(%0) name("layers.0") : (tensor<4xf16>) -> tensor<4xf16>
  %2 = transformer.layer @layer(%1) name("layers.1") : (tensor<4xf16>) -> tensor<4xf16>
  %3 = ascend.launch "last"(%2) : (tensor<4xf16>) -> tensor<4xf16>
  return %3 : tensor<4xf16>
}

// -----

// A kernel that computes as well is no exchange, and a module without one stays
// as it is.

// CHECK-LABEL: module {
// CHECK-LABEL: func @fused
// CHECK-NEXT:    "matmul_all_reduce"(%{{.*}}) : {{.*}} {
// CHECK:         "add"(%{{.*}}) :
func.func @fused(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = ascend.launch "matmul_all_reduce"(%x) : (tensor<4xf16>) -> tensor<4xf16> {
    ascend.matmul m(4) n(1) k(1) : f16
    ascend.collective all_reduce bytes(8) over<2>
  }
  %1 = ascend.launch "add"(%0) : (tensor<4xf16>) -> tensor<4xf16>
  return %1 : tensor<4xf16>
}
