// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @head_smaller_than_the_table(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<24x64xf16>,
    %n: tensor<24xf16>, %b: tensor<96x24xf16>, %d: tensor<20x64xf16>, %m: tensor<16xf16>) {
  // expected-error @below {{expected a 'head_size' of at least 4, the table's width, but got 2}}
  %0:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(2) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x64xf16>, tensor<24xf16>, tensor<96x24xf16>,
         tensor<20x64xf16>, tensor<16xf16>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return
}

// -----

func.func @rows_are_no_heads(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<24x64xf16>,
    %n: tensor<24xf16>, %b: tensor<90x24xf16>, %d: tensor<20x64xf16>, %m: tensor<16xf16>) {
  // expected-error @below {{expected 'query_up' to have rows for heads of 12, but got 90}}
  %0:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x64xf16>, tensor<24xf16>, tensor<90x24xf16>,
         tensor<20x64xf16>, tensor<16xf16>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return
}

// -----

func.func @no_rows_for_a_latent(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<24x64xf16>,
    %n: tensor<24xf16>, %b: tensor<96x24xf16>, %d: tensor<4x64xf16>, %m: tensor<16xf16>) {
  // expected-error @below {{expected 'latent_down' to have more than 4 rows, the table's width, but got 4}}
  %0:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x64xf16>, tensor<24xf16>, tensor<96x24xf16>,
         tensor<4x64xf16>, tensor<16xf16>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return
}

// -----

func.func @other_features(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<24x32xf16>,
    %n: tensor<24xf16>, %b: tensor<96x24xf16>, %d: tensor<20x64xf16>, %m: tensor<16xf16>) {
  // expected-error @below {{expected dimension 1 of 'query_down' to be 64, but got 32}}
  %0:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x32xf16>, tensor<24xf16>, tensor<96x24xf16>,
         tensor<20x64xf16>, tensor<16xf16>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return
}

// -----

func.func @other_rank(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<24x64xf16>,
    %n: tensor<24xf16>, %b: tensor<96x16xf16>, %d: tensor<20x64xf16>, %m: tensor<16xf16>) {
  // expected-error @below {{expected dimension 1 of 'query_up' to be 24, but got 16}}
  %0:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x64xf16>, tensor<24xf16>, tensor<96x16xf16>,
         tensor<20x64xf16>, tensor<16xf16>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return
}

// -----

func.func @other_norm(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<24x64xf16>,
    %n: tensor<24xf16>, %b: tensor<96x24xf16>, %d: tensor<20x64xf16>, %m: tensor<20xf16>) {
  // expected-error @below {{expected dimension 0 of 'latent_norm' to be 16, but got 20}}
  %0:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x64xf16>, tensor<24xf16>, tensor<96x24xf16>,
         tensor<20x64xf16>, tensor<20xf16>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return
}

// -----

func.func @other_heads(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<24x64xf16>,
    %n: tensor<24xf16>, %b: tensor<96x24xf16>, %d: tensor<20x64xf16>, %m: tensor<16xf16>) {
  // expected-error @below {{expected dimension 1 of 'query' to be 8, but got 4}}
  %0:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x64xf16>, tensor<24xf16>, tensor<96x24xf16>,
         tensor<20x64xf16>, tensor<16xf16>)
      -> (tensor<7x4x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return
}

// -----

func.func @other_key(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<24x64xf16>,
    %n: tensor<24xf16>, %b: tensor<96x24xf16>, %d: tensor<20x64xf16>, %m: tensor<16xf16>) {
  // expected-error @below {{expected dimension 1 of 'rope_key' to be 4, but got 2}}
  %0:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x64xf16>, tensor<24xf16>, tensor<96x24xf16>,
         tensor<20x64xf16>, tensor<16xf16>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x2xf16>, tensor<7x24xf16>)
  return
}

// -----

func.func @weight_of_another_type(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<24x64xf16>,
    %n: tensor<24xf16>, %b: tensor<96x24xf32>, %d: tensor<20x64xf16>, %m: tensor<16xf16>) {
  // expected-error @below {{expected 'query_up' of 'f16', but got 'f32'}}
  %0:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x64xf16>, tensor<24xf16>, tensor<96x24xf32>,
         tensor<20x64xf16>, tensor<16xf16>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return
}

// -----

func.func @no_eps(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<24x64xf16>,
    %n: tensor<24xf16>, %b: tensor<96x24xf16>, %d: tensor<20x64xf16>, %m: tensor<16xf16>) {
  // expected-error @below {{expected a finite 'eps' above 0, but got 0}}
  %0:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(0.0)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x64xf16>, tensor<24xf16>, tensor<96x24xf16>,
         tensor<20x64xf16>, tensor<16xf16>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return
}

// -----

func.func @scales_of_activations_that_are_not_quantized(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<24x64xi8>,
    %n: tensor<24xf16>, %b: tensor<96x24xi8>, %d: tensor<20x64xi8>, %m: tensor<16xf16>, %s: tensor<f32>) {
  // expected-error @below {{expected no 'input_scales' where only weights are quantized, but got some}}
  %0:4 = transformer.quantized_latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) scales(%s, %s, %s)
      input_scales(%s, %s) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x64xi8>, tensor<24xf16>, tensor<96x24xi8>,
         tensor<20x64xi8>, tensor<16xf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return
}

// -----

func.func @groups_without_their_scales(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<24x64xi8>,
    %n: tensor<24xf16>, %b: tensor<96x24xi8>, %d: tensor<20x64xi8>, %m: tensor<16xf16>, %s: tensor<f32>) {
  // expected-error @below {{expected the scale of 'query_down' to be 'tensor<24x2xf8E8M0FNU>', but got 'tensor<f32>'}}
  %0:4 = transformer.quantized_latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) scales(%s, %s, %s)
      activation(i8) group_size(32) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x64xi8>, tensor<24xf16>, tensor<96x24xi8>,
         tensor<20x64xi8>, tensor<16xf16>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return
}

// -----

func.func @cache_with_heads(%c: tensor<7x16xf16>, %k: tensor<7x4xf16>,
    %cache: !transformer.kv_cache<2x1x10xf16, block_size = 128>, %batch: !transformer.batch) {
  // expected-error @below {{expected a cache of one row per token, but got '!transformer.kv_cache<2x1x10xf16, block_size = 128>'}}
  %0 = transformer.append_latent_cache %c, %k to %cache of %batch
      : tensor<7x16xf16>, tensor<7x4xf16>, !transformer.kv_cache<2x1x10xf16, block_size = 128>, !transformer.batch
  return
}

// -----

func.func @rows_of_another_size(%c: tensor<7x16xf16>, %k: tensor<7x4xf16>,
    %cache: !transformer.kv_cache<24xf16, block_size = 128>, %batch: !transformer.batch) {
  // expected-error @below {{expected a cache of rows of 20, but got '!transformer.kv_cache<24xf16, block_size = 128>'}}
  %0 = transformer.append_latent_cache %c, %k to %cache of %batch
      : tensor<7x16xf16>, tensor<7x4xf16>, !transformer.kv_cache<24xf16, block_size = 128>, !transformer.batch
  return
}

// -----

func.func @other_tokens(%c: tensor<7x16xf16>, %k: tensor<8x4xf16>,
    %cache: !transformer.kv_cache<20xf16, block_size = 128>, %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 0 of 'rope_key' to be 7, but got 8}}
  %0 = transformer.append_latent_cache %c, %k to %cache of %batch
      : tensor<7x16xf16>, tensor<8x4xf16>, !transformer.kv_cache<20xf16, block_size = 128>, !transformer.batch
  return
}

// -----

func.func @cache_of_another_type(%c: tensor<7x16xf16>, %k: tensor<7x4xf16>,
    %cache: !transformer.kv_cache<20xi8, block_size = 128>, %batch: !transformer.batch) {
  // expected-error @below {{expected 'rope_key' of 'i8', but got 'f16'}}
  %0 = transformer.append_latent_cache %c, %k to %cache of %batch
      : tensor<7x16xf16>, tensor<7x4xf16>, !transformer.kv_cache<20xi8, block_size = 128>, !transformer.batch
  return
}

// -----

func.func @attention_over_heads(%q: tensor<7x8x12xf16>, %cache: !transformer.kv_cache<2x1x10xf16, block_size = 128>,
    %w: tensor<112x16xf16>, %i: tensor<7x3xi64>, %batch: !transformer.batch) {
  // expected-error @below {{expected a cache of one row per token, but got '!transformer.kv_cache<2x1x10xf16, block_size = 128>'}}
  %0 = transformer.latent_attention %q, %cache of %batch weight(%w) scale(0.5)
      : tensor<7x8x12xf16>, !transformer.kv_cache<2x1x10xf16, block_size = 128>, !transformer.batch, tensor<112x16xf16> -> tensor<7x8x6xf16>
  return
}

// -----

func.func @latent_without_a_key(%q: tensor<7x8x12xf16>, %cache: !transformer.kv_cache<16xf16, block_size = 128>,
    %w: tensor<112x16xf16>, %i: tensor<7x3xi64>, %batch: !transformer.batch) {
  // expected-error @below {{expected cached rows of a latent of 'weight' and a rotated key of at most 12 features, but got '!transformer.kv_cache<16xf16, block_size = 128>' and 'tensor<112x16xf16>'}}
  %0 = transformer.latent_attention %q, %cache of %batch weight(%w) scale(0.5)
      : tensor<7x8x12xf16>, !transformer.kv_cache<16xf16, block_size = 128>, !transformer.batch, tensor<112x16xf16> -> tensor<7x8x6xf16>
  return
}

// -----

func.func @weight_for_other_heads(%q: tensor<7x8x12xf16>, %cache: !transformer.kv_cache<20xf16, block_size = 128>,
    %w: tensor<96x16xf16>, %i: tensor<7x3xi64>, %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 0 of 'weight' to be 112, but got 96}}
  %0 = transformer.latent_attention %q, %cache of %batch weight(%w) scale(0.5)
      : tensor<7x8x12xf16>, !transformer.kv_cache<20xf16, block_size = 128>, !transformer.batch, tensor<96x16xf16> -> tensor<7x8x6xf16>
  return
}

// -----

func.func @result_of_other_heads(%q: tensor<7x8x12xf16>, %cache: !transformer.kv_cache<20xf16, block_size = 128>,
    %w: tensor<112x16xf16>, %i: tensor<7x3xi64>, %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 1 of 'result' to be 8, but got 4}}
  %0 = transformer.latent_attention %q, %cache of %batch weight(%w) scale(0.5)
      : tensor<7x8x12xf16>, !transformer.kv_cache<20xf16, block_size = 128>, !transformer.batch, tensor<112x16xf16> -> tensor<7x4x6xf16>
  return
}

// -----

func.func @wide_query(%q: tensor<7x8x12xf32>, %cache: !transformer.kv_cache<20xf16, block_size = 128>,
    %w: tensor<112x16xf16>, %i: tensor<7x3xi64>, %batch: !transformer.batch) {
  // expected-error @below {{expected 'query' of 'f16', but got 'f32'}}
  %0 = transformer.latent_attention %q, %cache of %batch weight(%w) scale(0.5)
      : tensor<7x8x12xf32>, !transformer.kv_cache<20xf16, block_size = 128>, !transformer.batch, tensor<112x16xf16> -> tensor<7x8x6xf16>
  return
}

// -----

func.func @no_scale(%q: tensor<7x8x12xf16>, %cache: !transformer.kv_cache<20xf16, block_size = 128>,
    %w: tensor<112x16xf16>, %i: tensor<7x3xi64>, %batch: !transformer.batch) {
  // expected-error @below {{expected a finite 'scale' above 0, but got -1}}
  %0 = transformer.latent_attention %q, %cache of %batch weight(%w) scale(-1.0)
      : tensor<7x8x12xf16>, !transformer.kv_cache<20xf16, block_size = 128>, !transformer.batch, tensor<112x16xf16> -> tensor<7x8x6xf16>
  return
}

// -----

func.func @indices_of_other_tokens(%q: tensor<7x8x12xf16>, %cache: !transformer.kv_cache<20xf16, block_size = 128>,
    %w: tensor<112x16xf16>, %i: tensor<6x3xi64>, %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 0 of 'indices' to be 7, but got 6}}
  %0 = transformer.latent_attention %q, %cache of %batch weight(%w) indices(%i : tensor<6x3xi64>) scale(0.5)
      : tensor<7x8x12xf16>, !transformer.kv_cache<20xf16, block_size = 128>, !transformer.batch, tensor<112x16xf16> -> tensor<7x8x6xf16>
  return
}

// -----

func.func @indexer_with_heads_in_the_cache(%x: tensor<7x64xf16>, %l: tensor<7x24xf16>, %rope: !transformer.rope_table<4xf16>,
    %cache: !transformer.kv_cache<2x1x4xf16, block_size = 128>, %batch: !transformer.batch, %wq: tensor<16x24xf16>,
    %wk: tensor<8x64xf16>, %ww: tensor<2x64xf16>, %n: tensor<8xf16>) {
  // expected-error @below {{expected a cache of one row per token, but got '!transformer.kv_cache<2x1x4xf16, block_size = 128>'}}
  %0, %1 = transformer.lightning_indexer %x, %l, %rope to %cache of %batch query(%wq) key(%wk)
      head_weights(%ww) norm(%n, %n) top_k(3) eps(1.0e-6)
      : (tensor<7x64xf16>, tensor<7x24xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<2x1x4xf16, block_size = 128>,
         !transformer.batch, tensor<16x24xf16>, tensor<8x64xf16>, tensor<2x64xf16>, tensor<8xf16>, tensor<8xf16>)
      -> (tensor<7x?xi64, #transformer.dims<min(3, max(kv))>>, !transformer.kv_cache<2x1x4xf16, block_size = 128>)
  return
}

// -----

func.func @rows_that_are_no_keys(%x: tensor<7x64xf16>, %l: tensor<7x24xf16>, %rope: !transformer.rope_table<4xf16>,
    %cache: !transformer.kv_cache<16xf16, block_size = 128>, %batch: !transformer.batch, %wq: tensor<16x24xf16>,
    %wk: tensor<8x64xf16>, %ww: tensor<2x64xf16>, %n: tensor<8xf16>) {
  // expected-error @below {{expected a cache of rows of 8, but got '!transformer.kv_cache<16xf16, block_size = 128>'}}
  %0, %1 = transformer.lightning_indexer %x, %l, %rope to %cache of %batch query(%wq) key(%wk)
      head_weights(%ww) norm(%n, %n) top_k(3) eps(1.0e-6)
      : (tensor<7x64xf16>, tensor<7x24xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<16xf16, block_size = 128>,
         !transformer.batch, tensor<16x24xf16>, tensor<8x64xf16>, tensor<2x64xf16>, tensor<8xf16>, tensor<8xf16>)
      -> (tensor<7x?xi64, #transformer.dims<min(3, max(kv))>>, !transformer.kv_cache<16xf16, block_size = 128>)
  return
}

// -----

func.func @keys_smaller_than_the_table(%x: tensor<7x64xf16>, %l: tensor<7x24xf16>, %rope: !transformer.rope_table<10xf16>,
    %cache: !transformer.kv_cache<8xf16, block_size = 128>, %batch: !transformer.batch, %wq: tensor<16x24xf16>,
    %wk: tensor<8x64xf16>, %ww: tensor<2x64xf16>, %n: tensor<8xf16>) {
  // expected-error @below {{expected keys of at least 10 features, the table's width, but got 8}}
  %0, %1 = transformer.lightning_indexer %x, %l, %rope to %cache of %batch query(%wq) key(%wk)
      head_weights(%ww) norm(%n, %n) top_k(3) eps(1.0e-6)
      : (tensor<7x64xf16>, tensor<7x24xf16>, !transformer.rope_table<10xf16>, !transformer.kv_cache<8xf16, block_size = 128>,
         !transformer.batch, tensor<16x24xf16>, tensor<8x64xf16>, tensor<2x64xf16>, tensor<8xf16>, tensor<8xf16>)
      -> (tensor<7x?xi64, #transformer.dims<min(3, max(kv))>>, !transformer.kv_cache<8xf16, block_size = 128>)
  return
}

// -----

func.func @queries_of_other_heads(%x: tensor<7x64xf16>, %l: tensor<7x24xf16>, %rope: !transformer.rope_table<4xf16>,
    %cache: !transformer.kv_cache<8xf16, block_size = 128>, %batch: !transformer.batch, %wq: tensor<24x24xf16>,
    %wk: tensor<8x64xf16>, %ww: tensor<2x64xf16>, %n: tensor<8xf16>) {
  // expected-error @below {{expected dimension 0 of 'query' to be 16, but got 24}}
  %0, %1 = transformer.lightning_indexer %x, %l, %rope to %cache of %batch query(%wq) key(%wk)
      head_weights(%ww) norm(%n, %n) top_k(3) eps(1.0e-6)
      : (tensor<7x64xf16>, tensor<7x24xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>,
         !transformer.batch, tensor<24x24xf16>, tensor<8x64xf16>, tensor<2x64xf16>, tensor<8xf16>, tensor<8xf16>)
      -> (tensor<7x?xi64, #transformer.dims<min(3, max(kv))>>, !transformer.kv_cache<8xf16, block_size = 128>)
  return
}

// -----

func.func @quantized_without_scales(%x: tensor<7x64xf16>, %l: tensor<7x24xf16>, %rope: !transformer.rope_table<4xf16>,
    %cache: !transformer.kv_cache<8xf16, block_size = 128>, %batch: !transformer.batch, %wq: tensor<16x24xi8>,
    %wk: tensor<8x64xf16>, %ww: tensor<2x64xf16>, %n: tensor<8xf16>) {
  // expected-error @below {{expected 'query' of 'f16', but got 'i8'}}
  %0, %1 = transformer.lightning_indexer %x, %l, %rope to %cache of %batch query(%wq) key(%wk)
      head_weights(%ww) norm(%n, %n) top_k(3) eps(1.0e-6)
      : (tensor<7x64xf16>, tensor<7x24xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>,
         !transformer.batch, tensor<16x24xi8>, tensor<8x64xf16>, tensor<2x64xf16>, tensor<8xf16>, tensor<8xf16>)
      -> (tensor<7x?xi64, #transformer.dims<min(3, max(kv))>>, !transformer.kv_cache<8xf16, block_size = 128>)
  return
}

// -----

func.func @picks_of_another_number(%x: tensor<7x64xf16>, %l: tensor<7x24xf16>, %rope: !transformer.rope_table<4xf16>,
    %cache: !transformer.kv_cache<8xf16, block_size = 128>, %batch: !transformer.batch, %wq: tensor<16x24xf16>,
    %wk: tensor<8x64xf16>, %ww: tensor<2x64xf16>, %n: tensor<8xf16>) {
  // expected-error @below {{expected dimension 1 of 'indices' to be min(3, max(kv)), but got 3}}
  %0, %1 = transformer.lightning_indexer %x, %l, %rope to %cache of %batch query(%wq) key(%wk)
      head_weights(%ww) norm(%n, %n) top_k(3) eps(1.0e-6)
      : (tensor<7x64xf16>, tensor<7x24xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>,
         !transformer.batch, tensor<16x24xf16>, tensor<8x64xf16>, tensor<2x64xf16>, tensor<8xf16>, tensor<8xf16>)
      -> (tensor<7x3xi64>, !transformer.kv_cache<8xf16, block_size = 128>)
  return
}

// -----

func.func @loaded_in_another_shape(%w: tensor<8x8xi8>, %s: tensor<f32>) {
  // expected-error @below {{expected a result of 'tensor<8x8xf16>', the weight's sizes, but got 'tensor<8x4xf16>'}}
  %0 = transformer.load_weight %w scale(%s : tensor<f32>) : tensor<8x8xi8> to tensor<8x4xf16>
  return
}

// -----

func.func @narrow_without_a_scale(%w: tensor<8x8xi8>, %s: tensor<f32>) {
  // expected-error @below {{expected a 'result_scale' for a result of 'f8E4M3FN', but got none}}
  %0 = transformer.load_weight %w scale(%s : tensor<f32>) : tensor<8x8xi8> to tensor<8x8xf8E4M3FN>
  return
}

// -----

func.func @wide_with_a_scale(%w: tensor<8x8xi8>, %s: tensor<f32>) {
  // expected-error @below {{expected no 'result_scale' for a result of 'f16', but got one}}
  %0 = transformer.load_weight %w scale(%s : tensor<f32>) result_scale(%s) : tensor<8x8xi8> to tensor<8x8xf16>
  return
}

// -----

// expected-error @below {{expected sizes from 1 to 2147483648, but got 0}}
func.func private @empty_rows(!transformer.kv_cache<0xf16, block_size = 128>)

// -----

func.func @attention_by_heads_over_rows(%q: tensor<7x8x12xf16>, %cache: !transformer.kv_cache<12xf16, block_size = 128>,
    %batch: !transformer.batch) {
  // expected-error @below {{expected a cache of keys and values by heads, but got '!transformer.kv_cache<12xf16, block_size = 128>'}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5)
      : tensor<7x8x12xf16>, !transformer.kv_cache<12xf16, block_size = 128>, !transformer.batch
  return
}

// -----

func.func @keys_and_values_in_rows(%k: tensor<7x1x12xf16>, %cache: !transformer.kv_cache<12xf16, block_size = 128>,
    %batch: !transformer.batch) {
  // expected-error @below {{expected a cache of keys and values by heads, but got '!transformer.kv_cache<12xf16, block_size = 128>'}}
  %0 = transformer.append_cache %k, %k to %cache of %batch
      : tensor<7x1x12xf16>, !transformer.kv_cache<12xf16, block_size = 128>, !transformer.batch
  return
}

// -----

func.func @sizes_beyond_any_number(%q: tensor<7x4611686018427387904x12xf16>, %cache: !transformer.kv_cache<20xf16, block_size = 128>,
    %w: tensor<112x16xf16>, %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 0 of 'weight' to be 9223372036854775807, but got 112}}
  %0 = transformer.latent_attention %q, %cache of %batch weight(%w) scale(0.5)
      : tensor<7x4611686018427387904x12xf16>, !transformer.kv_cache<20xf16, block_size = 128>, !transformer.batch,
        tensor<112x16xf16> -> tensor<7x4611686018427387904x6xf16>
  return
}
