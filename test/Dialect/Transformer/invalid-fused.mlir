// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @norm_of_other_features(%x: tensor<7x64xf16>, %w: tensor<32xf16>) {
  // expected-error @below {{'transformer.add_rms_norm' op expected 64 weights, one per feature, but got 32}}
  %0, %1 = transformer.add_rms_norm %x, %x, %w eps(1.0e-6) : tensor<7x64xf16>, tensor<32xf16>
  return
}

// -----

func.func @norm_without_eps(%x: tensor<7x64xf16>, %w: tensor<64xf16>) {
  // expected-error @below {{'transformer.add_rms_norm' op expected a finite 'eps' above 0, but got 0.0}}
  %0, %1 = transformer.add_rms_norm %x, %x, %w eps(0.0) : tensor<7x64xf16>, tensor<64xf16>
  return
}

// -----

func.func @residual_of_another_type(%x: tensor<7x64xf16>, %y: tensor<64xf16>, %w: tensor<64xf16>) {
  // expected-error @below {{'transformer.add_rms_norm' op failed to verify that all of {lhs, rhs, sum, norm} have same type}}
  %0, %1 = "transformer.add_rms_norm"(%x, %y, %w) {eps = 1.0e-6} : (tensor<7x64xf16>, tensor<64xf16>, tensor<64xf16>) -> (tensor<7x64xf16>, tensor<7x64xf16>)
  return
}

// -----

func.func @quantized_norm_with_weights_of_another_type(%x: tensor<7x64xf16>, %w: tensor<64xf32>, %s: tensor<f32>) {
  // expected-error @below {{'transformer.rms_norm_quantize' op expected a weight of 'f16', as the input is, but got 'f32'}}
  %0 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) scale(%s) : tensor<7x64xf16>, tensor<64xf32> -> tensor<7x64xi8>
  return
}

// -----

func.func @quantized_norm_of_another_size(%x: tensor<7x64xf16>, %w: tensor<64xf16>, %s: tensor<f32>) {
  // expected-error @below {{'transformer.rms_norm_quantize' op expected a quantized result of 'tensor<7x64xi8>', the input's sizes, but got 'tensor<6x64xi8>'}}
  %0 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) scale(%s) : tensor<7x64xf16>, tensor<64xf16> -> tensor<6x64xi8>
  return
}

// -----

func.func @quantized_norm_with_two_scales(%x: tensor<7x64xf16>, %w: tensor<64xf16>, %s: tensor<f32>) {
  // expected-error @below {{'transformer.rms_norm_quantize' op expected a scale either as operand or as result, but got both}}
  %0, %1 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) scale(%s) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>, tensor<f32>
  return
}

// -----

func.func @quantized_norm_without_a_scale(%x: tensor<7x64xf16>, %w: tensor<64xf16>) {
  // expected-error @below {{'transformer.rms_norm_quantize' op expected a scale either as operand or as result, but got neither}}
  %0 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>
  return
}

// -----

func.func @known_scale_for_groups(%x: tensor<7x64xf16>, %w: tensor<64xf16>, %s: tensor<f32>) {
  // expected-error @below {{'transformer.rms_norm_quantize' op expected no 'group_size' for a known scale, but got 32}}
  %0 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) scale(%s) group_size(32) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>
  return
}

// -----

func.func @norm_with_another_number_of_scales(%x: tensor<7x64xf16>, %w: tensor<64xf16>) {
  // expected-error @below {{'transformer.rms_norm_quantize' op expected the scale to be 'tensor<7x2xf8E8M0FNU>', but got 'tensor<7x3xf8E8M0FNU>'}}
  %0, %1 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) group_size(32) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xf4E2M1FN>, tensor<7x3xf8E8M0FNU>
  return
}

// -----

func.func @norm_with_a_float_result(%x: tensor<7x64xf16>, %w: tensor<64xf16>, %s: tensor<f32>) {
  // expected-error @below {{'transformer.add_rms_norm_quantize' op result #1 must be}}
  %0, %1 = transformer.add_rms_norm_quantize %x, %x, %w eps(1.0e-6) scale(%s) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xf16>
  return
}

// -----

func.func @added_norm_without_a_scale(%x: tensor<7x64xf16>, %w: tensor<64xf16>) {
  // expected-error @below {{'transformer.add_rms_norm_quantize' op expected a scale either as operand or as result, but got neither}}
  %0, %1 = transformer.add_rms_norm_quantize %x, %x, %w eps(1.0e-6) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>
  return
}

// -----

func.func @pair_of_narrow_keys(%q: tensor<7x4x8xf16>, %k: tensor<7x2x4xf16>, %t: !transformer.rope_table<8xf16>) {
  // expected-error @below {{'transformer.rope_pair' op expected at least 8 features, the table's width, but got 4}}
  %0, %1 = transformer.rope_pair %q, %k, %t : tensor<7x4x8xf16>, tensor<7x2x4xf16>, !transformer.rope_table<8xf16>
  return
}

// -----

func.func @pair_of_flat_queries(%q: tensor<7x32xf16>, %k: tensor<7x2x8xf16>, %t: !transformer.rope_table<8xf16>) {
  // expected-error @below {{'transformer.rope_pair' op expected an input of tokens x heads x features, but got 'tensor<7x32xf16>'}}
  %0, %1 = transformer.rope_pair %q, %k, %t : tensor<7x32xf16>, tensor<7x2x8xf16>, !transformer.rope_table<8xf16>
  return
}

// -----

func.func @pair_with_a_table_of_another_type(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %t: !transformer.rope_table<8xbf16>) {
  // expected-error @below {{'transformer.rope_pair' op expected a table of 'f16', as the input is, or of 'f32', but got 'bf16'}}
  %0, %1 = transformer.rope_pair %q, %k, %t : tensor<7x4x8xf16>, tensor<7x2x8xf16>, !transformer.rope_table<8xbf16>
  return
}

// -----

func.func @added_layer_norm_of_other_features(%x: tensor<7x64xf16>, %w: tensor<32xf16>) {
  // expected-error @below {{'transformer.add_layer_norm' op expected 64 weights, one per feature, but got 32}}
  %0, %1 = transformer.add_layer_norm %x, %x, %w eps(1.0e-6) : tensor<7x64xf16>, tensor<32xf16>
  return
}

// -----

func.func @added_layer_norm_with_a_bias_of_another_width(%x: tensor<7x64xf16>, %w: tensor<64xf16>, %b: tensor<32xf16>) {
  // expected-error @below {{'transformer.add_layer_norm' op expected dimension 0 of 'bias' to be 64, but got 32}}
  %0, %1 = transformer.add_layer_norm %x, %x, %w bias(%b : tensor<32xf16>) eps(1.0e-6) : tensor<7x64xf16>, tensor<64xf16>
  return
}

// -----

func.func @no_weights_to_join() {
  // expected-error @below {{expected at least one weight, but got none}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "transformer.concat_weights"() : () -> tensor<8x8xf16>
  return
}

// -----

func.func @weights_of_another_depth(%a: tensor<6x8xf16>, %b: tensor<6x4xf16>) {
  // expected-error @below {{expected weights that differ only in dimension 0, but got 'tensor<6x8xf16>' and 'tensor<6x4xf16>'}}
  %0 = transformer.concat_weights %a, %b : tensor<6x8xf16>, tensor<6x4xf16>
  return
}

// -----

func.func @weights_of_another_type(%a: tensor<6x8xf16>, %b: tensor<6x8xf32>) {
  // expected-error @below {{expected weights that differ only in dimension 0, but got 'tensor<6x8xf16>' and 'tensor<6x8xf32>'}}
  %0 = transformer.concat_weights %a, %b : tensor<6x8xf16>, tensor<6x8xf32>
  return
}

// -----

func.func @scalars_to_join(%a: tensor<f32>) {
  // expected-error @below {{expected weights of rank at least 1 and a static shape, but got 'tensor<f32>'}}
  %0 = transformer.concat_weights %a, %a : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @weights_beyond_all_sizes(%a: tensor<9223372036854775807x8xf16>) {
  // expected-error @below {{expected a size below 2^63, but got}}
  %0 = transformer.concat_weights %a, %a : tensor<9223372036854775807x8xf16>, tensor<9223372036854775807x8xf16>
  return
}

// -----

func.func @quantized_input_without_a_scale(%x: tensor<7x8xi8>, %w: tensor<4x8xi8>, %s: tensor<f32>) {
  // expected-error @below {{'transformer.quantized_linear' op expected a scale for an input of 'i8', but got none}}
  %0 = transformer.quantized_linear %x, %w weight_scale(%s : tensor<f32>) : tensor<7x8xi8>, tensor<4x8xi8> -> tensor<7x4xf16>
  return
}

// -----

func.func @one_scale_for_groups(%x: tensor<7x64xf16>, %w: tensor<4x64xi8>, %s: tensor<f32>) {
  // expected-error @below {{'transformer.quantized_linear' op expected the weight scale to be 'tensor<4x2xf8E8M0FNU>', but got 'tensor<f32>'}}
  %0 = transformer.quantized_linear %x, %w weight_scale(%s : tensor<f32>) group_size(32) : tensor<7x64xf16>, tensor<4x64xi8> -> tensor<7x4xf16>
  return
}

// -----

func.func @groups_of_nothing(%x: tensor<7x64xf16>) {
  // expected-error @below {{'transformer.dynamic_quantize' op expected 'group_size' of at least 1, but got 0}}
  %0, %1 = transformer.dynamic_quantize %x group_size(0) : tensor<7x64xf16> to tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
  return
}

// -----

func.func @input_scale_of_other_groups(%x: tensor<7x64xf4E2M1FN>, %xs: tensor<7x4xf8E8M0FNU>, %w: tensor<4x64xf4E2M1FN>, %s: tensor<4x2xf8E8M0FNU>) {
  // expected-error @below {{'transformer.quantized_linear' op expected the input scale to be 'tensor<7x2xf8E8M0FNU>', but got 'tensor<7x4xf8E8M0FNU>'}}
  %0 = transformer.quantized_linear %x, %w weight_scale(%s : tensor<4x2xf8E8M0FNU>) input_scale(%xs : tensor<7x4xf8E8M0FNU>) group_size(32)
      : tensor<7x64xf4E2M1FN>, tensor<4x64xf4E2M1FN> -> tensor<7x4xf16>
  return
}

// -----

func.func @quantized_result_of_another_size(%x: tensor<7x64xf16>, %s: tensor<f32>) {
  // expected-error @below {{'transformer.quantize' op expected a quantized result of 'tensor<7x64xi8>', the input's sizes, but got 'tensor<7x32xi8>'}}
  %0 = transformer.quantize %x, %s : tensor<7x64xf16> to tensor<7x32xi8>
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xi8, block_size = 128>

func.func @queries_of_another_type(%q: tensor<7x4x8xf8E4M3FN>, %c: !cache, %b: !transformer.batch, %s: tensor<f32>) {
  // expected-error @below {{'transformer.quantized_attention' op expected 'query' of 'i8', as the cache is, but got 'f8E4M3FN'}}
  %0 = transformer.quantized_attention %q, %c of %b scale(0.25) scales(%s, %s, %s) : tensor<7x4x8xf8E4M3FN>, !cache, !transformer.batch -> tensor<7x4x8xf16>
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xi8, block_size = 128>

func.func @heads_that_the_cache_does_not_divide(%q: tensor<7x3x8xi8>, %c: !cache, %b: !transformer.batch, %s: tensor<f32>) {
  // expected-error @below {{'transformer.quantized_attention' op expected the query heads to be a multiple of the cache's 2 heads, but got 3}}
  %0 = transformer.quantized_attention %q, %c of %b scale(0.25) scales(%s, %s, %s) : tensor<7x3x8xi8>, !cache, !transformer.batch -> tensor<7x3x8xf16>
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xi8, block_size = 128>

func.func @result_of_another_size(%q: tensor<7x4x8xi8>, %c: !cache, %b: !transformer.batch, %s: tensor<f32>) {
  // expected-error @below {{'transformer.quantized_attention' op expected a result of 'tensor<7x4x8xf16>', the query's sizes, but got 'tensor<7x2x8xf16>'}}
  %0 = transformer.quantized_attention %q, %c of %b scale(0.25) scales(%s, %s, %s) : tensor<7x4x8xi8>, !cache, !transformer.batch -> tensor<7x2x8xf16>
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xi8, block_size = 128>

func.func @keys_of_another_type_than_the_cache(%k: tensor<7x2x8xf16>, %c: !cache, %b: !transformer.batch) {
  // expected-error @below {{'transformer.append_cache' op expected 'key' of 'i8', as the cache is, but got 'f16'}}
  %0 = transformer.append_cache %k, %k to %c of %b : tensor<7x2x8xf16>, !cache, !transformer.batch
  return
}
