// RUN: tc-opt %s --transformer-fuse-comm | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-comm --remarks-filter=fuse-comm --remark-policy=all 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Missed] linear-all-reduce | Category:fuse-comm | Function=two_sums | Reason="the layer is summed over other devices already", Remark="not fused"

// A sum over neighbours and one over replicas: the layer does the first only.
// CHECK-LABEL: func @two_sums
// CHECK-NEXT:    %[[L:.*]] = transformer.linear {{.*}} all_reduce <2> :
// CHECK-NEXT:    transformer.all_reduce %[[L]] over <4, step = 2>
func.func @two_sums(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> tensor<7x4xf16> {
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  %1 = transformer.all_reduce %0 over<2> : tensor<7x4xf16>
  %2 = transformer.all_reduce %1 over<4, step = 2> : tensor<7x4xf16>
  return %2 : tensor<7x4xf16>
}
