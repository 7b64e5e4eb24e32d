// RUN: tc-opt %s --transformer-fuse-attention | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-attention --transformer-fuse-attention | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-attention="rope=false" | FileCheck %s --check-prefix=NO-ROPE
// RUN: tc-opt %s --transformer-fuse-attention="rope-pair=false" | FileCheck %s --check-prefix=NO-PAIR
// RUN: tc-opt %s --transformer-fuse-attention="only-full-width" | FileCheck %s --check-prefix=FULL
// RUN: tc-opt %s --transformer-fuse-attention --verify-diagnostics --remarks-filter=fuse-attention --remark-policy=all
// RUN: tc-opt %s --transformer-fuse-attention="only-full-width" --remarks-filter=fuse-attention --remark-policy=all 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FULL-REMARK

// NO-PAIR-NOT: transformer.rope_pair
// FULL-REMARK: remark: [Missed] rope-pair | Category:fuse-attention | Function=partial_pair | Reason="the kernel rotates whole heads only", Remark="not fused"

!rope = !transformer.rope_table<8xf16>

//===----------------------------------------------------------------------===//
// rope
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @rope_table
// CHECK-SAME:    %[[P:.*]]: tensor<7xi64>, %[[C:.*]]: tensor<128x8xf16>, %[[S:.*]]: tensor<128x8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.rope_table %[[P]], %[[C]], %[[S]] : tensor<7xi64>, tensor<128x8xf16> -> <8xf16>
// CHECK-NEXT:    return %[[R]]
// NO-ROPE-LABEL: func @rope_table
// NO-ROPE-COUNT-2: transformer.gather
// NO-ROPE-NEXT:  transformer.rope_pack
func.func @rope_table(%p: tensor<7xi64>, %cos: tensor<128x8xf16>, %sin: tensor<128x8xf16>) -> !rope {
  %0 = transformer.gather %cos, %p : tensor<128x8xf16>, tensor<7xi64>
  %1 = transformer.gather %sin, %p : tensor<128x8xf16>, tensor<7xi64>
  // expected-remark @below {{[Passed] rope-table | Category:fuse-attention | Function=rope_table | Remark=fused}}
  %2 = transformer.rope_pack %0, %1 : tensor<7x8xf16> -> !rope
  return %2 : !rope
}

// CHECK-LABEL: func @no_table_of_two_positions
// CHECK:         transformer.rope_pack
func.func @no_table_of_two_positions(%p: tensor<7xi64>, %q: tensor<7xi64>, %cos: tensor<128x8xf16>) -> !rope {
  %0 = transformer.gather %cos, %p : tensor<128x8xf16>, tensor<7xi64>
  %1 = transformer.gather %cos, %q : tensor<128x8xf16>, tensor<7xi64>
  // expected-remark @below {{[Missed] rope-table | Category:fuse-attention | Function=no_table_of_two_positions | Reason="cosines and sines are not looked up alike", Remark="not fused"}}
  %2 = transformer.rope_pack %0, %1 : tensor<7x8xf16> -> !rope
  return %2 : !rope
}

// CHECK-LABEL: func @no_table_of_two_sizes
// CHECK:         transformer.rope_pack
func.func @no_table_of_two_sizes(%p: tensor<7xi64>, %cos: tensor<128x8xf16>, %sin: tensor<64x8xf16>) -> !rope {
  %0 = transformer.gather %cos, %p : tensor<128x8xf16>, tensor<7xi64>
  %1 = transformer.gather %sin, %p : tensor<64x8xf16>, tensor<7xi64>
  // expected-remark @below {{Reason="cosines and sines are not looked up alike"}}
  %2 = transformer.rope_pack %0, %1 : tensor<7x8xf16> -> !rope
  return %2 : !rope
}

// CHECK-LABEL: func @no_table_without_a_lookup
// CHECK:         transformer.rope_pack
func.func @no_table_without_a_lookup(%p: tensor<7xi64>, %cos: tensor<128x8xf16>, %sin: tensor<7x8xf16>) -> !rope {
  %0 = transformer.gather %cos, %p : tensor<128x8xf16>, tensor<7xi64>
  // expected-remark @below {{Reason="cosines and sines are not looked up alike"}}
  %1 = transformer.rope_pack %0, %sin : tensor<7x8xf16> -> !rope
  return %1 : !rope
}

// CHECK-LABEL: func @rope
// CHECK-SAME:    %[[X:.*]]: tensor<7x4x8xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.rope %[[X]], %[[T]] : tensor<7x4x8xf16>, <8xf16>
// CHECK-NEXT:    return %[[R]]
// NO-ROPE-LABEL: func @rope
// NO-ROPE:       transformer.rope_parts
// NO-ROPE-NOT:   transformer.rope %
// NO-ROPE:       transformer.add
func.func @rope(%x: tensor<7x4x8xf16>, %t: !rope) -> tensor<7x4x8xf16> {
  %cos, %sin = transformer.rope_parts %t : !rope -> tensor<7x1x8xf16>
  %a = transformer.mul %x, %cos : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %low = transformer.slice %x offset(0) size(4) : tensor<7x4x8xf16>
  %high = transformer.slice %x offset(4) size(4) : tensor<7x4x8xf16>
  %neg = transformer.neg %high : tensor<7x4x4xf16>
  %half = transformer.concat %neg, %low : tensor<7x4x4xf16>, tensor<7x4x4xf16>
  %b = transformer.mul %half, %sin : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  // expected-remark @below {{[Passed] rope | Category:fuse-attention | Function=rope | Remark=fused}}
  %r = transformer.add %a, %b : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  return %r : tensor<7x4x8xf16>
}

// Sums and products do not mind the order of their operands.
// CHECK-LABEL: func @rope_of_swapped_operands
// CHECK-SAME:    %[[X:.*]]: tensor<7x4x8xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK-NEXT:    transformer.rope %[[X]], %[[T]]
func.func @rope_of_swapped_operands(%x: tensor<7x4x8xf16>, %t: !rope) -> tensor<7x4x8xf16> {
  %cos, %sin = transformer.rope_parts %t : !rope -> tensor<7x1x8xf16>
  %a = transformer.mul %cos, %x : tensor<7x1x8xf16>, tensor<7x4x8xf16>
  %low = transformer.slice %x offset(0) size(4) : tensor<7x4x8xf16>
  %high = transformer.slice %x offset(4) size(4) : tensor<7x4x8xf16>
  %neg = transformer.neg %high : tensor<7x4x4xf16>
  %half = transformer.concat %neg, %low : tensor<7x4x4xf16>, tensor<7x4x4xf16>
  %b = transformer.mul %sin, %half : tensor<7x1x8xf16>, tensor<7x4x8xf16>
  // expected-remark @below {{[Passed] rope}}
  %r = transformer.add %b, %a : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  return %r : tensor<7x4x8xf16>
}

// Halves that are joined without the minus, or the other way round, are no
// rotation.
// CHECK-LABEL: func @no_rope_of_other_halves
// CHECK-NOT:     transformer.rope %
// CHECK:         return
func.func @no_rope_of_other_halves(%x: tensor<7x4x8xf16>, %t: !rope) -> (tensor<7x4x8xf16>, tensor<7x4x8xf16>) {
  %cos, %sin = transformer.rope_parts %t : !rope -> tensor<7x1x8xf16>
  %a = transformer.mul %x, %cos : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %low = transformer.slice %x offset(0) size(4) : tensor<7x4x8xf16>
  %high = transformer.slice %x offset(4) size(4) : tensor<7x4x8xf16>
  %plain = transformer.concat %high, %low : tensor<7x4x4xf16>, tensor<7x4x4xf16>
  %b = transformer.mul %plain, %sin : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %r0 = transformer.add %a, %b : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  %neg = transformer.neg %low : tensor<7x4x4xf16>
  %swapped = transformer.concat %neg, %high : tensor<7x4x4xf16>, tensor<7x4x4xf16>
  %c = transformer.mul %swapped, %sin : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %r1 = transformer.add %a, %c : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  return %r0, %r1 : tensor<7x4x8xf16>, tensor<7x4x8xf16>
}

// Cosine and sine of one table only.
// CHECK-LABEL: func @no_rope_of_two_tables
// CHECK-NOT:     transformer.rope %
// CHECK:         return
func.func @no_rope_of_two_tables(%x: tensor<7x4x8xf16>, %t: !rope, %u: !rope) -> tensor<7x4x8xf16> {
  %cos, %0 = transformer.rope_parts %t : !rope -> tensor<7x1x8xf16>
  %1, %sin = transformer.rope_parts %u : !rope -> tensor<7x1x8xf16>
  %a = transformer.mul %x, %cos : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %low = transformer.slice %x offset(0) size(4) : tensor<7x4x8xf16>
  %high = transformer.slice %x offset(4) size(4) : tensor<7x4x8xf16>
  %neg = transformer.neg %high : tensor<7x4x4xf16>
  %half = transformer.concat %neg, %low : tensor<7x4x4xf16>, tensor<7x4x4xf16>
  %b = transformer.mul %half, %sin : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %r = transformer.add %a, %b : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  return %r : tensor<7x4x8xf16>
}

// CHECK-LABEL: func @no_rope_of_a_matrix
// CHECK-NOT:     transformer.rope %
// CHECK:         return
func.func @no_rope_of_a_matrix(%x: tensor<4x8xf16>, %t: !rope) -> tensor<7x4x8xf16> {
  %cos, %sin = transformer.rope_parts %t : !rope -> tensor<7x1x8xf16>
  %a = transformer.mul %x, %cos : tensor<4x8xf16>, tensor<7x1x8xf16>
  %low = transformer.slice %x offset(0) size(4) : tensor<4x8xf16>
  %high = transformer.slice %x offset(4) size(4) : tensor<4x8xf16>
  %neg = transformer.neg %high : tensor<4x4xf16>
  %half = transformer.concat %neg, %low : tensor<4x4xf16>, tensor<4x4xf16>
  %b = transformer.mul %half, %sin : tensor<4x8xf16>, tensor<7x1x8xf16>
  // expected-remark @below {{[Missed] rope | Category:fuse-attention | Function=no_rope_of_a_matrix | Reason="the table is not one per token", Remark="not fused"}}
  %r = transformer.add %a, %b : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  return %r : tensor<7x4x8xf16>
}

// The first 8 of 12 features are rotated, the others pass.
// CHECK-LABEL: func @partial_rope
// CHECK-SAME:    %[[X:.*]]: tensor<7x4x12xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.rope %[[X]], %[[T]] : tensor<7x4x12xf16>, <8xf16>
// CHECK-NEXT:    return %[[R]]
func.func @partial_rope(%heads: tensor<7x4x12xf16>, %t: !rope) -> tensor<7x4x12xf16> {
  %cos, %sin = transformer.rope_parts %t : !rope -> tensor<7x1x8xf16>
  %x = transformer.slice %heads offset(0) size(8) : tensor<7x4x12xf16>
  %a = transformer.mul %x, %cos : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %low = transformer.slice %x offset(0) size(4) : tensor<7x4x8xf16>
  %high = transformer.slice %x offset(4) size(4) : tensor<7x4x8xf16>
  %neg = transformer.neg %high : tensor<7x4x4xf16>
  %half = transformer.concat %neg, %low : tensor<7x4x4xf16>, tensor<7x4x4xf16>
  %b = transformer.mul %half, %sin : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %r = transformer.add %a, %b : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  %rest = transformer.slice %heads offset(8) size(4) : tensor<7x4x12xf16>
  // expected-remark @below {{[Passed] rope | Category:fuse-attention | Function=partial_rope | Remark=fused}}
  %all = transformer.concat %r, %rest : tensor<7x4x8xf16>, tensor<7x4x4xf16>
  return %all : tensor<7x4x12xf16>
}

// CHECK-LABEL: func @no_partial_rope_without_the_rest
// CHECK-NOT:     transformer.rope %
// CHECK:         return
func.func @no_partial_rope_without_the_rest(%heads: tensor<7x4x12xf16>, %t: !rope) -> tensor<7x4x12xf16> {
  %cos, %sin = transformer.rope_parts %t : !rope -> tensor<7x1x8xf16>
  %x = transformer.slice %heads offset(0) size(8) : tensor<7x4x12xf16>
  %a = transformer.mul %x, %cos : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %low = transformer.slice %x offset(0) size(4) : tensor<7x4x8xf16>
  %high = transformer.slice %x offset(4) size(4) : tensor<7x4x8xf16>
  %neg = transformer.neg %high : tensor<7x4x4xf16>
  %half = transformer.concat %neg, %low : tensor<7x4x4xf16>, tensor<7x4x4xf16>
  %b = transformer.mul %half, %sin : tensor<7x4x8xf16>, tensor<7x1x8xf16>
  %r = transformer.add %a, %b : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  %rest = transformer.slice %heads offset(4) size(4) : tensor<7x4x12xf16>
  // expected-remark @below {{[Missed] rope | Category:fuse-attention | Function=no_partial_rope_without_the_rest | Reason="what passes is not the rest of the rotated heads", Remark="not fused"}}
  %all = transformer.concat %r, %rest : tensor<7x4x8xf16>, tensor<7x4x4xf16>
  return %all : tensor<7x4x12xf16>
}

// A sum or a concatenation of anything else is no near miss.
// CHECK-LABEL: func @no_rope_at_all
// CHECK:         transformer.add
// CHECK:         transformer.concat
func.func @no_rope_at_all(%x: tensor<7x4x8xf16>) -> tensor<7x4x16xf16> {
  %0 = transformer.add %x, %x : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  %1 = transformer.concat %0, %x : tensor<7x4x8xf16>, tensor<7x4x8xf16>
  return %1 : tensor<7x4x16xf16>
}

//===----------------------------------------------------------------------===//
// rope-pair
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @pair
// CHECK-SAME:    %[[Q:.*]]: tensor<7x4x8xf16>, %[[K:.*]]: tensor<7x2x8xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK-NEXT:    %[[RQ:.*]], %[[RK:.*]] = transformer.rope_pair %[[Q]], %[[K]], %[[T]] : tensor<7x4x8xf16>, tensor<7x2x8xf16>, <8xf16>
// CHECK-NEXT:    return %[[RQ]], %[[RK]]
// NO-ROPE-LABEL: func @pair
// NO-ROPE:       transformer.rope_pair
// NO-PAIR-LABEL: func @pair
// NO-PAIR-COUNT-2: transformer.rope %
// FULL-LABEL:  func @pair
// FULL:          transformer.rope_pair
func.func @pair(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %t: !rope) -> (tensor<7x4x8xf16>, tensor<7x2x8xf16>) {
  %0 = transformer.rope %q, %t : tensor<7x4x8xf16>, !rope
  // expected-remark @below {{[Passed] rope-pair | Category:fuse-attention | Function=pair | Remark=fused}}
  %1 = transformer.rope %k, %t : tensor<7x2x8xf16>, !rope
  return %0, %1 : tensor<7x4x8xf16>, tensor<7x2x8xf16>
}

// FULL-LABEL:  func @partial_pair
// FULL-COUNT-2:  transformer.rope %
// CHECK-LABEL: func @partial_pair
// CHECK:         transformer.rope_pair
func.func @partial_pair(%q: tensor<7x4x12xf16>, %k: tensor<7x2x12xf16>, %t: !rope) -> (tensor<7x4x12xf16>, tensor<7x2x12xf16>) {
  %0 = transformer.rope %q, %t : tensor<7x4x12xf16>, !rope
  // expected-remark @below {{[Passed] rope-pair}}
  %1 = transformer.rope %k, %t : tensor<7x2x12xf16>, !rope
  return %0, %1 : tensor<7x4x12xf16>, tensor<7x2x12xf16>
}

// The nearest rotation in front has the queries.
// CHECK-LABEL: func @pairs_of_four
// CHECK-SAME:    %[[A:.*]]: tensor<7x4x8xf16>, %[[B:.*]]: tensor<7x2x8xf16>
// CHECK-NEXT:    transformer.rope_pair %[[A]], %[[B]],
// CHECK-NEXT:    transformer.rope_pair %[[B]], %[[A]],
// CHECK-NEXT:    return
func.func @pairs_of_four(%a: tensor<7x4x8xf16>, %b: tensor<7x2x8xf16>, %t: !rope)
    -> (tensor<7x4x8xf16>, tensor<7x2x8xf16>, tensor<7x2x8xf16>, tensor<7x4x8xf16>) {
  %0 = transformer.rope %a, %t : tensor<7x4x8xf16>, !rope
  // expected-remark @below {{[Passed] rope-pair}}
  %1 = transformer.rope %b, %t : tensor<7x2x8xf16>, !rope
  %2 = transformer.rope %b, %t : tensor<7x2x8xf16>, !rope
  // expected-remark @below {{[Passed] rope-pair}}
  %3 = transformer.rope %a, %t : tensor<7x4x8xf16>, !rope
  return %0, %1, %2, %3 : tensor<7x4x8xf16>, tensor<7x2x8xf16>, tensor<7x2x8xf16>, tensor<7x4x8xf16>
}

// CHECK-LABEL: func @no_pair_whose_queries_are_used_before
// CHECK-COUNT-2: transformer.rope %
func.func @no_pair_whose_queries_are_used_before(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %t: !rope) -> (tensor<7x4x8xf16>, tensor<7x2x8xf16>) {
  %0 = transformer.rope %q, %t : tensor<7x4x8xf16>, !rope
  %used = transformer.silu %0 : tensor<7x4x8xf16>
  // expected-remark @below {{[Missed] rope-pair | Category:fuse-attention | Function=no_pair_whose_queries_are_used_before | Reason="the rotated queries are used before the keys are there", Remark="not fused"}}
  %1 = transformer.rope %k, %t : tensor<7x2x8xf16>, !rope
  return %used, %1 : tensor<7x4x8xf16>, tensor<7x2x8xf16>
}

// CHECK-LABEL: func @no_pair_of_two_tables
// CHECK-COUNT-2: transformer.rope %
func.func @no_pair_of_two_tables(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %t: !rope, %u: !rope) -> (tensor<7x4x8xf16>, tensor<7x2x8xf16>) {
  %0 = transformer.rope %q, %t : tensor<7x4x8xf16>, !rope
  %1 = transformer.rope %k, %u : tensor<7x2x8xf16>, !rope
  return %0, %1 : tensor<7x4x8xf16>, tensor<7x2x8xf16>
}
