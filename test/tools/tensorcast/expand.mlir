// RUN: tensorcast report %s --expand --device ATLAS_800_A2_376T_64G | FileCheck %s --match-full-lines
// RUN: tensorcast report %s --device ATLAS_800_A2_376T_64G | FileCheck %s --check-prefix=WHOLE
// RUN: tensorcast report %s --expand --device ATLAS_800_A2_376T_64G --format json | FileCheck %s --check-prefix=JSON
// RUN: tensorcast report %s --device ATLAS_800_A2_376T_64G --format json | FileCheck %s --check-prefix=WHOLE-JSON

// Parts of a kernel in the order of its work, and what moves and starts it. Equal
// parts are one row. What is added up is 2 calls of the first kernel.
// CHECK: norm_linear{{ +}}2 {{.*}} us{{ +}}[[#]].{{[0-9]}} % {{ *}}cube
// CHECK-NEXT:   rms_norm: elementwise f32{{ +}}{{.*}} us {{.*}} %  vector
// CHECK-NEXT:   matmul: matmul f16{{ +}}{{.*}} us {{.*}} %  cube
// CHECK-NEXT:   operands{{ +}}{{.*}} us {{.*}} %  memory
// CHECK-NEXT:   start{{ +}}10.000 us 5.000 us {{.*}} %  launch
// CHECK: copy{{ +}}1 {{.*}} us {{.*}} memory
// CHECK-NEXT:   operands{{ +}}{{.*}} us {{.*}} %  memory
// CHECK-NEXT:   start{{ +}}2.000 us 2.000 us {{.*}} %  launch
// CHECK: Parts are what they take alone, as shares of their kernel; units overlap, so they may add up to more.

// WHOLE: norm_linear
// WHOLE-NEXT: copy
// WHOLE-NOT: Parts

// JSON: "name": "norm_linear"
// JSON: "parts": [
// JSON: "part": "rms_norm: elementwise f32",
// JSON-NEXT: "unit": "vector",
// JSON-NEXT: "total_s": [[TOTAL:[0-9.e-]+]],
// JSON-NEXT: "share": {{0.[0-9]+}}
// WHOLE-JSON-NOT: "parts"

module attributes {ascend.cost_model = "tensorcast-2026.08"} {
  func.func @main(%x: tensor<7000x640xf16>, %w: tensor<640xf16>, %p: tensor<3200x640xf16>) {
    %0 = ascend.launch "norm_linear"(%x, %w, %p) : (tensor<7000x640xf16>, tensor<640xf16>, tensor<3200x640xf16>) -> tensor<7000x3200xf16> {
      ascend.elementwise elements(4480000) operations(3) {ascend.part = "rms_norm"} : f32
      ascend.elementwise elements(4480000) operations(1) {ascend.part = "rms_norm"} : f32
      ascend.matmul m(7000) n(3200) k(640) {ascend.part = "matmul"} : f16
    }
    %1 = ascend.launch "norm_linear"(%x, %w, %p) : (tensor<7000x640xf16>, tensor<640xf16>, tensor<3200x640xf16>) -> tensor<7000x3200xf16> {
      ascend.elementwise elements(4480000) operations(3) {ascend.part = "rms_norm"} : f32
      ascend.elementwise elements(4480000) operations(1) {ascend.part = "rms_norm"} : f32
      ascend.matmul m(7000) n(3200) k(640) {ascend.part = "matmul"} : f16
    }
    %2 = ascend.launch "copy"(%w) : (tensor<640xf16>) -> tensor<640xf16>
    return
  }
}
