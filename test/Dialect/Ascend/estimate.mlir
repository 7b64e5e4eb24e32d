// RUN: tc-opt %s --ascend-estimate | FileCheck %s
// RUN: tc-opt %s --ascend-estimate --ascend-estimate | FileCheck %s

// With efficiencies of a half: 1e12 cube operations of f16 and 2e12 of i8 per
// second, 1e9 vector operations of f16 and 5e8 of f32, 1e9 bytes. A start takes
// 5 us for a kernel that computes on the cube, else 2 us.

module attributes {ascend.device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>} {

// 1000 elements of 2 bytes are read and written: 4000 bytes take 4 us.
// CHECK-LABEL: func @memory
// CHECK:         cost <time = 6.0e-06, memory = 4.0e-06, launch = 2.0e-06>
func.func @memory(%x: tensor<1000xf16>) {
  %0 = ascend.launch "copy"(%x) : (tensor<1000xf16>) -> tensor<1000xf16>
  return
}

// Elements below a byte are packed: 1000 of 4 bits are 500 bytes.
// CHECK-LABEL: func @packed_elements
// CHECK:         cost <time = 3.0e-06, memory = 1.0e-06, launch = 2.0e-06>
func.func @packed_elements(%x: tensor<1000xi4>) {
  %0 = ascend.launch "copy"(%x) : (tensor<1000xi4>) -> tensor<1000xi4>
  return
}

// 2 * 1000^3 operations at 1e12 and at 2e12 per second.
// CHECK-LABEL: func @cube
// CHECK:         cost <time = 0.002005, cube = 0.002, launch = 5.0e-06>
// CHECK:         cost <time = 0.001005, cube = 0.001, launch = 5.0e-06>
func.func @cube() {
  ascend.launch "matmul"() : () -> () { ascend.matmul m(1000) n(1000) k(1000) : f16 }
  ascend.launch "matmul"() : () -> () { ascend.matmul m(1000) n(1000) k(1000) : i8 }
  return
}

// A start and 15 steps that cost as much, of the unit that the kernel works on.
// CHECK-LABEL: func @extra_starts
// CHECK:         cost <time = 8.4{{.*}}e-05, cube = 2.0e-09, memory = 4.0e-06, launch = 8.0e-05>
// CHECK:         cost <time = 3.6e-05, memory = 4.0e-06, launch = 3.2e-05>
func.func @extra_starts(%x: tensor<1000xf16>) {
  %0 = ascend.launch "steps"(%x) : (tensor<1000xf16>) -> tensor<1000xf16> {
    ascend.matmul m(10) n(10) k(10) : f16
    ascend.extra_starts count(15)
  }
  %1 = ascend.launch "steps"(%x) : (tensor<1000xf16>) -> tensor<1000xf16> { ascend.extra_starts count(15) }
  return
}

// 4 * 1000 operations at 1e9 and 4 * 500 at 5e8 per second.
// CHECK-LABEL: func @vector
// CHECK:         cost <time = 6.0e-06, vector = 4.0e-06, launch = 2.0e-06>
// CHECK:         cost <time = 6.0e-06, vector = 4.0e-06, launch = 2.0e-06>
func.func @vector() {
  ascend.launch "activation"() : () -> () { ascend.elementwise elements(1000) operations(4) : f16 }
  ascend.launch "activation"() : () -> () { ascend.elementwise elements(500) operations(4) : f32 }
  return
}

// Cube and vector follow each other, 2 ms + 1 ms; 2e6 bytes move meanwhile, in
// 2 ms.
// CHECK-LABEL: func @compute_beside_memory
// CHECK:         cost <time = 0.003005, cube = 0.002, vector = 0.001, memory = 0.002, launch = 5.0e-06>
func.func @compute_beside_memory(%x: tensor<1000000xf16>) {
  ascend.launch "fused"(%x) : (tensor<1000000xf16>) -> () {
    ascend.matmul m(1000) n(1000) k(1000) : f16
    ascend.elementwise elements(1000000) operations(1) : f16
  }
  return
}

// 4e6 bytes take longer than 3 ms of computing.
// CHECK-LABEL: func @memory_beside_compute
// CHECK:         cost <time = 0.004005, cube = 0.002, vector = 0.001, memory = 0.004, launch = 5.0e-06>
func.func @memory_beside_compute(%x: tensor<1000000xf16>) {
  %0 = ascend.launch "fused"(%x) : (tensor<1000000xf16>) -> tensor<1000000xf16> {
    ascend.matmul m(1000) n(1000) k(1000) : f16
    ascend.elementwise elements(1000000) operations(1) : f16
  }
  return
}

// Of what is resident, only the rows in use are read: 10 * 100 bytes and 80 of
// indices.
// CHECK-LABEL: func @gather
// CHECK:         cost <time = 3.08e-06, memory = 1.08e-06, launch = 2.0e-06>
func.func @gather(%table: tensor<1000000xf16>) {
  ascend.launch "gather"() using(%table) : (tensor<1000000xf16>) -> () {
    ascend.gather rows(10) row_bytes(100) index(80)
  }
  return
}

// The same is written.
// CHECK-LABEL: func @scatter
// CHECK:         cost <time = 3.08e-06, memory = 1.08e-06, launch = 2.0e-06>
func.func @scatter(%table: tensor<1000000xf16>) {
  ascend.launch "scatter"() using(%table) : (tensor<1000000xf16>) -> () {
    ascend.scatter rows(10) row_bytes(100) index(80)
  }
  return
}

// 1000 pairs in 2 heads: 2 * 1000 * 2 * (8 + 8) = 64000 cube operations take
// 64 ns, 4 * 1000 * 2 = 8000 vector operations 8 us. 100 tokens of
// (8 + 8) * 2 bytes and 800 bytes of metadata are 4000 bytes: 4 us.
// CHECK-LABEL: func @attention
// CHECK:         cost <time = 1.306{{4|3999.*}}e-05, cube = 6.4e-08, vector = 8.0e-06, memory = 4.0e-06, launch = 5.0e-06>
func.func @attention() {
  ascend.launch "attention"() : () -> () {
    ascend.attention pairs(1000) heads(2) key_size(8) value_size(8) softmax(4)
        rows(100) kv_heads(1) metadata(800) : f16, f16, f16
  }
  return
}

// Batch, cache and rope table are no data of their own.
// CHECK-LABEL: func @metadata
// CHECK:         cost <time = 3.0e-06, memory = 1.0e-06, launch = 2.0e-06>
func.func @metadata(%batch: !transformer.batch, %table: !transformer.rope_table<8xf16>, %x: tensor<500xf16>) {
  ascend.launch "k"(%batch, %table, %x)
      : (!transformer.batch, !transformer.rope_table<8xf16>, tensor<500xf16>) -> ()
  return
}

// A kernel with nothing to do is not started.
// CHECK-LABEL: func @nothing
// CHECK:         cost <time = 0.0>
// CHECK:         cost <time = 0.0>
func.func @nothing(%x: tensor<0xf16>) {
  ascend.launch "k"() : () -> ()
  ascend.launch "k"(%x) : (tensor<0xf16>) -> () { ascend.matmul m(0) n(8) k(8) : f16 }
  return
}

// The cost is that of one start.
// CHECK-LABEL: func @many_starts
// CHECK:         times(64) cost <time = 3.0e-06, memory = 1.0e-06, launch = 2.0e-06>
func.func @many_starts(%x: tensor<500xf16>) {
  ascend.launch "k"(%x) times(64) : (tensor<500xf16>) -> ()
  return
}

// Weights and caches are no launches.
// CHECK-LABEL: func @declarations
// CHECK:         transformer.weight
// CHECK:         transformer.kv_cache
func.func @declarations() {
  %0 = transformer.weight "w" : tensor<8xf16>
  %1 = transformer.kv_cache "c" : !transformer.kv_cache<2x2x8xf16, block_size = 128>
  return
}

}
