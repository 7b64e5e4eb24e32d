// RUN: tc-opt %s --split-input-file --verify-diagnostics

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @window_of_no_token(%q: tensor<7x4x8xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.attention' op expected a 'window' of at least 1 token, but got 0}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5) window(0)
      : tensor<7x4x8xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @negative_window(%q: tensor<7x4x8xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{expected a 'window' of at least 1 token, but got -3}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5) window(-3)
      : tensor<7x4x8xf16>, !cache, !transformer.batch
  return
}

// -----

!latest = !transformer.kv_cache<2x2x8xf16, block_size = 128, window = 4>
func.func @tokens_that_are_forgotten(%q: tensor<7x4x8xf16>, %cache: !latest, %batch: !transformer.batch) {
  // expected-error @below {{expected a 'window' of at most the 4 tokens that the cache keeps, but got 5}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5) window(5)
      : tensor<7x4x8xf16>, !latest, !transformer.batch
  return
}

// -----

!latest = !transformer.kv_cache<2x2x8xf16, block_size = 128, window = 4>
func.func @all_tokens_of_a_window(%q: tensor<7x4x8xf16>, %cache: !latest, %batch: !transformer.batch) {
  // expected-error @below {{expected a 'window' of at most the 4 tokens that the cache keeps, but got none}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5)
      : tensor<7x4x8xf16>, !latest, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @sink_of_other_heads(%q: tensor<7x4x8xf16>, %cache: !cache, %batch: !transformer.batch,
                               %sink: tensor<2xf16>) {
  // expected-error @below {{expected a 'sink' of one number for each of the 4 heads, but got 'tensor<2xf16>'}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5) sink(%sink : tensor<2xf16>)
      : tensor<7x4x8xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xi8, block_size = 128>
func.func @sink_that_is_a_matrix(%q: tensor<7x4x8xi8>, %cache: !cache, %batch: !transformer.batch,
                                 %s: tensor<f32>, %sink: tensor<4x1xf16>) {
  // expected-error @below {{'transformer.quantized_attention' op expected a 'sink' of one number for each of the 4 heads, but got 'tensor<4x1xf16>'}}
  %0 = transformer.quantized_attention %q, %cache of %batch scale(0.5) scales(%s, %s, %s)
      sink(%sink : tensor<4x1xf16>)
      : tensor<7x4x8xi8>, !cache, !transformer.batch -> tensor<7x4x8xf16>
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @blocks_without_size(%q: tensor<7x4x8xf16>, %cache: !cache, %batch: !transformer.batch,
                               %i: tensor<7x2x3xi64>) {
  // expected-error @below {{expected 'blocks' and 'block_size' together, but got 'blocks' alone}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5) blocks(%i : tensor<7x2x3xi64>)
      : tensor<7x4x8xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @size_without_blocks(%q: tensor<7x4x8xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{expected 'blocks' and 'block_size' together, but got 'block_size' alone}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5) block_size(4)
      : tensor<7x4x8xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @blocks_of_no_token(%q: tensor<7x4x8xf16>, %cache: !cache, %batch: !transformer.batch,
                              %i: tensor<7x2x3xi64>) {
  // expected-error @below {{expected 'block_size' of at least 1, but got 0}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5) blocks(%i : tensor<7x2x3xi64>) block_size(0)
      : tensor<7x4x8xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @blocks_of_query_heads(%q: tensor<7x4x8xf16>, %cache: !cache, %batch: !transformer.batch,
                                 %i: tensor<7x4x3xi64>) {
  // expected-error @below {{expected dimension 1 of 'blocks' to be 2, but got 4}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5) blocks(%i : tensor<7x4x3xi64>) block_size(4)
      : tensor<7x4x8xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 6>
func.func @values_of_key_size(%k: tensor<7x2x8xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{expected 'value' to have heads of size 6, as the cache has, but got 8}}
  %0 = transformer.append_cache %k, %k to %cache of %batch
      : tensor<7x2x8xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 6>
func.func @values_of_other_tokens(%k: tensor<7x2x8xf16>, %v: tensor<5x2x6xf16>, %cache: !cache,
                                  %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 0 of 'value' to be 7, but got 5}}
  %0 = transformer.append_cache %k, %v to %cache of %batch
      : tensor<7x2x8xf16>, tensor<5x2x6xf16>, !cache, !transformer.batch
  return
}

// -----

// expected-error @below {{expected 'window' of at least 1, but got 0}}
func.func private @cache_of_no_token(!transformer.kv_cache<2x2x8xf16, block_size = 128, window = 0>)

// -----

// expected-error @below {{expected 'value_size' of at least 1, but got -2}}
func.func private @negative_values(!transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = -2>)

// -----

// expected-error @below {{expected no 'value_size' where heads share a row, but got 4}}
func.func private @values_of_a_row(!transformer.kv_cache<8xf16, block_size = 128, value_size = 4>)

// -----

// expected-error @below {{expected a 'window' from 1 to 2147483648 tokens, but got 4294967296}}
func.func private @endless_window(!transformer.kv_cache<8xf16, block_size = 128, window = 4294967296>)

// -----

!index = !transformer.kv_cache<8xf16, block_size = 128>
func.func @index_keys_of_heads(%k: tensor<7x2x8xf16>, %cache: !index, %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 1 of 'key' to be 1, but got 2}}
  %0 = transformer.append_index_cache %k to %cache of %batch
      : tensor<7x2x8xf16>, !index, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @indexer_of_heads(%q: tensor<7x2x8xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{expected a cache of one row per token, but got '!transformer.kv_cache<2x2x8xf16, block_size = 128>'}}
  %0 = transformer.block_indexer %q, %cache of %batch top_k(3) block_size(4) local(1) initial(0)
      : tensor<7x2x8xf16>, !cache, !transformer.batch
  return
}

// -----

!index = !transformer.kv_cache<8xf16, block_size = 128>
func.func @more_local_blocks_than_picked(%q: tensor<7x2x8xf16>, %cache: !index, %batch: !transformer.batch) {
  // expected-error @below {{expected 'top_k' of at least the 2 local and 1 initial blocks, but got 2}}
  %0 = transformer.block_indexer %q, %cache of %batch top_k(2) block_size(4) local(2) initial(1)
      : tensor<7x2x8xf16>, !index, !transformer.batch
  return
}

// -----

!index = !transformer.kv_cache<8xf16, block_size = 128>
func.func @values_of_a_row(%cache: !index, %batch: !transformer.batch) {
  // expected-error @below {{expected a cache of keys and values by heads, but got '!transformer.kv_cache<8xf16, block_size = 128>'}}
  %0 = transformer.read_cache %cache of %batch values : !index, !transformer.batch
  return
}

// -----

func.func @scores_of_other_heads(%q: tensor<7x4x8xf16>, %k: tensor<9x3x8xf16>) {
  // expected-error @below {{expected heads that are a multiple of those of keys and values, but got 4 and 3}}
  %0 = transformer.head_scores %q, %k : tensor<7x4x8xf16>, tensor<9x3x8xf16>
  return
}

// -----

func.func @scores_of_other_sizes(%q: tensor<7x4x8xf16>, %k: tensor<9x2x6xf16>) {
  // expected-error @below {{expected heads of one size, but got 8 and 6}}
  %0 = transformer.head_scores %q, %k : tensor<7x4x8xf16>, tensor<9x2x6xf16>
  return
}

// -----

func.func @mix_of_other_tokens(%p: tensor<7x4x8xf32>, %v: tensor<9x2x6xf16>) {
  // expected-error @below {{expected a weight for each value, but got 8 and 9}}
  %0 = transformer.head_mix %p, %v : tensor<7x4x8xf32>, tensor<9x2x6xf16>
  return
}

// -----

func.func @mask_of_other_tokens(%s: tensor<7x4x8xf32>, %batch: !transformer.batch<#transformer.workload<queries = 1, query_length = 7, context_length = 5>>) {
  // expected-error @below {{expected dimension 2 of 'scores' to be 12, but got 8}}
  %0 = transformer.mask_scores %s of %batch
      : tensor<7x4x8xf32>, !transformer.batch<#transformer.workload<queries = 1, query_length = 7, context_length = 5>>
  return
}

// -----

func.func @mask_of_no_window(%s: tensor<7x4x12xf32>, %batch: !transformer.batch<#transformer.workload<queries = 1, query_length = 7, context_length = 5>>) {
  // expected-error @below {{expected a 'window' of at least 1 token, but got 0}}
  %0 = transformer.mask_scores %s of %batch window(0)
      : tensor<7x4x12xf32>, !transformer.batch<#transformer.workload<queries = 1, query_length = 7, context_length = 5>>
  return
}

// -----

func.func @pool_of_a_matrix(%s: tensor<7x12xf32>, %batch: !transformer.batch) {
  // expected-error @below {{expected 'scores' of rank 3, but got 'tensor<7x12xf32>'}}
  %0 = transformer.pool_scores %s of %batch block_size(4) local(1) initial(0) columns(3)
      : tensor<7x12xf32>, !transformer.batch
  return
}
