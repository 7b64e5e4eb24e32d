// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend" --mlir-print-local-scope | FileCheck %s

// A device reads the tokens that it keeps of each request, with the queries of
// all that share them, and writes its share of the new ones.
!tokens = tensor<?x1x8xf16, #transformer.dims<tokens>>
!shared = !transformer.kv_cache<2x1x8xf16, block_size = 128, share = 4>
!narrow = !transformer.kv_cache<2x1x8xi8, block_size = 128, share = 4>
!rows = !transformer.kv_cache<20xf16, block_size = 128, share = 4>

// CHECK-LABEL: func @grouped
// CHECK:         ascend.launch "append_cache"
// CHECK-SAME:      ascend.scatter rows(ceildiv(tokens, 4)) row_bytes(32) index(8 * ceildiv(tokens, 4))
// CHECK:         ascend.launch "partial_attention"
// CHECK-SAME:      ascend.attention pairs(sum(q * ceildiv(kv, 4))) heads(16) key_size(8) value_size(8) softmax(5) rows(sum(ceildiv(kv, 4))) kv_heads(1) metadata(8 + 24 * sequences + 8 * sequences * ceildiv(max(ceildiv(kv, 4)), 128)) : f16, f16, f16
// CHECK:         ascend.launch "exchange_heads"
// CHECK-SAME:      ascend.collective all_to_all bytes(432 * tokens) over <4>
// CHECK:         ascend.launch "merge_attention"
// CHECK-NEXT:      ascend.elementwise elements(144 * tokens) operations(2) : f32
// CHECK-NEXT:      ascend.elementwise elements(16 * tokens) operations(5) : f32
func.func @grouped(%q: tensor<?x16x8xf16, #transformer.dims<tokens>>, %k: !tokens, %cache: !shared, %batch: !transformer.batch)
    -> tensor<?x4x8xf16, #transformer.dims<tokens>> {
  %full = transformer.append_cache %k, %k to %cache of %batch : !tokens, !shared, !transformer.batch
  %p = transformer.partial_attention %q, %full of %batch scale(0.5)
      : tensor<?x16x8xf16, #transformer.dims<tokens>>, !shared, !transformer.batch -> tensor<?x16x9xf32, #transformer.dims<tokens>>
  %x = transformer.exchange_heads %p over <4>
      : tensor<?x16x9xf32, #transformer.dims<tokens>> to tensor<4x?x4x9xf32, #transformer.dims<tokens>>
  %m = transformer.merge_attention %x
      : tensor<4x?x4x9xf32, #transformer.dims<tokens>> to tensor<?x4x8xf16, #transformer.dims<tokens>>
  return %m : tensor<?x4x8xf16, #transformer.dims<tokens>>
}

// CHECK-LABEL: func @quantized
// CHECK:         ascend.launch "quantized_partial_attention"
// CHECK:           ascend.attention {{.*}} softmax(7) {{.*}} : i8, i8, f32
// CHECK:           ascend.elementwise elements(896) operations(1) : f32
func.func @quantized(%q: tensor<7x16x8xi8>, %cache: !narrow, %batch: !transformer.batch, %s: tensor<f32>) -> tensor<7x16x9xf32> {
  %p = transformer.partial_attention %q, %cache of %batch scale(0.5) scales(%s, %s, %s)
      : tensor<7x16x8xi8>, !narrow, !transformer.batch -> tensor<7x16x9xf32>
  return %p : tensor<7x16x9xf32>
}

// Rows are read once for all heads; the weight is read where its half is needed.
// CHECK-LABEL: func @latents
// CHECK:         ascend.launch "append_latent_cache"
// CHECK-SAME:      ascend.scatter rows(2) row_bytes(40) index(16)
// CHECK:         %[[K:.*]] = ascend.view %{{.*}} : (tensor<56x16xf16>) -> tensor<32x16xf16>
// CHECK:         ascend.launch "absorb_query"(%{{.*}}, %[[K]])
// CHECK-SAME:      ascend.matmul m(7) n(64) k(8) : f16
// CHECK:         ascend.launch "partial_latent_attention"
// CHECK-NEXT:      ascend.attention pairs(sum(q * ceildiv(kv, 4))) heads(16) key_size(20) value_size(16) softmax(5) rows(0) kv_heads(1) metadata(0) : f16, f16, f16
// CHECK-NEXT:      ascend.gather rows(sum(ceildiv(kv, 4))) row_bytes(40)
// CHECK:         %[[V:.*]] = ascend.view %{{.*}} : (tensor<56x16xf16>) -> tensor<24x16xf16>
// CHECK:         ascend.launch "expand_values"(%{{.*}}, %[[V]])
// CHECK-SAME:      ascend.matmul m(7) n(24) k(16) : f16
func.func @latents(%q: tensor<7x4x12xf16>, %l: tensor<7x16xf16>, %r: tensor<7x4xf16>, %w: tensor<56x16xf16>, %cache: !rows,
                   %batch: !transformer.batch) -> tensor<7x4x6xf16> {
  %full = transformer.append_latent_cache %l, %r to %cache of %batch : tensor<7x16xf16>, tensor<7x4xf16>, !rows, !transformer.batch
  %a = transformer.absorb_query %q weight(%w) : tensor<7x4x12xf16>, tensor<56x16xf16> -> tensor<7x4x20xf16>
  %g = transformer.all_gather %a over <4> dim(1) : tensor<7x4x20xf16> to tensor<7x16x20xf16>
  %p = transformer.partial_latent_attention %g, %full of %batch rank(16) scale(0.5)
      : tensor<7x16x20xf16>, !rows, !transformer.batch -> tensor<7x16x17xf32>
  %x = transformer.exchange_heads %p over <4> : tensor<7x16x17xf32> to tensor<4x7x4x17xf32>
  %m = transformer.merge_attention %x : tensor<4x7x4x17xf32> to tensor<7x4x16xf16>
  %v = transformer.expand_values %m weight(%w) : tensor<7x4x16xf16>, tensor<56x16xf16> -> tensor<7x4x6xf16>
  return %v : tensor<7x4x6xf16>
}
