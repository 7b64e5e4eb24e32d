// RUN: tc-opt %s --allow-unregistered-dialect --pass-pipeline="builtin.module(func.func(transformer-fuse-norm,transformer-fuse-quant,transformer-fuse-attention,transformer-fuse-ffn,transformer-fuse-comm,transformer-merge-linears))" \
// RUN:   | FileCheck %s
// RUN: tc-opt %s --allow-unregistered-dialect --transformer-fuse-norm --transformer-fuse-quant --transformer-fuse-comm --transformer-fuse-ffn \
// RUN:   --verify-diagnostics --remarks-filter="fuse-(norm|quant|comm|ffn)" --remark-policy=all

// What runs in another block may run more or less often: nothing is moved.

!rope = !transformer.rope_table<8xf16>

// CHECK-LABEL: func @residual
// CHECK:         transformer.add %
// CHECK:         "test.region"
// CHECK:           transformer.rms_norm %
func.func @residual(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>) {
  %sum = transformer.add %x, %y : tensor<7x8xf16>, tensor<7x8xf16>
  "test.region"() ({
    // expected-remark @below {{[Missed] residual | Category:fuse-norm | Function=residual | Reason="the sum is computed in another block", Remark="not fused"}}
    %norm = transformer.rms_norm %sum, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
    "test.use"(%norm) : (tensor<7x8xf16>) -> ()
  }) : () -> ()
  return
}

// CHECK-LABEL: func @quantization
// CHECK:         transformer.rms_norm %
// CHECK:         "test.region"
// CHECK:           transformer.quantize
func.func @quantization(%x: tensor<7x8xf16>, %w: tensor<8xf16>, %s: tensor<f32>) {
  %norm = transformer.rms_norm %x, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  "test.region"() ({
    // expected-remark @below {{[Missed] norm | Category:fuse-quant | Function=quantization | Reason="the norm is in another block", Remark="not fused"}}
    %q = transformer.quantize %norm, %s : tensor<7x8xf16> to tensor<7x8xi8>
    "test.use"(%q) : (tensor<7x8xi8>) -> ()
  }) : () -> ()
  return
}

// CHECK-LABEL: func @equal_quantizations
// CHECK-COUNT-2: transformer.quantize
func.func @equal_quantizations(%x: tensor<7x8xf16>, %s: tensor<f32>) -> tensor<7x8xi8> {
  "test.region"() ({
    %q = transformer.quantize %x, %s : tensor<7x8xf16> to tensor<7x8xi8>
    "test.use"(%q) : (tensor<7x8xi8>) -> ()
  }) : () -> ()
  %q = transformer.quantize %x, %s : tensor<7x8xf16> to tensor<7x8xi8>
  return %q : tensor<7x8xi8>
}

// CHECK-LABEL: func @pair
// CHECK-COUNT-2: transformer.rope %
func.func @pair(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %t: !rope) -> tensor<7x4x8xf16> {
  %0 = transformer.rope %q, %t : tensor<7x4x8xf16>, !rope
  "test.region"() ({
    %1 = transformer.rope %k, %t : tensor<7x2x8xf16>, !rope
    "test.use"(%1) : (tensor<7x2x8xf16>) -> ()
  }) : () -> ()
  return %0 : tensor<7x4x8xf16>
}

// CHECK-LABEL: func @linears
// CHECK-COUNT-2: transformer.linear
func.func @linears(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> tensor<7x4xf16> {
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  "test.region"() ({
    %1 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
    "test.use"(%1) : (tensor<7x4xf16>) -> ()
  }) : () -> ()
  return %0 : tensor<7x4xf16>
}

// CHECK-LABEL: func @sum_over_devices
// CHECK:         transformer.linear
// CHECK-NOT:     all_reduce <
// CHECK:         transformer.all_reduce
func.func @sum_over_devices(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) {
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  "test.region"() ({
    // expected-remark-re @below {{[Missed] linear-all-reduce {{.*}}Reason="the layer is in another block"}}
    %1 = transformer.all_reduce %0 over<2> : tensor<7x4xf16>
    "test.use"(%1) : (tensor<7x4xf16>) -> ()
  }) : () -> ()
  return
}

// CHECK-LABEL: func @gate
// CHECK:         transformer.silu
// CHECK:         transformer.mul
func.func @gate(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>) {
  %0 = transformer.silu %x : tensor<7x8xf16>
  "test.region"() ({
    // expected-remark-re @below {{[Missed] swiglu {{.*}}Reason="the gate is in another block"}}
    %1 = transformer.mul %0, %y : tensor<7x8xf16>, tensor<7x8xf16>
    "test.use"(%1) : (tensor<7x8xf16>) -> ()
  }) : () -> ()
  return
}
