// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08" | FileCheck %s
// RUN: not tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.8" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEAR
// RUN: not tc-opt %s --convert-transformer-to-ascend="kernel-set=cuda" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAR

// CHECK: ascend.kernel_set = "reference-2026.08"
// CHECK: as("aten.silu")

// NEAR: error: unknown kernel set 'reference-2026.8'; did you mean 'reference-2026.08'? known kernel sets:{{.*}} reference-2026.08
// FAR: error: unknown kernel set 'cuda'; known kernel sets:{{.*}} reference-2026.08

func.func @f(%x: tensor<7x8xf16>) {
  %0 = transformer.silu %x : tensor<7x8xf16>
  return
}
