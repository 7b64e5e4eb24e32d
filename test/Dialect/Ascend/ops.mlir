// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s

#tokens = #transformer.dims<tokens>
!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>

// Numbers of devices are printed as people write them.
// CHECK-DAG: #[[DEVICE:device[0-9]*]] = #ascend.device<{compute_efficiency = 0.7,{{.*}}launch_cost_s = {collective = 0.0, cube = 5.0e-06, vector = 2.0e-06}, memory_bandwidth_bytes_per_s = 10000000000.0, memory_bytes = 1000000000,
// CHECK-DAG: #[[TOKENS:tokens]] = #transformer.dims<tokens>

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

// A single work op stands on the line of its launch.
// CHECK-LABEL: func @launch
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #[[TOKENS]]>, %[[W:.*]]: tensor<4x8xf16>
// CHECK:         %[[Y:.*]] = ascend.launch "matmul"(%[[X]], %[[W]])
// CHECK-SAME:      : (tensor<?x8xf16, #[[TOKENS]]>, tensor<4x8xf16>) -> tensor<?x4xf16, #[[TOKENS]]>
// CHECK-SAME:      { ascend.matmul m(tokens) n(4) k(8) : f16 }{{$}}
func.func @launch(%x: tensor<?x8xf16, #tokens>, %w: tensor<4x8xf16>) {
  %y = ascend.launch "matmul"(%x, %w)
      : (tensor<?x8xf16, #tokens>, tensor<4x8xf16>) -> tensor<?x4xf16, #tokens>
      { ascend.matmul m(tokens) n(4) k(8) : f16 }
  return
}

// Slots; the stream of a launch without one is `compute`.
// CHECK-LABEL: func @launches_on_streams
// CHECK:         "a"(%{{.*}}) on <communication, after(0)> cost <time = 1.0> : (tensor<7xf16>) -> tensor<7xf16>
// CHECK:         ascend.view %{{.*}} on <compute> : (tensor<7xf16>) -> tensor<7x1xf16>
// CHECK:         "b"(%{{.*}}) using(%{{.*}}) on <compute, after(0, 1)> : (tensor<7x1xf16>, tensor<7xf16>) -> ()
func.func @launches_on_streams(%x: tensor<7xf16>) {
  %0 = ascend.launch "a"(%x) on <communication, after(0)> cost <time = 1.0> : (tensor<7xf16>) -> tensor<7xf16>
  %1 = ascend.view %0 on <compute> : (tensor<7xf16>) -> tensor<7x1xf16>
  ascend.launch "b"(%1) using(%x) on <compute, after(0, 1)> : (tensor<7x1xf16>, tensor<7xf16>) -> ()
  return
}

// CHECK-LABEL: func @launch_with_all_parts
// CHECK-SAME:    %[[IDS:.*]]: tensor<?xi64, #[[TOKENS]]>, %[[TABLE:.*]]: tensor<256x8xf16>
// CHECK:         %{{.*}} = ascend.launch "embedding"(%[[IDS]]) using(%[[TABLE]]) times(1 - decode)
// CHECK-SAME:      from("model.embed_tokens") as("some.embedding")
// CHECK-SAME:      cost <time = 2.5e-06, cube = 1.0e-07, vector = 2.0e-07, memory = 5.0e-07, communication = 0.125, launch = 2.0e-06>
// CHECK-SAME:      : (tensor<?xi64, #[[TOKENS]]>, tensor<256x8xf16>) -> tensor<?x8xf16, #[[TOKENS]]>
// CHECK-SAME:      { ascend.gather rows(tokens) row_bytes(16) index(0) }
func.func @launch_with_all_parts(%ids: tensor<?xi64, #tokens>, %table: tensor<256x8xf16>) {
  %0 = ascend.launch "embedding"(%ids) using(%table) times(1 - decode)
      from("model.embed_tokens") as("some.embedding")
      cost <time = 2.5e-6, cube = 1.0e-7, vector = 2.0e-7, memory = 5.0e-7, communication = 0.125, launch = 2.0e-6>
      : (tensor<?xi64, #tokens>, tensor<256x8xf16>) -> tensor<?x8xf16, #tokens>
      { ascend.gather rows(tokens) row_bytes(16) index(0) }
  return
}

// CHECK-LABEL: func @launch_that_only_moves_data
// CHECK:         ascend.launch "copy"(%{{.*}}) : (tensor<7xf16>) -> tensor<7xf16>{{$}}
func.func @launch_that_only_moves_data(%x: tensor<7xf16>) {
  %0 = ascend.launch "copy"(%x) : (tensor<7xf16>) -> tensor<7xf16>
  return
}

// CHECK-LABEL: func @launch_of_several_results
// CHECK:         %[[Q:.*]]:2 = ascend.launch "dynamic_quantize"(%{{.*}}) : (tensor<7x8xf16>) -> (tensor<7x8xi8>, tensor<f32>)
// CHECK:         return %[[Q]]#0, %[[Q]]#1
func.func @launch_of_several_results(%x: tensor<7x8xf16>) -> (tensor<7x8xi8>, tensor<f32>) {
  %0:2 = ascend.launch "dynamic_quantize"(%x) : (tensor<7x8xf16>) -> (tensor<7x8xi8>, tensor<f32>)
  return %0#0, %0#1 : tensor<7x8xi8>, tensor<f32>
}

// CHECK-LABEL: func @launch_of_several_works
// CHECK:         ascend.launch "fused"() : () -> () {
// CHECK-NEXT:      ascend.matmul m(7) n(4) k(8) : i8
// CHECK-NEXT:      ascend.elementwise elements(28) operations(1) : f16
// CHECK-NEXT:    }
func.func @launch_of_several_works() {
  ascend.launch "fused"() : () -> () {
    ascend.matmul m(7) n(4) k(8) : i8
    ascend.elementwise elements(28) operations(1) : f16
  }
  return
}

// CHECK-LABEL: func @view
// CHECK:         ascend.view %{{.*}} : (tensor<7x8xf16>) -> tensor<7x2x4xf16>
// CHECK:         ascend.view %{{.*}} : (!transformer.rope_table<8xf16>) -> (tensor<7x1x8xf16>, tensor<7x1x8xf16>)
func.func @view(%x: tensor<7x8xf16>, %table: !transformer.rope_table<8xf16>) {
  %0 = ascend.view %x : (tensor<7x8xf16>) -> tensor<7x2x4xf16>
  %1:2 = ascend.view %table : (!transformer.rope_table<8xf16>) -> (tensor<7x1x8xf16>, tensor<7x1x8xf16>)
  return
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @work
// CHECK:         ascend.matmul m(7000) n(8192) k(5120) : i8
// CHECK:         ascend.attention pairs(sum(q * kv)) heads(64) key_size(128) value_size(96) softmax(4)
// CHECK-SAME:      rows(sum(kv)) kv_heads(8) metadata(8 + 24 * sequences) : f16, i8, f16
// CHECK:         ascend.elementwise elements(8192 * tokens) operations(2) : f32
// CHECK:         ascend.gather rows(tokens) row_bytes(10240) index(8 * tokens)
// CHECK:         ascend.scatter rows(tokens) row_bytes(4096) index(8 * tokens)
// CHECK:         ascend.collective all_reduce bytes(10240 * tokens) over <8>
// CHECK:         ascend.collective all_gather bytes(10240) over <4, step = 8>
// CHECK:         ascend.collective reduce_scatter bytes(10240) over <2>
// CHECK:         ascend.collective all_to_all bytes(10240) over <2>
func.func @work() {
  ascend.launch "all"() : () -> () {
    ascend.matmul m(7000) n(8192) k(5120) : i8
    ascend.attention pairs(sum(q * kv)) heads(64) key_size(128) value_size(96) softmax(4)
        rows(sum(kv)) kv_heads(8) metadata(8 + 24 * sequences) : f16, i8, f16
    ascend.elementwise elements(tokens * 8192) operations(2) : f32
    ascend.gather rows(tokens) row_bytes(10240) index(8 * tokens)
    ascend.scatter rows(tokens) row_bytes(4096) index(8 * tokens)
    ascend.collective all_reduce bytes(10240 * tokens) over<8>
    ascend.collective all_gather bytes(10240) over<4, step = 8>
    ascend.collective reduce_scatter bytes(10240) over<2, step = 1>
    ascend.collective all_to_all bytes(10240) over<2>
  }
  return
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// Terms of zero are not written.
// CHECK-LABEL: func private @cost
// CHECK-SAME:    test.cost = #ascend.cost<time = 0.25, memory = 0.125>
func.func private @cost() attributes {
  test.cost = #ascend.cost<launch = 0.0, memory = 0.125, time = 0.25, cube = 0.0>}

// CHECK-LABEL: module @priced
// CHECK-SAME:    ascend.cost_model = "tensorcast-2026.08"
// CHECK-SAME:    ascend.device = #[[DEVICE]]
// CHECK-SAME:    ascend.kernel_set = "reference-2026.08"
// CHECK-SAME:    ascend.reserved_bytes = 1073741824 : i64
module @priced attributes {
  ascend.device = #ascend.device<{
    name = "tiny", cube_ops_per_s = {f16 = 1.0e12},
    vector_ops_per_s = {f16 = 1.0e10, f32 = 5.0e9}, compute_efficiency = 0.7,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 1.0e10,
    memory_efficiency = 0.6, launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0},
    interconnect = [{size = 8, topology = "clos", bandwidth_bytes_per_s = 5.0e10,
                     latency_s = 1.0e-5, efficiency = 0.7}]}>,
  ascend.cost_model = "tensorcast-2026.08",
  ascend.kernel_set = "reference-2026.08",
  ascend.reserved_bytes = 1073741824 : i64
} {}

// CHECK-LABEL: func @extra_starts
// CHECK:         ascend.launch "steps"() : () -> () { ascend.extra_starts count(15) }
func.func @extra_starts() {
  ascend.launch "steps"() : () -> () { ascend.extra_starts count(15) }
  return
}
