// RUN: tc-opt %s --convert-transformer-to-ascend="compiled=true" | FileCheck %s
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend compiled=true" | FileCheck %s --check-prefix=OWN

// The reference has no mixture for this family: choices are sorted, and rows
// and biases are looked up. The product reads all experts.
// CHECK-LABEL: func @experts
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>
// CHECK:         %[[S:.*]]:2 = ascend.launch "sort"
// CHECK-NEXT:    %[[T:.*]] = ascend.launch "div_floor"(%[[S]]#1)
// CHECK-NEXT:    %[[R:.*]] = ascend.launch "index"(%[[X]], %[[T]]) as("aten.index") : (tensor<7x8xf16>, tensor<14xi64>) -> tensor<14x8xf16>
// CHECK-NEXT:    %[[N:.*]] = ascend.launch "cast"(%[[S]]#0) {{.*}} -> tensor<14xi32>
// CHECK-NEXT:    %[[H:.*]] = ascend.launch "histogram"(%[[N]]) {{.*}} -> tensor<4xi32>
// CHECK-NEXT:    %[[E:.*]] = ascend.launch "cumulative_sum"(%[[H]])
// CHECK-NEXT:    %[[A:.*]] = ascend.launch "greater_equal"(%[[S]]#0) {{.*}} -> tensor<14xi1>
// CHECK-NEXT:    %[[I:.*]] = ascend.launch "min_scalar"(%[[S]]#0)
// CHECK-NEXT:    %[[K:.*]] = ascend.launch "select"(%[[A]], %[[R]])
// CHECK-NEXT:    %[[B:.*]] = ascend.launch "index"(%{{.*}}, %[[I]]) as("aten.index") : (tensor<4x6xf16>, tensor<14xi64>) -> tensor<14x6xf16>
// CHECK-NEXT:    %[[P:.*]] = ascend.launch "grouped_matmul_fallback"(%[[K]], %{{.*}}, %[[E]]) as("transformers.grouped_mm_fallback") : (tensor<14x8xf16>, tensor<4x6x8xf16>, tensor<4xi32>) -> tensor<14x6xf16>
// CHECK-NEXT:    ascend.launch "add"(%[[P]], %[[B]])
// CHECK:         ascend.launch "index_put"
// CHECK-NOT:     permute_tokens

// OWN-LABEL: func @experts
// OWN-NEXT:      ascend.launch "permute_tokens"
// OWN-NEXT:      ascend.launch "grouped_matmul"(%{{.*}}, %{{.*}}) using(%{{.*}}) : (tensor<14x8xf16>, tensor<4x6xf16>, tensor<4x6x8xf16>)
// OWN:           ascend.launch "unpermute_tokens"
module attributes {transformer.model = #transformer.model<"m", dtype = f16, family = "gpt_oss">} {
func.func @experts(%x: tensor<7x8xf16>, %ids: tensor<7x2xi64>, %w: tensor<4x6x8xf16>, %b: tensor<4x6xf16>) -> tensor<7x2x6xf16> {
  %0 = transformer.permute_tokens %x by %ids : tensor<7x8xf16>, tensor<7x2xi64> -> tensor<14x8xf16>
  %1 = transformer.grouped_linear %0, %w by %ids placement<experts = 4> bias(%b : tensor<4x6xf16>) : tensor<14x8xf16>, tensor<4x6x8xf16>, tensor<7x2xi64> -> tensor<14x6xf16>
  %2 = transformer.unpermute_tokens %1 by %ids : tensor<14x6xf16>, tensor<7x2xi64> -> tensor<7x2x6xf16>
  return %2 : tensor<7x2x6xf16>
}
}
