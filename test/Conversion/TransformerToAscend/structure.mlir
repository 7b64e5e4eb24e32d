// RUN: tc-opt %s --split-input-file --convert-transformer-to-ascend | FileCheck %s

// Layers, weights and caches stay; the module remembers the kernel set.
// CHECK-LABEL: module @layers
// CHECK-SAME:    attributes {ascend.kernel_set = "reference-2026.08"}
// CHECK:         func private @layer(%[[X:.*]]: tensor<7x8xf16>)
// CHECK:           %[[W:.*]] = transformer.weight "w.weight" : tensor<8x8xf16>
// CHECK:           transformer.kv_cache "self_attn"
// CHECK:           ascend.launch "matmul"(%[[X]], %[[W]])
// CHECK:         func @main
// CHECK:           transformer.layer @layer
module @layers {
  func.func private @layer(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
    %w = transformer.weight "w.weight" : tensor<8x8xf16>
    %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x2x8xf16, block_size = 128>
    %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
    return %0 : tensor<7x8xf16>
  }
  func.func @main(%x: tensor<7x8xf16>) {
    %0 = transformer.layer @layer(%x) name("model.layers.0") : (tensor<7x8xf16>) -> tensor<7x8xf16>
    return
  }
}

// -----

// The reference keeps a head of its own beside tied embeddings.
// CHECK-LABEL: func @tied_head
// CHECK:         %[[TABLE:.*]] = transformer.weight "model.embed_tokens.weight" : tensor<256x8xf16>
// CHECK:         ascend.launch "embedding"(%{{.*}}) using(%[[TABLE]])
// CHECK:         %[[HEAD:.*]] = transformer.weight "lm_head.weight" sharding <column, head> : tensor<256x8xf16>
// CHECK:         ascend.launch "matmul"(%{{.*}}, %[[HEAD]])
func.func @tied_head(%ids: tensor<7xi64>) {
  %table = transformer.weight "model.embed_tokens.weight" : tensor<256x8xf16>
  %x = transformer.embedding %ids, %table : tensor<7xi64>, tensor<256x8xf16> -> tensor<7x8xf16>
  %0 = transformer.linear %x, %table : tensor<7x8xf16>, tensor<256x8xf16> -> tensor<7x256xf16>
  return
}

// -----

// Linear layers that share a weight with each other keep it.
// CHECK-LABEL: func @shared_weight
// CHECK:         %[[W:.*]] = transformer.weight "w.weight"
// CHECK-NOT:     transformer.weight
// CHECK:         ascend.launch "matmul"(%{{.*}}, %[[W]])
// CHECK:         ascend.launch "matmul"(%{{.*}}, %[[W]])
func.func @shared_weight(%x: tensor<7x8xf16>) {
  %w = transformer.weight "w.weight" : tensor<8x8xf16>
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  %1 = transformer.linear %0, %w : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  return
}
