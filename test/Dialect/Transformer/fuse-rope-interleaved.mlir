// RUN: tc-opt %s --transformer-fuse-attention | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-attention --transformer-fuse-attention | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-attention="rope=false" | FileCheck %s --check-prefix=NO-ROPE
// RUN: tc-opt %s --transformer-fuse-attention="only-equal-types" | FileCheck %s --check-prefix=EQUAL
// RUN: tc-opt %s --transformer-fuse-attention --verify-diagnostics --remarks-filter=fuse-attention --remark-policy=all
// RUN: tc-opt %s --transformer-fuse-attention="only-equal-types" --remarks-filter=fuse-attention --remark-policy=all 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EQUAL-REMARK

// EQUAL-REMARK-DAG: remark: [Missed] rope | Category:fuse-attention | Function=wide_rope | Reason="the kernel rotates in the type of the heads only", Remark="not fused"
// EQUAL-REMARK-DAG: remark: [Missed] rope | Category:fuse-attention | Function=wide_partial_rope | Reason="the kernel rotates in the type of the heads only", Remark="not fused"
// EQUAL-REMARK-DAG: remark: [Missed] rope-pair | Category:fuse-attention | Function=wide_pair | Reason="the kernel rotates in the type of the heads only", Remark="not fused"

// Neighbours that are rotated together, and tables that are wider than the heads.

!rope = !transformer.rope_table<8xf16>
!wide = !transformer.rope_table<8xf32>

// CHECK-LABEL: func @rope(
// CHECK-SAME:    %[[X:.*]]: tensor<7x4x8xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.rope %[[X]], %[[T]] style(interleaved) : tensor<7x4x8xf16>, <8xf16>
// CHECK-NEXT:    return %[[R]]
// NO-ROPE-LABEL: func @rope(
// NO-ROPE-NOT:   transformer.rope %
// NO-ROPE:       transformer.add
// EQUAL-LABEL: func @rope(
// EQUAL:         transformer.rope %
func.func @rope(%x: tensor<7x4x8xf16>, %t: !rope) -> tensor<7x4x8xf16> {
  %cos, %sin = transformer.rope_parts %t : !transformer.rope_table<8xf16> -> tensor<7x1x8xf16>
  %a = transformer.mul %x, %cos : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %pairs = transformer.reshape %x : tensor<7x4x8xf16> to tensor<7x4x4x2xf16>
  %first = transformer.slice %pairs offset(0) size(1) : tensor<7x4x4x2xf16>
  %second = transformer.slice %pairs offset(1) size(1) : tensor<7x4x4x2xf16>
  %neg = transformer.neg %second : tensor<7x4x4x1xf16>
  %cat = transformer.concat %neg, %first : tensor<7x4x4x1xf16>, tensor<7x4x4x1xf16>
  %turned = transformer.reshape %cat : tensor<7x4x4x2xf16> to tensor<7x4x8xf16>
  %b = transformer.mul %turned, %sin : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  // expected-remark @below {{[Passed] rope | Category:fuse-attention | Function=rope | Remark=fused}}
  %r = transformer.add %a, %b : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  return %r : tensor<7x4x8xf16>
}

// CHECK-LABEL: func @rope_of_swapped_operands
// CHECK-SAME:    %[[X:.*]]: tensor<7x4x8xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK-NEXT:    transformer.rope %[[X]], %[[T]] style(interleaved)
func.func @rope_of_swapped_operands(%x: tensor<7x4x8xf16>, %t: !rope) -> tensor<7x4x8xf16> {
  %cos, %sin = transformer.rope_parts %t : !transformer.rope_table<8xf16> -> tensor<7x1x8xf16>
  %a = transformer.mul %cos, %x : tensor<7x1x8xf16>, tensor<7x4x8xf16>
  %pairs = transformer.reshape %x : tensor<7x4x8xf16> to tensor<7x4x4x2xf16>
  %first = transformer.slice %pairs offset(0) size(1) : tensor<7x4x4x2xf16>
  %second = transformer.slice %pairs offset(1) size(1) : tensor<7x4x4x2xf16>
  %neg = transformer.neg %second : tensor<7x4x4x1xf16>
  %cat = transformer.concat %neg, %first : tensor<7x4x4x1xf16>, tensor<7x4x4x1xf16>
  %turned = transformer.reshape %cat : tensor<7x4x4x2xf16> to tensor<7x4x8xf16>
  %b = transformer.mul %sin, %turned : tensor<7x1x8xf16>, tensor<7x4x8xf16>
  // expected-remark @below {{[Passed] rope}}
  %r = transformer.add %b, %a : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  return %r : tensor<7x4x8xf16>
}

// Pairs with the minus at the other neighbour, or in another order, are no
// rotation; nor are neighbours that are no pairs.
// CHECK-LABEL: func @no_rope_that_negates_the_first
// CHECK-NOT:     transformer.rope %
// CHECK:         return
func.func @no_rope_that_negates_the_first(%x: tensor<7x4x8xf16>, %t: !rope) -> tensor<7x4x8xf16> {
  %cos, %sin = transformer.rope_parts %t : !transformer.rope_table<8xf16> -> tensor<7x1x8xf16>
  %a = transformer.mul %x, %cos : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %pairs = transformer.reshape %x : tensor<7x4x8xf16> to tensor<7x4x4x2xf16>
  %first = transformer.slice %pairs offset(0) size(1) : tensor<7x4x4x2xf16>
  %second = transformer.slice %pairs offset(1) size(1) : tensor<7x4x4x2xf16>
  %neg = transformer.neg %first : tensor<7x4x4x1xf16>
  %cat = transformer.concat %second, %neg : tensor<7x4x4x1xf16>, tensor<7x4x4x1xf16>
  %turned = transformer.reshape %cat : tensor<7x4x4x2xf16> to tensor<7x4x8xf16>
  %b = transformer.mul %turned, %sin : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %r = transformer.add %a, %b : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  return %r : tensor<7x4x8xf16>
}

// CHECK-LABEL: func @no_rope_of_pairs_in_another_order
// CHECK-NOT:     transformer.rope %
// CHECK:         return
func.func @no_rope_of_pairs_in_another_order(%x: tensor<7x4x8xf16>, %t: !rope) -> tensor<7x4x8xf16> {
  %cos, %sin = transformer.rope_parts %t : !transformer.rope_table<8xf16> -> tensor<7x1x8xf16>
  %a = transformer.mul %x, %cos : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %pairs = transformer.reshape %x : tensor<7x4x8xf16> to tensor<7x4x4x2xf16>
  %first = transformer.slice %pairs offset(0) size(1) : tensor<7x4x4x2xf16>
  %second = transformer.slice %pairs offset(1) size(1) : tensor<7x4x4x2xf16>
  %neg = transformer.neg %second : tensor<7x4x4x1xf16>
  %cat = transformer.concat %first, %neg : tensor<7x4x4x1xf16>, tensor<7x4x4x1xf16>
  %turned = transformer.reshape %cat : tensor<7x4x4x2xf16> to tensor<7x4x8xf16>
  %b = transformer.mul %turned, %sin : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %r = transformer.add %a, %b : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  return %r : tensor<7x4x8xf16>
}

// CHECK-LABEL: func @no_rope_of_pairs_across_heads
// CHECK-NOT:     transformer.rope %
// CHECK:         return
func.func @no_rope_of_pairs_across_heads(%x: tensor<7x4x8xf16>, %t: !rope) -> tensor<7x4x8xf16> {
  %cos, %sin = transformer.rope_parts %t : !transformer.rope_table<8xf16> -> tensor<7x1x8xf16>
  %a = transformer.mul %x, %cos : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %pairs = transformer.reshape %x : tensor<7x4x8xf16> to tensor<7x2x8x2xf16>
  %first = transformer.slice %pairs offset(0) size(1) : tensor<7x2x8x2xf16>
  %second = transformer.slice %pairs offset(1) size(1) : tensor<7x2x8x2xf16>
  %neg = transformer.neg %second : tensor<7x2x8x1xf16>
  %cat = transformer.concat %neg, %first : tensor<7x2x8x1xf16>, tensor<7x2x8x1xf16>
  %turned = transformer.reshape %cat : tensor<7x2x8x2xf16> to tensor<7x4x8xf16>
  %b = transformer.mul %turned, %sin : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %r = transformer.add %a, %b : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  return %r : tensor<7x4x8xf16>
}

// CHECK-LABEL: func @partial_rope
// CHECK-SAME:    %[[X:.*]]: tensor<7x4x12xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.rope %[[X]], %[[T]] style(interleaved) : tensor<7x4x12xf16>, <8xf16>
// CHECK-NEXT:    return %[[R]]
func.func @partial_rope(%heads: tensor<7x4x12xf16>, %t: !rope) -> tensor<7x4x12xf16> {
  %x = transformer.slice %heads offset(0) size(8) : tensor<7x4x12xf16>
  %cos, %sin = transformer.rope_parts %t : !transformer.rope_table<8xf16> -> tensor<7x1x8xf16>
  %a = transformer.mul %x, %cos : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %pairs = transformer.reshape %x : tensor<7x4x8xf16> to tensor<7x4x4x2xf16>
  %first = transformer.slice %pairs offset(0) size(1) : tensor<7x4x4x2xf16>
  %second = transformer.slice %pairs offset(1) size(1) : tensor<7x4x4x2xf16>
  %neg = transformer.neg %second : tensor<7x4x4x1xf16>
  %cat = transformer.concat %neg, %first : tensor<7x4x4x1xf16>, tensor<7x4x4x1xf16>
  %turned = transformer.reshape %cat : tensor<7x4x4x2xf16> to tensor<7x4x8xf16>
  %b = transformer.mul %turned, %sin : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %r = transformer.add %a, %b : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  %rest = transformer.slice %heads offset(8) size(4) : tensor<7x4x12xf16>
  // expected-remark @below {{[Passed] rope}}
  %all = transformer.concat %r, %rest : tensor<7x4x8xf16>, tensor<7x4x4xf16>
  return %all : tensor<7x4x12xf16>
}

// The table is in f32: the factors are widened, the sum is rounded.
// CHECK-LABEL: func @wide_rope
// CHECK-SAME:    %[[X:.*]]: tensor<7x4x8xf16>, %[[T:.*]]: !transformer.rope_table<8xf32>
// CHECK-NEXT:    %[[R:.*]] = transformer.rope %[[X]], %[[T]] style(interleaved) : tensor<7x4x8xf16>, <8xf32>
// CHECK-NEXT:    return %[[R]]
// EQUAL-LABEL: func @wide_rope
// EQUAL-NOT:     transformer.rope %
// EQUAL:         return
func.func @wide_rope(%x: tensor<7x4x8xf16>, %t: !wide) -> tensor<7x4x8xf16> {
  %cos, %sin = transformer.rope_parts %t : !transformer.rope_table<8xf32> -> tensor<7x1x8xf32>
  %xw = transformer.cast %x : tensor<7x4x8xf16> to tensor<7x4x8xf32>
  %a = transformer.mul %xw, %cos : tensor<7x4x8xf32>, tensor<7x1x8xf32>
  %pairs = transformer.reshape %x : tensor<7x4x8xf16> to tensor<7x4x4x2xf16>
  %first = transformer.slice %pairs offset(0) size(1) : tensor<7x4x4x2xf16>
  %second = transformer.slice %pairs offset(1) size(1) : tensor<7x4x4x2xf16>
  %neg = transformer.neg %second : tensor<7x4x4x1xf16>
  %cat = transformer.concat %neg, %first : tensor<7x4x4x1xf16>, tensor<7x4x4x1xf16>
  %turned = transformer.reshape %cat : tensor<7x4x4x2xf16> to tensor<7x4x8xf16>
  %tw = transformer.cast %turned : tensor<7x4x8xf16> to tensor<7x4x8xf32>
  %b = transformer.mul %tw, %sin : tensor<7x4x8xf32>, tensor<7x1x8xf32>
  %sum = transformer.add %a, %b : tensor<7x4x8xf32>, tensor<7x4x8xf32>
  // expected-remark @below {{[Passed] rope}}
  %r = transformer.cast %sum : tensor<7x4x8xf32> to tensor<7x4x8xf16>
  return %r : tensor<7x4x8xf16>
}

// CHECK-LABEL: func @wide_rope_of_halves
// CHECK-SAME:    %[[X:.*]]: tensor<7x4x8xf16>, %[[T:.*]]: !transformer.rope_table<8xf32>
// CHECK-NEXT:    transformer.rope %[[X]], %[[T]] : tensor<7x4x8xf16>, <8xf32>
func.func @wide_rope_of_halves(%x: tensor<7x4x8xf16>, %t: !wide) -> tensor<7x4x8xf16> {
  %cos, %sin = transformer.rope_parts %t : !wide -> tensor<7x1x8xf32>
  %xw = transformer.cast %x : tensor<7x4x8xf16> to tensor<7x4x8xf32>
  %a = transformer.mul %xw, %cos : tensor<7x4x8xf32>, tensor<7x1x8xf32>
  %low = transformer.slice %x offset(0) size(4) : tensor<7x4x8xf16>
  %high = transformer.slice %x offset(4) size(4) : tensor<7x4x8xf16>
  %neg = transformer.neg %high : tensor<7x4x4xf16>
  %half = transformer.concat %neg, %low : tensor<7x4x4xf16>, tensor<7x4x4xf16>
  %hw = transformer.cast %half : tensor<7x4x8xf16> to tensor<7x4x8xf32>
  %b = transformer.mul %hw, %sin : tensor<7x4x8xf32>, tensor<7x1x8xf32>
  %sum = transformer.add %a, %b : tensor<7x4x8xf32>, tensor<7x4x8xf32>
  // expected-remark @below {{[Passed] rope}}
  %r = transformer.cast %sum : tensor<7x4x8xf32> to tensor<7x4x8xf16>
  return %r : tensor<7x4x8xf16>
}

// CHECK-LABEL: func @wide_partial_rope
// CHECK:         transformer.rope %{{.*}} style(interleaved) : tensor<7x4x12xf16>, <8xf32>
// EQUAL-LABEL: func @wide_partial_rope
// EQUAL-NOT:     transformer.rope %
// EQUAL:         return
func.func @wide_partial_rope(%heads: tensor<7x4x12xf16>, %t: !wide) -> tensor<7x4x12xf16> {
  %x = transformer.slice %heads offset(0) size(8) : tensor<7x4x12xf16>
  %cos, %sin = transformer.rope_parts %t : !transformer.rope_table<8xf32> -> tensor<7x1x8xf32>
  %xw = transformer.cast %x : tensor<7x4x8xf16> to tensor<7x4x8xf32>
  %a = transformer.mul %xw, %cos : tensor<7x4x8xf32>, tensor<7x1x8xf32>
  %pairs = transformer.reshape %x : tensor<7x4x8xf16> to tensor<7x4x4x2xf16>
  %first = transformer.slice %pairs offset(0) size(1) : tensor<7x4x4x2xf16>
  %second = transformer.slice %pairs offset(1) size(1) : tensor<7x4x4x2xf16>
  %neg = transformer.neg %second : tensor<7x4x4x1xf16>
  %cat = transformer.concat %neg, %first : tensor<7x4x4x1xf16>, tensor<7x4x4x1xf16>
  %turned = transformer.reshape %cat : tensor<7x4x4x2xf16> to tensor<7x4x8xf16>
  %tw = transformer.cast %turned : tensor<7x4x8xf16> to tensor<7x4x8xf32>
  %b = transformer.mul %tw, %sin : tensor<7x4x8xf32>, tensor<7x1x8xf32>
  %sum = transformer.add %a, %b : tensor<7x4x8xf32>, tensor<7x4x8xf32>
  %r = transformer.cast %sum : tensor<7x4x8xf32> to tensor<7x4x8xf16>
  %rest = transformer.slice %heads offset(8) size(4) : tensor<7x4x12xf16>
  // expected-remark @below {{[Passed] rope}}
  %all = transformer.concat %r, %rest : tensor<7x4x8xf16>, tensor<7x4x4xf16>
  return %all : tensor<7x4x12xf16>
}

// A sum that is rounded to another type than that of the heads is none of theirs.
// CHECK-LABEL: func @no_rope_that_is_rounded_to_another_type
// CHECK-NOT:     transformer.rope %
// CHECK:         return
func.func @no_rope_that_is_rounded_to_another_type(%x: tensor<7x4x8xf16>, %t: !wide) -> tensor<7x4x8xbf16> {
  %cos, %sin = transformer.rope_parts %t : !transformer.rope_table<8xf32> -> tensor<7x1x8xf32>
  %xw = transformer.cast %x : tensor<7x4x8xf16> to tensor<7x4x8xf32>
  %a = transformer.mul %xw, %cos : tensor<7x4x8xf32>, tensor<7x1x8xf32>
  %pairs = transformer.reshape %x : tensor<7x4x8xf16> to tensor<7x4x4x2xf16>
  %first = transformer.slice %pairs offset(0) size(1) : tensor<7x4x4x2xf16>
  %second = transformer.slice %pairs offset(1) size(1) : tensor<7x4x4x2xf16>
  %neg = transformer.neg %second : tensor<7x4x4x1xf16>
  %cat = transformer.concat %neg, %first : tensor<7x4x4x1xf16>, tensor<7x4x4x1xf16>
  %turned = transformer.reshape %cat : tensor<7x4x4x2xf16> to tensor<7x4x8xf16>
  %tw = transformer.cast %turned : tensor<7x4x8xf16> to tensor<7x4x8xf32>
  %b = transformer.mul %tw, %sin : tensor<7x4x8xf32>, tensor<7x1x8xf32>
  %sum = transformer.add %a, %b : tensor<7x4x8xf32>, tensor<7x4x8xf32>
  // expected-remark @below {{Reason="the table is not one per token"}}
  %r = transformer.cast %sum : tensor<7x4x8xf32> to tensor<7x4x8xbf16>
  return %r : tensor<7x4x8xbf16>
}

//===----------------------------------------------------------------------===//
// rope-pair
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @pair
// CHECK-SAME:    %[[Q:.*]]: tensor<7x4x8xf16>, %[[K:.*]]: tensor<7x2x8xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK-NEXT:    %[[RQ:.*]], %[[RK:.*]] = transformer.rope_pair %[[Q]], %[[K]], %[[T]] style(interleaved) : tensor<7x4x8xf16>, tensor<7x2x8xf16>, <8xf16>
// CHECK-NEXT:    return %[[RQ]], %[[RK]]
func.func @pair(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %t: !rope) -> (tensor<7x4x8xf16>, tensor<7x2x8xf16>) {
  %0 = transformer.rope %q, %t style(interleaved) : tensor<7x4x8xf16>, !rope
  // expected-remark @below {{[Passed] rope-pair}}
  %1 = transformer.rope %k, %t style(interleaved) : tensor<7x2x8xf16>, !rope
  return %0, %1 : tensor<7x4x8xf16>, tensor<7x2x8xf16>
}

// CHECK-LABEL: func @no_pair_of_two_styles
// CHECK-COUNT-2: transformer.rope %
func.func @no_pair_of_two_styles(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %t: !rope) -> (tensor<7x4x8xf16>, tensor<7x2x8xf16>) {
  %0 = transformer.rope %q, %t : tensor<7x4x8xf16>, !rope
  // expected-remark @below {{[Missed] rope-pair | Category:fuse-attention | Function=no_pair_of_two_styles | Reason="queries and keys rotate other features together", Remark="not fused"}}
  %1 = transformer.rope %k, %t style(interleaved) : tensor<7x2x8xf16>, !rope
  return %0, %1 : tensor<7x4x8xf16>, tensor<7x2x8xf16>
}

// CHECK-LABEL: func @no_pair_of_two_types
// CHECK-COUNT-2: transformer.rope %
func.func @no_pair_of_two_types(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf32>, %t: !wide) -> (tensor<7x4x8xf16>, tensor<7x2x8xf32>) {
  %0 = transformer.rope %q, %t : tensor<7x4x8xf16>, !wide
  // expected-remark @below {{[Missed] rope-pair | Category:fuse-attention | Function=no_pair_of_two_types | Reason="queries and keys are not of one type", Remark="not fused"}}
  %1 = transformer.rope %k, %t : tensor<7x2x8xf32>, !wide
  return %0, %1 : tensor<7x4x8xf16>, tensor<7x2x8xf32>
}

// EQUAL-LABEL: func @wide_pair
// EQUAL-COUNT-2: transformer.rope %
// CHECK-LABEL: func @wide_pair
// CHECK:         transformer.rope_pair
func.func @wide_pair(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %t: !wide) -> (tensor<7x4x8xf16>, tensor<7x2x8xf16>) {
  %0 = transformer.rope %q, %t : tensor<7x4x8xf16>, !wide
  // expected-remark @below {{[Passed] rope-pair}}
  %1 = transformer.rope %k, %t : tensor<7x2x8xf16>, !wide
  return %0, %1 : tensor<7x4x8xf16>, tensor<7x2x8xf16>
}
