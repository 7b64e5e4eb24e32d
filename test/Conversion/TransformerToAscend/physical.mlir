// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend" | FileCheck %s
// RUN: not tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08" 2>&1 | FileCheck %s --check-prefix=REFERENCE

// REFERENCE: error: 'transformer.quantized_linear' op cannot be lowered to a kernel: kernel set reference-2026.08 has no kernel 'weight_quantized_matmul'

// Kernels are charged for their arithmetic, and have no name in the reference.
// CHECK-LABEL: func @arithmetic
// CHECK:         ascend.launch "add"(%{{.*}}, %{{.*}}) : {{.*}} { ascend.elementwise elements(56) operations(1) : f16 }
// CHECK:         ascend.launch "silu"(%{{.*}}) : {{.*}} { ascend.elementwise elements(56) operations(4) : f16 }
// CHECK:         ascend.launch "swiglu"(%{{.*}}, %{{.*}}) : {{.*}} { ascend.elementwise elements(56) operations(5) : f16 }
// CHECK:         ascend.launch "quantize"(%{{.*}}, %{{.*}}) : {{.*}} { ascend.elementwise elements(56) operations(2) : f16 }
// CHECK:         ascend.launch "add_rms_norm_quantize"{{.*}} { ascend.elementwise elements(56) operations(7) : f32 }
func.func @arithmetic(%x: tensor<7x8xf16>, %w: tensor<8xf16>, %s: tensor<f32>) {
  %0 = transformer.add %x, %x : tensor<7x8xf16>, tensor<7x8xf16>
  %1 = transformer.silu %x : tensor<7x8xf16>
  %2 = transformer.swiglu %x, %x : tensor<7x8xf16>
  %3 = transformer.quantize %x, %s : tensor<7x8xf16> to tensor<7x8xi8>
  %4, %5 = transformer.add_rms_norm_quantize %x, %x, %w eps(1.0e-6) scale(%s) : tensor<7x8xf16>, tensor<8xf16> -> tensor<7x8xi8>
  return
}

// A residual and the layer norm behind it are one kernel, which writes the sum if
// something reads it.
// CHECK-LABEL: func @add_layer_norm
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>, %[[B:.*]]: tensor<8xf16>
// CHECK-NEXT:    %[[A:.*]]:2 = ascend.launch "add_layer_norm"(%[[X]], %[[X]], %[[W]]) : {{.*}} -> (tensor<7x8xf16>, tensor<7x8xf16>) { ascend.elementwise elements(56) operations(7) : f32 }
// CHECK-NEXT:    %[[C:.*]] = ascend.launch "add_layer_norm_bias_discard"(%[[A]]#0, %[[A]]#1, %[[W]], %[[B]]) : {{.*}} -> tensor<7x8xf16> { ascend.elementwise elements(56) operations(8) : f32 }
// CHECK-NEXT:    return %[[C]]
func.func @add_layer_norm(%x: tensor<7x8xf16>, %w: tensor<8xf16>, %b: tensor<8xf16>) -> tensor<7x8xf16> {
  %0, %1 = transformer.add_layer_norm %x, %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  %2, %3 = transformer.add_layer_norm %0, %1, %w bias(%b : tensor<8xf16>) eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  return %3 : tensor<7x8xf16>
}

// The physical set multiplies activations by narrow weights as they are, and is
// charged for widening 8 x 4 weights; the reference quantizes activations, too.
// CHECK-LABEL: func @weight_only
// CHECK:         ascend.launch "weight_quantized_matmul"(%{{.*}}) : (tensor<7x8xf16>, tensor<4x8xi8>, tensor<f32>) -> tensor<7x4xf16>
// CHECK-NEXT:      ascend.matmul m(7) n(4) k(8) : f16
// CHECK-NEXT:      ascend.elementwise elements(32) operations(1) : f32
func.func @weight_only(%x: tensor<7x8xf16>, %w: tensor<4x8xi8>, %s: tensor<f32>) {
  %0 = transformer.quantized_linear %x, %w weight_scale(%s : tensor<f32>) : tensor<7x8xf16>, tensor<4x8xi8> -> tensor<7x4xf16>
  return
}
