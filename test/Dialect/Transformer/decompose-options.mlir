// RUN: tc-opt %s --transformer-decompose="ops=rms_norm" | FileCheck %s --check-prefix=ONE
// RUN: tc-opt %s --transformer-decompose="ops=transformer.rms_norm,swiglu" | FileCheck %s --check-prefix=TWO
// RUN: tc-opt %s --transformer-decompose="ops=linear" | FileCheck %s --check-prefix=WHOLE
// RUN: tc-opt %s --transformer-decompose="ops=linear level=primitive" | FileCheck %s --check-prefix=EXPANDED
// RUN: tc-opt %s --transformer-decompose="keep=rms_norm level=primitive" | FileCheck %s --check-prefix=KEPT
// RUN: tc-opt %s --transformer-decompose="ops=rms_norm,swiglu keep=transformer.rms_norm" | FileCheck %s --check-prefix=KEPT-OF-TWO
// RUN: not tc-opt %s --transformer-decompose="keep=rms_nrm" 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not tc-opt %s --transformer-decompose="ops=norm" 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not tc-opt %s --transformer-decompose="ops=rms_norm,rms_nrm" 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not tc-opt %s --transformer-decompose="ops=add" 2>&1 | FileCheck %s --check-prefix=NO-COMPOSITE
// RUN: not tc-opt %s --transformer-decompose="level=hardware" 2>&1 | FileCheck %s --check-prefix=LEVEL

// ONE:     transformer.rsqrt
// ONE:     transformer.linear
// ONE:     transformer.swiglu
// ONE-NOT: transformer.rms_norm

// TWO:     transformer.rsqrt
// TWO:     transformer.linear
// TWO:     transformer.silu

// Naming an op does not override the level.
// WHOLE:   transformer.rms_norm
// WHOLE:   transformer.linear
// WHOLE:   transformer.swiglu

// EXPANDED: transformer.rms_norm
// EXPANDED: transformer.matmul
// EXPANDED: transformer.swiglu

// KEPT:    transformer.rms_norm
// KEPT:    transformer.matmul
// KEPT:    transformer.silu

// KEPT-OF-TWO: transformer.rms_norm
// KEPT-OF-TWO: transformer.linear
// KEPT-OF-TWO: transformer.silu

// FAR:     error: unknown composite op 'norm'; known composite ops: {{.*rms_norm}}
// NEAR:    error: unknown composite op 'rms_nrm'; did you mean 'rms_norm'? known composite ops:
// NO-COMPOSITE: error: unknown composite op 'add'; known composite ops:
// LEVEL:   for the --level option: Cannot find option named 'hardware'!

func.func @all(%x: tensor<7x8xf16>, %norm: tensor<8xf16>, %w: tensor<8x8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.rms_norm %x, %norm eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  %1 = transformer.linear %0, %w : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  %2 = transformer.swiglu %1, %x : tensor<7x8xf16>
  return %2 : tensor<7x8xf16>
}
