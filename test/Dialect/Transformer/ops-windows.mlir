// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s

// Attention to the latest tokens, with sinks, with heads of values of another
// size, and to blocks of tokens.

#tokens = #transformer.dims<tokens>
!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>

// CHECK-LABEL: func @window
// CHECK-SAME:    !transformer.kv_cache<2x2x8xf16, block_size = 128, window = 4>
// CHECK:         transformer.attention %{{.*}}, %{{.*}} of %{{.*}} scale(0.5) window(4) : tensor<?x4x8xf16, #{{.*}}>, <2x2x8xf16, block_size = 128, window = 4>
func.func @window(%q: tensor<?x4x8xf16, #tokens>,
                  %cache: !transformer.kv_cache<2x2x8xf16, block_size = 128, window = 4>,
                  %batch: !transformer.batch) -> tensor<?x4x8xf16, #tokens> {
  %0 = transformer.attention %q, %cache of %batch scale(0.5) window(4)
      : tensor<?x4x8xf16, #tokens>, !transformer.kv_cache<2x2x8xf16, block_size = 128, window = 4>,
        !transformer.batch
  return %0 : tensor<?x4x8xf16, #tokens>
}

// A window that is shorter than what the cache keeps.
// CHECK-LABEL: func @short_window_and_sink
// CHECK:         scale(0.5) window(3) sink(%{{.*}} : tensor<4xf16>) :
func.func @short_window_and_sink(%q: tensor<7x4x8xf16>, %cache: !cache, %sink: tensor<4xf16>,
                                 %batch: !transformer.batch) {
  %0 = transformer.attention %q, %cache of %batch scale(0.5) window(3) sink(%sink : tensor<4xf16>)
      : tensor<7x4x8xf16>, !cache, !transformer.batch
  return
}

// The result has heads of values.
// CHECK-LABEL: func @value_size
// CHECK-SAME:    !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 6>
// CHECK:         transformer.append_cache %{{.*}}, %{{.*}} to %{{.*}} of %{{.*}} : tensor<?x2x8xf16, #{{.*}}>, tensor<?x2x6xf16, #{{.*}}>, <2x2x8xf16, block_size = 128, value_size = 6>
// CHECK:         return %{{.*}} : tensor<?x4x6xf16, #{{.*}}>
func.func @value_size(%q: tensor<?x4x8xf16, #tokens>, %k: tensor<?x2x8xf16, #tokens>,
                      %v: tensor<?x2x6xf16, #tokens>,
                      %cache: !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 6>,
                      %batch: !transformer.batch) -> tensor<?x4x6xf16, #tokens> {
  %full = transformer.append_cache %k, %v to %cache of %batch
      : tensor<?x2x8xf16, #tokens>, tensor<?x2x6xf16, #tokens>,
        !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 6>, !transformer.batch
  %0 = transformer.attention %q, %full of %batch scale(0.5)
      : tensor<?x4x8xf16, #tokens>,
        !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 6>, !transformer.batch
  return %0 : tensor<?x4x6xf16, #tokens>
}

// What need not be said is not said.
// CHECK-LABEL: func @equal_value_size
// CHECK-SAME:    !transformer.kv_cache<2x2x8xf16, block_size = 128>,
func.func @equal_value_size(
    %cache: !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 8>,
    %batch: !transformer.batch) {
  return
}

// CHECK-LABEL: func @quantized
// CHECK:         scales(%{{.*}}, %{{.*}}, %{{.*}}) window(4) sink(%{{.*}} : tensor<4xf16>) : tensor<7x4x8xi8>
// CHECK-SAME:      -> tensor<7x4x6xf16>
func.func @quantized(%q: tensor<7x4x8xi8>, %s: tensor<f32>, %sink: tensor<4xf16>,
                     %cache: !transformer.kv_cache<2x2x8xi8, block_size = 128, value_size = 6, window = 4>,
                     %batch: !transformer.batch) {
  %0 = transformer.quantized_attention %q, %cache of %batch scale(0.5) scales(%s, %s, %s)
      window(4) sink(%sink : tensor<4xf16>)
      : tensor<7x4x8xi8>,
        !transformer.kv_cache<2x2x8xi8, block_size = 128, value_size = 6, window = 4>,
        !transformer.batch -> tensor<7x4x6xf16>
  return
}

// CHECK-LABEL: func @picked_blocks
// CHECK:         %[[FULL:.*]] = transformer.append_index_cache %{{.*}} to %{{.*}} of %{{.*}} : tensor<?x1x8xf16, #{{.*}}>, <8xf16, block_size = 128>
// CHECK:         %[[I:.*]] = transformer.block_indexer %{{.*}}, %[[FULL]] of %{{.*}} top_k(3) block_size(4) local(1) initial(0) : tensor<?x2x8xf16, #{{.*}}>, <8xf16, block_size = 128>
// CHECK:         transformer.attention %{{.*}} scale(0.5) blocks(%[[I]] : tensor<?x2x3xi64, #{{.*}}>) block_size(4) :
func.func @picked_blocks(%q: tensor<?x4x8xf16, #tokens>, %iq: tensor<?x2x8xf16, #tokens>,
                         %ik: tensor<?x1x8xf16, #tokens>, %cache: !cache,
                         %index: !transformer.kv_cache<8xf16, block_size = 128>,
                         %batch: !transformer.batch) {
  %full = transformer.append_index_cache %ik to %index of %batch
      : tensor<?x1x8xf16, #tokens>, !transformer.kv_cache<8xf16, block_size = 128>,
        !transformer.batch
  %i = transformer.block_indexer %iq, %full of %batch top_k(3) block_size(4) local(1) initial(0)
      : tensor<?x2x8xf16, #tokens>, !transformer.kv_cache<8xf16, block_size = 128>,
        !transformer.batch
  %0 = transformer.attention %q, %cache of %batch scale(0.5)
      blocks(%i : tensor<?x2x3xi64, #tokens>) block_size(4)
      : tensor<?x4x8xf16, #tokens>, !cache, !transformer.batch
  return
}

// The parts: sizes follow from the batch, bound or not.
// CHECK-LABEL: func @parts
// CHECK:         transformer.read_cache %{{.*}} of %{{.*}} : <2x2x8xf16, block_size = 128>, !transformer.batch
// CHECK:         transformer.head_scores %{{.*}}, %{{.*}} : tensor<?x4x8xf16, #{{.*}}>, tensor<?x2x8xf16, #[[ALL:.*]]>
// CHECK:         transformer.mask_scores %{{.*}} of %{{.*}} window(4) : tensor<?x4x?xf32, #{{.*}}>
// CHECK:         transformer.pool_scores %{{.*}} of %{{.*}} block_size(4) local(1) initial(0) columns(3)
// CHECK:         transformer.head_mix
func.func @parts(%q: tensor<?x4x8xf16, #tokens>, %cache: !cache, %batch: !transformer.batch) {
  %k = transformer.read_cache %cache of %batch : !cache, !transformer.batch
  %v = transformer.read_cache %cache of %batch values : !cache, !transformer.batch
  %s = transformer.head_scores %q, %k
      : tensor<?x4x8xf16, #tokens>, tensor<?x2x8xf16, #transformer.dims<sum(kv)>>
  %m = transformer.mask_scores %s of %batch window(4)
      : tensor<?x4x?xf32, #transformer.dims<tokens, sum(kv)>>, !transformer.batch
  %p = transformer.pool_scores %m of %batch block_size(4) local(1) initial(0) columns(3)
      : tensor<?x4x?xf32, #transformer.dims<tokens, sum(kv)>>, !transformer.batch
  %o = transformer.head_mix %m, %v
      : tensor<?x4x?xf32, #transformer.dims<tokens, sum(kv)>>,
        tensor<?x2x8xf16, #transformer.dims<sum(kv)>>
  return
}

// CHECK-LABEL: func @bound_parts
// CHECK:         transformer.head_scores %{{.*}}, %{{.*}} : tensor<6x4x8xf16>, tensor<16x2x8xf16>
func.func @bound_parts(
    %q: tensor<6x4x8xf16>, %cache: !cache,
    %batch: !transformer.batch<#transformer.workload<queries = 2, query_length = 3, context_length = 5>>) {
  %k = transformer.read_cache %cache of %batch
      : !cache, !transformer.batch<#transformer.workload<queries = 2, query_length = 3, context_length = 5>>
  %s = transformer.head_scores %q, %k : tensor<6x4x8xf16>, tensor<16x2x8xf16>
  return
}
