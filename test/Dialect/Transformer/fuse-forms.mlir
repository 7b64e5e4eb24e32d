// RUN: tc-opt %s --transformer-fuse-attention --transformer-fuse-ffn | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-attention="rope=false" --transformer-fuse-ffn="clamped-swiglu=false" | FileCheck %s --check-prefix=OFF
// RUN: tc-opt %s --transformer-fuse-attention="only-full-width=true" | FileCheck %s --check-prefix=WIDTH
// RUN: tc-opt %s --transformer-fuse-attention --transformer-fuse-ffn --verify-diagnostics --remarks-filter='fuse-(attention|ffn)' --remark-policy=all -o /dev/null

// OFF-NOT: transformer.rope %
// OFF-NOT: transformer.clamped_swiglu

// WIDTH-NOT: transformer.rope %

// CHECK-LABEL: func @half_table(
// CHECK-SAME:    %[[X:.*]]: tensor<7x2x8xf16>, %[[T:.*]]: !transformer.rope_table<4xf16>)
// CHECK-NEXT:    %[[R:.*]] = transformer.rope %[[X]], %[[T]] style(half_table)
// CHECK-NEXT:    return %[[R]]
func.func @half_table(%x: tensor<7x2x8xf16>, %t: !transformer.rope_table<4xf16>) -> tensor<7x2x8xf16> {
  %cos, %sin = transformer.rope_parts %t : !transformer.rope_table<4xf16> -> tensor<7x1x4xf16>
  %a = transformer.slice %x offset(0) size(4) : tensor<7x2x8xf16>
  %b = transformer.slice %x offset(4) size(4) : tensor<7x2x8xf16>
  %ac = transformer.mul %cos, %a : tensor<7x1x4xf16>, tensor<7x2x4xf16>
  %bs = transformer.mul %b, %sin : tensor<7x2x4xf16>, tensor<7x1x4xf16>
  %first = transformer.sub %ac, %bs : tensor<7x2x4xf16>, tensor<7x2x4xf16>
  %bc = transformer.mul %b, %cos : tensor<7x2x4xf16>, tensor<7x1x4xf16>
  %as = transformer.mul %a, %sin : tensor<7x2x4xf16>, tensor<7x1x4xf16>
  %second = transformer.add %as, %bc : tensor<7x2x4xf16>, tensor<7x2x4xf16>
  // expected-remark @below {{[Passed] rope}}
  %r = transformer.concat %first, %second : tensor<7x2x4xf16>, tensor<7x2x4xf16>
  return %r : tensor<7x2x8xf16>
}

// The sum of the products in front, their difference behind: another rotation.
// CHECK-LABEL: func @other_half_table(
// CHECK-NOT:     transformer.rope %
// CHECK:         return
func.func @other_half_table(%x: tensor<7x2x8xf16>, %t: !transformer.rope_table<4xf16>) -> tensor<7x2x8xf16> {
  %cos, %sin = transformer.rope_parts %t : !transformer.rope_table<4xf16> -> tensor<7x1x4xf16>
  %a = transformer.slice %x offset(0) size(4) : tensor<7x2x8xf16>
  %b = transformer.slice %x offset(4) size(4) : tensor<7x2x8xf16>
  %ac = transformer.mul %a, %cos : tensor<7x2x4xf16>, tensor<7x1x4xf16>
  %bs = transformer.mul %b, %sin : tensor<7x2x4xf16>, tensor<7x1x4xf16>
  %first = transformer.sub %ac, %bs : tensor<7x2x4xf16>, tensor<7x2x4xf16>
  %as = transformer.mul %a, %sin : tensor<7x2x4xf16>, tensor<7x1x4xf16>
  %second = transformer.add %as, %bs : tensor<7x2x4xf16>, tensor<7x2x4xf16>
  %r = transformer.concat %first, %second : tensor<7x2x4xf16>, tensor<7x2x4xf16>
  return %r : tensor<7x2x8xf16>
}

// CHECK-LABEL: func @clamped_swiglu(
// CHECK-SAME:    %[[G:.*]]: tensor<7x8xf32>, %[[U:.*]]: tensor<7x8xf32>)
// CHECK-NEXT:    %[[R:.*]] = transformer.clamped_swiglu %[[G]], %[[U]] limit(7.0) slope(1.702)
// CHECK-NEXT:    return %[[R]]
func.func @clamped_swiglu(%g: tensor<7x8xf32>, %u: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %gate = transformer.min_scalar %g, 7.0 : tensor<7x8xf32>
  %ceiling = transformer.min_scalar %u, 7.0 : tensor<7x8xf32>
  %up = transformer.max_scalar %ceiling, -7.0 : tensor<7x8xf32>
  %steep = transformer.mul_scalar %gate, 1.702 : tensor<7x8xf32>
  %open = transformer.sigmoid %steep : tensor<7x8xf32>
  %gated = transformer.mul %open, %gate : tensor<7x8xf32>, tensor<7x8xf32>
  %above = transformer.add_scalar %up, 1.0 : tensor<7x8xf32>
  // expected-remark @below {{[Passed] clamped-swiglu}}
  %r = transformer.mul %gated, %above : tensor<7x8xf32>, tensor<7x8xf32>
  return %r : tensor<7x8xf32>
}

// CHECK-LABEL: func @other_limit(
// CHECK-NOT:     transformer.clamped_swiglu
// CHECK:         return
func.func @other_limit(%g: tensor<7x8xf32>, %u: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %gate = transformer.min_scalar %g, 7.0 : tensor<7x8xf32>
  %ceiling = transformer.min_scalar %u, 6.0 : tensor<7x8xf32>
  %up = transformer.max_scalar %ceiling, -7.0 : tensor<7x8xf32>
  %steep = transformer.mul_scalar %gate, 1.702 : tensor<7x8xf32>
  %open = transformer.sigmoid %steep : tensor<7x8xf32>
  %gated = transformer.mul %gate, %open : tensor<7x8xf32>, tensor<7x8xf32>
  %above = transformer.add_scalar %up, 1.0 : tensor<7x8xf32>
  // expected-remark @below {{[Missed] clamped-swiglu | Category:fuse-ffn | Function=other_limit | Reason="the limits are not those of one number, or a piece is read elsewhere"}}
  %r = transformer.mul %above, %gated : tensor<7x8xf32>, tensor<7x8xf32>
  return %r : tensor<7x8xf32>
}

// A softmax over rows, and what is one over columns.
// CHECK-LABEL: func @softmax(
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf32>)
// CHECK-NEXT:    %[[R:.*]] = transformer.softmax %[[X]]
// CHECK-NEXT:    return %[[R]]
func.func @softmax(%x: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %m = transformer.max %x dim(1) : tensor<7x8xf32>
  %b = transformer.sub %x, %m : tensor<7x8xf32>, tensor<7x1xf32>
  %e = transformer.exp %b : tensor<7x8xf32>
  %s = transformer.sum %e dim(1) : tensor<7x8xf32>
  // expected-remark @below {{[Passed] softmax}}
  %r = transformer.div %e, %s : tensor<7x8xf32>, tensor<7x1xf32>
  return %r : tensor<7x8xf32>
}

// CHECK-LABEL: func @softmax_of_columns(
// CHECK-NOT:     transformer.softmax
// CHECK:         return
func.func @softmax_of_columns(%x: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %m = transformer.max %x dim(0) : tensor<7x8xf32>
  %b = transformer.sub %x, %m : tensor<7x8xf32>, tensor<1x8xf32>
  %e = transformer.exp %b : tensor<7x8xf32>
  %s = transformer.sum %e dim(0) : tensor<7x8xf32>
  // expected-remark @below {{[Missed] softmax | Category:fuse-attention | Function=softmax_of_columns | Reason="the softmax is not over the last dimension"}}
  %r = transformer.div %e, %s : tensor<7x8xf32>, tensor<1x8xf32>
  return %r : tensor<7x8xf32>
}
