// RUN: tc-opt %s --transformer-mark-layers="disable=fuse-ffn@a.*,fuse-norm@b" | FileCheck %s

// A layer in a layer that is copied is called by the copy, too, in whatever order
// the functions are.
// CHECK:      func.func private @inner({{.*}} attributes {transformer.disabled_fusions = ["fuse-ffn@a.*"]} {
// CHECK:      func.func private @outer(%{{.*}}) -> tensor<8xf16> {
// CHECK:        transformer.layer @inner(
// CHECK:      func.func private @outer_{{.*}} attributes {transformer.disabled_fusions = ["fuse-norm@b"]} {
// CHECK:        transformer.layer @inner(
// CHECK:      func.func private @late({{.*}} attributes {transformer.disabled_fusions = ["fuse-ffn@a.*"]} {
func.func private @inner(%x: tensor<8xf16>) -> tensor<8xf16> {
  return %x : tensor<8xf16>
}
func.func private @outer(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = transformer.layer @inner(%x) name("a.0") : (tensor<8xf16>) -> tensor<8xf16>
  %1 = transformer.layer @late(%0) name("a.1") : (tensor<8xf16>) -> tensor<8xf16>
  return %1 : tensor<8xf16>
}
func.func private @late(%x: tensor<8xf16>) -> tensor<8xf16> {
  return %x : tensor<8xf16>
}
func.func @main(%x: tensor<8xf16>) {
  %0 = transformer.layer @outer(%x) name("b") : (tensor<8xf16>) -> tensor<8xf16>
  %1 = transformer.layer @outer(%0) name("c") : (tensor<8xf16>) -> tensor<8xf16>
  return
}
