// RUN: tensorcast report %s --num-queries 2 --query-length 50 | FileCheck %s --check-prefix=TABLE --match-full-lines
// RUN: tensorcast report %s --num-queries 2 --query-length 50 --format json | FileCheck %s --check-prefix=JSON
// RUN: tensorcast report %s --num-queries 2 --query-length 50 --format csv | FileCheck %s --check-prefix=CSV --match-full-lines
// RUN: tensorcast report %s --num-queries 2 --query-length 50 --format table --dump-input-shapes \
// RUN:   | FileCheck %s --check-prefix=SHAPES
// RUN: tensorcast report %s --num-queries 2 --query-length 50 --format csv --dump-input-shapes \
// RUN:   | FileCheck %s --check-prefix=SHAPES-CSV --match-full-lines
// RUN: tensorcast report %s --num-queries 2 --query-length 50 --format json --dump-input-shapes \
// RUN:   | FileCheck %s --check-prefix=SHAPES-JSON

// A module bound and priced before, from standard input, gives the same.
// RUN: tc-opt %s --transformer-bind-workload="queries=2 query-length=50" --ascend-estimate -o %t.mlir
// RUN: tensorcast report %t.mlir | FileCheck %s --check-prefix=TABLE --match-full-lines
// RUN: tensorcast report < %t.mlir | FileCheck %s --check-prefix=TABLE --match-full-lines
// RUN: tensorcast report - < %t.mlir | FileCheck %s --check-prefix=TABLE --match-full-lines
// RUN: tensorcast report %t.mlir -o %t.txt | count 0
// RUN: FileCheck %s --check-prefix=TABLE --match-full-lines --input-file %t.txt

// With efficiencies of a half: 1e12 cube operations, 1e9 vector operations of
// f16 and 1e9 bytes per second. 2 requests of 50 tokens:
//
// matmul     reads 100*64*2 + 64*64*2 = 20992 bytes, writes 12800: 33.792 us
//            and 5 us for the start; 2*100*64*64 operations take 0.8192 us
// softmax    10000*100 operations: 1 ms, and 2 us
// embedding  reads 100*8 + 100*128 = 13600 bytes, writes 12800: 26.4 us, and 2 us
//
// in all 2 * (38.792 + 1002) + 28.4 = 2109.984 us, 100 tokens in this time are
// 47394 per second. Launches that memory bounds take 2 * 33.792 + 26.4 = 93.984 us
// of it, and vector units 2 ms; starts count under nothing.
//
// Weights: 256*64*2 for the table, 64*64*2 for each layer. Cache: 2 * (50 + 1)
// slots need one block of 128 * 2*2*8*2 bytes in each layer. Activations: the
// ids, and two hidden states while a layer runs.

// TABLE: tiny model on round numbers: 2 queries of 50 tokens after 0 in the cache, prefill
// TABLE-NEXT: kernel set none, cost model tensorcast-2026.08
// TABLE-EMPTY:
// TABLE-NEXT: kernel     reference name  calls     total     average   share  bound
// TABLE-NEXT: softmax                        2  2.004 ms    1.002 ms  95.0 %  vector
// TABLE-NEXT: matmul     some.mm             2  77.584 us  38.792 us   3.7 %  memory
// TABLE-NEXT: embedding  some.embedding      1  28.400 us  28.400 us   1.3 %  memory
// TABLE-NEXT: total                          5   2.110 ms
// TABLE-EMPTY:
// TABLE-NEXT: execution time: 0.002110 s (4.739e+04 tokens/s per device)
// TABLE-NEXT: bound by: cube 0.0 %, vector 95.5 %, memory 4.5 %, communication 0.0 %
// TABLE-NEXT: layers: 2 x layer, 2.082 ms
// TABLE-NEXT: launches: 5, write-backs: 3
// TABLE-NEXT: memory: weights 0.000 GB, KV cache 0.000 GB, activations 0.000 GB, reserved 0.000 GB, available 1.000 GB of 1.000 GB

// JSON:      {
// JSON-NEXT:   "schema": "tensorcast-report-1",
// JSON-NEXT:   "model": "tiny model",
// JSON-NEXT:   "device": "round numbers",
// JSON-NEXT:   "num_devices": 1,
// JSON-NEXT:   "cost_model": "tensorcast-2026.08",
// JSON-NEXT:   "kernel_set": "none",
// JSON-NEXT:   "workload": {
// JSON-NEXT:     "queries": 2,
// JSON-NEXT:     "query_length": 50,
// JSON-NEXT:     "context_length": 0,
// JSON-NEXT:     "decode": false,
// JSON-NEXT:     "prefix_cache_hit_rate": 0.0
// JSON-NEXT:   },
// JSON-NEXT:   "execution_time_s": 0.002109984,
// JSON-NEXT:   "kernel_time_s": 0.002109984,
// JSON-NEXT:   "tokens_per_second_per_device": 47393.72{{[0-9]+}},
// JSON-NEXT:   "launches": 5,
// JSON-NEXT:   "write_backs": 3,
// JSON-NEXT:   "memory": {
// JSON-NEXT:     "device_bytes": 1073741824,
// JSON-NEXT:     "weights_bytes": 49152,
// JSON-NEXT:     "kv_cache_bytes": 16384,
// JSON-NEXT:     "activation_bytes": 26400,
// JSON-NEXT:     "reserved_bytes": 0,
// JSON-NEXT:     "available_bytes": 1073649888
// JSON-NEXT:   },
// JSON-NEXT:   "breakdown": {
// JSON-NEXT:     "cube_s": 0.0,
// JSON-NEXT:     "vector_s": 0.002,
// JSON-NEXT:     "memory_s": 9.3984{{[0-9]*}}e-05,
// JSON-NEXT:     "communication_s": 0.0
// JSON-NEXT:   },
// JSON-NEXT:   "work": {
// JSON-NEXT:     "cube_ops": 1638400,
// JSON-NEXT:     "vector_ops": 2000000,
// JSON-NEXT:     "bytes_read": 55584,
// JSON-NEXT:     "bytes_written": 38400,
// JSON-NEXT:     "wire_bytes": 0
// JSON-NEXT:   },
// JSON-NEXT:   "layers": [
// JSON-NEXT:     {
// JSON-NEXT:       "kind": "layer",
// JSON-NEXT:       "calls": 2,
// JSON-NEXT:       "total_s": 0.00208158{{[0-9]*}}
// JSON-NEXT:     }
// JSON-NEXT:   ],
// JSON-NEXT:   "ops": [
// JSON-NEXT:     {
// JSON-NEXT:       "name": "softmax",
// JSON-NEXT:       "reference_name": "",
// JSON-NEXT:       "calls": 2,
// JSON-NEXT:       "total_s": 0.002004,
// JSON-NEXT:       "average_s": 0.001002,
// JSON-NEXT:       "bound": "vector",
// JSON-NEXT:       "provenance": []
// JSON-NEXT:     },
// JSON-NEXT:     {
// JSON-NEXT:       "name": "matmul",
// JSON-NEXT:       "reference_name": "some.mm",
// JSON-NEXT:       "calls": 2,
// JSON-NEXT:       "total_s": 7.7584{{[0-9]*}}e-05,
// JSON-NEXT:       "average_s": 3.8792{{[0-9]*}}e-05,
// JSON-NEXT:       "bound": "memory",
// JSON-NEXT:       "provenance": [
// JSON-NEXT:         "model.layers.*.proj"
// JSON-NEXT:       ]
// JSON-NEXT:     },
// JSON-NEXT:     {
// JSON-NEXT:       "name": "embedding",
// JSON:            "provenance": [
// JSON-NEXT:         "model.embed_tokens"
// JSON-NEXT:       ]
// JSON-NEXT:     }
// JSON-NEXT:   ]
// JSON-NEXT: }

// CSV:      name,reference_name,calls,total_s,average_s,bound,input_shapes
// CSV-NEXT: softmax,,2,0.002004,0.001002,vector,
// CSV-NEXT: matmul,some.mm,2,7.7584{{[0-9]*}}e-05,3.8792{{[0-9]*}}e-05,memory,
// CSV-NEXT: embedding,some.embedding,1,2.84{{[0-9]*}}e-05,2.84{{[0-9]*}}e-05,memory,

// SHAPES:      kernel {{.*}}bound {{ *}}inputs
// SHAPES-NEXT: softmax {{.*}}vector
// SHAPES-NEXT: matmul {{.*}}memory {{ *}}f16[100,64]; f16[64,64]
// SHAPES-NEXT: embedding {{.*}}memory {{ *}}i64[100]; f16[256,64]

// SHAPES-CSV:      name,{{.*}},input_shapes
// SHAPES-CSV-NEXT: softmax,{{.*}},vector,
// SHAPES-CSV-NEXT: matmul,{{.*}},memory,"f16[100,64]; f16[64,64]"
// SHAPES-CSV-NEXT: embedding,{{.*}},memory,"i64[100]; f16[256,64]"

// SHAPES-JSON:      "name": "matmul",
// SHAPES-JSON:      "bound": "memory",
// SHAPES-JSON-NEXT: "input_shapes": "f16[100,64]; f16[64,64]",
// SHAPES-JSON-NEXT: "provenance"

#tokens = #transformer.dims<tokens>
module attributes {
    transformer.model = #transformer.model<"tiny model", dtype = f16>,
    ascend.kernel_set = "none",
    ascend.device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12, i8 = 4.0e12},
    vector_ops_per_s = {f16 = 2.0e9, f32 = 1.0e9}, compute_efficiency = 0.5,
    memory_bytes = 1073741824, memory_bandwidth_bytes_per_s = 2.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0}, interconnect = []}>} {

  func.func private @layer(%x: tensor<?x64xf16, #tokens>) -> tensor<?x64xf16, #tokens> {
    %w = transformer.weight "w" : tensor<64x64xf16>
    %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x2x8xf16, block_size = 128>
    %y = ascend.launch "matmul"(%x, %w) from("model.layers.*.proj") as("some.mm")
        : (tensor<?x64xf16, #tokens>, tensor<64x64xf16>) -> tensor<?x64xf16, #tokens>
        { ascend.matmul m(tokens) n(64) k(64) : f16 }
    ascend.launch "softmax"() : () -> () { ascend.elementwise elements(10000 * tokens) operations(1) : f16 }
    return %y : tensor<?x64xf16, #tokens>
  }

  func.func @main(%ids: tensor<?xi64, #tokens>) -> tensor<?x64xf16, #tokens> {
    %table = transformer.weight "table" : tensor<256x64xf16>
    %0 = ascend.launch "embedding"(%ids) using(%table) from("model.embed_tokens") as("some.embedding")
        : (tensor<?xi64, #tokens>, tensor<256x64xf16>) -> tensor<?x64xf16, #tokens>
        { ascend.gather rows(tokens) row_bytes(128) index(0) }
    %1 = transformer.layer @layer(%0) name("model.layers.0") : (tensor<?x64xf16, #tokens>) -> tensor<?x64xf16, #tokens>
    %2 = transformer.layer @layer(%1) name("model.layers.1") : (tensor<?x64xf16, #tokens>) -> tensor<?x64xf16, #tokens>
    return %2 : tensor<?x64xf16, #tokens>
  }
}
