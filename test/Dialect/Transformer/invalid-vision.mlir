// RUN: tc-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Images and rules
//===----------------------------------------------------------------------===//

// expected-error @below {{expected 'rows' from 1 to 65536, but got 0}}
func.func private @no_rows() attributes {test.images = #transformer.images<count = 1, rows = 0, columns = 2, tokens = 4>}

// -----

// expected-error @below {{expected 'tokens' from 6, one per cell, to 2147483648, but got 5}}
func.func private @fewer_tokens_than_cells() attributes {test.images = #transformer.images<count = 1, rows = 2, columns = 3, tokens = 5>}

// -----

// expected-error @below {{expected at most 2147483648 new tokens in a step, but got 1073741824 requests of 14}}
func.func private @too_many_tokens() attributes {test.workload = #transformer.workload<queries = 1073741824, query_length = 8, images = #transformer.images<count = 1, rows = 2, columns = 3, tokens = 6>>}

// -----

// expected-error @below {{expected 'patch' from 1 to 1024, but got 0}}
func.func private @no_patch() attributes {test.rule = #transformer.image_rule<cut = nearest, patch = 0, merge = 2, max_pixels = 1024>}

// -----

// expected-error @below {{expected 'max_pixels' from 256 to 4294967296, but got 255}}
func.func private @no_pixels() attributes {test.rule = #transformer.image_rule<cut = nearest, patch = 16, merge = 2, max_pixels = 255>}

// -----

// expected-error @below {{expected 'min_pixels' of at most 1024, but got 2048}}
func.func private @no_size_fits() attributes {test.rule = #transformer.image_rule<cut = up, patch = 16, merge = 2, min_pixels = 2048, max_pixels = 1024>}

// -----

// expected-error @below {{expected 'tile' to be a multiple of 28, the side of a cell, but got 450}}
func.func private @uneven_tile() attributes {test.rule = #transformer.image_rule<cut = tiles, patch = 14, merge = 2, tile = 450, max_tiles = 12>}

// -----

// expected-error @below {{'builtin.module' op expected 'transformer.tower', without a value, on a function}}
module attributes {transformer.tower} {}

// -----

// expected-error @below {{'func.func' op expected 'transformer.eager', without a value, on a function}}
func.func private @with_a_value() attributes {transformer.eager = true}

// -----

// expected-error @below {{'builtin.module' op expected 'transformer.images' to be a #transformer.image_rule, but got 4 : i64}}
module attributes {transformer.images = 4} {}

// -----

// expected-error @below {{expected 'patches' from 0 to 2147483648, but got -1}}
func.func private @patches(!transformer.rope_table<8xf32, patches = -1>)

// -----

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

func.func @other_window(%x: tensor<7x12xf16>, %w: tensor<8x13xf16>) {
  // expected-error @below {{'transformer.convolve_patches' op expected dimension 1 of 'weight' to be 12, but got 13}}
  %0 = transformer.convolve_patches %x, %w : tensor<7x12xf16>, tensor<8x13xf16> -> tensor<7x8xf16>
  return
}

// -----

func.func @other_bias(%x: tensor<7x12xf16>, %w: tensor<8x12xf16>, %b: tensor<9xf16>) {
  // expected-error @below {{expected dimension 0 of 'bias' to be 8, but got 9}}
  %0 = transformer.convolve_patches %x, %w bias(%b : tensor<9xf16>) : tensor<7x12xf16>, tensor<8x12xf16> -> tensor<7x8xf16>
  return
}

// -----

#patches = #transformer.dims<4 * images * image_rows * image_columns>
func.func @no_square(%table: tensor<2305x8xf16>, %batch: !transformer.batch) {
  // expected-error @below {{expected a table of a square number of positions, but got 2305}}
  %0 = transformer.grid_embedding %table of %batch merge(2)
      : tensor<2305x8xf16>, !transformer.batch -> tensor<?x8xf16, #patches>
  return
}

// -----

#patches = #transformer.dims<4 * images * image_rows * image_columns>
func.func @other_merge(%table: tensor<2304x8xf16>, %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 0 of 'result' to be 9 * images * image_rows * image_columns, but got 4 * images * image_rows * image_columns}}
  %0 = transformer.grid_embedding %table of %batch merge(3)
      : tensor<2304x8xf16>, !transformer.batch -> tensor<?x8xf16, #patches>
  return
}

// -----

#workload = #transformer.workload<queries = 1, query_length = 8,
    images = #transformer.images<count = 1, rows = 2, columns = 3, tokens = 6>>
func.func @not_one_to_one(%table: tensor<16x8xf16>, %batch: !transformer.batch<#workload>) {
  // expected-error @below {{expected images of 4 x 4 patches, one per position, but got 4 x 6}}
  %0 = transformer.grid_embedding %table of %batch merge(2) form(exact)
      : tensor<16x8xf16>, !transformer.batch<#workload> -> tensor<24x8xf16>
  return
}

// -----

#patches = #transformer.dims<4 * images * image_rows * image_columns>
func.func @too_few_neighbors(%batch: !transformer.batch) {
  // expected-error @below {{expected dimension 0 of 'indices' to be 16 * images * image_rows * image_columns, but got 4 * images * image_rows * image_columns}}
  %0:2 = transformer.grid_neighbors %batch side(48) merge(2)
      : !transformer.batch -> tensor<?xi64, #patches>, tensor<4x?x1xf32, #patches>
  return
}

// -----

func.func @no_merge(%batch: !transformer.batch) {
  // expected-error @below {{attribute 'merge' failed to satisfy constraint}}
  %0 = transformer.grid_rope %batch theta(10000.0) merge(0)
      : !transformer.batch -> !transformer.rope_table<72xf32>
  return
}

// -----

func.func @odd_quarter(%batch: !transformer.batch) {
  // expected-error @below {{expected a width of a multiple of 4, for rows and columns of pairs, but got 70}}
  %0 = transformer.grid_rope %batch theta(10000.0) merge(2)
      : !transformer.batch -> !transformer.rope_table<70xf32, patches = 4>
  return
}

// -----

func.func @table_of_tokens(%batch: !transformer.batch) {
  // expected-error @below {{expected a table of 4 patches per cell, but got 0}}
  %0 = transformer.grid_rope %batch theta(10000.0) merge(2)
      : !transformer.batch -> !transformer.rope_table<72xf32>
  return
}

// -----

func.func @no_theta(%batch: !transformer.batch) {
  // expected-error @below {{expected a finite 'theta' of at least 1, but got 0}}
  %0 = transformer.grid_rope %batch theta(0.0) merge(2)
      : !transformer.batch -> !transformer.rope_table<72xf32, patches = 4>
  return
}

// -----

#patches = #transformer.dims<4 * images * image_rows * image_columns>
func.func @no_scale(%q: tensor<?x4x8xf16, #patches>, %batch: !transformer.batch) {
  // expected-error @below {{expected a finite 'scale' above 0, but got 0}}
  %0 = transformer.image_attention %q, %q, %q of %batch scale(0.0) merge(2)
      : tensor<?x4x8xf16, #patches>, !transformer.batch
  return
}

// -----

#tokens = #transformer.dims<tokens>
func.func @attention_of_tokens(%q: tensor<?x4x8xf16, #tokens>, %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 0 of 'query' to be 4 * images * image_rows * image_columns, but got tokens}}
  %0 = transformer.image_attention %q, %q, %q of %batch scale(0.5) merge(2)
      : tensor<?x4x8xf16, #tokens>, !transformer.batch
  return
}

// -----

#workload = #transformer.workload<queries = 1, query_length = 8,
    images = #transformer.images<count = 1, rows = 2, columns = 3, tokens = 6>>
func.func @features_of_fewer_cells(%f: tensor<5x8xf16>, %x: tensor<14x8xf16>, %batch: !transformer.batch<#workload>) {
  // expected-error @below {{expected dimension 0 of 'features' to be 6, but got 5}}
  %0 = transformer.place_images %f in %x of %batch
      : tensor<5x8xf16>, tensor<14x8xf16>, !transformer.batch<#workload>
  return
}
