// RUN: tc-opt %s --transformer-mark-layers=training --transformer-fuse-norm --transformer-fuse-quant --transformer-fuse-ffn \
// RUN:   --verify-diagnostics --remarks-filter="fuse.*" --remark-policy=all
// RUN: tc-opt %s --transformer-mark-layers=training --transformer-fuse-norm --transformer-fuse-quant --transformer-fuse-ffn \
// RUN:   | FileCheck %s
// RUN: tc-opt %s --transformer-mark-layers=training --transformer-fuse-norm --transformer-fuse-quant --transformer-fuse-ffn \
// RUN:   | tc-opt | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-norm --transformer-fuse-quant --transformer-fuse-ffn \
// RUN:   | FileCheck %s --check-prefix=INFERENCE
// RUN: tc-opt %S/fuse-latent.mlir --transformer-decompose --transformer-mark-layers=training --transformer-fuse-norm \
// RUN:   --transformer-fuse-attention --remarks-filter=fuse-attention 2>&1 >%t | FileCheck %s --check-prefix=LATENT
// RUN: tc-opt %S/fuse-linear-attention.mlir --transformer-decompose --transformer-mark-layers=training --transformer-fuse-norm \
// RUN:   --transformer-fuse-attention --remarks-filter=fuse-attention 2>&1 >%t | FileCheck %s --check-prefix=NET
// RUN: tc-opt %S/fuse-moe-win-back.mlir --transformer-decompose --transformer-mark-layers=training --transformer-fuse-moe \
// RUN:   --remarks-filter=fuse-moe 2>&1 >%t | FileCheck %s --check-prefix=GATING
// RUN: tc-opt %S/fuse-dispatch.mlir --transformer-mark-layers=training --transformer-fuse-moe \
// RUN:   --remarks-filter=fuse-moe 2>&1 >%t | FileCheck %s --check-prefix=DISPATCH

// A kernel of training writes what the gradient reads, if something else reads it
// anyway, or it stays apart.

// LATENT:     Reason="the gradients of its norms read what they are of"
// LATENT-NOT: remark: [Passed] latent-projection
// NET:        Reason="the gradients of its layers read what is between them"
// NET-NOT:    remark: [Passed] linear-attention
// GATING-DAG: [Missed] gating | {{.*}} | Reason="the gradient of the scores reads all of them"
// GATING-DAG: [Passed] combine
// DISPATCH:     [Missed] dispatch-ffn-combine | {{.*}} | Reason="the gradients of its layers read what is between them"
// DISPATCH-NOT: remark: [Passed] dispatch-ffn-combine

// CHECK-LABEL: func.func @sum_that_stays({{.*}} attributes {transformer.training}
// CHECK:         transformer.add_rms_norm
// INFERENCE-LABEL: func.func @sum_that_stays(
// INFERENCE:         transformer.add_rms_norm
func.func @sum_that_stays(%x: tensor<2x8xf16>, %y: tensor<2x8xf16>, %w: tensor<8xf16>) -> (tensor<2x8xf16>, tensor<2x8xf16>) {
  %0 = transformer.add %x, %y : tensor<2x8xf16>, tensor<2x8xf16>
  // expected-remark @below {{[Passed] residual | Category:fuse-norm | Function=sum_that_stays | Remark=fused}}
  %1 = transformer.rms_norm %0, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
  return %0, %1 : tensor<2x8xf16>, tensor<2x8xf16>
}

// CHECK-LABEL: func.func @sum_that_only_the_gradient_reads(
// CHECK:         transformer.add %
// CHECK:         transformer.rms_norm
// CHECK:         transformer.add %
// CHECK:         transformer.layer_norm
// INFERENCE-LABEL: func.func @sum_that_only_the_gradient_reads(
// INFERENCE:         transformer.add_rms_norm
// INFERENCE:         transformer.add_layer_norm
func.func @sum_that_only_the_gradient_reads(%x: tensor<2x8xf16>, %y: tensor<2x8xf16>, %w: tensor<8xf16>) -> (tensor<2x8xf16>, tensor<2x8xf16>) {
  %0 = transformer.add %x, %y : tensor<2x8xf16>, tensor<2x8xf16>
  // expected-remark @below {{[Missed] residual | Category:fuse-norm | Function=sum_that_only_the_gradient_reads | Reason="the gradient of the norm reads the sum, which nothing else would keep", Remark="not fused"}}
  %1 = transformer.rms_norm %0, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
  %2 = transformer.add %1, %y : tensor<2x8xf16>, tensor<2x8xf16>
  // expected-remark @below {{[Missed] layer-norm-residual | Category:fuse-norm | Function=sum_that_only_the_gradient_reads | Reason="the gradient of the norm reads the sum, which nothing else would keep", Remark="not fused"}}
  %3 = transformer.layer_norm %2, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
  return %1, %3 : tensor<2x8xf16>, tensor<2x8xf16>
}

// CHECK-LABEL: func.func @quantized_norm(
// CHECK:         transformer.rms_norm %
// CHECK:         transformer.quantize %
// INFERENCE-LABEL: func.func @quantized_norm(
// INFERENCE:         transformer.rms_norm_quantize
func.func @quantized_norm(%x: tensor<7x8xf16>, %w: tensor<8xf16>, %s: tensor<f32>) -> tensor<7x8xi8> {
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Missed] norm | Category:fuse-quant | Function=quantized_norm | Reason="the gradient of the next layer reads the norm", Remark="not fused"}}
  %1 = transformer.quantize %0, %s : tensor<7x8xf16> to tensor<7x8xi8>
  return %1 : tensor<7x8xi8>
}

// The input of an activation is in memory; behind a layer in one kernel with it, it
// would not be.
// CHECK-LABEL: func.func @activations(
// CHECK:         transformer.swiglu
// CHECK:         transformer.linear
// CHECK:         transformer.gelu
// INFERENCE-LABEL: func.func @activations(
// INFERENCE:         transformer.swiglu
// INFERENCE:         transformer.fused "matmul_gelu_erf"
func.func @activations(%x: tensor<7x8xf16>, %w: tensor<8x8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.silu %x : tensor<7x8xf16>
  // expected-remark @below {{[Passed] swiglu | Category:fuse-ffn | Function=activations | Remark=fused}}
  %1 = transformer.mul %0, %x : tensor<7x8xf16>, tensor<7x8xf16>
  %2 = transformer.linear %1, %w : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  // expected-remark @below {{[Missed] linear-activation | Category:fuse-ffn | Function=activations | Reason="the gradient of the activation reads what it is of", Remark="not fused"}}
  %3 = transformer.gelu %2 : tensor<7x8xf16>
  return %3 : tensor<7x8xf16>
}
