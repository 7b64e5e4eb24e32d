// RUN: tc-opt %s --split-input-file --transformer-sequence-parallel --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --split-input-file --transformer-sequence-parallel --verify-diagnostics --remarks-filter=sequence-parallel --remark-policy=all

// The router and the experts take the share that the norm was made of; 7 tokens
// are padded as the gather has them. What needs all tokens gathers them still.
// CHECK-LABEL: func @mixture
// CHECK:         %[[S:.*]] = transformer.reduce_scatter %{{.*}} over <4> dim(0) : tensor<7x32xf16> to tensor<2x32xf16>
// CHECK:         %[[SUM:.*]], %[[N:.*]] = transformer.add_rms_norm %{{.*}}, %[[S]], %{{.*}} : tensor<2x32xf16>, tensor<32xf16>
// CHECK-NOT:     all_gather
// CHECK-NOT:     pad_rows
// CHECK:         %[[C:.*]] = transformer.cast %[[N]] : tensor<2x32xf16> to tensor<2x32xf32>
// CHECK-NEXT:    %[[L:.*]] = transformer.matmul %[[C]], %{{.*}} transposed : tensor<2x32xf32>, tensor<8x32xf32>
// CHECK-NEXT:    %{{.*}}, %[[IDS:.*]] = transformer.select_experts %[[L]]
// CHECK-NEXT:    transformer.permute_tokens %[[N]] by %[[IDS]]
module attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1, expert_parallel = 4>} {
  // expected-remark @below {{[Passed] scatter | Category:sequence-parallel | Function=mixture | Remark="sums over devices that leave each its tokens", count=1}}
  // expected-remark @below {{[Passed] route | Category:sequence-parallel | Function=mixture | Remark="shares of tokens for experts that devices have already", count=2}}
  func.func @mixture(%x: tensor<7x32xf16>, %y: tensor<7x32xf16>, %w: tensor<32xf16>, %g: tensor<8x32xf32>) -> tensor<4x32xf16> {
    %s = transformer.all_reduce %y over<4> : tensor<7x32xf16>
    %sum, %n = transformer.add_rms_norm %x, %s, %w eps(1.0e-6) : tensor<7x32xf16>, tensor<32xf16>
    %c = transformer.cast %n : tensor<7x32xf16> to tensor<7x32xf32>
    %l = transformer.matmul %c, %g transposed : tensor<7x32xf32>, tensor<8x32xf32>
    %np = transformer.pad_rows %n multiple(4) : tensor<7x32xf16> to tensor<8x32xf16>
    %own = transformer.own_rows %np over<4> dim(0) : tensor<8x32xf16> to tensor<2x32xf16>
    %lp = transformer.pad_rows %l multiple(4) : tensor<7x8xf32> to tensor<8x8xf32>
    %ownl = transformer.own_rows %lp over<4> dim(0) : tensor<8x8xf32> to tensor<2x8xf32>
    %weights, %ids = transformer.select_experts %ownl top_k(2) score(softmax) : tensor<2x8xf32> -> tensor<2x2xf16>, tensor<2x2xi64>
    %p = transformer.permute_tokens %own by %ids : tensor<2x32xf16>, tensor<2x2xi64> -> tensor<4x32xf16>
    return %p : tensor<4x32xf16>
  }
}

// -----

// Shares of another group, or of what is no row by row, stay.
// CHECK-LABEL: func @others
// CHECK:         transformer.own_rows %{{.*}} over <2> dim(0)
// CHECK:         transformer.own_rows %{{.*}} over <4> dim(0)
module attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1>} {
  // expected-remark @below {{[Passed] scatter}}
  func.func @others(%x: tensor<8x32xf16>, %y: tensor<8x32xf16>, %w: tensor<32xf16>) -> (tensor<4x32xf16>, tensor<2x32xf16>) {
    %s = transformer.all_reduce %y over<4> : tensor<8x32xf16>
    %sum, %n = transformer.add_rms_norm %x, %s, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    %half = transformer.own_rows %n over<2> dim(0) : tensor<8x32xf16> to tensor<4x32xf16>
    %t = transformer.silu %n : tensor<8x32xf16>
    %quarter = transformer.own_rows %t over<4> dim(0) : tensor<8x32xf16> to tensor<2x32xf16>
    return %half, %quarter : tensor<4x32xf16>, tensor<2x32xf16>
  }
}

// -----

// Without a sum in front of the first norm, layers whose router yields logits
// are split, and others are not.
// RUN: tc-opt %s --split-input-file --transformer-sequence-parallel="only-after-sum" --mlir-print-local-scope | FileCheck %s --check-prefix=LOGITS

// LOGITS-LABEL: func private @plain(
// LOGITS-SAME:    tensor<8x32xf16>) -> tensor<8x32xf16>
// LOGITS-NOT:     reduce_scatter
// LOGITS-LABEL: func private @routed(
// LOGITS-SAME:    tensor<2x32xf16>) -> tensor<2x32xf16>
// LOGITS:         transformer.reduce_scatter
// LOGITS-LABEL: func @main(
// LOGITS:         %[[P:.*]] = transformer.layer @plain
// LOGITS:         %[[OWN:.*]] = transformer.own_rows %[[P]] over <4> dim(0)
// LOGITS:         transformer.layer @routed(%[[OWN]])
// CHECK-LABEL: func private @routed(
module attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1, expert_parallel = 4>} {
  // A sum that is added, not normed.
  // expected-remark @below {{[Passed] scatter}}
  func.func private @plain(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
    %w = transformer.weight "norm.weight" : tensor<32xf16>
    %n = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    %s = transformer.all_reduce %n over<4> : tensor<8x32xf16>
    %y = transformer.add %x, %s : tensor<8x32xf16>, tensor<8x32xf16>
    return %y : tensor<8x32xf16>
  }
  // expected-remark @below {{[Passed] scatter}}
  // expected-remark @below {{[Passed] route}}
  func.func private @routed(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
    %w = transformer.weight "norm.weight" : tensor<32xf16>
    %n = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    %s = transformer.all_reduce %n over<4> : tensor<8x32xf16>
    %sum, %m = transformer.add_rms_norm %x, %s, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    %g = transformer.weight "gate.weight" : tensor<8x32xf16>
    %l = transformer.linear %m, %g : tensor<8x32xf16>, tensor<8x32xf16> -> tensor<8x8xf16>
    %c = transformer.cast %l : tensor<8x8xf16> to tensor<8x8xf32>
    %own = transformer.own_rows %c over<4> dim(0) : tensor<8x8xf32> to tensor<2x8xf32>
    %weights, %ids = transformer.select_experts %own top_k(2) score(sigmoid) gating_kernel : tensor<2x8xf32> -> tensor<2x2xf16>, tensor<2x2xi64>
    return %sum : tensor<8x32xf16>
  }
  func.func @main(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
    %0 = transformer.layer @plain(%x) name("model.layers.0") : (tensor<8x32xf16>) -> tensor<8x32xf16>
    %1 = transformer.layer @routed(%0) name("model.layers.1") : (tensor<8x32xf16>) -> tensor<8x32xf16>
    return %1 : tensor<8x32xf16>
  }
}
