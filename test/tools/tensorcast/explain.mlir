// RUN: tc-opt %s --transformer-bind-workload="queries=2 query-length=50" --ascend-estimate -o %t.mlir
// RUN: tensorcast explain %t.mlir --op matmul | FileCheck %s --check-prefix=MATMUL --match-full-lines
// RUN: tensorcast explain %t.mlir --op some.mm | FileCheck %s --check-prefix=MATMUL --match-full-lines
// RUN: tensorcast explain %t.mlir --op=matmul | FileCheck %s --check-prefix=MATMUL --match-full-lines
// RUN: tensorcast explain %s --op matmul --num-queries 2 --query-length 50 | FileCheck %s --check-prefix=MATMUL --match-full-lines
// RUN: tensorcast explain --op matmul < %t.mlir | FileCheck %s --check-prefix=MATMUL --match-full-lines
// RUN: tensorcast explain %t.mlir --op matmul -o %t.txt | count 0
// RUN: FileCheck %s --check-prefix=MATMUL --match-full-lines --input-file %t.txt
// RUN: tensorcast explain %t.mlir --op fused 2>/dev/null | FileCheck %s --check-prefix=FUSED --match-full-lines
// RUN: tensorcast explain %t.mlir --op copy --device TEST_DEVICE | FileCheck %s --check-prefix=DEVICE

// RUN: %exits 1 tensorcast explain %t.mlir --op matmull 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %exits 1 tensorcast explain %s --op matmul 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: %exits 2 tensorcast explain %t.mlir 2>&1 | FileCheck %s --check-prefix=NO-OP
// RUN: %exits 2 tensorcast explain %t.mlir --op matmul --format json 2>&1 | FileCheck %s --check-prefix=OPTION

// Launches on operands of one kind are explained together; the one that never
// starts is not.
// MATMUL:      matmul (some.mm): 6 x 38.79 us, bound by memory
// MATMUL-NEXT:   inputs: f16[100,64]; f16[64,64]
// MATMUL-NEXT:   law: time = max(cube + vector, memory, communication) + launch (tensorcast-2026.08)
// MATMUL-NEXT:   cube: 819.2 ns = 819200 operations of f16 / (2 Top/s peak x 0.5 efficiency)
// MATMUL-NEXT:   memory: 33.79 us = (20992 bytes read + 12800 written) / (2 GB/s peak x 0.5 efficiency)
// MATMUL-NEXT:   launch: 5.000 us
// MATMUL-NEXT:   from: model.layers.*.q_proj, model.layers.*.k_proj
// MATMUL-EMPTY:
// MATMUL-NEXT: matmul (some.mm): 1 x 2.064 us, bound by memory
// MATMUL-NEXT:   inputs: f16[32]
// MATMUL-NEXT:   law: {{.*}}
// MATMUL-NEXT:   memory: 64.00 ns = (64 bytes read + 0 written) / (2 GB/s peak x 0.5 efficiency)
// MATMUL-NEXT:   launch: 2.000 us
// MATMUL-EMPTY:
// MATMUL-NEXT: device round numbers: Thought up.
// MATMUL-NOT: {{.+}}

// FUSED:      fused: 1 x 1.002 ms, bound by vector
// FUSED:        cube: 1000 operations of bf16, for which the device has no rate
// FUSED-NEXT:   vector: 1.000 ms = 1e+06 operations of f16 / (2 Gop/s peak x 0.5 efficiency)

// DEVICE: device TEST_DEVICE: Invented for tests

// UNKNOWN: tensorcast explain: error: unknown kernel 'matmull'; did you mean 'matmul'? known kernels: matmul, fused, copy
// UNBOUND: error: expected a workload, but the module is not bound to one; add --num-queries and --query-length
// NO-OP: tensorcast explain: error: expected '--op' with the name of a kernel, but got none
// OPTION: tensorcast explain: error: unknown option '--format'

#tokens = #transformer.dims<tokens>
module attributes {ascend.device = #ascend.device<{
    name = "round numbers", source = "Thought up.", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1073741824, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>} {

  func.func private @layer(%x: tensor<?x64xf16, #tokens>) {
    %w = transformer.weight "w" : tensor<64x64xf16>
    %q = ascend.launch "matmul"(%x, %w) from("model.layers.*.q_proj") as("some.mm")
        : (tensor<?x64xf16, #tokens>, tensor<64x64xf16>) -> tensor<?x64xf16, #tokens>
        { ascend.matmul m(tokens) n(64) k(64) : f16 }
    %k = ascend.launch "matmul"(%x, %w) times(2) from("model.layers.*.k_proj") as("some.mm")
        : (tensor<?x64xf16, #tokens>, tensor<64x64xf16>) -> tensor<?x64xf16, #tokens>
        { ascend.matmul m(tokens) n(64) k(64) : f16 }
    ascend.launch "matmul"(%x, %w, %x) times(decode) as("some.mm")
        : (tensor<?x64xf16, #tokens>, tensor<64x64xf16>, tensor<?x64xf16, #tokens>) -> ()
    return
  }

  func.func @main(%x: tensor<?x64xf16, #tokens>, %y: tensor<32xf16>) {
    transformer.layer @layer(%x) name("model.layers.0") : (tensor<?x64xf16, #tokens>) -> ()
    transformer.layer @layer(%x) name("model.layers.1") : (tensor<?x64xf16, #tokens>) -> ()
    ascend.launch "matmul"(%y) as("some.mm") : (tensor<32xf16>) -> ()
    ascend.launch "fused"() : () -> () {
      ascend.matmul m(10) n(10) k(5) : bf16
      ascend.elementwise elements(1000000) operations(1) : f16
    }
    ascend.launch "copy"(%y) : (tensor<32xf16>) -> ()
    return
  }
}
