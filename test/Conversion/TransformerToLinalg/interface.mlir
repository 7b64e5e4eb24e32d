// RUN: tc-opt %s --split-input-file --transformer-inline-layers \
// RUN:   --convert-transformer-to-linalg | FileCheck %s

// Weights and caches become arguments under their full names, a batch is none
// any more, and the cache after the step is a result.

module attributes {transformer.workload = #transformer.workload<queries = 2, query_length = 3, context_length = 4>} {
  // CHECK-LABEL: func.func @main
  // CHECK-SAME: (%{{.*}}: tensor<6xi64> {transformer.kind = "indices", transformer.limit = 16 : i64}
  // CHECK-SAME: %{{.*}}: tensor<6xi64> {transformer.kind = "positions", transformer.limit = 10 : i64}
  // CHECK-SAME: %{{.*}}: tensor<16x8xf16> {transformer.kind = "weight", transformer.name = "embed.weight"}
  // CHECK-SAME: transformer.name = "rotary.cos"
  // CHECK-SAME: %[[CACHE:.*]]: tensor<2x7x2x2x4xf16> {transformer.kind = "cache", transformer.name = "layers.5.self_attn"})
  // CHECK-SAME: -> (tensor<6x2x4xf16>, tensor<2x7x2x2x4xf16> {transformer.kind = "cache", transformer.name = "layers.5.self_attn"})
  func.func @main(%ids: tensor<6xi64>, %positions: tensor<6xi64>,
                  %batch: !transformer.batch<#transformer.workload<queries = 2, query_length = 3, context_length = 4>>)
      -> tensor<6x2x4xf16> {
    %table = transformer.weight "embed.weight" : tensor<16x8xf16>
    %x = transformer.embedding %ids, %table : tensor<6xi64>, tensor<16x8xf16> -> tensor<6x8xf16>
    %c = transformer.weight "rotary.cos" : tensor<10x4xf16>
    %rope = transformer.rope_table %positions, %c, %c : tensor<6xi64>, tensor<10x4xf16> -> !transformer.rope_table<4xf16>
    %0 = transformer.layer @layer(%x, %rope, %batch) name("layers.5")
        : (tensor<6x8xf16>, !transformer.rope_table<4xf16>,
           !transformer.batch<#transformer.workload<queries = 2, query_length = 3, context_length = 4>>)
       -> tensor<6x2x4xf16>
    return %0 : tensor<6x2x4xf16>
  }
  // New tokens go behind the 4 that each request has, keys first.
  // CHECK: tensor.insert_slice %{{.*}} into %[[CACHE]][0, 4, 0, 0, 0] [2, 3, 1, 2, 4]
  // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 4, 1, 0, 0] [2, 3, 1, 2, 4]
  // CHECK-NOT: transformer.
  func.func private @layer(%x: tensor<6x8xf16>, %rope: !transformer.rope_table<4xf16>,
      %batch: !transformer.batch<#transformer.workload<queries = 2, query_length = 3, context_length = 4>>)
      -> tensor<6x2x4xf16> {
    %y = transformer.reshape %x : tensor<6x8xf16> to tensor<6x2x4xf16>
    %z = transformer.rope %y, %rope : tensor<6x2x4xf16>, !transformer.rope_table<4xf16>
    %cache = transformer.kv_cache "self_attn" : <2x2x4xf16, block_size = 128>
    %full = transformer.append_cache %z, %y to %cache of %batch
        : tensor<6x2x4xf16>, <2x2x4xf16, block_size = 128>,
          !transformer.batch<#transformer.workload<queries = 2, query_length = 3, context_length = 4>>
    %a = transformer.attention %z, %full of %batch scale(0.5)
        : tensor<6x2x4xf16>, <2x2x4xf16, block_size = 128>,
          !transformer.batch<#transformer.workload<queries = 2, query_length = 3, context_length = 4>>
    return %a : tensor<6x2x4xf16>
  }
}

// -----

// A weight declared twice is one argument.

// CHECK-LABEL: func.func @tied_weight
// CHECK-SAME: (%{{[^:]*}}: tensor<2x4xf32> {transformer.kind = "input"},
// CHECK-SAME: %{{[^:]*}}: tensor<4xf32> {transformer.kind = "weight", transformer.name = "w"}) -> tensor<2x4xf32>
func.func @tied_weight(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %v = transformer.weight "w" : tensor<4xf32>
  %w = transformer.weight "w" : tensor<4xf32>
  %0 = transformer.mul %x, %v : tensor<2x4xf32>, tensor<4xf32>
  %1 = transformer.add %0, %w : tensor<2x4xf32>, tensor<4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// Half precision is computed in f32 and rounded once, products of bytes are
// summed in i32.

// CHECK-LABEL: func.func @precision
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.muli %{{.*}} : i32
func.func @precision(%x: tensor<2x4xf16>, %q: tensor<2x4xi8>, %s: tensor<f32>)
    -> (tensor<2x4xf16>, tensor<2x2xf16>) {
  %0 = transformer.add %x, %x : tensor<2x4xf16>, tensor<2x4xf16>
  %1 = transformer.quantized_linear %q, %q weight_scale(%s : tensor<f32>) input_scale(%s : tensor<f32>) : tensor<2x4xi8>, tensor<2x4xi8> -> tensor<2x2xf16>
  return %0, %1 : tensor<2x4xf16>, tensor<2x2xf16>
}
