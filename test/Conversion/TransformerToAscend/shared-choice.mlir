// RUN: tc-opt %s --convert-transformer-to-ascend="compiled=true" | FileCheck %s

// Choices and weights get a column each.
// CHECK-LABEL: func @shared_choice
// CHECK-SAME:    %[[W:.*]]: tensor<7x8xf16>, %[[IDS:.*]]: tensor<7x8xi64>
// CHECK-NEXT:    ascend.launch "concat"(%[[IDS]]) as("aten.cat") : (tensor<7x8xi64>) -> tensor<7x9xi64>
// CHECK-NEXT:    ascend.launch "concat"(%[[W]]) as("aten.cat") : (tensor<7x8xf16>) -> tensor<7x9xf32>
func.func @shared_choice(%w: tensor<7x8xf16>, %ids: tensor<7x8xi64>) {
  %0, %1 = transformer.add_shared_choice %w, %ids : tensor<7x8xf16>, tensor<7x8xi64> -> tensor<7x9xf32>, tensor<7x9xi64>
  return
}
