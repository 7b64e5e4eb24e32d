// RUN: tc-opt %s --transformer-decompose="level=primitive" | FileCheck %s
// RUN: tc-opt %s --transformer-decompose | FileCheck %s --check-prefix=EAGER

// Attention over a cache is launched whole; its parts see the cached tokens of
// all requests as one row.

#tokens = #transformer.dims<tokens>
!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 6>

// CHECK-LABEL: func @attention
// CHECK-SAME:    %[[Q:.*]]: tensor<?x4x8xf16, #{{.*}}>, %[[C:.*]]: !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 6>, %[[B:.*]]: !transformer.batch, %[[SINK:.*]]: tensor<4xf16>
// CHECK-DAG:     %[[K:.*]] = transformer.read_cache %[[C]] of %[[B]] :
// CHECK-DAG:     %[[V:.*]] = transformer.read_cache %[[C]] of %[[B]] values
// CHECK:         %[[S:.*]] = transformer.head_scores %[[Q]], %[[K]]
// CHECK:         %[[SCALED:.*]] = transformer.mul_scalar %[[S]], 0.5
// CHECK:         %[[SEEN:.*]] = transformer.mask_scores %[[SCALED]] of %[[B]] window(4)
// CHECK:         %[[PEAK:.*]] = transformer.max %[[SEEN]] dim(2)
// CHECK:         %[[BELOW:.*]] = transformer.sub %[[SEEN]], %[[PEAK]]
// CHECK:         %[[E:.*]] = transformer.exp %[[BELOW]]
// CHECK:         %[[SUM:.*]] = transformer.sum %[[E]] dim(2)
// CHECK:         %[[WIDE:.*]] = transformer.cast %[[SINK]] : tensor<4xf16> to tensor<4xf32>
// CHECK:         %[[EACH:.*]] = transformer.reshape %[[WIDE]] : tensor<4xf32> to tensor<1x4x1xf32>
// CHECK:         %[[REST:.*]] = transformer.sub %[[EACH]], %[[PEAK]]
// CHECK:         %[[SHARE:.*]] = transformer.exp %[[REST]]
// CHECK:         %[[ALL:.*]] = transformer.add %[[SUM]], %[[SHARE]]
// CHECK:         %[[P:.*]] = transformer.div %[[E]], %[[ALL]]
// CHECK:         %[[R:.*]] = transformer.head_mix %[[P]], %[[V]] : tensor<?x4x?xf32, #{{.*}}>, tensor<?x2x6xf16, #{{.*}}>
// CHECK:         return %[[R]] : tensor<?x4x6xf16
// EAGER-LABEL: func @attention
// EAGER:         transformer.attention {{.*}} window(4) sink
func.func @attention(%q: tensor<?x4x8xf16, #tokens>, %cache: !cache, %batch: !transformer.batch,
                     %sink: tensor<4xf16>) -> tensor<?x4x6xf16, #tokens> {
  %0 = transformer.attention %q, %cache of %batch scale(0.5) window(4) sink(%sink : tensor<4xf16>)
      : tensor<?x4x8xf16, #tokens>, !cache, !transformer.batch
  return %0 : tensor<?x4x6xf16, #tokens>
}

// CHECK-LABEL: func @no_limits
// CHECK:         transformer.mask_scores %{{[^ ]*}} of %{{[^ ]*}} :
// CHECK-NOT:     transformer.add
func.func @no_limits(%q: tensor<?x4x8xf16, #tokens>, %cache: !cache, %batch: !transformer.batch) {
  %0 = transformer.attention %q, %cache of %batch scale(0.5)
      : tensor<?x4x8xf16, #tokens>, !cache, !transformer.batch
  return
}

// CHECK-LABEL: func @picked_blocks
// CHECK-SAME:    %[[Q:.*]]: tensor<?x4x8xf16, #{{[^>]*}}>, %[[IQ:.*]]: tensor<?x2x8xf16, #{{[^>]*}}>
// CHECK:         %[[K:.*]] = transformer.read_cache %{{.*}} : <8xf16, block_size = 128>
// CHECK:         %[[S:.*]] = transformer.head_scores %[[IQ]], %[[K]]
// CHECK:         %[[SEEN:.*]] = transformer.mask_scores %[[S]] of
// CHECK:         %[[BEST:.*]] = transformer.pool_scores %[[SEEN]] of %{{.*}} block_size(4) local(1) initial(0) columns(3)
// CHECK:         %{{.*}}, %[[I:.*]] = transformer.top_k %[[BEST]] count(3)
// CHECK:         transformer.mask_scores %{{.*}} of %{{.*}} blocks(%[[I]] : {{.*}}) block_size(4)
// EAGER-LABEL: func @picked_blocks
// EAGER:         transformer.block_indexer
func.func @picked_blocks(%q: tensor<?x4x8xf16, #tokens>, %iq: tensor<?x2x8xf16, #tokens>,
                         %cache: !cache, %index: !transformer.kv_cache<8xf16, block_size = 128>,
                         %batch: !transformer.batch) {
  %i = transformer.block_indexer %iq, %index of %batch top_k(3) block_size(4) local(1) initial(0)
      : tensor<?x2x8xf16, #tokens>, !transformer.kv_cache<8xf16, block_size = 128>,
        !transformer.batch
  %0 = transformer.attention %q, %cache of %batch scale(0.5)
      blocks(%i : tensor<?x2x3xi64, #tokens>) block_size(4)
      : tensor<?x4x8xf16, #tokens>, !cache, !transformer.batch
  return
}
