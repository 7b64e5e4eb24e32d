// RUN: tc-opt %s --transformer-decompose | FileCheck %s
// RUN: tc-opt %s --transformer-decompose="keep=scaled_dot_product_attention" | FileCheck %s --check-prefix=KEPT
// RUN: tc-opt %s --transformer-decompose --transformer-fuse-attention | FileCheck %s --check-prefix=KEPT

// KEPT-COUNT-3: transformer.scaled_dot_product_attention

// Three copies, two products, and what is between them.
// CHECK-LABEL: func @by_token(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x8x96xf16>, %[[K:.*]]: tensor<2x9x8x96xf16>, %[[V:.*]]: tensor<2x9x8x64xf16>, %[[MASK:.*]]: tensor<2x1x1x9xf16>)
// CHECK-NEXT:    %[[QH:.*]] = transformer.permute %[[Q]] order [0, 2, 1, 3]
// CHECK-NEXT:    %[[KH:.*]] = transformer.permute %[[K]] order [0, 2, 1, 3]
// CHECK-NEXT:    %[[VH:.*]] = transformer.permute %[[V]] order [0, 2, 1, 3]
// CHECK-NEXT:    %[[S:.*]] = transformer.batched_matmul %[[QH]], %[[KH]] transposed
// CHECK-NEXT:    %[[T:.*]] = transformer.mul_scalar %[[S]], 0.125
// CHECK-NEXT:    %[[A:.*]] = transformer.add %[[T]], %[[MASK]]
// CHECK-NEXT:    %[[P:.*]] = transformer.softmax %[[A]] : tensor<2x8x7x9xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.batched_matmul %[[P]], %[[VH]] joined
// CHECK-NEXT:    return %[[R]]
func.func @by_token(%q: tensor<2x7x8x96xf16>, %k: tensor<2x9x8x96xf16>, %v: tensor<2x9x8x64xf16>,
                    %mask: tensor<2x1x1x9xf16>) -> tensor<2x7x8x64xf16> {
  %a = transformer.scaled_dot_product_attention %q, %k, %v scale(0.125) mask(%mask : tensor<2x1x1x9xf16>)
      : tensor<2x7x8x96xf16>, tensor<2x9x8x96xf16>, tensor<2x9x8x64xf16>
  return %a : tensor<2x7x8x64xf16>
}

// A mask in f32 makes the softmax one in f32.
// CHECK-LABEL: func @by_head(
// CHECK-NOT:     transformer.permute
// CHECK:         transformer.add %{{.*}}, %{{.*}} : tensor<2x8x7x7xf16>, tensor<7xf32>
// CHECK-NEXT:    transformer.add %{{.*}}, %{{.*}} : tensor<2x8x7x7xf32>, tensor<8x7x7xf16>
// CHECK-NEXT:    %[[M:.*]] = transformer.causal_mask window(3) : tensor<7x7xf16>
// CHECK-NEXT:    transformer.add %{{.*}}, %[[M]]
// CHECK-NEXT:    %[[P:.*]] = transformer.softmax %{{.*}} : tensor<2x8x7x7xf32>
// CHECK-NEXT:    %[[N:.*]] = transformer.cast %[[P]] : tensor<2x8x7x7xf32> to tensor<2x8x7x7xf16>
// CHECK-NEXT:    transformer.batched_matmul %[[N]], %{{.*}} : tensor<2x8x7x7xf16>
func.func @by_head(%q: tensor<2x8x7x64xf16>, %mask: tensor<7xf32>, %bias: tensor<8x7x7xf16>) -> tensor<2x8x7x64xf16> {
  %a = transformer.scaled_dot_product_attention %q, %q, %q scale(0.125) layout(BNSD) causal window(3)
      mask(%mask : tensor<7xf32>) bias(%bias : tensor<8x7x7xf16>)
      : tensor<2x8x7x64xf16>, tensor<2x8x7x64xf16>, tensor<2x8x7x64xf16>
  return %a : tensor<2x8x7x64xf16>
}

// A sink is one more column, which is dropped behind the softmax.
// CHECK-LABEL: func @sink(
// CHECK:         %[[N:.*]] = transformer.reshape %{{.*}} : tensor<8xf16> to tensor<1x8x1x1xf16>
// CHECK-NEXT:    %[[E:.*]] = transformer.expand %[[N]] : tensor<1x8x1x1xf16> to tensor<2x8x7x1xf16>
// CHECK-NEXT:    %[[J:.*]] = transformer.concat %{{.*}}, %[[E]]
// CHECK-NEXT:    %[[P:.*]] = transformer.softmax %[[J]] : tensor<2x8x7x8xf16>
// CHECK-NEXT:    transformer.slice %[[P]] offset(0) size(7)
func.func @sink(%q: tensor<2x7x8x64xf16>, %sink: tensor<8xf16>) -> tensor<2x7x8x64xf16> {
  %a = transformer.scaled_dot_product_attention %q, %q, %q scale(0.125) sink(%sink : tensor<8xf16>)
      : tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>
  return %a : tensor<2x7x8x64xf16>
}
