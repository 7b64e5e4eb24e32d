// Attention without a cache, as graphs from elsewhere may have it. Each case is
// fused, or left with the reason; test/Verify/Fusion executes them all.

// RUN: tc-opt %s --transformer-fuse-attention | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-attention="attention=false" | FileCheck %s --check-prefix=OFF
// RUN: tc-opt %s --transformer-fuse-attention --verify-diagnostics --remarks-filter=fuse-attention --remark-policy=all -o /dev/null

// OFF-NOT: scaled_dot_product_attention

// Tokens in front of heads: all copies go.
// CHECK-LABEL: func @plain(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @plain(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %t : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// Heads in front of tokens.
// CHECK-LABEL: func @heads_first(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x4x7x8xf16>, %[[K:.*]]: tensor<2x4x7x8xf16>, %[[V:.*]]: tensor<2x4x7x8xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) layout(BNSD) : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @heads_first(%q: tensor<2x4x7x8xf16>, %k: tensor<2x4x7x8xf16>, %v: tensor<2x4x7x8xf16>) -> tensor<2x4x7x8xf16> {
  %s = transformer.batched_matmul %q, %k transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %t : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %v : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x4x7x8xf16>
}

// Operands by head, a result by token.
// CHECK-LABEL: func @heads_first_then_joined(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x4x7x8xf16>, %[[K:.*]]: tensor<2x4x7x8xf16>, %[[V:.*]]: tensor<2x4x7x8xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) layout(BNSD_BSND) : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @heads_first_then_joined(%q: tensor<2x4x7x8xf16>, %k: tensor<2x4x7x8xf16>, %v: tensor<2x4x7x8xf16>) -> tensor<2x7x4x8xf16> {
  %s = transformer.batched_matmul %q, %k transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %t : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %v joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// A copy behind the product joins the heads as well.
// CHECK-LABEL: func @result_copied(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @result_copied(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %t : tensor<2x4x7x7xf16>
  %m = transformer.batched_matmul %p, %vh : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  %r = transformer.permute %m order [0, 2, 1, 3] : tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// Keys laid out for a product that is not transposed.
// CHECK-LABEL: func @keys_with_features_first(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @keys_with_features_first(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 3, 1] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh : tensor<2x4x7x8xf16>, tensor<2x4x8x7xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %t : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// Keys by head, whose tokens and features change places.
// CHECK-LABEL: func @keys_turned_by_head(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x4x7x8xf16>, %[[K:.*]]: tensor<2x4x7x8xf16>, %[[V:.*]]: tensor<2x4x7x8xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) layout(BNSD) : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @keys_turned_by_head(%q: tensor<2x4x7x8xf16>, %k: tensor<2x4x7x8xf16>, %v: tensor<2x4x7x8xf16>) -> tensor<2x4x7x8xf16> {
  %kt = transformer.permute %k order [0, 1, 3, 2] : tensor<2x4x7x8xf16>
  %s = transformer.batched_matmul %q, %kt : tensor<2x4x7x8xf16>, tensor<2x4x8x7xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %t : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %v : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x4x7x8xf16>
}

// The scale may be at the queries, in front of their copy,
// CHECK-LABEL: func @scale_of_queries(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @scale_of_queries(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> tensor<2x7x4x8xf16> {
  %qs = transformer.mul_scalar %q, 0.35355339059327379 : tensor<2x7x4x8xf16>
  %qh = transformer.permute %qs order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %s : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// or at the keys, behind theirs.
// CHECK-LABEL: func @scale_of_keys(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @scale_of_keys(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kc = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.mul_scalar %kc, 0.35355339059327379 : tensor<2x4x7x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %s : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// Scales of both are multiplied.
// CHECK-LABEL: func @scale_of_both(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @scale_of_both(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> tensor<2x7x4x8xf16> {
  %qs = transformer.mul_scalar %q, 0.70710678118654757 : tensor<2x7x4x8xf16>
  %qh = transformer.permute %qs order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %ks = transformer.mul_scalar %kh, 0.5 : tensor<2x4x7x8xf16>
  %s = transformer.batched_matmul %qh, %ks transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %s : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// A padding mask, the same for all heads.
// CHECK-LABEL: func @padding_mask(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>, %[[MASK:.*]]: tensor<2x1x1x7xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) mask(%[[MASK]] : tensor<2x1x1x7xf16>) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @padding_mask(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>, %mask: tensor<2x1x1x7xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  %a = transformer.add %t, %mask : tensor<2x4x7x7xf16>, tensor<2x1x1x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %a : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// Sums may be in either order.
// CHECK-LABEL: func @mask_in_front(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>, %[[MASK:.*]]: tensor<2x1x1x7xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) mask(%[[MASK]] : tensor<2x1x1x7xf16>) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @mask_in_front(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>, %mask: tensor<2x1x1x7xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  %a = transformer.add %mask, %t : tensor<2x1x1x7xf16>, tensor<2x4x7x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %a : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// A softmax in f32 is what the kernel has.
// CHECK-LABEL: func @wide_softmax(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @wide_softmax(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  %w = transformer.cast %t : tensor<2x4x7x7xf16> to tensor<2x4x7x7xf32>
  // expected-remark @below {{[Passed] attention}}
  %pw = transformer.softmax %w : tensor<2x4x7x7xf32>
  %p = transformer.cast %pw : tensor<2x4x7x7xf32> to tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// A causal mask becomes an attribute.
// CHECK-LABEL: func @causal(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) causal : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @causal(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %c = transformer.causal_mask : tensor<7x7xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  %a = transformer.add %t, %c : tensor<2x4x7x7xf16>, tensor<7x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %a : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// So does one with a window.
// CHECK-LABEL: func @sliding_window(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) causal window(3) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @sliding_window(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %c = transformer.causal_mask window(3) : tensor<7x7xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  %a = transformer.add %t, %c : tensor<2x4x7x7xf16>, tensor<7x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %a : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// Biases of heads by distance (ALiBi), with a causal mask.
// CHECK-LABEL: func @linear_bias(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>, %[[SLOPES:.*]]: tensor<4x7x7xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) causal bias(%[[SLOPES]] : tensor<4x7x7xf16>) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @linear_bias(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>, %slopes: tensor<4x7x7xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %c = transformer.causal_mask : tensor<7x7xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  %b = transformer.add %t, %slopes : tensor<2x4x7x7xf16>, tensor<4x7x7xf16>
  %a = transformer.add %b, %c : tensor<2x4x7x7xf16>, tensor<7x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %a : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// A learned bias by relative position without a scale, and a mask.
// CHECK-LABEL: func @relative_bias(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>, %[[BIAS:.*]]: tensor<4x7x7xf16>, %[[MASK:.*]]: tensor<2x1x1x7xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(1.0) mask(%[[MASK]] : tensor<2x1x1x7xf16>) bias(%[[BIAS]] : tensor<4x7x7xf16>) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @relative_bias(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>, %bias: tensor<4x7x7xf16>, %mask: tensor<2x1x1x7xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %b = transformer.add %s, %bias : tensor<2x4x7x7xf16>, tensor<4x7x7xf16>
  %a = transformer.add %b, %mask : tensor<2x4x7x7xf16>, tensor<2x1x1x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %a : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// A number per head that joins the softmax, and is dropped.
// CHECK-LABEL: func @sinks(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>, %[[SINKS:.*]]: tensor<4xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) sink(%[[SINKS]] : tensor<4xf16>) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @sinks(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>, %sinks: tensor<4xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  %n = transformer.reshape %sinks : tensor<4xf16> to tensor<1x4x1x1xf16>
  %e = transformer.expand %n : tensor<1x4x1x1xf16> to tensor<2x4x7x1xf16>
  %j = transformer.concat %t, %e : tensor<2x4x7x7xf16>, tensor<2x4x7x1xf16>
  // expected-remark @below {{[Passed] attention}}
  %pj = transformer.softmax %j : tensor<2x4x7x8xf16>
  %p = transformer.slice %pj offset(0) size(7) : tensor<2x4x7x8xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// A copy that something else reads stays for that.
// CHECK-LABEL: func @queries_read_elsewhere(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK:         transformer.permute
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] scale(0.3535533905932738) : tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf16>
// CHECK-NOT:     batched_matmul
// CHECK:         return
func.func @queries_read_elsewhere(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> (tensor<2x7x4x8xf16>, tensor<2x4x7x8xf16>) {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %t : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r, %qh : tensor<2x7x4x8xf16>, tensor<2x4x7x8xf16>
}

// Products over heads alone are those of one sequence.
// CHECK-LABEL: func @one_sequence(
// CHECK-SAME:    %[[Q:.*]]: tensor<4x7x8xf16>, %[[K:.*]]: tensor<4x7x8xf16>, %[[V:.*]]: tensor<4x7x8xf16>)
// CHECK-NOT:     batched_matmul
// CHECK:         transformer.scaled_dot_product_attention %{{.*}}, %{{.*}}, %{{.*}} scale(0.3535533905932738) layout(BNSD) : tensor<1x4x7x8xf16>, tensor<1x4x7x8xf16>, tensor<1x4x7x8xf16>
// CHECK:         return
func.func @one_sequence(%q: tensor<4x7x8xf16>, %k: tensor<4x7x8xf16>, %v: tensor<4x7x8xf16>) -> tensor<4x7x8xf16> {
  %s = transformer.batched_matmul %q, %k transposed : tensor<4x7x8xf16>, tensor<4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<4x7x7xf16>
  // expected-remark @below {{[Passed] attention}}
  %p = transformer.softmax %t : tensor<4x7x7xf16>
  %r = transformer.batched_matmul %p, %v : tensor<4x7x7xf16>, tensor<4x7x8xf16>
  return %r : tensor<4x7x8xf16>
}

// What the user asked to see is not to be fused away.
// CHECK-LABEL: func @scores_read_elsewhere(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK-NOT:     scaled_dot_product_attention
// CHECK:         return
func.func @scores_read_elsewhere(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> (tensor<2x7x4x8xf16>, tensor<2x4x7x7xf16>) {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Missed] attention | Category:fuse-attention | Function=scores_read_elsewhere | Reason="the scores are read elsewhere"}}
  %p = transformer.softmax %t : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r, %t : tensor<2x7x4x8xf16>, tensor<2x4x7x7xf16>
}

// CHECK-LABEL: func @probabilities_read_elsewhere(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK-NOT:     scaled_dot_product_attention
// CHECK:         return
func.func @probabilities_read_elsewhere(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> (tensor<2x7x4x8xf16>, tensor<2x4x7x7xf16>) {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Missed] attention | Category:fuse-attention | Function=probabilities_read_elsewhere | Reason="the probabilities are read elsewhere"}}
  %p = transformer.softmax %t : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r, %p : tensor<2x7x4x8xf16>, tensor<2x4x7x7xf16>
}

// Dropout multiplies probabilities by what it keeps.
// CHECK-LABEL: func @dropout(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>, %[[KEPT:.*]]: tensor<2x4x7x7xf16>)
// CHECK-NOT:     scaled_dot_product_attention
// CHECK:         return
func.func @dropout(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>, %kept: tensor<2x4x7x7xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Missed] attention | Category:fuse-attention | Function=dropout | Reason="the probabilities are changed by 'mul'"}}
  %d = transformer.softmax %t : tensor<2x4x7x7xf16>
  %p = transformer.mul %d, %kept : tensor<2x4x7x7xf16>, tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// A mask that is scaled is another mask.
// CHECK-LABEL: func @mask_is_scaled(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>, %[[MASK:.*]]: tensor<2x1x1x7xf16>)
// CHECK-NOT:     scaled_dot_product_attention
// CHECK:         return
func.func @mask_is_scaled(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>, %mask: tensor<2x1x1x7xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %a = transformer.add %s, %mask : tensor<2x4x7x7xf16>, tensor<2x1x1x7xf16>
  %t = transformer.mul_scalar %a, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Missed] attention | Category:fuse-attention | Function=mask_is_scaled | Reason="what is added to the scores is scaled with them"}}
  %p = transformer.softmax %t : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// A softmax over the wrong axis.
// CHECK-LABEL: func @softmax_over_queries(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK-NOT:     scaled_dot_product_attention
// CHECK:         return
func.func @softmax_over_queries(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  %x = transformer.permute %t order [0, 1, 3, 2] : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Missed] attention | Category:fuse-attention | Function=softmax_over_queries | Reason="the scores are changed by 'permute'"}}
  %px = transformer.softmax %x : tensor<2x4x7x7xf16>
  %p = transformer.permute %px order [0, 1, 3, 2] : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// Values whose features are summed over.
// CHECK-LABEL: func @values_turned(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x4x8x7xf16>)
// CHECK-NOT:     scaled_dot_product_attention
// CHECK:         return
func.func @values_turned(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x4x8x7xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Missed] attention | Category:fuse-attention | Function=values_turned | Reason="values are not laid out by heads and tokens"}}
  %p = transformer.softmax %t : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %v transposed joined : tensor<2x4x7x7xf16>, tensor<2x4x8x7xf16>
  return %r : tensor<2x7x4x8xf16>
}

// A kernel takes a mask and a bias.
// CHECK-LABEL: func @three_masks(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>, %[[MASK:.*]]: tensor<2x1x1x7xf16>, %[[BIAS:.*]]: tensor<4x7x7xf16>, %[[MORE:.*]]: tensor<4x7x7xf16>)
// CHECK-NOT:     scaled_dot_product_attention
// CHECK:         return
func.func @three_masks(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>, %mask: tensor<2x1x1x7xf16>, %bias: tensor<4x7x7xf16>, %more: tensor<4x7x7xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  %a = transformer.add %t, %mask : tensor<2x4x7x7xf16>, tensor<2x1x1x7xf16>
  %b = transformer.add %a, %bias : tensor<2x4x7x7xf16>, tensor<4x7x7xf16>
  %c = transformer.add %b, %more : tensor<2x4x7x7xf16>, tensor<4x7x7xf16>
  // expected-remark @below {{[Missed] attention | Category:fuse-attention | Function=three_masks | Reason="more is added to the scores than a mask and a bias"}}
  %p = transformer.softmax %c : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// Positions that are keys of their own.
// CHECK-LABEL: func @two_products(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>, %[[PH:.*]]: tensor<2x4x7x8xf16>)
// CHECK-NOT:     scaled_dot_product_attention
// CHECK:         return
func.func @two_products(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>, %ph: tensor<2x4x7x8xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %o = transformer.batched_matmul %qh, %ph transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %b = transformer.add %s, %o : tensor<2x4x7x7xf16>, tensor<2x4x7x7xf16>
  %t = transformer.mul_scalar %b, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Missed] attention | Category:fuse-attention | Function=two_products | Reason="the scores are a sum of two products"}}
  %p = transformer.softmax %t : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// Scores that a tangent limits.
// CHECK-LABEL: func @capped_scores(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>)
// CHECK-NOT:     scaled_dot_product_attention
// CHECK:         return
func.func @capped_scores(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %vh = transformer.permute %v order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  %h = transformer.tanh %t : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Missed] attention | Category:fuse-attention | Function=capped_scores | Reason="the scores are changed by 'tanh'"}}
  %p = transformer.softmax %h : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %p, %vh joined : tensor<2x4x7x7xf16>, tensor<2x4x7x8xf16>
  return %r : tensor<2x7x4x8xf16>
}

// Probabilities that are summed over queries.
// CHECK-LABEL: func @right_factor(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x7x4x8xf16>, %[[QH2:.*]]: tensor<2x4x8x7xf16>)
// CHECK-NOT:     scaled_dot_product_attention
// CHECK:         return
func.func @right_factor(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x7x4x8xf16>, %qh2: tensor<2x4x8x7xf16>) -> tensor<2x4x8x7xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  // expected-remark @below {{[Missed] attention | Category:fuse-attention | Function=right_factor | Reason="the probabilities are not the left factor of the product"}}
  %p = transformer.softmax %t : tensor<2x4x7x7xf16>
  %r = transformer.batched_matmul %qh2, %p : tensor<2x4x8x7xf16>, tensor<2x4x7x7xf16>
  return %r : tensor<2x4x8x7xf16>
}

// Sinks with values of their own.
// CHECK-LABEL: func @sinks_kept(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x7x4x8xf16>, %[[K:.*]]: tensor<2x7x4x8xf16>, %[[V:.*]]: tensor<2x4x8x8xf16>, %[[SINKS:.*]]: tensor<4xf16>)
// CHECK-NOT:     scaled_dot_product_attention
// CHECK:         return
func.func @sinks_kept(%q: tensor<2x7x4x8xf16>, %k: tensor<2x7x4x8xf16>, %v: tensor<2x4x8x8xf16>, %sinks: tensor<4xf16>) -> tensor<2x7x4x8xf16> {
  %qh = transformer.permute %q order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %kh = transformer.permute %k order [0, 2, 1, 3] : tensor<2x7x4x8xf16>
  %s = transformer.batched_matmul %qh, %kh transposed : tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>
  %t = transformer.mul_scalar %s, 0.35355339059327379 : tensor<2x4x7x7xf16>
  %n = transformer.reshape %sinks : tensor<4xf16> to tensor<1x4x1x1xf16>
  %e = transformer.expand %n : tensor<1x4x1x1xf16> to tensor<2x4x7x1xf16>
  %j = transformer.concat %t, %e : tensor<2x4x7x7xf16>, tensor<2x4x7x1xf16>
  // expected-remark @below {{[Missed] attention | Category:fuse-attention | Function=sinks_kept | Reason="values are mixed by the probabilities of sinks as well"}}
  %p = transformer.softmax %j : tensor<2x4x7x8xf16>
  %r = transformer.batched_matmul %p, %v joined : tensor<2x4x7x8xf16>, tensor<2x4x8x8xf16>
  return %r : tensor<2x7x4x8xf16>
}
