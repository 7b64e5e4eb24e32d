// RUN: tc-opt %s --split-input-file --transformer-sequence-parallel --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --split-input-file --transformer-sequence-parallel --verify-diagnostics --remarks-filter=sequence-parallel --remark-policy=all

// The residual crosses the edges of layers as own rows; what needs all tokens
// gathers the norm of them. Sums are scattered.
// CHECK-LABEL: func private @layer
// CHECK-SAME:    %[[X:.*]]: tensor<2x32xf16>) -> tensor<2x32xf16>
// CHECK:         %[[N0:.*]] = transformer.rms_norm %[[X]], %{{.*}} : tensor<2x32xf16>, tensor<32xf16>
// CHECK-NEXT:    %[[A0:.*]] = transformer.all_gather %[[N0]] over <4> dim(0) : tensor<2x32xf16> to tensor<8x32xf16>
// CHECK:         %[[O:.*]] = transformer.linear %[[A0]],
// CHECK-NEXT:    %[[R0:.*]] = transformer.reduce_scatter %[[O]] over <4> dim(0) : tensor<8x32xf16> to tensor<2x32xf16>
// CHECK:         %[[SUM:.*]], %[[N1:.*]] = transformer.add_rms_norm %[[X]], %[[R0]], %{{.*}} : tensor<2x32xf16>, tensor<32xf16>
// CHECK-NEXT:    %[[A1:.*]] = transformer.all_gather %[[N1]] over <4> dim(0)
// CHECK:         %[[D:.*]] = transformer.linear %[[A1]],
// CHECK-NEXT:    %[[R1:.*]] = transformer.reduce_scatter %[[D]] over <4> dim(0)
// CHECK-NEXT:    %[[Y:.*]] = transformer.add %[[SUM]], %[[R1]] : tensor<2x32xf16>, tensor<2x32xf16>
// CHECK-NEXT:    return %[[Y]] : tensor<2x32xf16>
// What everybody has whole, each sees its rows of.
// CHECK-LABEL: func @main
// CHECK-SAME:    %[[X:.*]]: tensor<8x32xf16>) -> tensor<8x32xf16>
// CHECK-NEXT:    %[[OWN:.*]] = transformer.own_rows %[[X]] over <4> dim(0) : tensor<8x32xf16> to tensor<2x32xf16>
// CHECK-NEXT:    %[[L0:.*]] = transformer.layer @layer(%[[OWN]]) name("model.layers.0") : (tensor<2x32xf16>) -> tensor<2x32xf16>
// CHECK-NEXT:    %[[L1:.*]] = transformer.layer @layer(%[[L0]]) name("model.layers.1")
// CHECK:         %[[N:.*]] = transformer.rms_norm %[[L1]], %{{.*}} : tensor<2x32xf16>, tensor<32xf16>
// CHECK-NEXT:    %[[A:.*]] = transformer.all_gather %[[N]] over <4> dim(0)
// CHECK-NEXT:    return %[[A]] : tensor<8x32xf16>
module @model attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1>} {
  // expected-remark @below {{[Passed] scatter | Category:sequence-parallel | Function=layer | Remark="sums over devices that leave each its tokens", count=2}}
  func.func private @layer(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
    %w = transformer.weight "norm.weight" : tensor<32xf16>
    %n0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    %wo = transformer.weight "o.weight" : tensor<32x32xf16>
    %o = transformer.linear %n0, %wo : tensor<8x32xf16>, tensor<32x32xf16> -> tensor<8x32xf16>
    %s0 = transformer.all_reduce %o over<4> : tensor<8x32xf16>
    %sum, %n1 = transformer.add_rms_norm %x, %s0, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    %d = transformer.linear %n1, %wo : tensor<8x32xf16>, tensor<32x32xf16> -> tensor<8x32xf16>
    %s1 = transformer.all_reduce %d over<4> : tensor<8x32xf16>
    %y = transformer.add %sum, %s1 : tensor<8x32xf16>, tensor<8x32xf16>
    return %y : tensor<8x32xf16>
  }
  func.func @main(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
    %0 = transformer.layer @layer(%x) name("model.layers.0") : (tensor<8x32xf16>) -> tensor<8x32xf16>
    %1 = transformer.layer @layer(%0) name("model.layers.1") : (tensor<8x32xf16>) -> tensor<8x32xf16>
    %w = transformer.weight "norm.weight" : tensor<32xf16>
    %n = transformer.rms_norm %1, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    return %n : tensor<8x32xf16>
  }
}

// -----

#tokens = #transformer.dims<tokens>

// Tokens may be an expression, and need not divide. A bias is added to the own
// rows; types of functions that others call stay.
// CHECK-LABEL: func @unbound
// CHECK-SAME:    %[[X:.*]]: tensor<?x32xf16, #transformer.dims<tokens>>, %[[B:.*]]: tensor<32xf16>
// CHECK-NEXT:    %[[OWN:.*]] = transformer.own_rows %[[X]] over <3> dim(0) : {{.*}} to tensor<?x32xf16, #transformer.dims<ceildiv(tokens, 3)>>
// CHECK-NEXT:    %[[R:.*]] = transformer.reduce_scatter %[[X]] over <3> dim(0)
// CHECK-NEXT:    %[[BIASED:.*]] = transformer.add %[[R]], %[[B]] : tensor<?x32xf16, #transformer.dims<ceildiv(tokens, 3)>>, tensor<32xf16>
// CHECK-NEXT:    %[[Y:.*]] = transformer.add %[[OWN]], %[[BIASED]]
// CHECK-NEXT:    %[[ALL:.*]] = transformer.all_gather %[[Y]] over <3> dim(0) : {{.*}} to tensor<?x32xf16, #transformer.dims<tokens>>
// CHECK-NEXT:    transformer.rms_norm %[[Y]], %[[B]]
// CHECK:         return %[[ALL]]
module attributes {transformer.plan = #transformer.plan<devices = 6, data_parallel = 2>} {
  // expected-remark @below {{[Passed] scatter}}
  func.func @unbound(%x: tensor<?x32xf16, #tokens>, %b: tensor<32xf16>) -> (tensor<?x32xf16, #tokens>, tensor<?x32xf16, #tokens>) {
    %0 = transformer.all_reduce %x over<3> : tensor<?x32xf16, #tokens>
    %1 = transformer.add %0, %b : tensor<?x32xf16, #tokens>, tensor<32xf16>
    %2 = transformer.add %x, %1 : tensor<?x32xf16, #tokens>, tensor<?x32xf16, #tokens>
    %3 = transformer.rms_norm %2, %b eps(1.0e-6) : tensor<?x32xf16, #tokens>, tensor<32xf16>
    return %2, %3 : tensor<?x32xf16, #tokens>, tensor<?x32xf16, #tokens>
  }
}

// -----

// Rows that groups of another size gather are those that are needed.
// CHECK-LABEL: func @groups
// CHECK-SAME:    %[[X:.*]]: tensor<4x32xf16>, %[[W:.*]]: tensor<32xf16>
// CHECK-NEXT:    %[[N:.*]] = transformer.rms_norm %[[X]], %[[W]] eps(1.0e-06) : tensor<4x32xf16>
// CHECK-NEXT:    %[[S:.*]] = transformer.silu %[[N]] : tensor<4x32xf16>
// CHECK-NEXT:    return %[[S]]
module attributes {transformer.plan = #transformer.plan<devices = 2, data_parallel = 1, mlp = 1>} {
  func.func @groups(%x: tensor<4x32xf16>, %w: tensor<32xf16>) -> tensor<4x32xf16> {
    %0 = transformer.all_gather %x over<2> dim(0) : tensor<4x32xf16> to tensor<8x32xf16>
    %1 = transformer.rms_norm %0, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    %2 = transformer.own_rows %1 over<2> dim(0) : tensor<8x32xf16> to tensor<4x32xf16>
    %3 = transformer.silu %2 : tensor<4x32xf16>
    return %3 : tensor<4x32xf16>
  }
}

// -----

// A sum with another reader stays whole; so do heads, other groups, and layers
// that do not normalize what they get.
// CHECK-LABEL: func private @other
// CHECK-SAME:    tensor<8x32xf16>) -> tensor<8x32xf16>
// CHECK-LABEL: func @stays
// CHECK-NOT:     reduce_scatter
// CHECK:         return
module attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 2>} {
  func.func private @other(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
    %0 = transformer.silu %x : tensor<8x32xf16>
    return %0 : tensor<8x32xf16>
  }
  func.func @stays(%x: tensor<8x32xf16>, %w: tensor<32xf16>, %q: tensor<8x2x32xf16>) -> (tensor<8x32xf16>, tensor<8x32xf16>, tensor<8x2x32xf16>, tensor<8x32xf16>) {
    %0 = transformer.all_reduce %x over<2> : tensor<8x32xf16>
    %1 = transformer.rms_norm %0, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    %2 = transformer.silu %0 : tensor<8x32xf16>
    %3 = transformer.all_reduce %q over<2> : tensor<8x2x32xf16>
    %4 = transformer.rms_norm %3, %w eps(1.0e-6) : tensor<8x2x32xf16>, tensor<32xf16>
    %5 = transformer.all_reduce %x over<2, step = 2> : tensor<8x32xf16>
    %6 = transformer.rms_norm %5, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    %7 = transformer.layer @other(%2) name("model.layers.0") : (tensor<8x32xf16>) -> tensor<8x32xf16>
    return %1, %7, %4, %6 : tensor<8x32xf16>, tensor<8x32xf16>, tensor<8x2x32xf16>, tensor<8x32xf16>
  }
}
