// RUN: tc-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

func.func @layer_without_a_function() {
  // expected-error @below {{'transformer.layer' op expected a function, but found none called 'layer'}}
  transformer.layer @layer() name("model.layers.0") : () -> ()
  return
}

// -----

func.func @layer_that_calls_itself() {
  // expected-error @below {{'transformer.layer' op expected another function, but got the one that this call is in}}
  transformer.layer @layer_that_calls_itself() name("model.layers.0") : () -> ()
  return
}

// -----

// expected-note @below {{the layer's function is here}}
func.func private @layer(tensor<2x8xf16>, !transformer.batch)
func.func @layer_with_too_few_operands(%x: tensor<2x8xf16>) {
  // expected-error @below {{'transformer.layer' op expected 2 operands, but got 1}}
  transformer.layer @layer(%x) name("model.layers.0") : (tensor<2x8xf16>) -> ()
  return
}

// -----

// expected-note @below {{the layer's function is here}}
func.func private @layer(!transformer.batch, tensor<2x8xf16>)
func.func @layer_with_another_operand_type(%batch: !transformer.batch, %x: tensor<2x8xf32>) {
  // expected-error @below {{'transformer.layer' op expected operand 1 of type 'tensor<2x8xf16>', but got 'tensor<2x8xf32>'}}
  transformer.layer @layer(%batch, %x) name("model.layers.0")
      : (!transformer.batch, tensor<2x8xf32>) -> ()
  return
}

// -----

// expected-note @below {{the layer's function is here}}
func.func private @layer() -> (tensor<2x8xf16>, tensor<2x8xf16>)
func.func @layer_with_too_few_results() {
  // expected-error @below {{'transformer.layer' op expected 2 results, but got 1}}
  %0 = transformer.layer @layer() name("model.layers.0") : () -> tensor<2x8xf16>
  return
}

// -----

// expected-note @below {{the layer's function is here}}
func.func private @layer() -> tensor<2x8xf16>
func.func @layer_with_another_result_type() {
  // expected-error @below {{'transformer.layer' op expected result 0 of type 'tensor<2x8xf16>', but got 'tensor<8x2xf16>'}}
  %0 = transformer.layer @layer() name("model.layers.0") : () -> tensor<8x2xf16>
  return
}

// -----

func.func @weight_of_dynamic_shape() {
  // expected-error @below {{'transformer.weight' op expected a static shape, but got 'tensor<?x8xf16>'}}
  %0 = transformer.weight "w" : tensor<?x8xf16>
  return
}

// -----

func.func @weight_without_a_size_in_memory() {
  // expected-error @below {{'transformer.weight' op expected an integer or float element type, but got 'index'}}
  %0 = transformer.weight "w" : tensor<2x8xindex>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Norm
//===----------------------------------------------------------------------===//

func.func @norm_of_a_scalar(%x: tensor<f16>, %w: tensor<8xf16>) {
  // expected-error @below {{'transformer.rms_norm' op expected an input of rank at least 1, but got 'tensor<f16>'}}
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<f16>, tensor<8xf16>
  return
}

// -----

func.func @norm_weight_of_rank_2(%x: tensor<?x8xf16>, %w: tensor<1x8xf16>) {
  // expected-error @below {{'transformer.rms_norm' op expected a weight of rank 1, but got 'tensor<1x8xf16>'}}
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<?x8xf16>, tensor<1x8xf16>
  return
}

// -----

func.func @norm_weight_of_another_width(%x: tensor<?x8xf16>, %w: tensor<4xf16>) {
  // expected-error @below {{'transformer.rms_norm' op expected 8 weights, one per feature, but got 4}}
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<?x8xf16>, tensor<4xf16>
  return
}

// -----

// A size that a batch decides is not 8 for every batch.
#tokens = #transformer.dims<tokens>
func.func @norm_weight_of_a_width_that_varies(%x: tensor<?xf16, #tokens>, %w: tensor<8xf16>) {
  // expected-error @below {{'transformer.rms_norm' op expected tokens weights, one per feature, but got 8}}
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<?xf16, #tokens>, tensor<8xf16>
  return
}

// -----

func.func @norm_weight_of_another_element_type(%x: tensor<?x8xf16>, %w: tensor<8xf32>) {
  // expected-error @below {{'transformer.rms_norm' op expected a weight of 'f16', as the input is, but got 'f32'}}
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<?x8xf16>, tensor<8xf32>
  return
}

// -----

func.func @norm_with_an_infinite_eps(%x: tensor<?x8xf16>, %w: tensor<8xf16>) {
  // expected-error @below {{'transformer.rms_norm' op expected a finite 'eps' above 0, but got inf}}
  %0 = "transformer.rms_norm"(%x, %w) <{eps = 0x7FF0000000000000 : f64}>
      : (tensor<?x8xf16>, tensor<8xf16>) -> tensor<?x8xf16>
  return
}

// -----

func.func @eps_beyond_the_range_of_doubles(%x: tensor<?x8xf16>, %w: tensor<8xf16>) {
  // expected-error @below {{custom op 'transformer.rms_norm' expected a finite number}}
  %0 = transformer.rms_norm %x, %w eps(1.0e400) : tensor<?x8xf16>, tensor<8xf16>
  return
}

// -----

func.func @norm_without_eps(%x: tensor<?x8xf16>, %w: tensor<8xf16>) {
  // expected-error @below {{'transformer.rms_norm' op expected a finite 'eps' above 0, but got 0}}
  %0 = transformer.rms_norm %x, %w eps(0.0) : tensor<?x8xf16>, tensor<8xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Linear layers, embeddings
//===----------------------------------------------------------------------===//

func.func @embedding_of_a_matrix_of_ids(%ids: tensor<7x1xi64>, %table: tensor<256x8xf16>) {
  // expected-error @below {{'transformer.embedding' op expected 'ids' of rank 1, but got 'tensor<7x1xi64>'}}
  %0 = transformer.embedding %ids, %table
      : tensor<7x1xi64>, tensor<256x8xf16> -> tensor<7x8xf16>
  return
}

// -----

func.func @embedding_table_of_rank_3(%ids: tensor<7xi64>, %table: tensor<256x8x1xf16>) {
  // expected-error @below {{'transformer.embedding' op expected 'table' of rank 2, but got 'tensor<256x8x1xf16>'}}
  %0 = transformer.embedding %ids, %table
      : tensor<7xi64>, tensor<256x8x1xf16> -> tensor<7x8xf16>
  return
}

// -----

func.func @embedding_of_another_element_type(%ids: tensor<7xi64>, %table: tensor<256x8xf16>) {
  // expected-error @below {{'transformer.embedding' op expected 'result' of 'f16', but got 'f32'}}
  %0 = transformer.embedding %ids, %table
      : tensor<7xi64>, tensor<256x8xf16> -> tensor<7x8xf32>
  return
}

// -----

func.func @embedding_of_another_number_of_tokens(%ids: tensor<7xi64>, %table: tensor<256x8xf16>) {
  // expected-error @below {{'transformer.embedding' op expected dimension 0 of 'result' to be 7, but got 6}}
  %0 = transformer.embedding %ids, %table
      : tensor<7xi64>, tensor<256x8xf16> -> tensor<6x8xf16>
  return
}

// -----

func.func @embedding_of_another_width(%ids: tensor<7xi64>, %table: tensor<256x8xf16>) {
  // expected-error @below {{'transformer.embedding' op expected dimension 1 of 'result' to be 8, but got 4}}
  %0 = transformer.embedding %ids, %table
      : tensor<7xi64>, tensor<256x8xf16> -> tensor<7x4xf16>
  return
}

// -----

func.func @last_tokens_of_heads(%x: tensor<7x2x8xf16>, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.last_tokens' op expected 'input' of rank 2, but got 'tensor<7x2x8xf16>'}}
  %0 = transformer.last_tokens %x of %batch
      : tensor<7x2x8xf16>, !transformer.batch -> tensor<?x2x8xf16>
  return
}

// -----

func.func @last_tokens_of_another_element_type(%x: tensor<?x8xf16>, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.last_tokens' op expected 'result' of 'f16', but got 'f32'}}
  %0 = transformer.last_tokens %x of %batch
      : tensor<?x8xf16>, !transformer.batch -> tensor<?x8xf32>
  return
}

// -----

#tokens = #transformer.dims<tokens>
func.func @last_tokens_that_are_all_tokens(%x: tensor<?x8xf16, #tokens>, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.last_tokens' op expected dimension 0 of 'result' to be sequences - sum(decode) + sum(q * decode), but got tokens}}
  %0 = transformer.last_tokens %x of %batch
      : tensor<?x8xf16, #tokens>, !transformer.batch -> tensor<?x8xf16, #tokens>
  return
}

// -----

!batch = !transformer.batch<#transformer.workload<queries = 2, query_length = 3500>>
func.func @last_tokens_of_prefill_is_one_per_request(%x: tensor<7000x8xf16>, %batch: !batch) {
  // expected-error @below {{'transformer.last_tokens' op expected dimension 0 of 'result' to be 2, but got 7000}}
  %0 = transformer.last_tokens %x of %batch : tensor<7000x8xf16>, !batch -> tensor<7000x8xf16>
  return
}

// -----

!batch = !transformer.batch<#transformer.workload<queries = 2, query_length = 3, decode = true>>
func.func @last_tokens_of_decode_is_every_token(%x: tensor<6x8xf16>, %batch: !batch) {
  // expected-error @below {{'transformer.last_tokens' op expected dimension 0 of 'result' to be 6, but got 2}}
  %0 = transformer.last_tokens %x of %batch : tensor<6x8xf16>, !batch -> tensor<2x8xf16>
  return
}

// -----

func.func @last_tokens_of_another_width(%x: tensor<?x8xf16>, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.last_tokens' op expected dimension 1 of 'result' to be 8, but got 4}}
  %0 = transformer.last_tokens %x of %batch
      : tensor<?x8xf16>, !transformer.batch -> tensor<?x4xf16>
  return
}

// -----

func.func @linear_of_heads(%x: tensor<7x2x8xf16>, %w: tensor<32x8xf16>) {
  // expected-error @below {{'transformer.linear' op expected 'input' of rank 2, but got 'tensor<7x2x8xf16>'}}
  %0 = transformer.linear %x, %w : tensor<7x2x8xf16>, tensor<32x8xf16> -> tensor<7x32xf16>
  return
}

// -----

func.func @linear_weight_of_rank_1(%x: tensor<7x8xf16>, %w: tensor<8xf16>) {
  // expected-error @below {{'transformer.linear' op expected 'weight' of rank 2, but got 'tensor<8xf16>'}}
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<8xf16> -> tensor<7x32xf16>
  return
}

// -----

func.func @linear_weight_of_another_element_type(%x: tensor<7x8xf16>, %w: tensor<32x8xf32>) {
  // expected-error @below {{'transformer.linear' op expected 'weight' of 'f16', but got 'f32'}}
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<32x8xf32> -> tensor<7x32xf16>
  return
}

// -----

func.func @linear_result_of_another_element_type(%x: tensor<7x8xf16>, %w: tensor<32x8xf16>) {
  // expected-error @below {{'transformer.linear' op expected 'result' of 'f16', but got 'f32'}}
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<32x8xf16> -> tensor<7x32xf32>
  return
}

// -----

// The weight is outputs by inputs, not inputs by outputs.
func.func @linear_weight_the_other_way_round(%x: tensor<7x8xf16>, %w: tensor<8x32xf16>) {
  // expected-error @below {{'transformer.linear' op expected dimension 1 of 'weight' to be 8, but got 32}}
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<8x32xf16> -> tensor<7x32xf16>
  return
}

// -----

func.func @linear_result_of_another_width(%x: tensor<7x8xf16>, %w: tensor<32x8xf16>) {
  // expected-error @below {{'transformer.linear' op expected dimension 1 of 'result' to be 32, but got 8}}
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<32x8xf16> -> tensor<7x8xf16>
  return
}

// -----

#tokens = #transformer.dims<tokens>
#sequences = #transformer.dims<sequences>
func.func @linear_result_of_other_rows(%x: tensor<?x8xf16, #tokens>, %w: tensor<32x8xf16>) {
  // expected-error @below {{'transformer.linear' op expected dimension 0 of 'result' to be tokens, but got sequences}}
  %0 = transformer.linear %x, %w
      : tensor<?x8xf16, #tokens>, tensor<32x8xf16> -> tensor<?x32xf16, #sequences>
  return
}

// -----

func.func @linear_result_of_rank_3(%x: tensor<7x8xf16>, %w: tensor<32x8xf16>) {
  // expected-error @below {{'transformer.linear' op expected 'result' of rank 2, but got 'tensor<7x4x8xf16>'}}
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<32x8xf16> -> tensor<7x4x8xf16>
  return
}

// -----

func.func @linear_bias_of_another_width(%x: tensor<7x8xf16>, %w: tensor<32x8xf16>, %b: tensor<8xf16>) {
  // expected-error @below {{'transformer.linear' op expected dimension 0 of 'bias' to be 32, but got 8}}
  %0 = transformer.linear %x, %w bias(%b : tensor<8xf16>)
      : tensor<7x8xf16>, tensor<32x8xf16> -> tensor<7x32xf16>
  return
}

// -----

func.func @linear_bias_of_another_element_type(%x: tensor<7x8xf16>, %w: tensor<32x8xf16>, %b: tensor<32xf32>) {
  // expected-error @below {{'transformer.linear' op expected 'bias' of 'f16', but got 'f32'}}
  %0 = transformer.linear %x, %w bias(%b : tensor<32xf32>)
      : tensor<7x8xf16>, tensor<32x8xf16> -> tensor<7x32xf16>
  return
}

// -----

func.func @linear_bias_of_rank_2(%x: tensor<7x8xf16>, %w: tensor<32x8xf16>, %b: tensor<1x32xf16>) {
  // expected-error @below {{'transformer.linear' op expected 'bias' of rank 1, but got 'tensor<1x32xf16>'}}
  %0 = transformer.linear %x, %w bias(%b : tensor<1x32xf16>)
      : tensor<7x8xf16>, tensor<32x8xf16> -> tensor<7x32xf16>
  return
}

// -----

func.func @quantized_linear_weight_of_rank_3(%x: tensor<7x8xi8>, %w: tensor<2x16x8xi8>,
                                             %xs: tensor<f32>, %ws: tensor<f32>) {
  // expected-error @below {{'transformer.quantized_linear' op expected 'weight' of rank 2, but got 'tensor<2x16x8xi8>'}}
  %0 = transformer.quantized_linear %x, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>)
      : tensor<7x8xi8>, tensor<2x16x8xi8> -> tensor<7x32xf16>
  return
}

// -----

func.func @quantized_linear_weight_of_another_depth(%x: tensor<7x8xi8>, %w: tensor<32x4xi8>,
                                                    %xs: tensor<f32>, %ws: tensor<f32>) {
  // expected-error @below {{'transformer.quantized_linear' op expected dimension 1 of 'weight' to be 8, but got 4}}
  %0 = transformer.quantized_linear %x, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>)
      : tensor<7x8xi8>, tensor<32x4xi8> -> tensor<7x32xf16>
  return
}

// -----

func.func @quantized_linear_bias_is_of_the_result_type(%x: tensor<7x8xi8>, %w: tensor<32x8xi8>,
    %xs: tensor<f32>, %ws: tensor<f32>, %b: tensor<32xf32>) {
  // expected-error @below {{'transformer.quantized_linear' op expected 'bias' of 'f16', but got 'f32'}}
  %0 = transformer.quantized_linear %x, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>) bias(%b : tensor<32xf32>)
      : tensor<7x8xi8>, tensor<32x8xi8> -> tensor<7x32xf16>
  return
}

// -----

func.func @quantized_linear_of_floats_with_a_scale(%x: tensor<7x8xf16>, %w: tensor<32x8xi8>,
    %xs: tensor<f32>, %ws: tensor<f32>) {
  // expected-error @below {{'transformer.quantized_linear' op expected no scale for an input of 'f16', but got one}}
  %0 = transformer.quantized_linear %x, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>)
      : tensor<7x8xf16>, tensor<32x8xi8> -> tensor<7x32xf16>
  return
}

// -----

func.func @scale_per_channel(%x: tensor<7x8xf16>, %s: tensor<8xf32>) {
  // expected-error @below {{'transformer.quantize' op operand #1 must be a scale (tensor<f32>), but got 'tensor<8xf32>'}}
  %0 = "transformer.quantize"(%x, %s) : (tensor<7x8xf16>, tensor<8xf32>) -> tensor<7x8xi8>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

func.func @positions_of_rank_2(%p: tensor<1x7xi64>, %cos: tensor<128x8xf16>) {
  // expected-error @below {{'transformer.rope_table' op expected 'positions' of rank 1, but got 'tensor<1x7xi64>'}}
  %0 = transformer.rope_table %p, %cos, %cos
      : tensor<1x7xi64>, tensor<128x8xf16> -> !transformer.rope_table<8xf16>
  return
}

// -----

func.func @rope_table_of_one_row(%p: tensor<7xi64>, %cos: tensor<8xf16>) {
  // expected-error @below {{'transformer.rope_table' op expected 'cos' of rank 2, but got 'tensor<8xf16>'}}
  %0 = transformer.rope_table %p, %cos, %cos
      : tensor<7xi64>, tensor<8xf16> -> !transformer.rope_table<8xf16>
  return
}

// -----

func.func @rope_table_of_another_width(%p: tensor<7xi64>, %cos: tensor<128x4xf16>) {
  // expected-error @below {{'transformer.rope_table' op expected 'cos' to have 8 features, the table's width, but got 4}}
  %0 = transformer.rope_table %p, %cos, %cos
      : tensor<7xi64>, tensor<128x4xf16> -> !transformer.rope_table<8xf16>
  return
}

// -----

func.func @rope_table_of_another_element_type(%p: tensor<7xi64>, %cos: tensor<128x8xf32>) {
  // expected-error @below {{'transformer.rope_table' op expected 'cos' of 'f16', but got 'f32'}}
  %0 = transformer.rope_table %p, %cos, %cos
      : tensor<7xi64>, tensor<128x8xf32> -> !transformer.rope_table<8xf16>
  return
}

// -----

func.func @rope_pack_of_heads(%cos: tensor<7x1x8xf16>) {
  // expected-error @below {{'transformer.rope_pack' op expected 'cos' of rank 2, but got 'tensor<7x1x8xf16>'}}
  %0 = transformer.rope_pack %cos, %cos : tensor<7x1x8xf16> -> !transformer.rope_table<8xf16>
  return
}

// -----

func.func @rope_parts_without_heads(%table: !transformer.rope_table<8xf16>) {
  // expected-error @below {{'transformer.rope_parts' op expected 'cos' of rank 3, but got 'tensor<7x8xf16>'}}
  %0, %1 = transformer.rope_parts %table : !transformer.rope_table<8xf16> -> tensor<7x8xf16>
  return
}

// -----

func.func @rope_parts_of_several_heads(%table: !transformer.rope_table<8xf16>) {
  // expected-error @below {{'transformer.rope_parts' op expected dimension 1 of 'cos', which stands for every head, to be 1, but got 2}}
  %0, %1 = transformer.rope_parts %table : !transformer.rope_table<8xf16> -> tensor<7x2x8xf16>
  return
}

// -----

func.func @rope_without_heads(%x: tensor<7x8xf16>, %table: !transformer.rope_table<8xf16>) {
  // expected-error @below {{'transformer.rope' op expected an input of tokens x heads x features, but got 'tensor<7x8xf16>'}}
  %0 = transformer.rope %x, %table : tensor<7x8xf16>, !transformer.rope_table<8xf16>
  return
}

// -----

func.func @rope_wider_than_the_heads(%x: tensor<7x2x8xf16>, %table: !transformer.rope_table<16xf16>) {
  // expected-error @below {{'transformer.rope' op expected at least 16 features, the table's width, but got 8}}
  %0 = transformer.rope %x, %table : tensor<7x2x8xf16>, !transformer.rope_table<16xf16>
  return
}

// -----

func.func @rope_of_heads_of_unknown_size(%x: tensor<7x2x?xf16>, %table: !transformer.rope_table<8xf16>) {
  // expected-error @below {{'transformer.rope' op expected at least 8 features, the table's width, but got ?}}
  %0 = transformer.rope %x, %table : tensor<7x2x?xf16>, !transformer.rope_table<8xf16>
  return
}

// -----

func.func @rope_of_another_element_type(%x: tensor<7x2x8xf16>, %table: !transformer.rope_table<8xbf16>) {
  // expected-error @below {{'transformer.rope' op expected a table of 'f16', as the input is, or of 'f32', but got 'bf16'}}
  %0 = transformer.rope %x, %table : tensor<7x2x8xf16>, !transformer.rope_table<8xbf16>
  return
}

// -----

func.func @rope_of_a_narrower_table(%x: tensor<7x2x8xf32>, %table: !transformer.rope_table<8xf16>) {
  // expected-error @below {{'transformer.rope' op expected a table of 'f32', as the input is, but got 'f16'}}
  %0 = transformer.rope %x, %table : tensor<7x2x8xf32>, !transformer.rope_table<8xf16>
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @append_without_heads(%k: tensor<7x16xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.append_cache' op expected 'key' to be tokens x heads x head size, but got 'tensor<7x16xf16>'}}
  %0 = transformer.append_cache %k, %k to %cache of %batch
      : tensor<7x16xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @append_heads_of_another_size(%k: tensor<7x2x4xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.append_cache' op expected 'key' to have heads of size 8, as the cache has, but got 4}}
  %0 = transformer.append_cache %k, %k to %cache of %batch
      : tensor<7x2x4xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @append_another_number_of_heads(%k: tensor<7x4x8xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.append_cache' op expected 'key' to have 2 heads, as the cache has, but got 4}}
  %0 = transformer.append_cache %k, %k to %cache of %batch
      : tensor<7x4x8xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @query_without_heads(%q: tensor<7x32xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.attention' op expected 'query' to be tokens x heads x head size, but got 'tensor<7x32xf16>'}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5)
      : tensor<7x32xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @query_heads_of_another_size(%q: tensor<7x4x16xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.attention' op expected 'query' to have heads of size 8, as the cache has, but got 16}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5)
      : tensor<7x4x16xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @query_heads_that_do_not_share_evenly(%q: tensor<7x3x8xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.attention' op expected the query heads to be a multiple of the cache's 2 heads, but got 3}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5)
      : tensor<7x3x8xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @unknown_number_of_query_heads(%q: tensor<7x?x8xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.attention' op expected the query heads to be a multiple of the cache's 2 heads, but got ?}}
  %0 = transformer.attention %q, %cache of %batch scale(0.5)
      : tensor<7x?x8xf16>, !cache, !transformer.batch
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @attention_with_an_infinite_scale(%q: tensor<7x4x8xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.attention' op expected a finite 'scale' above 0, but got inf}}
  %0 = "transformer.attention"(%q, %cache, %batch) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, scale = 0x7FF0000000000000 : f64}>
      : (tensor<7x4x8xf16>, !cache, !transformer.batch) -> tensor<7x4x8xf16>
  return
}

// -----

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
func.func @attention_without_a_scale(%q: tensor<7x4x8xf16>, %cache: !cache, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.attention' op expected a finite 'scale' above 0, but got 0}}
  %0 = transformer.attention %q, %cache of %batch scale(0.0)
      : tensor<7x4x8xf16>, !cache, !transformer.batch
  return
}

// -----

//===----------------------------------------------------------------------===//
// Primitives
//===----------------------------------------------------------------------===//

func.func @add_of_two_element_types(%x: tensor<7x8xf16>, %y: tensor<7x8xbf16>) {
  // expected-error @below {{expected operands of which one has the wider element type, but got 'f16' and 'bf16'}}
  %0 = transformer.add %x, %y : tensor<7x8xf16>, tensor<7x8xbf16>
  return
}

// -----

func.func @add_of_sizes_that_do_not_repeat(%x: tensor<7x8xf16>, %y: tensor<7x2xf16>) {
  // expected-error @below {{expected sizes that are equal or 1, but got 'tensor<7x8xf16>' and 'tensor<7x2xf16>'}}
  %0 = transformer.add %x, %y : tensor<7x8xf16>, tensor<7x2xf16>
  return
}

// -----

#tokens = #transformer.dims<tokens>
#sequences = #transformer.dims<sequences>
func.func @mul_of_tokens_and_sequences(%x: tensor<?x8xf16, #tokens>, %y: tensor<?x8xf16, #sequences>) {
  // expected-error-re @below {{expected sizes that are equal or 1, but got {{.*}}dims<tokens>>' and {{.*}}dims<sequences>>'}}
  %0 = transformer.mul %x, %y : tensor<?x8xf16, #tokens>, tensor<?x8xf16, #sequences>
  return
}

// -----

func.func @result_that_does_not_follow(%x: tensor<7x8xf16>) {
  // expected-error @below {{'transformer.add' op failed to infer returned types}}
  // expected-error @below {{'transformer.add' op inferred type(s) 'tensor<7x8xf16>' are incompatible with return type(s) of operation 'tensor<7x4xf16>'}}
  %0 = "transformer.add"(%x, %x) : (tensor<7x8xf16>, tensor<7x8xf16>) -> tensor<7x4xf16>
  return
}

// -----

func.func @encoding_of_another_kind(%x: tensor<7x8xf16, "padded">) {
  // expected-error @below {{'transformer.silu' op operand #0 must be ranked tensor without an encoding but #transformer.dims of floating-point values, but got 'tensor<7x8xf16, "padded">'}}
  %0 = transformer.silu %x : tensor<7x8xf16, "padded">
  return
}

// -----

func.func @cast_to_another_shape(%x: tensor<7x8xf16>) {
  // expected-error @below {{'transformer.cast' op expected a result of 'tensor<7x8xf32>', the input's sizes, but got 'tensor<8x7xf32>'}}
  %0 = transformer.cast %x : tensor<7x8xf16> to tensor<8x7xf32>
  return
}

// -----

func.func @matmul_of_a_vector(%x: tensor<8xf16>, %y: tensor<8x4xf16>) {
  // expected-error @below {{expected 'lhs' of rank 2, but got 'tensor<8xf16>'}}
  %0 = transformer.matmul %x, %y : tensor<8xf16>, tensor<8x4xf16>
  return
}

// -----

func.func @matmul_by_a_vector(%x: tensor<7x8xf16>, %y: tensor<8xf16>) {
  // expected-error @below {{expected 'rhs' of rank 2, but got 'tensor<8xf16>'}}
  %0 = transformer.matmul %x, %y : tensor<7x8xf16>, tensor<8xf16>
  return
}

// -----

func.func @matmul_of_two_element_types(%x: tensor<7x8xf16>, %y: tensor<8x4xbf16>) {
  // expected-error @below {{expected operands of one element type, but got 'f16' and 'bf16'}}
  %0 = transformer.matmul %x, %y : tensor<7x8xf16>, tensor<8x4xbf16>
  return
}

// -----

func.func @matmul_of_other_inner_sizes(%x: tensor<7x8xf16>, %y: tensor<4x8xf16>) {
  // expected-error @below {{expected inner sizes that are equal, but got 8 and 4}}
  %0 = transformer.matmul %x, %y : tensor<7x8xf16>, tensor<4x8xf16>
  return
}

// -----

func.func @transposed_matmul_of_other_inner_sizes(%x: tensor<7x8xf16>, %y: tensor<8x4xf16>) {
  // expected-error @below {{expected inner sizes that are equal, but got 8 and 4}}
  %0 = transformer.matmul %x, %y transposed : tensor<7x8xf16>, tensor<8x4xf16>
  return
}

// -----

func.func @mean_of_a_scalar(%x: tensor<f32>) {
  // expected-error @below {{expected an input of rank at least 1, but got 'tensor<f32>'}}
  %0 = transformer.mean %x : tensor<f32>
  return
}

// -----

func.func @gather_from_rank_1(%table: tensor<128xf16>, %indices: tensor<7xi64>) {
  // expected-error @below {{expected 'table' of rank 2, but got 'tensor<128xf16>'}}
  %0 = transformer.gather %table, %indices : tensor<128xf16>, tensor<7xi64>
  return
}

// -----

func.func @gather_by_a_matrix(%table: tensor<128x8xf16>, %indices: tensor<7x1xi64>) {
  // expected-error @below {{expected 'indices' of rank 1, but got 'tensor<7x1xi64>'}}
  %0 = transformer.gather %table, %indices : tensor<128x8xf16>, tensor<7x1xi64>
  return
}

// -----

func.func @concat_of_two_element_types(%x: tensor<7x8xf16>, %y: tensor<7x8xf32>) {
  // expected-error @below {{expected operands of one element type, but got 'f16' and 'f32'}}
  %0 = transformer.concat %x, %y : tensor<7x8xf16>, tensor<7x8xf32>
  return
}

// -----

func.func @concat_of_two_ranks(%x: tensor<7x8xf16>, %y: tensor<8xf16>) {
  // expected-error @below {{expected 'rhs' of rank 2, but got 'tensor<8xf16>'}}
  %0 = transformer.concat %x, %y : tensor<7x8xf16>, tensor<8xf16>
  return
}

// -----

func.func @concat_of_other_rows(%x: tensor<7x8xf16>, %y: tensor<6x8xf16>) {
  // expected-error @below {{expected operands that differ only in a static last size, but got 'tensor<7x8xf16>' and 'tensor<6x8xf16>'}}
  %0 = transformer.concat %x, %y : tensor<7x8xf16>, tensor<6x8xf16>
  return
}

// -----

func.func @concat_of_an_unknown_width(%x: tensor<7x8xf16>, %y: tensor<7x?xf16>) {
  // expected-error @below {{expected operands that differ only in a static last size, but got 'tensor<7x8xf16>' and 'tensor<7x?xf16>'}}
  %0 = transformer.concat %x, %y : tensor<7x8xf16>, tensor<7x?xf16>
  return
}

// -----

func.func @concat_that_overflows(%x: tensor<9223372036854775807xf16>, %y: tensor<1xf16>) {
  // expected-error @below {{expected a last size below 2^63, but got 'tensor<9223372036854775807xf16>' and 'tensor<1xf16>'}}
  %0 = transformer.concat %x, %y : tensor<9223372036854775807xf16>, tensor<1xf16>
  return
}

// -----

func.func @slice_beyond_the_end(%x: tensor<7x8xf16>) {
  // expected-error @below {{expected a range within the static last size, but got 5 from 4 of 'tensor<7x8xf16>'}}
  %0 = transformer.slice %x offset(4) size(5) : tensor<7x8xf16>
  return
}

// -----

func.func @slice_of_an_unknown_width(%x: tensor<7x?xf16>) {
  // expected-error @below {{expected a range within the static last size, but got 1 from 0 of 'tensor<7x?xf16>'}}
  %0 = transformer.slice %x offset(0) size(1) : tensor<7x?xf16>
  return
}

// -----

// The end of the range does not fit into 64 bits.
func.func @slice_that_overflows(%x: tensor<7x8xf16>) {
  // expected-error @below {{expected a range within the static last size, but got 9223372036854775807 from 8 of 'tensor<7x8xf16>'}}
  %0 = transformer.slice %x offset(8) size(9223372036854775807) : tensor<7x8xf16>
  return
}

// -----

func.func @slice_from_before_the_beginning(%x: tensor<7x8xf16>) {
  // expected-error @below {{attribute 'offset' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = "transformer.slice"(%x) <{offset = -1 : i64, size = 1 : i64}> : (tensor<7x8xf16>) -> tensor<7x1xf16>
  return
}

// -----

func.func @empty_slice(%x: tensor<7x8xf16>) {
  // expected-error @below {{attribute 'size' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0 = "transformer.slice"(%x) <{offset = 0 : i64, size = 0 : i64}> : (tensor<7x8xf16>) -> tensor<7x0xf16>
  return
}

// -----

func.func @reshape_to_another_element_type(%x: tensor<7x8xf16>) {
  // expected-error @below {{'transformer.reshape' op expected a result of 'f16', but got 'f32'}}
  %0 = transformer.reshape %x : tensor<7x8xf16> to tensor<7x8xf32>
  return
}

// -----

func.func @reshape_to_another_number_of_elements(%x: tensor<7x8xf16>) {
  // expected-error @below {{'transformer.reshape' op expected a result of 56 elements, as the input has, but got 64}}
  %0 = transformer.reshape %x : tensor<7x8xf16> to tensor<8x8xf16>
  return
}

// -----

#tokens = #transformer.dims<tokens>
func.func @reshape_of_tokens_to_another_number_of_elements(%x: tensor<?x8xf16, #tokens>) {
  // expected-error @below {{'transformer.reshape' op expected a result of 8 * tokens elements, as the input has, but got 12 * tokens}}
  %0 = transformer.reshape %x : tensor<?x8xf16, #tokens> to tensor<?x3x4xf16, #tokens>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// expected-error @below {{expected one expression per dynamic dimension (1), but got 2}}
func.func private @too_many_expressions(tensor<?x8xf16, #transformer.dims<tokens, sequences>>)

// -----

// expected-error @below {{expected one expression per dynamic dimension (2), but got 1}}
func.func private @too_few_expressions(tensor<?x?xf16, #transformer.dims<tokens>>)

// -----

// expected-error @below {{expected one expression per dynamic dimension (0), but got 1}}
func.func private @expression_for_a_number(tensor<7x8xf16, #transformer.dims<tokens>>)

// -----

// expected-error @below {{expected a dynamic dimension, but got none to say the size of}}
func.func private @no_expressions(tensor<7x8xf16, #transformer.dims<>>)

// -----

#many = #transformer.dims<(1 + tokens) * (1 + sequences) * (1 + decode) * (1 + max(q)) * (1 + max(kv)), (1 + tokens) * (1 + sequences) * (1 + decode) * (1 + max(q)) * (1 + max(kv))>
// expected-error @below {{expected sizes whose product has at most 256 terms}}
func.func private @sizes_that_multiply_many_terms(tensor<?x?xf16, #many>)

// -----

// expected-error @below {{expected 'queries' from 1 to 2147483648, but got 0}}
#workload = #transformer.workload<queries = 0, query_length = 1>

// -----

// expected-error @below {{expected 'query_length' from 1 to 2147483648, but got -5}}
#workload = #transformer.workload<queries = 1, query_length = -5>

// -----

// expected-error @below {{expected 'context_length' from 0 to 2147483648, but got -1}}
#workload = #transformer.workload<queries = 1, query_length = 1, context_length = -1>

// -----

// expected-error @below {{expected 'context_length' from 0 to 2147483648, but got 2147483649}}
#workload = #transformer.workload<queries = 1, query_length = 1, context_length = 2147483649>

// -----

// expected-error @below {{expected at most 2147483648 new tokens in a step, but got 65537 requests of 32768}}
#workload = #transformer.workload<queries = 65537, query_length = 32768>

// -----

// expected-error @below {{expected 'prefix_cache_hit_rate' from 0 to below 1, but got 1}}
#workload = #transformer.workload<queries = 1, query_length = 1, prefix_cache_hit_rate = 1.0 : f64>

// -----

// expected-error @below {{expected 'prefix_cache_hit_rate' from 0 to below 1, but got -}}
#workload = #transformer.workload<queries = 1, query_length = 1, prefix_cache_hit_rate = -0.25 : f64>

// -----

// expected-error @below {{expected 'prefix_cache_hit_rate' from 0 to below 1, but got nan}}
#workload = #transformer.workload<queries = 1, query_length = 1, prefix_cache_hit_rate = 0x7FF8000000000000 : f64>

// -----

// expected-error @below {{'builtin.module' op unknown attribute 'transformer.modell'; did you mean 'transformer.model'? known attributes: transformer.assumes, transformer.disabled_fusions, transformer.eager, transformer.high_precision, transformer.images, transformer.model, transformer.plan, transformer.tower, transformer.training, transformer.workload}}
module attributes {transformer.modell = 1} {}

// -----

// expected-error @below {{'builtin.module' op expected 'transformer.assumes' to be an array of #transformer.expr, but got ["even"]}}
module attributes {transformer.assumes = ["even"]} {}

// -----

// expected-error @below {{'builtin.module' op expected 'transformer.assumes' to be an array of #transformer.expr, but got true}}
module attributes {transformer.assumes = true} {}

// -----

func.func @part_before_the_table(%ids: tensor<7xi64>, %table: tensor<16x8xf16>) {
  // expected-error @below {{attribute 'first_row' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = transformer.embedding %ids, %table first_row(-1) : tensor<7xi64>, tensor<16x8xf16> -> tensor<7x8xf16>
  return
}

// -----

// expected-error @below {{'builtin.module' op expected 'transformer.model' to be a #transformer.model, but got "Qwen3"}}
module attributes {transformer.model = "Qwen3"} {}

// -----

// expected-error @below {{'builtin.module' op expected 'transformer.workload' to be a #transformer.workload, but got 7 : i64}}
module attributes {transformer.workload = 7} {}

// -----

// expected-error @below {{'func.func' op expected 'transformer.model' on a module, but got it on this op}}
func.func private @model_on_a_function()
    attributes {transformer.model = #transformer.model<"m", dtype = f16>}

// -----

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// expected-error @below {{expected a cache of 2 x heads x head size, or of one size, per token, but got 2 dimensions}}
func.func private @cache_without_heads(!transformer.kv_cache<2x128xf16, block_size = 128>)

// -----

// expected-error @below {{expected a cache of 2 x heads x head size, or of one size, per token, but got 3 dimensions of which the first is not 2}}
func.func private @cache_of_keys_only(!transformer.kv_cache<1x8x128xf16, block_size = 128>)

// -----

// expected-error @below {{expected sizes from 1 to 2147483648, but got 0}}
func.func private @cache_of_no_heads(!transformer.kv_cache<2x0x128xf16, block_size = 128>)

// -----

// expected-error @below {{expected sizes from 1 to 2147483648, but got 2147483649}}
func.func private @cache_of_huge_heads(!transformer.kv_cache<2x8x2147483649xf16, block_size = 128>)

// -----

// expected-error @below {{expected an integer or float element type, but got 'index'}}
func.func private @cache_without_a_size_in_memory(!transformer.kv_cache<2x8x128xindex, block_size = 128>)

// -----

// expected-error @below {{expected 'block_size' from 1 to 2147483648, but got 0}}
func.func private @cache_of_empty_blocks(!transformer.kv_cache<2x8x128xf16, block_size = 0>)

// -----

// expected-error @below {{expected one dimension, the width, but got 2}}
func.func private @rope_table_of_two_dimensions(!transformer.rope_table<7x128xf16>)

// -----

// expected-error @below {{expected an even width from 2 to 2147483648, but got 7}}
func.func private @rope_table_of_odd_width(!transformer.rope_table<7xf16>)

// -----

// expected-error @below {{expected an even width from 2 to 2147483648, but got 0}}
func.func private @rope_table_of_no_width(!transformer.rope_table<0xf16>)

// -----

// expected-error @below {{expected an even width from 2 to 2147483648, but got 2147483650}}
func.func private @rope_table_of_huge_width(!transformer.rope_table<2147483650xf16>)

// -----

// expected-error @below {{expected a float element type, but got 'i64'}}
func.func private @rope_table_of_integers(!transformer.rope_table<128xi64>)
