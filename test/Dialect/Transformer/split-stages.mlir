// RUN: tc-opt %s --split-input-file --transformer-split-stages=stages=2 | FileCheck %s

// What comes before the layers is in the first stage, what comes behind them in
// the last one. Both look up the rope tables and declare the weights for that;
// the table of the embedding, which the head shares, is in both as well. Layer
// functions stay as they are.

// CHECK: module attributes {transformer.plan = #transformer.plan<devices = 2, data_parallel = 1, pipeline_parallel = 2>}
// CHECK:      func.func private @layer
// CHECK:      func.func private @stage_0(%[[IDS:.*]]: tensor<3xi64>, %[[POS:.*]]: tensor<3xi64>) -> tensor<3x8xf16> {
// CHECK-NEXT:   %[[TABLE:.*]] = transformer.weight "embed" : tensor<16x8xf16>
// CHECK-NEXT:   %[[H:.*]] = transformer.embedding %[[IDS]], %[[TABLE]]
// CHECK-NEXT:   %[[COS:.*]] = transformer.weight "cos"
// CHECK-NEXT:   %[[SIN:.*]] = transformer.weight "sin"
// CHECK-NEXT:   %[[ROPE:.*]] = transformer.rope_table %[[POS]], %[[COS]], %[[SIN]]
// CHECK-NEXT:   %[[H0:.*]] = transformer.layer @layer(%[[H]], %[[ROPE]]) name("layers.0")
// CHECK-NEXT:   %[[H1:.*]] = transformer.layer @layer(%[[H0]], %[[ROPE]]) name("layers.1")
// CHECK-NEXT:   return %[[H1]] : tensor<3x8xf16>
// CHECK:      func.func private @stage_1(%[[POS:.*]]: tensor<3xi64>, %[[H:.*]]: tensor<3x8xf16>) -> tensor<3x16xf16> {
// CHECK-NEXT:   %[[TABLE:.*]] = transformer.weight "embed"
// CHECK-NEXT:   %[[COS:.*]] = transformer.weight "cos"
// CHECK-NEXT:   %[[SIN:.*]] = transformer.weight "sin"
// CHECK-NEXT:   %[[ROPE:.*]] = transformer.rope_table %[[POS]], %[[COS]], %[[SIN]]
// CHECK-NEXT:   %[[H2:.*]] = transformer.layer @layer(%[[H]], %[[ROPE]]) name("layers.2")
// CHECK-NEXT:   %[[H3:.*]] = transformer.layer @layer(%[[H2]], %[[ROPE]]) name("layers.3")
// CHECK:        transformer.rms_norm %[[H3]]
// CHECK:        %[[OUT:.*]] = transformer.linear %{{.*}}, %[[TABLE]]
// CHECK-NEXT:   return %[[OUT]]
// CHECK:      func.func @main(%[[IDS:.*]]: tensor<3xi64>, %[[POS:.*]]: tensor<3xi64>) -> tensor<3x16xf16> {
// CHECK-NEXT:   %[[A:.*]] = transformer.stage @stage_0(%[[IDS]], %[[POS]])
// CHECK-NEXT:   %[[B:.*]] = transformer.send_receive %[[A]] from(0) to(1) : tensor<3x8xf16>
// CHECK-NEXT:   %[[C:.*]] = transformer.stage @stage_1(%[[POS]], %[[B]])
// CHECK-NEXT:   return %[[C]]
func.func private @layer(%x: tensor<3x8xf16>, %rope: !transformer.rope_table<8xf16>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
func.func @main(%ids: tensor<3xi64>, %positions: tensor<3xi64>) -> tensor<3x16xf16> {
  %table = transformer.weight "embed" : tensor<16x8xf16>
  %h = transformer.embedding %ids, %table : tensor<3xi64>, tensor<16x8xf16> -> tensor<3x8xf16>
  %cos = transformer.weight "cos" : tensor<64x8xf16>
  %sin = transformer.weight "sin" : tensor<64x8xf16>
  %rope = transformer.rope_table %positions, %cos, %sin : tensor<3xi64>, tensor<64x8xf16> -> !transformer.rope_table<8xf16>
  %0 = transformer.layer @layer(%h, %rope) name("layers.0") : (tensor<3x8xf16>, !transformer.rope_table<8xf16>) -> tensor<3x8xf16>
  %1 = transformer.layer @layer(%0, %rope) name("layers.1") : (tensor<3x8xf16>, !transformer.rope_table<8xf16>) -> tensor<3x8xf16>
  %2 = transformer.layer @layer(%1, %rope) name("layers.2") : (tensor<3x8xf16>, !transformer.rope_table<8xf16>) -> tensor<3x8xf16>
  %3 = transformer.layer @layer(%2, %rope) name("layers.3") : (tensor<3x8xf16>, !transformer.rope_table<8xf16>) -> tensor<3x8xf16>
  %w = transformer.weight "norm" : tensor<8xf16>
  %n = transformer.rms_norm %3, %w eps(1.0e-6) : tensor<3x8xf16>, tensor<8xf16>
  %out = transformer.linear %n, %table : tensor<3x8xf16>, tensor<16x8xf16> -> tensor<3x16xf16>
  return %out : tensor<3x16xf16>
}

// -----

// Neighbouring devices share each layer, so the next stage begins 4 devices on.
// CHECK-LABEL: func @sharded
// CHECK:         transformer.send_receive %{{.*}} from(0) to(4)
module attributes {transformer.plan = #transformer.plan<devices = 16, data_parallel = 2, pipeline_parallel = 2>} {
  func.func private @layer(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
    return %x : tensor<3x8xf16>
  }
  func.func @sharded(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
    %0 = transformer.layer @layer(%x) name("layers.0") : (tensor<3x8xf16>) -> tensor<3x8xf16>
    %1 = transformer.layer @layer(%0) name("layers.1") : (tensor<3x8xf16>) -> tensor<3x8xf16>
    return %1 : tensor<3x8xf16>
  }
}

// -----

// Layers that remember tokens are the decoder's; an encoder in front of it and a
// layer that predicts further, which takes what is behind the last one, are whole.
// CHECK-LABEL: func private @stage_0(
// CHECK:         name("vision.0")
// CHECK-NEXT:    transformer.layer @encoder({{.*}}) name("vision.1")
// CHECK-NEXT:    transformer.layer @encoder({{.*}}) name("vision.2")
// CHECK:         transformer.layer @decoder({{.*}}) name("layers.0")
// CHECK-NEXT:    return
// CHECK-LABEL: func private @stage_1(
// CHECK-NEXT:    transformer.layer @decoder({{.*}}) name("layers.1")
// CHECK:         transformer.layer @decoder({{.*}}) name("mtp.0")
// CHECK-NEXT:    transformer.layer @decoder({{.*}}) name("mtp.0")
// CHECK-NEXT:    return
// CHECK-LABEL: func @chains
func.func private @encoder(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
func.func private @decoder(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x2x8xf16, block_size = 128>
  return %x : tensor<3x8xf16>
}
func.func @chains(%x: tensor<3x8xf16>) -> (tensor<3x8xf16>, tensor<3x8xf16>) {
  %0 = transformer.layer @encoder(%x) name("vision.0") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %1 = transformer.layer @encoder(%0) name("vision.1") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %2 = transformer.layer @encoder(%1) name("vision.2") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %sum = transformer.add %2, %x : tensor<3x8xf16>, tensor<3x8xf16>
  %3 = transformer.layer @decoder(%sum) name("layers.0") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %4 = transformer.layer @decoder(%3) name("layers.1") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %w = transformer.weight "norm" : tensor<8xf16>
  %n = transformer.rms_norm %4, %w eps(1.0e-6) : tensor<3x8xf16>, tensor<8xf16>
  %5 = transformer.layer @decoder(%n) name("mtp.0") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %6 = transformer.layer @decoder(%5) name("mtp.0") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  return %n, %6 : tensor<3x8xf16>, tensor<3x8xf16>
}

// -----

// A function may be called as a stage would be.
// CHECK:       func.func private @stage_0_0(
// CHECK:       func.func private @stage_1(
// CHECK-LABEL: func @names
// CHECK:         transformer.stage @stage_0_0
func.func private @stage_0(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
func.func @names(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  %0 = transformer.layer @stage_0(%x) name("layers.0") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %1 = transformer.layer @stage_0(%0) name("layers.1") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  return %1 : tensor<3x8xf16>
}

// -----

// Features of images that are placed between layers do not end the chain.
// CHECK-LABEL: func private @stage_0(
// CHECK-NEXT:    transformer.place_images
// CHECK-NEXT:    transformer.layer @decoder({{.*}}) name("layers.0")
// CHECK-NEXT:    transformer.place_images
// CHECK-NEXT:    return
// CHECK-LABEL: func private @stage_1(
// CHECK-NEXT:    transformer.layer @decoder({{.*}}) name("layers.1")
// CHECK-NEXT:    return
// CHECK-LABEL: func @images
#step = #transformer.workload<queries = 1, query_length = 8, images = #transformer.images<count = 1, rows = 2, columns = 2, tokens = 4>>
func.func private @decoder(%x: tensor<12x8xf16>) -> tensor<12x8xf16> {
  return %x : tensor<12x8xf16>
}
func.func @images(%x: tensor<12x8xf16>, %f: tensor<4x8xf16>, %batch: !transformer.batch<#step>) -> tensor<12x8xf16> {
  %0 = transformer.place_images %f in %x of %batch : tensor<4x8xf16>, tensor<12x8xf16>, !transformer.batch<#step>
  %1 = transformer.layer @decoder(%0) name("layers.0") : (tensor<12x8xf16>) -> tensor<12x8xf16>
  %2 = transformer.place_images %f in %1 of %batch add : tensor<4x8xf16>, tensor<12x8xf16>, !transformer.batch<#step>
  %3 = transformer.layer @decoder(%2) name("layers.1") : (tensor<12x8xf16>) -> tensor<12x8xf16>
  return %3 : tensor<12x8xf16>
}
