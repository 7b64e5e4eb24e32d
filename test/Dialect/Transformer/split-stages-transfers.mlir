// RUN: tc-opt %s --split-input-file --transformer-split-stages=stages=3 | FileCheck %s
// RUN: tc-opt %s --split-input-file --transformer-split-stages=stages=3 --transformer-join-stages --transformer-split-stages=stages=3 | FileCheck %s

// What the first stage makes goes through the second one's devices to the third.
// A result that the caller wants comes from the stage that makes it.
// CHECK-LABEL: func private @stage_0(
// CHECK:         return %{{.*}}, %{{.*}} : tensor<3x8xf16>, tensor<3x4xi32>
// CHECK-LABEL: func private @stage_1(
// CHECK-SAME:    tensor<3x8xf16>) -> tensor<3x8xf16>
// CHECK-LABEL: func private @stage_2(
// CHECK-SAME:    %[[H:.*]]: tensor<3x8xf16>, %[[I:.*]]: tensor<3x4xi32>)
// CHECK:         transformer.layer @taker(%[[H]], %[[I]])
// CHECK-LABEL: func @through
// CHECK-SAME:    %[[X:.*]]: tensor<3x8xf16>
// CHECK-NEXT:    %[[A:.*]]:2 = transformer.stage @stage_0(%[[X]])
// CHECK-NEXT:    %[[B:.*]] = transformer.send_receive %[[A]]#0 from(0) to(1) : tensor<3x8xf16>
// CHECK-NEXT:    %[[I:.*]] = transformer.send_receive %[[A]]#1 from(0) to(1) : tensor<3x4xi32>
// CHECK-NEXT:    %[[C:.*]] = transformer.stage @stage_1(%[[B]])
// CHECK-NEXT:    %[[J:.*]] = transformer.send_receive %[[I]] from(1) to(2) : tensor<3x4xi32>
// CHECK-NEXT:    %[[D:.*]] = transformer.send_receive %[[C]] from(1) to(2) : tensor<3x8xf16>
// CHECK-NEXT:    %[[E:.*]] = transformer.stage @stage_2(%[[D]], %[[J]])
// CHECK-NEXT:    return %[[E]], %[[J]]
func.func private @giver(%x: tensor<3x8xf16>) -> (tensor<3x8xf16>, tensor<3x4xi32>) {
  %i = transformer.weight "i" : tensor<3x4xi32>
  return %x, %i : tensor<3x8xf16>, tensor<3x4xi32>
}
func.func private @layer(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
func.func private @taker(%x: tensor<3x8xf16>, %i: tensor<3x4xi32>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
func.func @through(%x: tensor<3x8xf16>) -> (tensor<3x8xf16>, tensor<3x4xi32>) {
  %0:2 = transformer.layer @giver(%x) name("layers.0") : (tensor<3x8xf16>) -> (tensor<3x8xf16>, tensor<3x4xi32>)
  %1 = transformer.layer @layer(%0#0) name("layers.1") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %2 = transformer.layer @taker(%1, %0#1) name("layers.2") : (tensor<3x8xf16>, tensor<3x4xi32>) -> tensor<3x8xf16>
  return %2, %0#1 : tensor<3x8xf16>, tensor<3x4xi32>
}

// -----

// 8 layers over 3 stages: 2 in each, and one more in those counted back from the
// one before the last. Ops that depend on no layer are where they are first
// needed, so that little is sent: the scale in the second stage, not the first.
// CHECK-LABEL: func private @stage_0(
// CHECK-COUNT-3: transformer.layer
// CHECK-NOT:     transformer.mul
// CHECK:         return
// CHECK-LABEL: func private @stage_1(
// CHECK:         transformer.mul
// CHECK:         name("layers.5")
// CHECK-NEXT:    return
// CHECK-LABEL: func private @stage_2(
// CHECK-COUNT-2: transformer.layer
// CHECK-NEXT:    return
// CHECK-LABEL: func @uneven
func.func private @layer(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
func.func private @scaled(%x: tensor<3x8xf16>, %s: tensor<3x8xf16>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
func.func @uneven(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  %s = transformer.mul %x, %x : tensor<3x8xf16>, tensor<3x8xf16>
  %0 = transformer.layer @layer(%x) name("layers.0") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %1 = transformer.layer @layer(%0) name("layers.1") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %2 = transformer.layer @layer(%1) name("layers.2") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %3 = transformer.layer @scaled(%2, %s) name("layers.3") : (tensor<3x8xf16>, tensor<3x8xf16>) -> tensor<3x8xf16>
  %4 = transformer.layer @layer(%3) name("layers.4") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %5 = transformer.layer @layer(%4) name("layers.5") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %6 = transformer.layer @layer(%5) name("layers.6") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %7 = transformer.layer @scaled(%6, %s) name("layers.7") : (tensor<3x8xf16>, tensor<3x8xf16>) -> tensor<3x8xf16>
  return %7 : tensor<3x8xf16>
}
