// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/expert-combine.pdll" | FileCheck %s
// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/expert-combine.pdll" --verify-diagnostics --remarks-filter=apply-patterns --remark-policy=all

// CHECK-LABEL: func @combine
// CHECK-NEXT:    %[[R:.*]] = transformer.fused "combine"
// CHECK-NEXT:      %[[ROWS:.*]] = transformer.unpermute_tokens
// CHECK-NEXT:      %[[WEIGHTED:.*]] = transformer.mul %[[ROWS]]
// CHECK-NEXT:      %[[SUM:.*]] = transformer.sum %[[WEIGHTED]]
// CHECK-NEXT:      transformer.yield %[[SUM]]
// CHECK:         return %[[R]]
func.func @combine(%x: tensor<14x8xf16>, %ids: tensor<7x2xi64>, %w: tensor<7x2x1xf32>) -> tensor<7x1x8xf32> {
  %rows = transformer.unpermute_tokens %x by %ids : tensor<14x8xf16>, tensor<7x2xi64> -> tensor<7x2x8xf16>
  %weighted = transformer.mul %rows, %w : tensor<7x2x8xf16>, tensor<7x2x1xf32>
  // expected-remark @below {{[Passed] ExpertCombine }}
  %sum = transformer.sum %weighted dim(1) : tensor<7x2x8xf32>
  return %sum : tensor<7x1x8xf32>
}

// CHECK-LABEL: func @no_fusion_when_rows_are_read_as_well
// CHECK-NOT:     transformer.fused
func.func @no_fusion_when_rows_are_read_as_well(%x: tensor<14x8xf16>, %ids: tensor<7x2xi64>, %w: tensor<7x2x1xf32>) -> (tensor<7x2x8xf16>, tensor<7x1x8xf32>) {
  %rows = transformer.unpermute_tokens %x by %ids : tensor<14x8xf16>, tensor<7x2xi64> -> tensor<7x2x8xf16>
  %weighted = transformer.mul %rows, %w : tensor<7x2x8xf16>, tensor<7x2x1xf32>
  // expected-remark @below {{Reason="HasOneUse: the value has 2 readers"}}
  %sum = transformer.sum %weighted dim(1) : tensor<7x2x8xf32>
  return %rows, %sum : tensor<7x2x8xf16>, tensor<7x1x8xf32>
}

// CHECK-LABEL: func @sum_of_other_products
// CHECK-NOT:     transformer.fused
func.func @sum_of_other_products(%x: tensor<7x2x8xf16>, %w: tensor<7x2x1xf32>) -> tensor<7x1x8xf32> {
  %weighted = transformer.mul %x, %w : tensor<7x2x8xf16>, tensor<7x2x1xf32>
  // expected-remark @below {{[Missed] ExpertCombine}}
  %sum = transformer.sum %weighted dim(1) : tensor<7x2x8xf32>
  return %sum : tensor<7x1x8xf32>
}
