// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/add-all-reduce.pdll" | FileCheck %s
// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/add-all-reduce.pdll" --verify-diagnostics --remarks-filter=apply-patterns --remark-policy=all

// CHECK-LABEL: func @all_reduce_add
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[P:.*]]: tensor<7x8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.fused "all_reduce_add"(%[[A:.*]] = %[[P]], %[[B:.*]] = %[[X]])
// CHECK-NEXT:      %[[S:.*]] = transformer.all_reduce %[[A]] over <4>
// CHECK-NEXT:      %[[Y:.*]] = transformer.add %[[B]], %[[S]]
// CHECK-NEXT:      transformer.yield %[[Y]]
// CHECK:         return %[[R]]
func.func @all_reduce_add(%x: tensor<7x8xf16>, %part: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %sum = transformer.all_reduce %part over<4> : tensor<7x8xf16>
  // expected-remark @below {{[Passed] AllReduceAdd }}
  %r = transformer.add %x, %sum : tensor<7x8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @all_reduce_add_swapped
// CHECK-NEXT:    transformer.fused "all_reduce_add"
func.func @all_reduce_add_swapped(%x: tensor<7x8xf16>, %part: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %sum = transformer.all_reduce %part over<4> : tensor<7x8xf16>
  // expected-remark @below {{[Passed] AllReduceAddSwapped }}
  %r = transformer.add %sum, %x : tensor<7x8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @all_reduce_add_norm
// CHECK-NEXT:    %[[R:.*]]:2 = transformer.fused "all_reduce_add_rms_norm"
// CHECK-NEXT:      transformer.all_reduce
// CHECK-NEXT:      %[[SUM:.*]], %[[N:.*]] = transformer.add_rms_norm
// CHECK-NEXT:      transformer.yield %[[SUM]], %[[N]]
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @all_reduce_add_norm(%x: tensor<7x8xf16>, %part: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %reduced = transformer.all_reduce %part over<4> : tensor<7x8xf16>
  // expected-remark @below {{[Passed] AllReduceAddNorm }}
  %sum, %norm = transformer.add_rms_norm %x, %reduced, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  return %sum, %norm : tensor<7x8xf16>, tensor<7x8xf16>
}

// CHECK-LABEL: func @no_fusion_when_reduced_is_read_as_well
// CHECK-NOT:     transformer.fused
func.func @no_fusion_when_reduced_is_read_as_well(%x: tensor<7x8xf16>, %part: tensor<7x8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %sum = transformer.all_reduce %part over<4> : tensor<7x8xf16>
  // expected-remark @below {{Reason="HasOneUse: the value has 2 readers"}}
  %r = transformer.add %x, %sum : tensor<7x8xf16>, tensor<7x8xf16>
  return %sum, %r : tensor<7x8xf16>, tensor<7x8xf16>
}

// CHECK-LABEL: func @add_without_all_reduce
// CHECK-NEXT:    transformer.add
func.func @add_without_all_reduce(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %r = transformer.add %x, %y : tensor<7x8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}
