// What looks at images stays as it is: it is not quantized, and not fused where it
// runs op by op.

// RUN: tc-opt %s --transformer-quantize | FileCheck %s --check-prefix=QUANTIZE
// RUN: tc-opt %s --transformer-fuse-ffn --transformer-fuse-norm --transformer-merge-linears | FileCheck %s --check-prefix=FUSE
// RUN: tc-opt %s --transformer-inline-layers | FileCheck %s --check-prefix=INLINE

// QUANTIZE-LABEL: func private @tower
// QUANTIZE-NOT:     quantize
// FUSE-LABEL:     func private @tower
// FUSE:             transformer.silu
// FUSE:             transformer.mul
func.func private @tower(%x: tensor<7x8xf16>) -> tensor<7x8xf16> attributes {transformer.tower, transformer.eager} {
  %w = transformer.weight "w.weight" : tensor<8x8xf16>
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  %1 = transformer.silu %0 : tensor<7x8xf16>
  %2 = transformer.mul %1, %x : tensor<7x8xf16>, tensor<7x8xf16>
  return %2 : tensor<7x8xf16>
}

// QUANTIZE-LABEL: func private @decoder
// QUANTIZE:         transformer.quantized_linear
// FUSE-LABEL:     func private @decoder
// FUSE:             transformer.swiglu
func.func private @decoder(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %w = transformer.weight "w.weight" : tensor<8x8xf16>
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  %1 = transformer.silu %0 : tensor<7x8xf16>
  %2 = transformer.mul %1, %x : tensor<7x8xf16>, tensor<7x8xf16>
  return %2 : tensor<7x8xf16>
}

// What runs op by op stays apart from what is compiled.
// INLINE-LABEL: func @main
// INLINE:         transformer.layer @tower
// INLINE-NOT:     transformer.layer @decoder
// INLINE:         transformer.silu
func.func @main(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.layer @tower(%x) name("visual") : (tensor<7x8xf16>) -> tensor<7x8xf16>
  %1 = transformer.layer @decoder(%0) name("model.layers.0") : (tensor<7x8xf16>) -> tensor<7x8xf16>
  return %1 : tensor<7x8xf16>
}
