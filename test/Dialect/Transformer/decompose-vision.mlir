// RUN: tc-opt %s --transformer-decompose | FileCheck %s
// RUN: tc-opt %s --transformer-decompose="level=primitive" | FileCheck %s --check-prefix=PRIMITIVE
// RUN: tc-opt %s --transformer-decompose="keep=grid_embedding,gelu eager-keep=layer_norm eager-towers" | FileCheck %s --check-prefix=EAGER

#patches = #transformer.dims<4 * images * image_rows * image_columns>

// A convolution is launched whole; it is a product.
// CHECK-LABEL: func @patches
// CHECK:         transformer.convolve_patches
// PRIMITIVE-LABEL: func @patches
// PRIMITIVE:         transformer.matmul %{{.*}}, %{{.*}} transposed bias(%{{.*}} : tensor<8xf16>)
func.func @patches(%x: tensor<7x12xf16>, %w: tensor<8x12xf16>, %b: tensor<8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.convolve_patches %x, %w bias(%b : tensor<8xf16>)
      : tensor<7x12xf16>, tensor<8x12xf16> -> tensor<7x8xf16>
  return %0 : tensor<7x8xf16>
}

// Four rows for each patch, weighed in f32 and added.
// CHECK-LABEL: func @positions
// CHECK:         %[[AT:.*]], %[[SHARE:.*]] = transformer.grid_neighbors %{{.*}} side(48) merge(2)
// CHECK:         %[[ROWS:.*]] = transformer.gather %{{.*}}, %[[AT]]
// CHECK:         %[[BY:.*]] = transformer.reshape %[[ROWS]] : tensor<?x8xf16, #{{.*}}> to tensor<4x?x8xf16, #{{.*}}>
// CHECK:         %[[PARTS:.*]] = transformer.mul %[[BY]], %[[SHARE]]
// CHECK:         %[[SUM:.*]] = transformer.sum %[[PARTS]] dim(0) : tensor<4x?x8xf32
// CHECK:         %[[FLAT:.*]] = transformer.reshape %[[SUM]]
// CHECK:         transformer.cast %[[FLAT]]
func.func @positions(%table: tensor<2304x8xf16>, %batch: !transformer.batch) -> tensor<?x8xf16, #patches> {
  %0 = transformer.grid_embedding %table of %batch merge(2)
      : tensor<2304x8xf16>, !transformer.batch -> tensor<?x8xf16, #patches>
  return %0 : tensor<?x8xf16, #patches>
}

// CHECK-LABEL: func @bicubic
// CHECK:         transformer.grid_neighbors %{{.*}} side(8) merge(2) form(bicubic) : !transformer.batch -> tensor<?xi64, #{{.*}}>, tensor<16x?x1xf32, #{{.*}}>
// CHECK-NOT:     transformer.cast
func.func @bicubic(%table: tensor<64x8xf32>, %batch: !transformer.batch) -> tensor<?x8xf32, #patches> {
  %0 = transformer.grid_embedding %table of %batch merge(2) form(bicubic)
      : tensor<64x8xf32>, !transformer.batch -> tensor<?x8xf32, #patches>
  return %0 : tensor<?x8xf32, #patches>
}

// Rows, then columns, and all of them again.
// CHECK-LABEL: func @rotation
// CHECK:         %[[A:.*]] = transformer.grid_angles %{{.*}} theta(10000.0) merge(2) : !transformer.batch -> tensor<?x2x2xf32, #{{.*}}>
// CHECK:         %[[FLAT:.*]] = transformer.reshape %[[A]] : tensor<?x2x2xf32, #{{.*}}> to tensor<?x4xf32, #{{.*}}>
// CHECK:         %[[TWICE:.*]] = transformer.concat %[[FLAT]], %[[FLAT]]
// CHECK:         %[[COS:.*]] = transformer.cos %[[TWICE]]
// CHECK:         %[[SIN:.*]] = transformer.sin %[[TWICE]]
// CHECK:         transformer.rope_pack %[[COS]], %[[SIN]]
func.func @rotation(%batch: !transformer.batch) -> !transformer.rope_table<8xf32, patches = 4> {
  %0 = transformer.grid_rope %batch theta(10000.0) merge(2)
      : !transformer.batch -> !transformer.rope_table<8xf32, patches = 4>
  return %0 : !transformer.rope_table<8xf32, patches = 4>
}

// Each angle beside itself.
// CHECK-LABEL: func @rotation_of_neighbours
// CHECK:         %[[ONE:.*]] = transformer.reshape %{{.*}} : tensor<?x2x2xf32, #{{.*}}> to tensor<?x4x1xf32, #{{.*}}>
// CHECK:         transformer.concat %[[ONE]], %[[ONE]]
// CHECK:         transformer.reshape %{{.*}} : tensor<?x4x2xf32, #{{.*}}> to tensor<?x8xf32, #{{.*}}>
func.func @rotation_of_neighbours(%batch: !transformer.batch) -> !transformer.rope_table<8xf32, patches = 4> {
  %0 = transformer.grid_rope %batch theta(10000.0) merge(2) interleaved
      : !transformer.batch -> !transformer.rope_table<8xf32, patches = 4>
  return %0 : !transformer.rope_table<8xf32, patches = 4>
}

// A product of complex numbers is launched whole; it turns neighbours.
// CHECK-LABEL: func @complex
// CHECK-NEXT:    transformer.rope %{{.*}}, %{{.*}} style(complex)
// PRIMITIVE-LABEL: func @complex
// PRIMITIVE-NOT:     transformer.rope %
// PRIMITIVE:         transformer.neg %{{.*}} : tensor<7x2x4x1xf32>
func.func @complex(%x: tensor<7x2x8xf32>, %table: !transformer.rope_table<8xf32>) -> tensor<7x2x8xf32> {
  %0 = transformer.rope %x, %table style(complex) : tensor<7x2x8xf32>, !transformer.rope_table<8xf32>
  return %0 : tensor<7x2x8xf32>
}

// Towers that run op by op keep what a framework launches whole.
// EAGER-LABEL: func private @tower
// EAGER-SAME:    transformer.eager
// EAGER:         transformer.layer_norm
// EAGER:         transformer.tanh
func.func private @tower(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> attributes {transformer.tower} {
  %0 = transformer.layer_norm %x, %w eps(1.0e-06) : tensor<7x8xf16>, tensor<8xf16>
  %1 = transformer.gelu %0 form(tanh) : tensor<7x8xf16>
  return %1 : tensor<7x8xf16>
}

// Other functions are compiled.
// EAGER-LABEL: func private @decoder
// EAGER-NOT:     transformer.eager
// EAGER-NOT:     transformer.layer_norm
// EAGER:         transformer.gelu
func.func private @decoder(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.layer_norm %x, %w eps(1.0e-06) : tensor<7x8xf16>, tensor<8xf16>
  %1 = transformer.gelu %0 form(tanh) : tensor<7x8xf16>
  return %1 : tensor<7x8xf16>
}
