// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s

#patches = #transformer.dims<4 * images * image_rows * image_columns>
#neighbors = #transformer.dims<16 * images * image_rows * image_columns>
#cells = #transformer.dims<images * image_rows * image_columns>
#tokens = #transformer.dims<tokens>
#workload = #transformer.workload<queries = 1, query_length = 8,
    images = #transformer.images<count = 1, rows = 2, columns = 3, tokens = 8>>

// CHECK-DAG: #[[PATCHES:dims[0-9]*]] = #transformer.dims<4 * images * image_rows * image_columns>
// CHECK-DAG: #transformer.workload<queries = 1, query_length = 8, images = <count = 1, rows = 2, columns = 3, tokens = 8>>

// The rule of a model, and functions that look at images.
// CHECK: module attributes {transformer.images = #transformer.image_rule<cut = nearest, patch = 16, merge = 2, min_pixels = 65536, max_pixels = 16777216, markers = 2>}
module attributes {transformer.images = #transformer.image_rule<cut = nearest,
    patch = 16, merge = 2, min_pixels = 65536, max_pixels = 16777216, markers = 2>} {

// CHECK-LABEL: func private @tower() attributes {transformer.eager, transformer.tower}
func.func private @tower() attributes {transformer.tower, transformer.eager}

// CHECK-LABEL: func private @tiles() attributes {test.rule = #transformer.image_rule<cut = tiles, patch = 14, merge = 2, tile = 448, max_tiles = 12, markers = 2>}
func.func private @tiles() attributes {test.rule = #transformer.image_rule<cut = tiles,
    patch = 14, merge = 2, tile = 448, max_tiles = 12, markers = 2>}

// CHECK-LABEL: func @convolve_patches
// CHECK:         transformer.convolve_patches %{{.*}}, %{{.*}} bias(%{{.*}} : tensor<8xf16>) : tensor<?x12xf16, #[[PATCHES]]>, tensor<8x12xf16> -> tensor<?x8xf16, #[[PATCHES]]>
// CHECK:         transformer.convolve_patches %{{.*}}, %{{.*}} : tensor<7x12xf16>, tensor<8x12xf16> -> tensor<7x8xf16>
func.func @convolve_patches(%x: tensor<?x12xf16, #patches>, %y: tensor<7x12xf16>, %w: tensor<8x12xf16>, %b: tensor<8xf16>) {
  %0 = transformer.convolve_patches %x, %w bias(%b : tensor<8xf16>)
      : tensor<?x12xf16, #patches>, tensor<8x12xf16> -> tensor<?x8xf16, #patches>
  %1 = transformer.convolve_patches %y, %w : tensor<7x12xf16>, tensor<8x12xf16> -> tensor<7x8xf16>
  return
}

// CHECK-LABEL: func @grids
// CHECK:         transformer.grid_neighbors %{{.*}} side(48) merge(2) : !transformer.batch -> tensor<?xi64, #{{.*}}>, tensor<4x?x1xf32, #[[PATCHES]]>
// CHECK:         transformer.grid_neighbors %{{.*}} side(8) merge(2) form(bicubic)
// CHECK:         transformer.grid_embedding %{{.*}} of %{{.*}} merge(2) : tensor<2304x8xf16>, !transformer.batch -> tensor<?x8xf16, #[[PATCHES]]>
// CHECK:         transformer.grid_embedding %{{.*}} of %{{.*}} merge(2) form(exact)
// CHECK:         transformer.grid_angles %{{.*}} theta(10000.0) merge(2) : !transformer.batch -> tensor<?x2x18xf32, #[[PATCHES]]>
// CHECK:         transformer.grid_rope %{{.*}} theta(10000.0) merge(2) : !transformer.batch -> <72xf32, patches = 4>
// CHECK:         transformer.grid_rope %{{.*}} theta(100.0) merge(2) interleaved
func.func @grids(%table: tensor<2304x8xf16>, %batch: !transformer.batch,
                 %bound: !transformer.batch<#workload>) {
  %0:2 = transformer.grid_neighbors %batch side(48) merge(2)
      : !transformer.batch -> tensor<?xi64, #neighbors>, tensor<4x?x1xf32, #patches>
  %1:2 = transformer.grid_neighbors %bound side(8) merge(2) form(bicubic)
      : !transformer.batch<#workload> -> tensor<384xi64>, tensor<16x24x1xf32>
  %2 = transformer.grid_embedding %table of %batch merge(2)
      : tensor<2304x8xf16>, !transformer.batch -> tensor<?x8xf16, #patches>
  %3 = transformer.grid_embedding %table of %batch merge(2) form(exact)
      : tensor<2304x8xf16>, !transformer.batch -> tensor<?x8xf16, #patches>
  %4 = transformer.grid_angles %batch theta(10000.0) merge(2)
      : !transformer.batch -> tensor<?x2x18xf32, #patches>
  %5 = transformer.grid_rope %batch theta(10000.0) merge(2)
      : !transformer.batch -> !transformer.rope_table<72xf32, patches = 4>
  %6 = transformer.grid_rope %batch theta(100.0) merge(2) interleaved
      : !transformer.batch -> !transformer.rope_table<72xf32, patches = 4>
  return
}

// CHECK-LABEL: func @waves
// CHECK:         transformer.cos %{{.*}} : tensor<7x64xf32>
// CHECK:         transformer.sin %{{.*}} : tensor<7x64xf32>
func.func @waves(%x: tensor<7x64xf32>) {
  %0 = transformer.cos %x : tensor<7x64xf32>
  %1 = transformer.sin %x : tensor<7x64xf32>
  return
}

// CHECK-LABEL: func @image_attention
// CHECK:         transformer.image_attention %{{.*}}, %{{.*}}, %{{.*}} of %{{.*}} scale(0.125) merge(2) : tensor<?x4x8xf16, #[[PATCHES]]>, !transformer.batch
func.func @image_attention(%q: tensor<?x4x8xf16, #patches>, %batch: !transformer.batch) {
  %0 = transformer.image_attention %q, %q, %q of %batch scale(0.125) merge(2)
      : tensor<?x4x8xf16, #patches>, !transformer.batch
  return
}

// CHECK-LABEL: func @place_images
// CHECK:         transformer.place_images %{{.*}} in %{{.*}} of %{{.*}} : tensor<?x8xf16, #{{.*}}>, tensor<?x8xf16, #{{.*}}>, !transformer.batch
// CHECK:         transformer.place_images %{{.*}} in %{{.*}} of %{{.*}} add : tensor<6x8xf16>, tensor<16x8xf16>
func.func @place_images(%f: tensor<?x8xf16, #cells>, %x: tensor<?x8xf16, #tokens>, %batch: !transformer.batch,
                        %g: tensor<6x8xf16>, %y: tensor<16x8xf16>, %bound: !transformer.batch<#workload>) {
  %0 = transformer.place_images %f in %x of %batch
      : tensor<?x8xf16, #cells>, tensor<?x8xf16, #tokens>, !transformer.batch
  %1 = transformer.place_images %g in %y of %bound add
      : tensor<6x8xf16>, tensor<16x8xf16>, !transformer.batch<#workload>
  return
}

}
