// RUN: tc-opt %s --split-input-file --verify-diagnostics --transformer-shard="tp=4"

// expected-error @below {{expected a module that is not sharded or bound yet}}
module attributes {transformer.plan = #transformer.plan<devices = 2, data_parallel = 1>} {}

// -----

// expected-error @below {{expected a module that is not sharded or bound yet}}
module attributes {transformer.workload = #transformer.workload<queries = 1, query_length = 1>} {}

// -----

// 4 devices can neither share 6 heads evenly nor have copies of them.
func.func @heads(%x: tensor<7x32xf16>) {
  // expected-error @below {{'transformer.weight' op expected 4 devices to divide the 6 heads or be divided by them}}
  %w = transformer.weight "q.weight" sharding<column, tensor, unit = 8> : tensor<48x32xf16>
  return
}

// -----

func.func @heads_of_the_cache() {
  // expected-error @below {{'transformer.kv_cache' op expected 4 devices to divide the 3 heads or be divided by them}}
  %c = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x3x8xf16, block_size = 128>
  return
}

// -----

func.func @broken_units() {
  // expected-error @below {{'transformer.weight' op expected a multiple of 8 to split, but got 36}}
  %w = transformer.weight "q.weight" sharding<column, tensor, unit = 8> : tensor<36x32xf16>
  return
}

// -----

func.func @features_that_come_whole(%x: tensor<7x32xf16>) {
  %w = transformer.weight "o.weight" sharding<row, output> : tensor<16x32xf16>
  // expected-error @below {{'transformer.linear' op expected an input of 8 features on each device, but got 32}}
  %0 = transformer.linear %x, %w : tensor<7x32xf16>, tensor<16x32xf16> -> tensor<7x16xf16>
  return
}

// -----

func.func @features_that_come_split(%x: tensor<7x32xf16>) {
  %w = transformer.weight "up.weight" sharding<column, mlp> : tensor<16x32xf16>
  %0 = transformer.linear %x, %w : tensor<7x32xf16>, tensor<16x32xf16> -> tensor<7x16xf16>
  %v = transformer.weight "whole.weight" : tensor<8x16xf16>
  // expected-error @below {{'transformer.linear' op expected an input of 16 features on each device, but got 4}}
  %1 = transformer.linear %0, %v : tensor<7x16xf16>, tensor<8x16xf16> -> tensor<7x8xf16>
  return
}

// -----

func.func @reshape_across_heads(%x: tensor<7x32xf16>) {
  %w = transformer.weight "q.weight" sharding<column, tensor> : tensor<64x32xf16>
  %0 = transformer.linear %x, %w : tensor<7x32xf16>, tensor<64x32xf16> -> tensor<7x64xf16>
  // expected-error @below {{'transformer.reshape' op expected heads to be split or joined in a sharded model, but got 'tensor<7x16xf16>' to 'tensor<448xf16>'}}
  %1 = transformer.reshape %0 : tensor<7x64xf16> to tensor<448xf16>
  return
}

// -----

// Scales belong to what a device holds: quantize afterwards.
func.func @quantized_before() {
  // expected-error @below {{'transformer.weight' op expected rows to split, but got 'tensor<f32>'}}
  %s = transformer.weight "q.weight_scale" sharding<column, tensor> : tensor<f32>
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>

// 4 devices would have copies of 2 heads, and the sum over devices would have
// each twice.
func.func @more_devices_than_heads(%q: tensor<7x32xf16>, %batch: !transformer.batch) {
  %w = transformer.weight "q.weight" sharding<column, tensor, unit = 8> : tensor<16x32xf16>
  %0 = transformer.linear %q, %w : tensor<7x32xf16>, tensor<16x32xf16> -> tensor<7x16xf16>
  %1 = transformer.reshape %0 : tensor<7x16xf16> to tensor<7x2x8xf16>
  %c = transformer.kv_cache "self_attn" : !cache
  // expected-error @below {{'transformer.attention' op expected 'tp' to divide the 2 heads, but got 4}}
  %2 = transformer.attention %1, %c of %batch scale(0.5) : tensor<7x2x8xf16>, !cache, !transformer.batch
  return
}

// -----

// Kernels of one's own are made after sharding.
func.func @fused(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  // expected-error @below {{'transformer.fused' op expected ops that are not fused; shard a model before patterns are applied}}
  %y = transformer.fused "k"(%a = %x) : (tensor<7x8xf16>) -> tensor<7x8xf16> {
    %0 = transformer.silu %a : tensor<7x8xf16>
    transformer.yield %0 : tensor<7x8xf16>
  }
  return %y : tensor<7x8xf16>
}

// -----

// Quantization comes after sharding.
func.func @quantized(%x: tensor<7x32xi8>, %s: tensor<f32>) -> tensor<7x48xf16> {
  %w = transformer.weight "q.weight" sharding<column, tensor> : tensor<48x32xi8>
  %ws = transformer.weight "q.weight_scale" : tensor<f32>
  // expected-error @below {{'transformer.quantized_linear' op expected a layer of floats to split; shard a model before it is quantized}}
  %y = transformer.quantized_linear %x, %w weight_scale(%ws : tensor<f32>) input_scale(%s : tensor<f32>) : tensor<7x32xi8>, tensor<48x32xi8> -> tensor<7x48xf16>
  return %y : tensor<7x48xf16>
}
