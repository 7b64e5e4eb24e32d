// RUN: tc-opt %s --transformer-decompose --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --transformer-decompose="keep=latent_projection,quantized_latent_projection" | FileCheck %s --check-prefix=KEPT

!rope = !transformer.rope_table<4xf16>

// Queries by way of their latent, of which the last features of each head are
// rotated; latents of keys and values, and the one rotated key of all heads.
// CHECK-LABEL: func @projection
// CHECK-SAME:    %[[X:.*]]: tensor<7x64xf16>, %[[ROPE:.*]]: !transformer.rope_table<4xf16>, %[[A:.*]]: tensor<24x64xf16>, %[[N:.*]]: tensor<24xf16>, %[[B:.*]]: tensor<96x24xf16>, %[[D:.*]]: tensor<20x64xf16>, %[[M:.*]]: tensor<16xf16>
// CHECK:         %[[DOWN:.*]] = transformer.linear %[[X]], %[[A]]
// The norm of the query latent is the fourth result.
// CHECK:         transformer.cast %[[DOWN]]
// CHECK:         %[[QL:.*]] = transformer.mul %[[N]],
// CHECK:         %[[UP:.*]] = transformer.linear %[[QL]], %[[B]]
// CHECK:         %[[HEADS:.*]] = transformer.reshape %[[UP]] : tensor<7x96xf16> to tensor<7x8x12xf16>
// CHECK:         transformer.slice %[[HEADS]] offset(8) size(4)
// CHECK:         %[[ROTATED:.*]] = transformer.add
// CHECK:         %[[REST:.*]] = transformer.slice %[[HEADS]] offset(0) size(8)
// CHECK:         %[[Q:.*]] = transformer.concat %[[REST]], %[[ROTATED]]
// CHECK:         %[[BOTH:.*]] = transformer.linear %[[X]], %[[D]]
// CHECK:         transformer.slice %[[BOTH]] offset(0) size(16)
// CHECK:         %[[C:.*]] = transformer.mul %[[M]],
// CHECK:         %[[KEY:.*]] = transformer.slice %[[BOTH]] offset(16) size(4)
// CHECK:         transformer.reshape %[[KEY]] : tensor<7x4xf16> to tensor<7x1x4xf16>
// CHECK:         %[[K:.*]] = transformer.reshape %{{.*}} : tensor<7x1x4xf16> to tensor<7x4xf16>
// CHECK:         return %[[Q]], %[[C]], %[[K]], %[[QL]]
// KEPT-LABEL:  func @projection
// KEPT-NEXT:     transformer.latent_projection
func.func @projection(%x: tensor<7x64xf16>, %rope: !rope, %a: tensor<24x64xf16>, %n: tensor<24xf16>,
                      %b: tensor<96x24xf16>, %d: tensor<20x64xf16>, %m: tensor<16xf16>)
    -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>) {
  %0:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !rope, tensor<24x64xf16>, tensor<24xf16>, tensor<96x24xf16>, tensor<20x64xf16>,
         tensor<16xf16>) -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>
}

// Each layer quantizes what it reads.
// CHECK-LABEL: func @dynamic
// CHECK:         transformer.dynamic_quantize %arg0
// CHECK:         transformer.quantized_linear
// CHECK:         transformer.dynamic_quantize
// CHECK:         transformer.quantized_linear
// CHECK:         transformer.dynamic_quantize %arg0
// CHECK:         transformer.quantized_linear
// KEPT-LABEL:  func @dynamic
// KEPT-NEXT:     transformer.quantized_latent_projection
func.func @dynamic(%x: tensor<7x64xf16>, %rope: !rope, %a: tensor<24x64xi8>, %n: tensor<24xf16>,
                   %b: tensor<96x24xi8>, %d: tensor<20x64xi8>, %m: tensor<16xf16>, %s: tensor<f32>)
    -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>) {
  %0:4 = transformer.quantized_latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) scales(%s, %s, %s)
      activation(i8) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !rope, tensor<24x64xi8>, tensor<24xf16>, tensor<96x24xi8>, tensor<20x64xi8>,
         tensor<16xf16>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>
}

// CHECK-LABEL: func @static
// CHECK-SAME:    %[[S0:[a-z0-9]+]]: tensor<f32>, %[[S1:[a-z0-9]+]]: tensor<f32>) ->
// CHECK:         transformer.quantize %arg0, %[[S0]]
// CHECK:         transformer.quantize %{{.*}}, %[[S1]]
// CHECK:         transformer.quantize %arg0, %[[S0]]
func.func @static(%x: tensor<7x64xf16>, %rope: !rope, %a: tensor<24x64xi8>, %n: tensor<24xf16>,
                  %b: tensor<96x24xi8>, %d: tensor<20x64xi8>, %m: tensor<16xf16>, %s0: tensor<f32>, %s1: tensor<f32>)
    -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>) {
  %0:4 = transformer.quantized_latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) scales(%s0, %s0, %s0)
      input_scales(%s0, %s1) activation(i8) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !rope, tensor<24x64xi8>, tensor<24xf16>, tensor<96x24xi8>, tensor<20x64xi8>,
         tensor<16xf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>
}
