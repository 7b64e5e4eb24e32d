// RUN: tc-opt %s --split-input-file | tc-opt --split-input-file | FileCheck %s
// RUN: tc-opt %s --split-input-file --transformer-decompose \
// RUN:   | FileCheck %s --check-prefix=FRAMEWORK
// RUN: tc-opt %s --split-input-file --transformer-decompose=level=primitive \
// RUN:   | FileCheck %s --check-prefix=PRIMITIVE

// CHECK-LABEL: @norm_linear
// CHECK: %[[R:.*]]:2 = transformer.fused "norm_linear"(%[[A:.*]] = %arg0, %[[B:.*]] = %arg1, %[[C:.*]] = %arg2)
// CHECK-SAME: -> (tensor<7x32xf16>, tensor<7x64xf16>) {
// CHECK-NEXT: %[[N:.*]] = transformer.rms_norm %[[A]], %[[B]]
// CHECK-NEXT: %[[Y:.*]] = transformer.linear %[[N]], %[[C]]
// CHECK-NEXT: transformer.yield %[[Y]], %[[N]] : tensor<7x32xf16>, tensor<7x64xf16>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1

// What a framework launches is within the kernel, which stays.
// FRAMEWORK-LABEL: @norm_linear
// FRAMEWORK: transformer.fused "norm_linear"
// FRAMEWORK: transformer.rsqrt
// FRAMEWORK: transformer.yield

// PRIMITIVE-LABEL: @norm_linear
// PRIMITIVE-NOT: transformer.fused
// PRIMITIVE: %[[N:.*]] = transformer.mul %arg1
// PRIMITIVE-NEXT: %[[Y:.*]] = transformer.matmul %[[N]], %arg2
// PRIMITIVE-NEXT: return %[[Y]], %[[N]]
func.func @norm_linear(%x: tensor<7x64xf16>, %norm: tensor<64xf16>,
                       %proj: tensor<32x64xf16>)
    -> (tensor<7x32xf16>, tensor<7x64xf16>) {
  %y:2 = transformer.fused "norm_linear"(%a = %x, %b = %norm, %c = %proj)
      : (tensor<7x64xf16>, tensor<64xf16>, tensor<32x64xf16>)
      -> (tensor<7x32xf16>, tensor<7x64xf16>) {
    %0 = transformer.rms_norm %a, %b eps(1.0e-6)
        : tensor<7x64xf16>, tensor<64xf16>
    %1 = transformer.linear %0, %c
        : tensor<7x64xf16>, tensor<32x64xf16> -> tensor<7x32xf16>
    transformer.yield %1, %0 : tensor<7x32xf16>, tensor<7x64xf16>
  }
  return %y#0, %y#1 : tensor<7x32xf16>, tensor<7x64xf16>
}

// -----

// A kernel may pass on what it gets.

// CHECK-LABEL: @passes_on
// CHECK: transformer.fused "copy"(%[[A:.*]] = %arg0) : (tensor<8xf16>) -> tensor<8xf16> {
// CHECK-NEXT: transformer.yield %[[A]]
// PRIMITIVE-LABEL: @passes_on
// PRIMITIVE-NEXT: return %arg0
func.func @passes_on(%x: tensor<8xf16>) -> tensor<8xf16> {
  %y = transformer.fused "copy"(%a = %x) : (tensor<8xf16>) -> tensor<8xf16> {
    transformer.yield %a : tensor<8xf16>
  }
  return %y : tensor<8xf16>
}

// -----

// Sizes inside follow the workload, too.

// RUN: tc-opt %s --split-input-file \
// RUN:   --transformer-bind-workload="queries=3 query-length=5" \
// RUN:   | FileCheck %s --check-prefix=BOUND
// BOUND-LABEL: @bound
// BOUND: transformer.fused "gate"(%[[A:.*]] = %arg0) : (tensor<15x8xf16>) -> tensor<15x8xf16> {
// BOUND-NEXT: transformer.silu %[[A]] : tensor<15x8xf16>
#tokens = #transformer.dims<tokens>
func.func @bound(%x: tensor<?x8xf16, #tokens>) -> tensor<?x8xf16, #tokens> {
  %y = transformer.fused "gate"(%a = %x)
      : (tensor<?x8xf16, #tokens>) -> tensor<?x8xf16, #tokens> {
    %0 = transformer.silu %a : tensor<?x8xf16, #tokens>
    transformer.yield %0 : tensor<?x8xf16, #tokens>
  }
  return %y : tensor<?x8xf16, #tokens>
}
