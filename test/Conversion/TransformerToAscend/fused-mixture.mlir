// Physical kernels choose experts and combine their results in one launch each;
// the reference has no such kernels.
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend compiled=true" --mlir-print-local-scope | FileCheck %s
// RUN: not tc-opt %s --convert-transformer-to-ascend="compiled=true" 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: tc-opt %s --pass-pipeline="builtin.module(func.func(transformer-decompose),convert-transformer-to-ascend{kernel-set=ascend compiled=true})" \
// RUN:   | FileCheck %s --check-prefix=APART
// REFERENCE: it is composite; run transformer-decompose first
// APART-NOT: ascend.launch "gating_top_k"
// APART-NOT: ascend.launch "combine_tokens"

// All logits are worked on, and all rows, in the wider type.
// CHECK:      %[[C:.*]]:2 = ascend.launch "gating_top_k"(%{{.*}}, %{{.*}}) : (tensor<7x32xf32>, tensor<32xf32>) -> (tensor<7x2xf32>, tensor<7x2xi64>)
// CHECK-SAME: ascend.elementwise elements(224) operations(8) : f32
// CHECK-NEXT: ascend.launch "combine_tokens"(%{{.*}}, %[[C]]#0, %[[C]]#1) : (tensor<14x64xf16>, tensor<7x2xf32>, tensor<7x2xi64>) -> tensor<7x64xf16>
// CHECK-SAME: ascend.elementwise elements(896) operations(2) : f32
func.func @mixture(%logits: tensor<7x32xf32>, %bias: tensor<32xf32>,
                   %rows: tensor<14x64xf16>) -> tensor<7x64xf16> {
  %w, %i = transformer.select_experts %logits bias(%bias : tensor<32xf32>)
      top_k(2) score(sigmoid) groups(2 of 4) normalize epsilon(1.0e-20) scale(2.5)
      : tensor<7x32xf32> -> tensor<7x2xf32>, tensor<7x2xi64>
  %sum = transformer.combine_tokens %rows, %w by %i
      : tensor<14x64xf16>, tensor<7x2xf32>, tensor<7x2xi64> -> tensor<7x64xf16>
  return %sum : tensor<7x64xf16>
}
