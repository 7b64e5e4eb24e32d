// RUN: tc-opt %s --tensorcast-eager="queries=2 query-length=7" | FileCheck %s --check-prefixes=CHECK,BOUND
// RUN: tc-opt %s --tensorcast-eager | FileCheck %s --check-prefixes=CHECK,UNBOUND

// From composites to launches with a price, all in one: layers are merged,
// linear layers of layers quantized, the workload bound, composites expanded.

#tokens = #transformer.dims<tokens>
#kept = #transformer.dims<sequences - sum(decode) + sum(q * decode)>

// BOUND:   #[[DEVICE:device]] = #ascend.device<{{.*}}name = "TEST_DEVICE"
// BOUND:   #[[WORKLOAD:workload]] = #transformer.workload<queries = 2, query_length = 7>
// CHECK:   module @model attributes {ascend.cost_model = "tensorcast-2026.08", ascend.device = #device, ascend.kernel_set = "reference-2026.08"
// BOUND-SAME: transformer.workload = #[[WORKLOAD]]
// UNBOUND-NOT: transformer.workload
// UNBOUND-NOT: cost <

// CHECK:   func.func private @layer_0(
// BOUND-SAME:   %[[X:.*]]: tensor<14x64xf16>
// UNBOUND-SAME: %[[X:.*]]: tensor<?x64xf16, #tokens>
// CHECK:     %[[W:.*]] = transformer.weight "w.weight" : tensor<64x64xi8>
// CHECK:     %[[WS:.*]] = transformer.weight "w.weight_scale" : tensor<f32>
// CHECK:     %[[Q:.*]]:2 = ascend.launch "dynamic_quantize"(%[[X]])
// BOUND-SAME:  cost <time =
// CHECK:     %[[Y:.*]] = ascend.launch "quantized_matmul"(%[[Q]]#0, %[[W]], %[[Q]]#1, %[[WS]])
// BOUND-SAME:  cost <time =
// BOUND-SAME:  { ascend.matmul m(14) n(64) k(64) : i8 }
// UNBOUND-SAME: { ascend.matmul m(tokens) n(64) k(64) : i8 }
// CHECK:     %[[SILU:.*]] = ascend.launch "silu"(%[[Y]])
// CHECK:     ascend.launch "mul"(%[[SILU]], %[[X]])
// CHECK-NOT: func.func private
// CHECK:   func.func @main
// CHECK:     ascend.launch "embedding"
// CHECK:     transformer.layer @layer_0({{.*}}) name("model.layers.0")
// CHECK:     transformer.layer @layer_0({{.*}}) name("model.layers.1")
// BOUND:     ascend.launch "last_tokens"() using(%{{.*}}, %{{.*}}) as
// UNBOUND:   ascend.launch "last_tokens"() using(%{{.*}}, %{{.*}}) times(1 - decode)
// CHECK:     ascend.launch "matmul"
// BOUND-SAME:  { ascend.matmul m(2) n(256) k(64) : f16 }

module @model {
  func.func private @layer_0(%x: tensor<?x64xf16, #tokens>) -> tensor<?x64xf16, #tokens> {
    %w = transformer.weight "w.weight" : tensor<64x64xf16>
    %0 = transformer.linear %x, %w : tensor<?x64xf16, #tokens>, tensor<64x64xf16> -> tensor<?x64xf16, #tokens>
    %1 = transformer.swiglu %0, %x : tensor<?x64xf16, #tokens>
    return %1 : tensor<?x64xf16, #tokens>
  }
  func.func private @layer_1(%x: tensor<?x64xf16, #tokens>) -> tensor<?x64xf16, #tokens> {
    %w = transformer.weight "w.weight" : tensor<64x64xf16>
    %0 = transformer.linear %x, %w : tensor<?x64xf16, #tokens>, tensor<64x64xf16> -> tensor<?x64xf16, #tokens>
    %1 = transformer.swiglu %0, %x : tensor<?x64xf16, #tokens>
    return %1 : tensor<?x64xf16, #tokens>
  }
  func.func @main(%ids: tensor<?xi64, #tokens>, %batch: !transformer.batch) -> tensor<?x256xf16, #kept> {
    %table = transformer.weight "embed.weight" : tensor<256x64xf16>
    %0 = transformer.embedding %ids, %table : tensor<?xi64, #tokens>, tensor<256x64xf16> -> tensor<?x64xf16, #tokens>
    %1 = transformer.layer @layer_0(%0) name("model.layers.0") : (tensor<?x64xf16, #tokens>) -> tensor<?x64xf16, #tokens>
    %2 = transformer.layer @layer_1(%1) name("model.layers.1") : (tensor<?x64xf16, #tokens>) -> tensor<?x64xf16, #tokens>
    %3 = transformer.last_tokens %2 of %batch : tensor<?x64xf16, #tokens>, !transformer.batch -> tensor<?x64xf16, #kept>
    %head = transformer.weight "head.weight" : tensor<256x64xf16>
    %4 = transformer.linear %3, %head : tensor<?x64xf16, #kept>, tensor<256x64xf16> -> tensor<?x256xf16, #kept>
    return %4 : tensor<?x256xf16, #kept>
  }
}
