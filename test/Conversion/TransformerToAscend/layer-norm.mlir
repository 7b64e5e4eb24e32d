// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08" | FileCheck %s --check-prefix=EAGER
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.06" | FileCheck %s --check-prefix=EAGER
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08 compiled" | FileCheck %s --check-prefix=COMPILED
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend" | FileCheck %s --check-prefix=PHYSICAL

#tokens = #transformer.dims<tokens>

// Launched whole, a layer norm also writes two numbers of f32 per row, and
// computes nothing that is charged; compiled it is charged for seven operations
// per element, and for one more with a bias. Each of the 7 x 2 rows has 8.
// EAGER-LABEL: func @layer_norm
// EAGER-SAME:    %[[X:.*]]: tensor<7x2x8xf16>, %[[W:.*]]: tensor<8xf16>, %[[B:.*]]: tensor<8xf16>
// EAGER-NEXT:    ascend.launch "layer_norm"(%[[X]], %[[W]]) as("aten.native_layer_norm") : (tensor<7x2x8xf16>, tensor<8xf16>) -> tensor<7x2x8xf16> { ascend.scatter rows(14) row_bytes(8) index(0) }
// EAGER-NEXT:    ascend.launch "layer_norm_bias"(%[[X]], %[[W]], %[[B]]) as("aten.native_layer_norm") {{.*}} { ascend.scatter rows(14) row_bytes(8) index(0) }
// COMPILED-LABEL: func @layer_norm
// COMPILED-NEXT: ascend.launch "layer_norm"(%{{.*}}) as("tensor_cast.layer_norm") {{.*}} { ascend.elementwise elements(112) operations(7) : f32 }
// COMPILED-NEXT: ascend.launch "layer_norm_bias"(%{{.*}}) as("tensor_cast.layer_norm") {{.*}} { ascend.elementwise elements(112) operations(8) : f32 }
// PHYSICAL-LABEL: func @layer_norm
// PHYSICAL-NEXT: ascend.launch "layer_norm"(%{{.*}}) : {{.*}} { ascend.elementwise elements(112) operations(6) : f32 }
// PHYSICAL-NEXT: ascend.launch "layer_norm_bias"(%{{.*}}) : {{.*}} { ascend.elementwise elements(112) operations(7) : f32 }
func.func @layer_norm(%x: tensor<7x2x8xf16>, %w: tensor<8xf16>, %b: tensor<8xf16>) {
  %0 = transformer.layer_norm %x, %w eps(1.0e-5) : tensor<7x2x8xf16>, tensor<8xf16>
  %1 = transformer.layer_norm %x, %w bias(%b : tensor<8xf16>) eps(1.0e-5) : tensor<7x2x8xf16>, tensor<8xf16>
  return
}

// EAGER-LABEL: func @layer_norm_of_any_batch
// EAGER:         { ascend.scatter rows(tokens) row_bytes(8) index(0) }
func.func @layer_norm_of_any_batch(%x: tensor<?x8xf16, #tokens>, %w: tensor<8xf16>) {
  %0 = transformer.layer_norm %x, %w eps(1.0e-5) : tensor<?x8xf16, #tokens>, tensor<8xf16>
  return
}

// EAGER-LABEL: func @gelu
// EAGER-NEXT:    ascend.launch "gelu_erf"(%{{.*}}) as("aten.gelu") : (tensor<7x8xf16>) -> tensor<7x8xf16>{{$}}
// EAGER-NEXT:    ascend.launch "gelu_tanh"(%{{.*}}) as("aten.gelu") : (tensor<7x8xf16>) -> tensor<7x8xf16>{{$}}
// COMPILED-LABEL: func @gelu
// COMPILED-NEXT: ascend.launch "gelu_erf"(%{{.*}}) as("tensor_cast.gelu") {{.*}} { ascend.elementwise elements(56) operations(16) : f32 }
// COMPILED-NEXT: ascend.launch "gelu_tanh"(%{{.*}}) as("tensor_cast.gelu") {{.*}} { ascend.elementwise elements(56) operations(13) : f32 }
// PHYSICAL-LABEL: func @gelu
// PHYSICAL-NEXT: ascend.launch "gelu_erf"(%{{.*}}) : {{.*}} { ascend.elementwise elements(56) operations(5) : f16 }
// PHYSICAL-NEXT: ascend.launch "gelu_tanh"(%{{.*}}) : {{.*}} { ascend.elementwise elements(56) operations(8) : f16 }
func.func @gelu(%x: tensor<7x8xf16>) {
  %0 = transformer.gelu %x : tensor<7x8xf16>
  %1 = transformer.gelu %x form(tanh) : tensor<7x8xf16>
  return
}

// The kernel of both styles is the same; a wider table is multiplied in its type.
// COMPILED-LABEL: func @interleaved_rope
// COMPILED:      ascend.launch "rope"(%{{.*}}) as("tensor_cast.apply_rope_single")
// COMPILED:      ascend.launch "rope_pair"(%{{.*}}) as("tensor_cast.apply_rope") {{.*}} { ascend.elementwise elements(448) operations(3) : f16 }
// PHYSICAL-LABEL: func @interleaved_rope
// PHYSICAL:      ascend.launch "rope"(%{{.*}}) : {{.*}} { ascend.elementwise elements(224) operations(3) : f16 }
// PHYSICAL:      ascend.launch "rope_pair"(%{{.*}}) : {{.*}} { ascend.elementwise elements(448) operations(3) : f16 }
// PHYSICAL:      ascend.launch "rope"(%{{.*}}) : {{.*}} { ascend.elementwise elements(224) operations(3) : f32 }
func.func @interleaved_rope(%x: tensor<7x4x8xf16>, %t: !transformer.rope_table<8xf16>, %u: !transformer.rope_table<8xf32>) {
  %0 = transformer.rope %x, %t style(interleaved) : tensor<7x4x8xf16>, !transformer.rope_table<8xf16>
  %1, %2 = transformer.rope_pair %x, %x, %t style(interleaved) : tensor<7x4x8xf16>, tensor<7x4x8xf16>, !transformer.rope_table<8xf16>
  %3 = transformer.rope %x, %u style(interleaved) : tensor<7x4x8xf16>, !transformer.rope_table<8xf32>
  return
}
