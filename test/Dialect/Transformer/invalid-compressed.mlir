// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @no_rows(%q: tensor<f16>) {
  // expected-error @below {{expected an input of rank at least 1, but got 'tensor<f16>'}}
  %0 = transformer.normalize %q eps(1.0e-6) : tensor<f16>
  return
}

// -----

func.func @eps_of_zero(%q: tensor<7x8xf16>) {
  // expected-error @below {{expected a finite 'eps' above 0, but got 0}}
  %0 = transformer.normalize %q eps(0.0) : tensor<7x8xf16>
  return
}

// -----

func.func @more_than_a_head(%q: tensor<7x2x2xf16>, %r: !transformer.rope_table<4xf16>) {
  // expected-error @below {{expected an even number of 'features', at most 2, but got 4}}
  %0 = transformer.rotate_part %q, %r features(4) : tensor<7x2x2xf16>, !transformer.rope_table<4xf16>
  return
}

// -----

func.func @odd_features(%q: tensor<7x2x8xf16>, %r: !transformer.rope_table<4xf16>) {
  // expected-error @below {{expected an even number of 'features', at most 8, but got 3}}
  %0 = transformer.rotate_part %q, %r features(3) : tensor<7x2x8xf16>, !transformer.rope_table<4xf16>
  return
}

// -----

func.func @other_table(%q: tensor<7x2x8xf16>, %r: !transformer.rope_table<4xf16>) {
  // expected-error @below {{expected a table of width 2, as 'features' are, but got '!transformer.rope_table<4xf16>'}}
  %0 = transformer.rotate_part %q, %r features(2) : tensor<7x2x8xf16>, !transformer.rope_table<4xf16>
  return
}

// -----

func.func @unknown_head(%q: tensor<7x2x?xf16>, %r: !transformer.rope_table<4xf16>) {
  // expected-error @below {{expected dimension 2 of 'input' of known size, but got 'tensor<7x2x?xf16>'}}
  %0 = transformer.rotate_part %q, %r features(4) : tensor<7x2x?xf16>, !transformer.rope_table<4xf16>
  return
}

// -----

func.func @more_than_a_row(%q: tensor<7x8xf16>) {
  // expected-error @below {{expected at most the 8 'features' of a row, but got 9}}
  %0 = transformer.round_features %q features(9) : tensor<7x8xf16>
  return
}

// -----

func.func @tied_to_other_tokens(%x: tensor<7x8xf16>, %q: tensor<6x2x8xf16>) {
  // expected-error @below {{expected 'other' to have rows for the tokens of 'input', but got 'tensor<6x2x8xf16>' for 'tensor<7x8xf16>'}}
  %0 = transformer.tie %x to %q : tensor<7x8xf16>, tensor<6x2x8xf16>
  return
}

// -----

func.func @rows_of_a_window(%x: tensor<7x8xf16>, %c: !transformer.kv_cache<9xf16, block_size = 128>, %b: !transformer.batch) {
  // expected-error @below {{expected 'cache' with rows of 8, but got '!transformer.kv_cache<9xf16, block_size = 128>'}}
  %0 = transformer.append_window %x to %c of %b window(4) : tensor<7x8xf16>, !transformer.kv_cache<9xf16, block_size = 128>, !transformer.batch
  return
}

// -----

func.func @type_of_a_window(%x: tensor<7x8xf32>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %b: !transformer.batch) {
  // expected-error @below {{expected 'rows' of 'f16', but got 'f32'}}
  %0 = transformer.append_window %x to %c of %b window(4) : tensor<7x8xf32>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch
  return
}

// -----

func.func @no_window(%x: tensor<7x8xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %b: !transformer.batch) {
  // expected-error @below {{attribute 'window' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0 = transformer.append_window %x to %c of %b window(0) : tensor<7x8xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch
  return
}

// -----

func.func @no_ratio() {
  // expected-error @below {{attribute 'ratio' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 2}}
  %0 = transformer.kv_cache "a" ratio(1) : !transformer.kv_cache<8xf16, block_size = 128>
  return
}

// -----

func.func @value_projection(%x: tensor<7x64xf16>, %r: !transformer.rope_table<4xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %s: !transformer.kv_cache<32xf32, block_size = 128>, %b: !transformer.batch, %v: tensor<8x64xf32>, %g: tensor<16x64xf32>, %p: tensor<4x16xf32>, %n: tensor<8xf16>) {
  // expected-error @below {{expected dimension 0 of 'value projection' to be 16, but got 8}}
  %0, %1 = transformer.compress %x, %r to %c, %s of %b value(%v) gate(%g) positions(%p) norm(%n) ratio(4) overlap features(4) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>, !transformer.batch, tensor<8x64xf32>, tensor<16x64xf32>, tensor<4x16xf32>, tensor<8xf16>) -> (!transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>)
  return
}

// -----

func.func @gate_projection(%x: tensor<7x64xf16>, %r: !transformer.rope_table<4xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %s: !transformer.kv_cache<32xf32, block_size = 128>, %b: !transformer.batch, %v: tensor<16x64xf32>, %g: tensor<16x32xf32>, %p: tensor<4x16xf32>, %n: tensor<8xf16>) {
  // expected-error @below {{expected dimension 1 of 'gate projection' to be 64, but got 32}}
  %0, %1 = transformer.compress %x, %r to %c, %s of %b value(%v) gate(%g) positions(%p) norm(%n) ratio(4) overlap features(4) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>, !transformer.batch, tensor<16x64xf32>, tensor<16x32xf32>, tensor<4x16xf32>, tensor<8xf16>) -> (!transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>)
  return
}

// -----

func.func @narrow_projection(%x: tensor<7x64xf16>, %r: !transformer.rope_table<4xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %s: !transformer.kv_cache<32xf32, block_size = 128>, %b: !transformer.batch, %v: tensor<16x64xf16>, %g: tensor<16x64xf32>, %p: tensor<4x16xf32>, %n: tensor<8xf16>) {
  // expected-error @below {{expected 'value projection' of 'f32', but got 'f16'}}
  %0, %1 = transformer.compress %x, %r to %c, %s of %b value(%v) gate(%g) positions(%p) norm(%n) ratio(4) overlap features(4) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>, !transformer.batch, tensor<16x64xf16>, tensor<16x64xf32>, tensor<4x16xf32>, tensor<8xf16>) -> (!transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>)
  return
}

// -----

func.func @positions(%x: tensor<7x64xf16>, %r: !transformer.rope_table<4xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %s: !transformer.kv_cache<32xf32, block_size = 128>, %b: !transformer.batch, %v: tensor<16x64xf32>, %g: tensor<16x64xf32>, %p: tensor<2x16xf32>, %n: tensor<8xf16>) {
  // expected-error @below {{expected dimension 0 of 'positions' to be 4, but got 2}}
  %0, %1 = transformer.compress %x, %r to %c, %s of %b value(%v) gate(%g) positions(%p) norm(%n) ratio(4) overlap features(4) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>, !transformer.batch, tensor<16x64xf32>, tensor<16x64xf32>, tensor<2x16xf32>, tensor<8xf16>) -> (!transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>)
  return
}

// -----

func.func @without_overlap(%x: tensor<7x64xf16>, %r: !transformer.rope_table<4xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %s: !transformer.kv_cache<32xf32, block_size = 128>, %b: !transformer.batch, %v: tensor<16x64xf32>, %g: tensor<16x64xf32>, %p: tensor<4x16xf32>, %n: tensor<8xf16>) {
  // expected-error @below {{expected dimension 0 of 'value projection' to be 8, but got 16}}
  %0, %1 = transformer.compress %x, %r to %c, %s of %b value(%v) gate(%g) positions(%p) norm(%n) ratio(4) features(4) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>, !transformer.batch, tensor<16x64xf32>, tensor<16x64xf32>, tensor<4x16xf32>, tensor<8xf16>) -> (!transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>)
  return
}

// -----

func.func @ratio_of_one(%x: tensor<7x64xf16>, %r: !transformer.rope_table<4xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %s: !transformer.kv_cache<32xf32, block_size = 128>, %b: !transformer.batch, %v: tensor<16x64xf32>, %g: tensor<16x64xf32>, %p: tensor<4x16xf32>, %n: tensor<8xf16>) {
  // expected-error @below {{attribute 'ratio' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 2}}
  %0, %1 = transformer.compress %x, %r to %c, %s of %b value(%v) gate(%g) positions(%p) norm(%n) ratio(1) overlap features(4) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>, !transformer.batch, tensor<16x64xf32>, tensor<16x64xf32>, tensor<4x16xf32>, tensor<8xf16>) -> (!transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>)
  return
}

// -----

func.func @rows_of_the_cache(%x: tensor<7x64xf16>, %r: !transformer.rope_table<4xf16>, %c: !transformer.kv_cache<9xf16, block_size = 128>, %s: !transformer.kv_cache<32xf32, block_size = 128>, %b: !transformer.batch, %v: tensor<16x64xf32>, %g: tensor<16x64xf32>, %p: tensor<4x16xf32>, %n: tensor<8xf16>) {
  // expected-error @below {{expected 'cache' with rows of 8, but got '!transformer.kv_cache<9xf16, block_size = 128>'}}
  %0, %1 = transformer.compress %x, %r to %c, %s of %b value(%v) gate(%g) positions(%p) norm(%n) ratio(4) overlap features(4) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<9xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>, !transformer.batch, tensor<16x64xf32>, tensor<16x64xf32>, tensor<4x16xf32>, tensor<8xf16>) -> (!transformer.kv_cache<9xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>)
  return
}

// -----

func.func @rows_of_the_state(%x: tensor<7x64xf16>, %r: !transformer.rope_table<4xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %s: !transformer.kv_cache<16xf32, block_size = 128>, %b: !transformer.batch, %v: tensor<16x64xf32>, %g: tensor<16x64xf32>, %p: tensor<4x16xf32>, %n: tensor<8xf16>) {
  // expected-error @below {{expected 'state' with rows of 32, but got '!transformer.kv_cache<16xf32, block_size = 128>'}}
  %0, %1 = transformer.compress %x, %r to %c, %s of %b value(%v) gate(%g) positions(%p) norm(%n) ratio(4) overlap features(4) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<16xf32, block_size = 128>, !transformer.batch, tensor<16x64xf32>, tensor<16x64xf32>, tensor<4x16xf32>, tensor<8xf16>) -> (!transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<16xf32, block_size = 128>)
  return
}

// -----

func.func @narrow_state(%x: tensor<7x64xf16>, %r: !transformer.rope_table<4xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %s: !transformer.kv_cache<32xf16, block_size = 128>, %b: !transformer.batch, %v: tensor<16x64xf32>, %g: tensor<16x64xf32>, %p: tensor<4x16xf32>, %n: tensor<8xf16>) {
  // expected-error @below {{expected 'state' of 'f32', but got 'f16'}}
  %0, %1 = transformer.compress %x, %r to %c, %s of %b value(%v) gate(%g) positions(%p) norm(%n) ratio(4) overlap features(4) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf16, block_size = 128>, !transformer.batch, tensor<16x64xf32>, tensor<16x64xf32>, tensor<4x16xf32>, tensor<8xf16>) -> (!transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf16, block_size = 128>)
  return
}

// -----

func.func @rotated_too_far(%x: tensor<7x64xf16>, %r: !transformer.rope_table<10xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %s: !transformer.kv_cache<32xf32, block_size = 128>, %b: !transformer.batch, %v: tensor<16x64xf32>, %g: tensor<16x64xf32>, %p: tensor<4x16xf32>, %n: tensor<8xf16>) {
  // expected-error @below {{expected an even number of 'features', at most 8, but got 10}}
  %0, %1 = transformer.compress %x, %r to %c, %s of %b value(%v) gate(%g) positions(%p) norm(%n) ratio(4) overlap features(10) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<10xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>, !transformer.batch, tensor<16x64xf32>, tensor<16x64xf32>, tensor<4x16xf32>, tensor<8xf16>) -> (!transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>)
  return
}

// -----

func.func @table_of_rows(%x: tensor<7x64xf16>, %r: !transformer.rope_table<8xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %s: !transformer.kv_cache<32xf32, block_size = 128>, %b: !transformer.batch, %v: tensor<16x64xf32>, %g: tensor<16x64xf32>, %p: tensor<4x16xf32>, %n: tensor<8xf16>) {
  // expected-error @below {{expected a table of width 4, as 'features' are, but got '!transformer.rope_table<8xf16>'}}
  %0, %1 = transformer.compress %x, %r to %c, %s of %b value(%v) gate(%g) positions(%p) norm(%n) ratio(4) overlap features(4) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<8xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>, !transformer.batch, tensor<16x64xf32>, tensor<16x64xf32>, tensor<4x16xf32>, tensor<8xf16>) -> (!transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>)
  return
}

// -----

func.func @eps_of_rows(%x: tensor<7x64xf16>, %r: !transformer.rope_table<4xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %s: !transformer.kv_cache<32xf32, block_size = 128>, %b: !transformer.batch, %v: tensor<16x64xf32>, %g: tensor<16x64xf32>, %p: tensor<4x16xf32>, %n: tensor<8xf16>) {
  // expected-error @below {{expected a finite 'eps' above 0, but got -1}}
  %0, %1 = transformer.compress %x, %r to %c, %s of %b value(%v) gate(%g) positions(%p) norm(%n) ratio(4) overlap features(4) eps(-1.0)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>, !transformer.batch, tensor<16x64xf32>, tensor<16x64xf32>, tensor<4x16xf32>, tensor<8xf16>) -> (!transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<32xf32, block_size = 128>)
  return
}

// -----

func.func @share_of_heads(%q: tensor<7x4x8xf16>, %w: tensor<7x2xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %b: !transformer.batch<#transformer.workload<queries = 1, query_length = 7, context_length = 6>>) {
  // expected-error @below {{expected dimension 1 of 'share' to be 4, but got 2}}
  %0 = transformer.pick_compressed %q, %w, %c of %b ratio(4) top_k(3) : tensor<7x4x8xf16>, tensor<7x2xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch<#transformer.workload<queries = 1, query_length = 7, context_length = 6>> -> tensor<7x3xi64>
  return
}

// -----

func.func @picked_from_few(%q: tensor<7x4x8xf16>, %w: tensor<7x4xf16>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %b: !transformer.batch<#transformer.workload<queries = 1, query_length = 7, context_length = 6>>) {
  // expected-error @below {{expected dimension 1 of 'indices' to be 3, but got 4}}
  %0 = transformer.pick_compressed %q, %w, %c of %b ratio(4) top_k(9) : tensor<7x4x8xf16>, tensor<7x4xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch<#transformer.workload<queries = 1, query_length = 7, context_length = 6>> -> tensor<7x4xi64>
  return
}

// -----

func.func @keys(%q: tensor<7x4x8xf16>, %w: tensor<7x4xf16>, %c: !transformer.kv_cache<9xf16, block_size = 128>, %b: !transformer.batch<#transformer.workload<queries = 1, query_length = 7, context_length = 6>>) {
  // expected-error @below {{expected 'cache' with rows of 8, but got '!transformer.kv_cache<9xf16, block_size = 128>'}}
  %0 = transformer.pick_compressed %q, %w, %c of %b ratio(4) top_k(3) : tensor<7x4x8xf16>, tensor<7x4xf16>, !transformer.kv_cache<9xf16, block_size = 128>, !transformer.batch<#transformer.workload<queries = 1, query_length = 7, context_length = 6>> -> tensor<7x3xi64>
  return
}

// -----

func.func @rows_of_other_size(%q: tensor<7x4x8xf16>, %k: tensor<7x9xf16>, %w: !transformer.kv_cache<8xf16, block_size = 128>, %b: !transformer.batch, %s: tensor<4xf32>) {
  // expected-error @below {{expected dimension 1 of 'rows' to be 8, but got 9}}
  %0 = transformer.window_attention %q, %k, %w of %b sink(%s) window(4) scale(0.5)
      : (tensor<7x4x8xf16>, tensor<7x9xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch, tensor<4xf32>) -> tensor<7x4x8xf16>
  return
}

// -----

func.func @sink_of_heads(%q: tensor<7x4x8xf16>, %k: tensor<7x8xf16>, %w: !transformer.kv_cache<8xf16, block_size = 128>, %b: !transformer.batch, %s: tensor<8xf32>) {
  // expected-error @below {{expected dimension 0 of 'sink' to be 4, but got 8}}
  %0 = transformer.window_attention %q, %k, %w of %b sink(%s) window(4) scale(0.5)
      : (tensor<7x4x8xf16>, tensor<7x8xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch, tensor<8xf32>) -> tensor<7x4x8xf16>
  return
}

// -----

func.func @narrow_sink(%q: tensor<7x4x8xf16>, %k: tensor<7x8xf16>, %w: !transformer.kv_cache<8xf16, block_size = 128>, %b: !transformer.batch, %s: tensor<4xf16>) {
  // expected-error @below {{expected 'sink' of 'f32', but got 'f16'}}
  %0 = transformer.window_attention %q, %k, %w of %b sink(%s) window(4) scale(0.5)
      : (tensor<7x4x8xf16>, tensor<7x8xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch, tensor<4xf16>) -> tensor<7x4x8xf16>
  return
}

// -----

func.func @window_cache(%q: tensor<7x4x8xf16>, %k: tensor<7x8xf16>, %w: !transformer.kv_cache<9xf16, block_size = 128>, %b: !transformer.batch, %s: tensor<4xf32>) {
  // expected-error @below {{expected 'window_cache' with rows of 8, but got '!transformer.kv_cache<9xf16, block_size = 128>'}}
  %0 = transformer.window_attention %q, %k, %w of %b sink(%s) window(4) scale(0.5)
      : (tensor<7x4x8xf16>, tensor<7x8xf16>, !transformer.kv_cache<9xf16, block_size = 128>, !transformer.batch, tensor<4xf32>) -> tensor<7x4x8xf16>
  return
}

// -----

func.func @ratio_alone(%q: tensor<7x4x8xf16>, %k: tensor<7x8xf16>, %w: !transformer.kv_cache<8xf16, block_size = 128>, %b: !transformer.batch, %s: tensor<4xf32>) {
  // expected-error @below {{expected 'ratio' and 'compressed' together, but got 'ratio' alone}}
  %0 = transformer.window_attention %q, %k, %w of %b sink(%s) window(4) ratio(4) scale(0.5)
      : (tensor<7x4x8xf16>, tensor<7x8xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch, tensor<4xf32>) -> tensor<7x4x8xf16>
  return
}

// -----

func.func @rows_alone(%q: tensor<7x4x8xf16>, %k: tensor<7x8xf16>, %w: !transformer.kv_cache<8xf16, block_size = 128>, %b: !transformer.batch, %s: tensor<4xf32>, %c: !transformer.kv_cache<8xf16, block_size = 128>) {
  // expected-error @below {{expected 'ratio' and 'compressed' together, but got 'compressed' alone}}
  %0 = transformer.window_attention %q, %k, %w of %b sink(%s) compressed(%c) window(4) scale(0.5)
      : (tensor<7x4x8xf16>, tensor<7x8xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch, tensor<4xf32>, !transformer.kv_cache<8xf16, block_size = 128>) -> tensor<7x4x8xf16>
  return
}

// -----

func.func @indices_alone(%q: tensor<7x4x8xf16>, %k: tensor<7x8xf16>, %w: !transformer.kv_cache<8xf16, block_size = 128>, %b: !transformer.batch, %s: tensor<4xf32>, %i: tensor<7x3xi64>) {
  // expected-error @below {{expected 'compressed' rows for the 'indices', but got none}}
  %0 = transformer.window_attention %q, %k, %w of %b sink(%s) indices(%i) window(4) scale(0.5)
      : (tensor<7x4x8xf16>, tensor<7x8xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch, tensor<4xf32>, tensor<7x3xi64>) -> tensor<7x4x8xf16>
  return
}

// -----

func.func @compressed_rows(%q: tensor<7x4x8xf16>, %k: tensor<7x8xf16>, %w: !transformer.kv_cache<8xf16, block_size = 128>, %b: !transformer.batch, %s: tensor<4xf32>, %c: !transformer.kv_cache<9xf16, block_size = 128>) {
  // expected-error @below {{expected 'compressed' with rows of 8, but got '!transformer.kv_cache<9xf16, block_size = 128>'}}
  %0 = transformer.window_attention %q, %k, %w of %b sink(%s) compressed(%c) window(4) ratio(4) scale(0.5)
      : (tensor<7x4x8xf16>, tensor<7x8xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch, tensor<4xf32>, !transformer.kv_cache<9xf16, block_size = 128>) -> tensor<7x4x8xf16>
  return
}

// -----

func.func @indices_of_tokens(%q: tensor<7x4x8xf16>, %k: tensor<7x8xf16>, %w: !transformer.kv_cache<8xf16, block_size = 128>, %b: !transformer.batch, %s: tensor<4xf32>, %c: !transformer.kv_cache<8xf16, block_size = 128>, %i: tensor<6x3xi64>) {
  // expected-error @below {{expected dimension 0 of 'indices' to be 7, but got 6}}
  %0 = transformer.window_attention %q, %k, %w of %b sink(%s) compressed(%c) indices(%i) window(4) ratio(4) scale(0.5)
      : (tensor<7x4x8xf16>, tensor<7x8xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch, tensor<4xf32>, !transformer.kv_cache<8xf16, block_size = 128>, tensor<6x3xi64>) -> tensor<7x4x8xf16>
  return
}

// -----

func.func @no_scale(%q: tensor<7x4x8xf16>, %k: tensor<7x8xf16>, %w: !transformer.kv_cache<8xf16, block_size = 128>, %b: !transformer.batch, %s: tensor<4xf32>) {
  // expected-error @below {{expected a finite 'scale' above 0, but got 0}}
  %0 = transformer.window_attention %q, %k, %w of %b sink(%s) window(4) scale(0.0)
      : (tensor<7x4x8xf16>, tensor<7x8xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch, tensor<4xf32>) -> tensor<7x4x8xf16>
  return
}

// -----

func.func @part_of_a_group(%x: tensor<7x32xf16>, %w: tensor<6x12xf16>) {
  // expected-error @below {{expected an input of whole groups of 12 features, but got 32}}
  %0 = transformer.grouped_projection %x, %w : tensor<7x32xf16>, tensor<6x12xf16> -> tensor<7x6xf16>
  return
}

// -----

func.func @rows_for_groups(%x: tensor<7x32xf16>, %w: tensor<5x16xf16>) {
  // expected-error @below {{expected a weight of rows for 2 groups, but got 5}}
  %0 = transformer.grouped_projection %x, %w : tensor<7x32xf16>, tensor<5x16xf16> -> tensor<7x6xf16>
  return
}

// -----

func.func @result_of_groups(%x: tensor<7x32xf16>, %w: tensor<6x16xf16>) {
  // expected-error @below {{expected dimension 1 of 'result' to be 6, but got 3}}
  %0 = transformer.grouped_projection %x, %w : tensor<7x32xf16>, tensor<6x16xf16> -> tensor<7x3xf16>
  return
}
