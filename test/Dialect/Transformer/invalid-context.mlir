// RUN: tc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected 'share' from 1 to 2147483648, but got 0}}
func.func private @no_share(!transformer.kv_cache<8xf16, block_size = 128, share = 0>)

// -----

// expected-error @below {{expected 'first' from 0 to 3, below 'share', but got 4}}
func.func private @beyond_the_share(!transformer.kv_cache<8xf16, block_size = 128, share = 4, first = 4>)

// -----

// expected-error @below {{expected 'first' from 0 to 3, below 'share', but got -1}}
func.func private @negative_first(!transformer.kv_cache<8xf16, block_size = 128, share = 4, first = -1>)

// -----

!shared = !transformer.kv_cache<2x1x8xf16, block_size = 128, share = 4>
func.func @attention_to_a_part(%q: tensor<7x4x8xf16>, %cache: !shared, %batch: !transformer.batch) {
  // expected-error @below {{expected a cache of all tokens, but got '!transformer.kv_cache<2x1x8xf16, block_size = 128, share = 4>'}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5) : tensor<7x4x8xf16>, !shared, !transformer.batch
  return
}

// -----

!rows = !transformer.kv_cache<20xf16, block_size = 128, share = 2>
func.func @latent_attention_to_a_part(%q: tensor<7x4x12xf16>, %w: tensor<56x16xf16>, %cache: !rows, %batch: !transformer.batch) {
  // expected-error @below {{expected a cache of all tokens, but got '!transformer.kv_cache<20xf16, block_size = 128, share = 2>'}}
  %0 = transformer.latent_attention %q, %cache of %batch weight(%w) scale(0.5)
      : tensor<7x4x12xf16>, !rows, !transformer.batch, tensor<56x16xf16> -> tensor<7x4x6xf16>
  return
}

// -----

!rows = !transformer.kv_cache<8xf16, block_size = 128, share = 2>
func.func @a_row_for_all_heads(%q: tensor<7x4x8xf16>, %cache: !rows, %batch: !transformer.batch) {
  // expected-error @below {{expected a cache of keys and values by heads, but got '!transformer.kv_cache<8xf16, block_size = 128, share = 2>'}}
  %0 = transformer.partial_attention %q, %cache of %batch scale(0.5) : tensor<7x4x8xf16>, !rows, !transformer.batch -> tensor<7x4x9xf32>
  return
}

// -----

!shared = !transformer.kv_cache<2x1x8xf16, block_size = 128, share = 4>
func.func @heads_of_another_size(%q: tensor<7x4x6xf16>, %cache: !shared, %batch: !transformer.batch) {
  // expected-error @below {{expected 'query' to have heads of size 8, as the cache has, but got 6}}
  %0 = transformer.partial_attention %q, %cache of %batch scale(0.5) : tensor<7x4x6xf16>, !shared, !transformer.batch -> tensor<7x4x7xf32>
  return
}

// -----

!shared = !transformer.kv_cache<2x3x8xf16, block_size = 128, share = 4>
func.func @heads_that_do_not_divide(%q: tensor<7x4x8xf16>, %cache: !shared, %batch: !transformer.batch) {
  // expected-error @below {{expected the query heads to be a multiple of the cache's 3 heads, but got 4}}
  %0 = transformer.partial_attention %q, %cache of %batch scale(0.5) : tensor<7x4x8xf16>, !shared, !transformer.batch -> tensor<7x4x9xf32>
  return
}

// -----

!shared = !transformer.kv_cache<2x1x8xf16, block_size = 128, share = 4>
func.func @no_room_for_the_logarithm(%q: tensor<7x4x8xf16>, %cache: !shared, %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 2 of 'result' to be 9, but got 8}}
  %0 = transformer.partial_attention %q, %cache of %batch scale(0.5) : tensor<7x4x8xf16>, !shared, !transformer.batch -> tensor<7x4x8xf32>
  return
}

// -----

!shared = !transformer.kv_cache<2x1x8xf16, block_size = 128, share = 4>
func.func @no_scale(%q: tensor<7x4x8xf16>, %cache: !shared, %batch: !transformer.batch) {
  // expected-error @below {{expected a finite 'scale' above 0, but got 0}}
  %0 = transformer.partial_attention %q, %cache of %batch scale(0.0) : tensor<7x4x8xf16>, !shared, !transformer.batch -> tensor<7x4x9xf32>
  return
}

// -----

!shared = !transformer.kv_cache<2x1x8xi8, block_size = 128, share = 4>
func.func @bytes_without_scales(%q: tensor<7x4x8xi8>, %cache: !shared, %batch: !transformer.batch) {
  // expected-error @below {{expected 'scales' of queries of 'i8', but got none}}
  %0 = transformer.partial_attention %q, %cache of %batch scale(0.5) : tensor<7x4x8xi8>, !shared, !transformer.batch -> tensor<7x4x9xf32>
  return
}

// -----

!shared = !transformer.kv_cache<2x1x8xf16, block_size = 128, share = 4>
func.func @scales_of_floats(%q: tensor<7x4x8xf16>, %cache: !shared, %batch: !transformer.batch, %s: tensor<f32>) {
  // expected-error @below {{expected no 'scales' of queries of 'f16', but got some}}
  %0 = transformer.partial_attention %q, %cache of %batch scale(0.5) scales(%s, %s, %s) : tensor<7x4x8xf16>, !shared, !transformer.batch -> tensor<7x4x9xf32>
  return
}

// -----

!shared = !transformer.kv_cache<2x1x8xf16, block_size = 128, share = 4>
func.func @unknown_heads(%q: tensor<7x?x8xf16>, %cache: !shared, %batch: !transformer.batch) {
  // expected-error @below {{expected heads of known number and size, but got 'query' of 'tensor<7x?x8xf16>'}}
  %0 = transformer.partial_attention %q, %cache of %batch scale(0.5) : tensor<7x?x8xf16>, !shared, !transformer.batch -> tensor<7x4x9xf32>
  return
}

// -----

!rows = !transformer.kv_cache<20xf16, block_size = 128, share = 2>
func.func @rank_beyond_the_row(%q: tensor<7x4x20xf16>, %cache: !rows, %batch: !transformer.batch) {
  // expected-error @below {{expected a 'rank' of at most 20, the size of a row, but got 21}}
  %0 = transformer.partial_latent_attention %q, %cache of %batch rank(21) scale(0.5)
      : tensor<7x4x20xf16>, !rows, !transformer.batch -> tensor<7x4x22xf32>
  return
}

// -----

!shared = !transformer.kv_cache<2x1x8xf16, block_size = 128, share = 4>
func.func @latents_by_heads(%q: tensor<7x4x8xf16>, %cache: !shared, %batch: !transformer.batch) {
  // expected-error @below {{expected a cache of one row per token, but got '!transformer.kv_cache<2x1x8xf16, block_size = 128, share = 4>'}}
  %0 = transformer.partial_latent_attention %q, %cache of %batch rank(8) scale(0.5)
      : tensor<7x4x8xf16>, !shared, !transformer.batch -> tensor<7x4x9xf32>
  return
}

// -----

!rows = !transformer.kv_cache<20xf16, block_size = 128, share = 2>
func.func @queries_that_are_not_absorbed(%q: tensor<7x4x12xf16>, %cache: !rows, %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 2 of 'query' to be 20, but got 12}}
  %0 = transformer.partial_latent_attention %q, %cache of %batch rank(16) scale(0.5)
      : tensor<7x4x12xf16>, !rows, !transformer.batch -> tensor<7x4x17xf32>
  return
}

// -----

func.func @heads_for_no_rank(%p: tensor<7x6x9xf32>) {
  // expected-error @below {{expected heads for each of 4 ranks, but got 6}}
  %0 = transformer.exchange_heads %p over <4> : tensor<7x6x9xf32> to tensor<4x7x1x9xf32>
  return
}

// -----

func.func @parts_of_other_ranks(%p: tensor<7x8x9xf32>) {
  // expected-error @below {{expected dimension 0 of 'result' to be 4, but got 2}}
  %0 = transformer.exchange_heads %p over <4> : tensor<7x8x9xf32> to tensor<2x7x2x9xf32>
  return
}

// -----

func.func @parts_of_no_feature(%p: tensor<4x7x2x1xf32>) {
  // expected-error @below {{expected features and the logarithm of a weight, but got 1}}
  %0 = transformer.merge_attention %p : tensor<4x7x2x1xf32> to tensor<7x2x1xf16>
  return
}

// -----

func.func @merged_logarithm(%p: tensor<4x7x2x9xf32>) {
  // expected-error @below {{expected dimension 2 of 'result' to be 8, but got 9}}
  %0 = transformer.merge_attention %p : tensor<4x7x2x9xf32> to tensor<7x2x9xf16>
  return
}

// -----

func.func @weight_without_values(%q: tensor<7x4x12xf16>, %w: tensor<32x16xf16>) {
  // expected-error @below {{expected 'weight' with more than 8 rows per head, for keys and values, but got 8}}
  %0 = transformer.absorb_query %q weight(%w) : tensor<7x4x12xf16>, tensor<32x16xf16> -> tensor<7x4x20xf16>
  return
}

// -----

func.func @nothing_to_multiply(%q: tensor<7x4x12xf16>, %w: tensor<56x16xf16>) {
  // expected-error @below {{expected a result of latents of 'weight' and at most 11 rotated features, but got 'tensor<7x4x28xf16>'}}
  %0 = transformer.absorb_query %q weight(%w) : tensor<7x4x12xf16>, tensor<56x16xf16> -> tensor<7x4x28xf16>
  return
}

// -----

func.func @weight_of_other_heads(%q: tensor<7x4x12xf16>, %w: tensor<54x16xf16>) {
  // expected-error @below {{expected 'weight' with rows for 4 heads, but got 'tensor<54x16xf16>'}}
  %0 = transformer.absorb_query %q weight(%w) : tensor<7x4x12xf16>, tensor<54x16xf16> -> tensor<7x4x20xf16>
  return
}

// -----

func.func @values_without_keys(%x: tensor<7x4x16xf16>, %w: tensor<24x16xf16>) {
  // expected-error @below {{expected values of fewer than 6 features, the rows of 'weight' per head, but got 6}}
  %0 = transformer.expand_values %x weight(%w) : tensor<7x4x16xf16>, tensor<24x16xf16> -> tensor<7x4x6xf16>
  return
}

// -----

func.func @latents_of_another_rank(%x: tensor<7x4x12xf16>, %w: tensor<56x16xf16>) {
  // expected-error @below {{expected dimension 2 of 'input' to be 16, but got 12}}
  %0 = transformer.expand_values %x weight(%w) : tensor<7x4x12xf16>, tensor<56x16xf16> -> tensor<7x4x6xf16>
  return
}

// -----

func.func @indexer_of_a_part(%x: tensor<7x64xf16>, %ql: tensor<7x24xf16>, %rope: !transformer.rope_table<4xf16>,
    %cache: !transformer.kv_cache<8xf16, block_size = 128, share = 2>, %batch: !transformer.batch, %q: tensor<16x24xf16>,
    %k: tensor<8x64xf16>, %w: tensor<2x64xf16>, %n: tensor<8xf16>) {
  // expected-error @below {{expected a cache of all tokens, but got '!transformer.kv_cache<8xf16, block_size = 128, share = 2>'}}
  %i, %f = transformer.lightning_indexer %x, %ql, %rope to %cache of %batch query(%q) key(%k) head_weights(%w)
      norm(%n, %n) top_k(2) eps(1.0e-6)
      : (tensor<7x64xf16>, tensor<7x24xf16>, !transformer.rope_table<4xf16>,
         !transformer.kv_cache<8xf16, block_size = 128, share = 2>, !transformer.batch, tensor<16x24xf16>,
         tensor<8x64xf16>, tensor<2x64xf16>, tensor<8xf16>, tensor<8xf16>)
      -> (tensor<7x?xi64, #transformer.dims<min(2, max(kv))>>, !transformer.kv_cache<8xf16, block_size = 128, share = 2>)
  return
}
