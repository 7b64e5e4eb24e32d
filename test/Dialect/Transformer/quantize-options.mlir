// RUN: tc-opt %s --transformer-quantize="include=*.q_proj" | FileCheck %s --check-prefix=INCLUDE
// RUN: tc-opt %s --transformer-quantize="include=*q_proj,mlp.*" | FileCheck %s --check-prefix=TWO
// RUN: tc-opt %s --transformer-quantize="exclude=mlp.*" | FileCheck %s --check-prefix=EXCLUDE
// RUN: tc-opt %s --transformer-quantize="include=self_attn.* exclude=*.q_proj" | FileCheck %s --check-prefix=BOTH
// RUN: not tc-opt %s --transformer-quantize="linear-action=W8A8_DYNAMC" 2>&1 | FileCheck %s --check-prefix=ACTION
// RUN: not tc-opt %s --transformer-quantize="include=[" 2>&1 | FileCheck %s --check-prefix=INCLUDE-ERROR
// RUN: not tc-opt %s --transformer-quantize="exclude=[b-a]" 2>&1 | FileCheck %s --check-prefix=EXCLUDE-ERROR

// INCLUDE: transformer.weight "self_attn.q_proj.weight" : tensor<8x8xi8>
// INCLUDE: transformer.weight "self_attn.k_proj.weight" : tensor<8x8xf16>
// INCLUDE: transformer.weight "mlp.up_proj.weight" : tensor<8x8xf16>

// TWO: transformer.weight "self_attn.q_proj.weight" : tensor<8x8xi8>
// TWO: transformer.weight "self_attn.k_proj.weight" : tensor<8x8xf16>
// TWO: transformer.weight "mlp.up_proj.weight" : tensor<8x8xi8>

// EXCLUDE: transformer.weight "self_attn.q_proj.weight" : tensor<8x8xi8>
// EXCLUDE: transformer.weight "self_attn.k_proj.weight" : tensor<8x8xi8>
// EXCLUDE: transformer.weight "mlp.up_proj.weight" : tensor<8x8xf16>

// What is excluded stays out though it is included as well.
// BOTH: transformer.weight "self_attn.q_proj.weight" : tensor<8x8xf16>
// BOTH: transformer.weight "self_attn.k_proj.weight" : tensor<8x8xi8>
// BOTH: transformer.weight "mlp.up_proj.weight" : tensor<8x8xf16>

// ACTION: error: unknown linear action 'W8A8_DYNAMC'; did you mean 'W8A8_DYNAMIC'? known linear actions: DISABLED, W8A16_STATIC, W8A16_DYNAMIC, W8A8_STATIC, W8A8_DYNAMIC, W4A8_STATIC, W4A8_DYNAMIC, FP8, MXFP4
// INCLUDE-ERROR: error: expected a name pattern, but got '[': invalid glob pattern, unmatched '['
// EXCLUDE-ERROR: error: expected a name pattern, but got '[b-a]': invalid glob pattern

func.func private @layer(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %wq = transformer.weight "self_attn.q_proj.weight" : tensor<8x8xf16>
  %0 = transformer.linear %x, %wq : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  %wk = transformer.weight "self_attn.k_proj.weight" : tensor<8x8xf16>
  %1 = transformer.linear %0, %wk : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  %up = transformer.weight "mlp.up_proj.weight" : tensor<8x8xf16>
  %2 = transformer.linear %1, %up : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  return %2 : tensor<7x8xf16>
}
