// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend" | FileCheck %s --check-prefix=PHYSICAL
// RUN: tc-opt %s --convert-transformer-to-ascend | FileCheck %s

// Sizes that depend on the batch stay expressions: which requests are absorbed
// is decided one by one.
#tokens = #transformer.dims<tokens>
!cache = !transformer.kv_cache<20xf16, block_size = 128>

// Expanded requests make keys and values of all cached rows, absorbed ones meet
// rows of 16 + 4 and mix rows of 16. The weight is read in either form that some
// request needs.
// CHECK-LABEL: func @attention
// CHECK:         ascend.launch "latent_attention"(%{{.*}}) using(%{{.*}}, %{{.*}}, %{{.*}}) as("tensor_cast.multihead_latent_attention")
// CHECK-NEXT:      ascend.matmul m(tokens - sum(q * lt(q, 6))) n(112) k(16) : f16
// CHECK-NEXT:      ascend.attention pairs(sum(q * kv) - sum(q * kv * lt(q, 6))) heads(8) key_size(12) value_size(6) softmax(4) rows(0) kv_heads(1) metadata(0) : f16, f16, f16
// CHECK-NEXT:      ascend.matmul m(sum(q * lt(q, 6))) n(112) k(16) : f16
// CHECK-NEXT:      ascend.attention pairs(sum(q * kv * lt(q, 6))) heads(8) key_size(20) value_size(16) softmax(4) rows(0) kv_heads(1) metadata(0) : f16, f16, f16
// CHECK-NEXT:      ascend.gather rows(max(lt(q, 6)) + max(1 - lt(q, 6))) row_bytes(3584) index(8 + 24 * sequences)
// CHECK-NEXT:      ascend.gather rows(sum(kv)) row_bytes(40) index(8 * sequences * ceildiv(max(kv), 128))
// CHECK-NEXT:    }
// PHYSICAL-LABEL: func @attention
// PHYSICAL:        ascend.launch "latent_attention"
// PHYSICAL:          softmax(5)
func.func @attention(%q: tensor<?x8x12xf16, #tokens>, %w: tensor<112x16xf16>, %cache: !cache,
                     %batch: !transformer.batch) -> tensor<?x8x6xf16, #tokens> {
  %0 = transformer.latent_attention %q, %cache of %batch weight(%w) scale(0.5)
      : tensor<?x8x12xf16, #tokens>, !cache, !transformer.batch, tensor<112x16xf16> -> tensor<?x8x6xf16, #tokens>
  return %0 : tensor<?x8x6xf16, #tokens>
}

// Sparse attention goes by the step, and reads what was picked: in prefill for
// each token, in decode for 64 together.
// CHECK-LABEL: func @sparse
// CHECK:         ascend.launch "sparse_latent_attention"
// CHECK:           ascend.attention pairs(-sum(q * decode * min(kv, min(3, max(kv)))) + sum(q * min(kv, min(3, max(kv))))) heads(8) key_size(12)
// CHECK:           ascend.gather rows(div(-sum(q * decode * min(kv, min(3, max(kv)))) + sum(q * min(kv, min(3, max(kv)))), 0.92)) row_bytes(40)
// CHECK-NEXT:      ascend.gather rows(div(sum(decode * ceildiv(q, 64) * min(kv, min(3, max(kv)))), max(0.015, min(0.08, 0.025 + 0.006 * log2(div(max(decode * ceildiv(min(kv, min(3, max(kv))), 128)), 16))))
// Without shares of the bandwidth, each token reads its own.
// PHYSICAL-LABEL: func @sparse
// PHYSICAL:        ascend.gather rows(-sum(q * decode * min(kv, min(3, max(kv)))) + sum(q * min(kv, min(3, max(kv))))) row_bytes(40)
// PHYSICAL-NEXT:   ascend.gather rows(sum(q * decode * min(kv, min(3, max(kv))))) row_bytes(40)
func.func @sparse(%q: tensor<?x8x12xf16, #tokens>, %w: tensor<112x16xf16>, %cache: !cache,
                  %i: tensor<?x?xi64, #transformer.dims<tokens, min(3, max(kv))>>,
                  %batch: !transformer.batch) -> tensor<?x8x6xf16, #tokens> {
  %0 = transformer.latent_attention %q, %cache of %batch weight(%w)
      indices(%i : tensor<?x?xi64, #transformer.dims<tokens, min(3, max(kv))>>) scale(0.5)
      : tensor<?x8x12xf16, #tokens>, !cache, !transformer.batch, tensor<112x16xf16> -> tensor<?x8x6xf16, #tokens>
  return %0 : tensor<?x8x6xf16, #tokens>
}

// A projection is one kernel with three products; 4-bit weights have the rate of
// 8-bit integers.
// CHECK-LABEL: func @int4_projection
// CHECK:         ascend.launch "quantized_latent_projection_int4"
// CHECK-NEXT:      ascend.matmul m(7) n(24) k(64) : i8
// CHECK-NEXT:      ascend.matmul m(7) n(96) k(24) : i8
// CHECK-NEXT:      ascend.matmul m(7) n(20) k(64) : i8
// CHECK:           ascend.extra_starts count(15)
// PHYSICAL-LABEL: func @int4_projection
// PHYSICAL-NOT:    extra_starts
func.func @int4_projection(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<24x64xi4>,
                           %n: tensor<24xf16>, %b: tensor<96x24xi4>, %d: tensor<20x64xi4>, %m: tensor<16xf16>,
                           %s: tensor<f32>) {
  %0:4 = transformer.quantized_latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) scales(%s, %s, %s)
      activation(i8) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x64xi4>, tensor<24xf16>, tensor<96x24xi4>,
         tensor<20x64xi4>, tensor<16xf16>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return
}

// Weights are converted before the step.
// CHECK-LABEL: func @load_weight
// CHECK-NEXT:    ascend.view %{{.*}}, %{{.*}} : (tensor<112x16xi8>, tensor<f32>) -> tensor<112x16xf16>
// CHECK-NEXT:    return
func.func @load_weight(%w: tensor<112x16xi8>, %s: tensor<f32>) -> tensor<112x16xf16> {
  %0 = transformer.load_weight %w scale(%s : tensor<f32>) : tensor<112x16xi8> to tensor<112x16xf16>
  return %0 : tensor<112x16xf16>
}
