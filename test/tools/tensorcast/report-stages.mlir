// RUN: tensorcast report %s --format json | FileCheck %s
// RUN: tensorcast report %s | FileCheck %s --check-prefix=TABLE
// RUN: tensorcast report %s --format chrome-trace > %t.json
// RUN: FileCheck %s --check-prefix=TRACE --input-file %t.json
// RUN: %python %S/check_trace.py %t.json | FileCheck %s --check-prefix=VALID
// RUN: tc-opt %s --ascend-schedule | tensorcast report --format json | FileCheck %s --check-prefix=STREAMS
// RUN: sed 's/\/\/ BESIDE //' %s | not tensorcast report 2>&1 | FileCheck %s --check-prefix=BESIDE

// Two stages of two devices each. A layer takes 200 us, an exchange 50 us; the
// second stage has a kernel of 300 us more. Between them 4000 bytes are sent in 1
// us + 4 us.
//
//   stage 0: 2 layers, 2 * 250 us            send: 5 us
//   stage 1: 1 layer, 250 us + 300 us
//   together 1055 us in one stream
//
// Each layer has a weight of 2000 bytes, and a cache of one block of 128 tokens,
// of 2*2*8 elements of one byte. The first stage declares a weight of 8000 bytes,
// the second one of 1000 and, once more, the table of 100 that both need.
// Activations have 4000 bytes: what a stage is given is there all the time, and
// beside what a layer makes there is what it reads.
//
//   stage 0: 12100 bytes, stage 1: 3100 bytes of weights

// CHECK:      "num_devices": 4,
// CHECK:      "execution_time_s": 0.001055
// CHECK-NEXT: "kernel_time_s": 0.001055
// CHECK:      "memory": {
// CHECK-NEXT:   "device_bytes": 1073741824,
// CHECK-NEXT:   "weights_bytes": 12100,
// CHECK-NEXT:   "kv_cache_bytes": 8192,
// CHECK-NEXT:   "activation_bytes": 12000,
// CHECK-NEXT:   "reserved_bytes": 1000,
// CHECK-NEXT:   "available_bytes": 1073708532
// CHECK:      "breakdown": {
// CHECK:        "communication_s": 0.00015
// CHECK:      "layers": [
// CHECK:          "calls": 3,
// CHECK:      "stages": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "layers": 2,
// CHECK-NEXT:     "execution_time_s": 0.0005,
// CHECK-NEXT:     "transfer_s": {{5e-06|4.99999[0-9]+e-06}},
// CHECK-NEXT:     "memory": {
// CHECK-NEXT:       "device_bytes": 1073741824,
// CHECK-NEXT:       "weights_bytes": 12100,
// CHECK-NEXT:       "kv_cache_bytes": 8192,
// CHECK-NEXT:       "activation_bytes": 12000,
// CHECK-NEXT:       "reserved_bytes": 1000,
// CHECK-NEXT:       "available_bytes": 1073708532
// CHECK:          "layers": 1,
// CHECK-NEXT:     "execution_time_s": {{0.00055|0.000549999[0-9]+}},
// CHECK-NEXT:     "transfer_s": 0.0,
// CHECK:            "weights_bytes": 3100,
// CHECK-NEXT:       "kv_cache_bytes": 4096,
// CHECK:          "name": "send_receive",
// CHECK:          "bound": "communication"

// TABLE:      stage{{ +}}layers{{ +}}time{{ +}}transfer{{ +}}weights{{ +}}KV cache{{ +}}activations{{ +}}available
// TABLE-NEXT: 0{{ +}}2{{ +}}500.000 us{{ +}}5.000 us
// TABLE-NEXT: 1{{ +}}1{{ +}}550.000 us{{ +}}0.000 us
// TABLE:      memory of stage 0: weights

// Each stage is a process of its own.
// TRACE: {"name":"process_name","ph":"M","pid":0,"tid":0,"args":{"name":"two stages stage 0"}},
// TRACE: {"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"two stages stage 1"}},
// TRACE: {"ph":"X","pid":0,"tid":0,"ts":0.000,"dur":500.000,"cat":"stage","name":"first","args":{"function":"first"}},
// TRACE: {"ph":"X","pid":0,"tid":0,"ts":0.000,"dur":250.000,"cat":"layer","name":"model.layers.0","args":{"function":"layer"}},
// TRACE: {"ph":"X","pid":0,"tid":0,"ts":500.000,"dur":5.000,"cat":"kernel","name":"send_receive",
// TRACE: {"ph":"X","pid":1,"tid":0,"ts":505.000,"dur":550.000,"cat":"stage","name":"second","args":{"function":"second"}},
// VALID: 8 kernels, 3 layers, end 1055.000 us

// Streams overlap exchanges with kernels of their own stage, and with nothing of
// another one: 400 us, 5 us and 500 us.
// STREAMS: "execution_time_s": 0.000905
// STREAMS: "kernel_time_s": 0.001055

// BESIDE: error: {{.*}}expected to be in a stage, as @main runs stages

module attributes {
    transformer.model = #transformer.model<"two stages", dtype = f16>,
    transformer.plan = #transformer.plan<devices = 4, data_parallel = 1, pipeline_parallel = 2>,
    transformer.workload = #transformer.workload<queries = 1, query_length = 1, context_length = 40>,
    ascend.cost_model = "tensorcast-2026.08",
    ascend.reserved_bytes = 1000 : i64, ascend.device = #ascend.device<{
    name = "round numbers", cube_ops_per_s = {f16 = 2.0e12}, vector_ops_per_s = {f16 = 2.0e9},
    compute_efficiency = 0.5, memory_bytes = 1073741824, memory_bandwidth_bytes_per_s = 2.0e14,
    memory_efficiency = 0.5, launch_cost_s = {cube = 0.0, vector = 0.0, collective = 0.0}, interconnect = [
      {size = 4, topology = "clos", bandwidth_bytes_per_s = 2.0e9, latency_s = 1.0e-6, efficiency = 0.5}]}>} {

  func.func private @layer(%x: tensor<2000xf16>) -> tensor<2000xf16> {
    %w = transformer.weight "w" : tensor<1000xf16>
    %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x2x8xi8, block_size = 128>
    ascend.launch "mlp"() : () -> () { ascend.elementwise elements(200000) operations(1) : f16 }
    %0 = ascend.launch "all_reduce"(%x) : (tensor<2000xf16>) -> tensor<2000xf16> { ascend.collective all_gather bytes(49000) over<2> }
    return %0 : tensor<2000xf16>
  }

  func.func private @first(%x: tensor<2000xf16>) -> tensor<2000xf16> {
    %embedding = transformer.weight "embedding" : tensor<4000xf16>
    %table = transformer.weight "table" : tensor<50xf16>
    %0 = transformer.layer @layer(%x) name("model.layers.0") : (tensor<2000xf16>) -> tensor<2000xf16>
    %1 = transformer.layer @layer(%0) name("model.layers.1") : (tensor<2000xf16>) -> tensor<2000xf16>
    return %1 : tensor<2000xf16>
  }

  func.func private @second(%x: tensor<2000xf16>) -> tensor<2000xf16> {
    %norm = transformer.weight "norm" : tensor<500xf16>
    %table = transformer.weight "table" : tensor<50xf16>
    %0 = transformer.layer @layer(%x) name("model.layers.2") : (tensor<2000xf16>) -> tensor<2000xf16>
    ascend.launch "head"() : () -> () { ascend.elementwise elements(300000) operations(1) : f16 }
    return %0 : tensor<2000xf16>
  }

  func.func @main(%x: tensor<2000xf16>) -> tensor<2000xf16> {
    // BESIDE %w = transformer.weight "w" : tensor<4xf16>
    %0 = transformer.stage @first(%x) : (tensor<2000xf16>) -> tensor<2000xf16>
    %1 = ascend.launch "send_receive"(%0) : (tensor<2000xf16>) -> tensor<2000xf16> { ascend.send_receive bytes(4000) from(0) to(2) }
    %2 = transformer.stage @second(%1) : (tensor<2000xf16>) -> tensor<2000xf16>
    return %2 : tensor<2000xf16>
  }
}
