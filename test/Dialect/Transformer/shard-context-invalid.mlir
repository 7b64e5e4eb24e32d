// RUN: tc-opt %s --split-input-file --verify-diagnostics --transformer-shard="tp=8 dcp=2"

// Groups of two are four, each with a key head of its own at least.
func.func @too_few_heads() {
  // expected-error @below {{'transformer.kv_cache' op expected at least 'tp' / 'dcp' = 4 heads, of which 2 devices each share the tokens, but got 2}}
  %c = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x2x8xf16, block_size = 128>
  return
}

// -----

// Every device has all keys here.
func.func @keys_that_are_whole(%k: tensor<7x8x8xf16>, %batch: !transformer.batch) {
  %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x8x8xf16, block_size = 128>
  // expected-error @below {{'transformer.append_cache' op expected key heads that make up the 2 of the cache, but got 8}}
  %full = transformer.append_cache %k, %k to %cache of %batch
      : tensor<7x8x8xf16>, !transformer.kv_cache<2x8x8xf16, block_size = 128>, !transformer.batch
  return
}

// -----

// Every device has the same queries: there is nothing to gather.
func.func @queries_that_are_whole(%q: tensor<7x8x8xf16>, %batch: !transformer.batch) {
  %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x8x8xf16, block_size = 128>
  // expected-error @below {{'transformer.attention' op expected queries that 'tp' splits, so that 'dcp' devices share their tokens, but got all 8 heads on each of 8 devices}}
  %a = transformer.attention %q, %cache of %batch scale(0.5)
      : tensor<7x8x8xf16>, !transformer.kv_cache<2x8x8xf16, block_size = 128>, !transformer.batch
  return
}

// -----

// A few tokens of many are looked at, wherever they are.
func.func @sparse(%q: tensor<7x8x12xf16>, %i: tensor<7x4xi64>, %batch: !transformer.batch) {
  %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<20xf16, block_size = 128>
  %w = transformer.weight "kv_b.weight" : tensor<112x16xf16>
  // expected-error @below {{'transformer.latent_attention' op expected attention to all cached tokens, which 'dcp' devices can share, but got 'indices'}}
  %0 = transformer.latent_attention %q, %cache of %batch weight(%w) indices(%i : tensor<7x4xi64>) scale(0.5)
      : tensor<7x8x12xf16>, !transformer.kv_cache<20xf16, block_size = 128>, !transformer.batch, tensor<112x16xf16> -> tensor<7x8x6xf16>
  return
}
