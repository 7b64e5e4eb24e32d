// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08" | FileCheck %s --check-prefix=EAGER
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08 compiled" | FileCheck %s --check-prefix=COMPILED
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend" | FileCheck %s --check-prefix=PHYSICAL

#patches = #transformer.dims<4 * images * image_rows * image_columns>
#cells = #transformer.dims<images * image_rows * image_columns>
#tokens = #transformer.dims<tokens>
#workload = #transformer.workload<queries = 2, query_length = 8,
    images = #transformer.images<count = 1, rows = 2, columns = 3, tokens = 8>>

// The reference counts the bias as half a product.
// EAGER-LABEL:    func @patches
// EAGER:            ascend.launch "convolve_patches"(%{{.*}}, %{{.*}}, %{{.*}}) as("aten.convolution") {{.*}} { ascend.matmul m(48) n(8) k(12.5) : f16 }
// EAGER:            ascend.launch "convolve_patches"(%{{.*}}, %{{.*}}) {{.*}} { ascend.matmul m(48) n(8) k(12) : f16 }
// PHYSICAL-LABEL: func @patches
// PHYSICAL:         ascend.launch "convolve_patches"(%{{.*}}, %{{.*}}, %{{.*}}) : {{.*}} { ascend.matmul m(48) n(8) k(12) : f16 }
func.func @patches(%x: tensor<48x12xf16>, %w: tensor<8x12xf16>, %b: tensor<8xf16>) {
  %0 = transformer.convolve_patches %x, %w bias(%b : tensor<8xf16>)
      : tensor<48x12xf16>, tensor<8x12xf16> -> tensor<48x8xf16>
  %1 = transformer.convolve_patches %x, %w : tensor<48x12xf16>, tensor<8x12xf16> -> tensor<48x8xf16>
  return
}

// The reference looks for patches op by op, image by image: there are 2 of 4 x 6
// patches. A serving stack knows where they are.
// EAGER-LABEL:    func @positions
// EAGER:            ascend.launch "linspace"() times(2) as("aten.linspace") : () -> tensor<4xf32>
// EAGER:            ascend.launch "subtract_from_scalar"(%{{.*}}) times(4) as("aten.rsub") : (tensor<4xf32>) -> tensor<4xf32>
// EAGER:            ascend.launch "linspace"() times(2) as("aten.linspace") : () -> tensor<6xf32>
// EAGER:            ascend.launch "mul"(%{{.*}}, %{{.*}}) times(8) as("aten.mul") : (tensor<4x1xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
// EAGER:            %[[ROWS:.*]] = ascend.launch "embedding"(%{{.*}}) using(%{{.*}}) as("aten.embedding") {{.*}} -> tensor<4x48x8xf16> { ascend.gather rows(192) row_bytes(16) index(0) }
// EAGER:            %[[PARTS:.*]] = ascend.launch "mul"(%[[ROWS]], %{{.*}}) as("aten.mul") : (tensor<4x48x8xf16>, tensor<4x48x1xf32>) -> tensor<4x48x8xf32>
// EAGER:            %[[SUM:.*]] = ascend.launch "sum"(%[[PARTS]]) as("aten.sum") : (tensor<4x48x8xf32>) -> tensor<48x8xf32>
// EAGER:            ascend.launch "cast"(%[[SUM]]) as("aten._to_copy") : (tensor<48x8xf32>) -> tensor<48x8xf16>
// PHYSICAL-LABEL: func @positions
// PHYSICAL-NEXT:    ascend.launch "grid_embedding"() using(%{{.*}}, %{{.*}}) : {{.*}} -> tensor<48x8xf16>
// PHYSICAL-NEXT:      ascend.gather rows(192) row_bytes(16) index(3072)
// PHYSICAL:           ascend.elementwise elements(1536) operations(2) : f32
func.func @positions(%table: tensor<2304x8xf16>, %batch: !transformer.batch<#workload>) -> tensor<48x8xf16> {
  %0 = transformer.grid_embedding %table of %batch merge(2)
      : tensor<2304x8xf16>, !transformer.batch<#workload> -> tensor<48x8xf16>
  return %0 : tensor<48x8xf16>
}

// What is unbound is launched as often as there are images.
// EAGER-LABEL:    func @any_positions
// EAGER:            ascend.launch "linspace"() times(images) as("aten.linspace") : () -> tensor<?xf32, #{{.*}}>
func.func @any_positions(%table: tensor<2304x8xf16>, %batch: !transformer.batch) -> tensor<?x8xf16, #patches> {
  %0 = transformer.grid_embedding %table of %batch merge(2)
      : tensor<2304x8xf16>, !transformer.batch -> tensor<?x8xf16, #patches>
  return %0 : tensor<?x8xf16, #patches>
}

// Rows and columns of patches, times frequencies.
// EAGER-LABEL:    func @angles
// EAGER:            ascend.launch "grid_angles"(%{{.*}}, %{{.*}}) as("aten.mul") : (tensor<48x2x1xi64>, tensor<2xf32>) -> tensor<48x2x2xf32>
// EAGER:            ascend.launch "cos"(%{{.*}}) as("aten.cos")
// EAGER:            ascend.launch "sin"(%{{.*}}) as("aten.sin")
// PHYSICAL-LABEL: func @angles
// PHYSICAL:         ascend.launch "grid_angles"(%{{.*}}, %{{.*}}) : {{.*}} { ascend.elementwise elements(192) operations(1) : f32 }
func.func @angles(%batch: !transformer.batch<#workload>) {
  %0 = transformer.grid_angles %batch theta(10000.0) merge(2)
      : !transformer.batch<#workload> -> tensor<48x2x2xf32>
  %1 = transformer.cos %0 : tensor<48x2x2xf32>
  %2 = transformer.sin %0 : tensor<48x2x2xf32>
  return
}

// The host knows where patches are.
// PHYSICAL-LABEL: func @neighbors
// PHYSICAL-NEXT:    ascend.view : () -> tensor<192xi64>
// PHYSICAL-NEXT:    ascend.view : () -> tensor<4x48x1xf32>
// PHYSICAL-NEXT:    return
func.func @neighbors(%batch: !transformer.batch<#workload>) -> (tensor<192xi64>, tensor<4x48x1xf32>) {
  %0:2 = transformer.grid_neighbors %batch side(48) merge(2)
      : !transformer.batch<#workload> -> tensor<192xi64>, tensor<4x48x1xf32>
  return %0#0, %0#1 : tensor<192xi64>, tensor<4x48x1xf32>
}

// One start for each image, of 24 patches, and a copy that joins the results.
// EAGER-LABEL:    func @attention
// EAGER:            ascend.launch "image_lengths"(%{{.*}}, %{{.*}}) as("aten.sub") : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
// EAGER:            ascend.launch "image_attention"(%{{.*}}, %{{.*}}, %{{.*}}) times(2) as("tensor_cast.attention") : (tensor<24x32xf16>, tensor<1x24x4x8xf16>, tensor<1x24x4x8xf16>) -> tensor<24x32xf16> { ascend.attention pairs(576) heads(4) key_size(8) value_size(8) softmax(4) rows(0) kv_heads(4) metadata(0) : f16, f16, f16 }
// EAGER:            ascend.launch "join_images"(%{{.*}}) as("aten.cat") : (tensor<48x32xf16>) -> tensor<48x32xf16>
// PHYSICAL-LABEL: func @attention
// PHYSICAL-NEXT:    ascend.launch "image_attention"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<48x4x8xf16>, tensor<48x4x8xf16>, tensor<48x4x8xf16>) -> tensor<48x4x8xf16> { ascend.attention pairs(1152)
func.func @attention(%q: tensor<48x4x8xf16>, %batch: !transformer.batch<#workload>) -> tensor<48x4x8xf16> {
  %0 = transformer.image_attention %q, %q, %q of %batch scale(0.5) merge(2)
      : tensor<48x4x8xf16>, !transformer.batch<#workload>
  return %0 : tensor<48x4x8xf16>
}

// The reference compares ids with the placeholder, and writes nothing; compiled,
// it looks for one kind of placeholder only. Physical kernels write the rows.
// EAGER-LABEL:    func @place
// EAGER-SAME:       %{{.*}}: tensor<12x8xf16>, %[[X:.*]]: tensor<32x8xf16>
// EAGER:            ascend.launch "count_cells"(%{{.*}}) as("aten.floor_divide")
// EAGER:            ascend.launch "join_images"(%{{.*}}) as("aten.cat") : (tensor<12x8xf16>) -> tensor<12x8xf16>
// EAGER:            ascend.launch "placeholders"(%{{.*}}) as("aten.eq") : (tensor<32xi64>) -> tensor<32xi1>
// EAGER:            ascend.launch "placeholders_of_others"(%{{.*}}) as("aten.eq")
// EAGER-NOT:        ascend.launch "{{place_images|add_images}}"
// EAGER:            return %[[X]]
// COMPILED-LABEL: func @place
// COMPILED:         ascend.launch "count_cells"(%{{.*}}) as("aten.div")
// COMPILED:         ascend.launch "placeholders"
// COMPILED-NOT:     ascend.launch
// COMPILED:         return
// PHYSICAL-LABEL: func @place
// PHYSICAL-NEXT:    ascend.launch "place_images"(%{{.*}}) using(%{{.*}}, %{{.*}}) : {{.*}} -> () { ascend.scatter rows(12) row_bytes(16) index(96) }
// PHYSICAL-NEXT:    ascend.view
// PHYSICAL-NEXT:    ascend.launch "add_images"(%{{.*}}) using(%{{.*}}, %{{.*}}) : {{.*}} -> ()
// PHYSICAL-NEXT:      ascend.gather rows(12) row_bytes(16) index(0)
// PHYSICAL:           ascend.elementwise elements(96) operations(1) : f16
// PHYSICAL:           ascend.scatter rows(12) row_bytes(16) index(96)
func.func @place(%f: tensor<12x8xf16>, %x: tensor<32x8xf16>, %batch: !transformer.batch<#workload>) -> tensor<32x8xf16> {
  %0 = transformer.place_images %f in %x of %batch
      : tensor<12x8xf16>, tensor<32x8xf16>, !transformer.batch<#workload>
  %1 = transformer.place_images %f in %0 of %batch add
      : tensor<12x8xf16>, tensor<32x8xf16>, !transformer.batch<#workload>
  return %1 : tensor<32x8xf16>
}

// A product of complex numbers, or the kernel for all rotations.
// EAGER-LABEL:    func @complex
// EAGER:            ascend.launch "rope_complex"(%{{.*}}, %{{.*}}, %{{.*}}) as("aten.mul") : (tensor<7x2x8xf32>, tensor<7x1x8xf32>, tensor<7x1x8xf32>) -> tensor<7x2x8xf32>{{$}}
// PHYSICAL-LABEL: func @complex
// PHYSICAL:         ascend.launch "rope"(%{{.*}}) : {{.*}} { ascend.elementwise elements(112) operations(3) : f32 }
func.func @complex(%x: tensor<7x2x8xf32>, %table: !transformer.rope_table<8xf32>) -> tensor<7x2x8xf32> {
  %0 = transformer.rope %x, %table style(complex) : tensor<7x2x8xf32>, !transformer.rope_table<8xf32>
  return %0 : tensor<7x2x8xf32>
}

// What runs op by op has the kernels of an eager run.
// COMPILED-LABEL: func private @tower
// COMPILED:         ascend.launch "gelu_tanh"(%{{.*}}) as("aten.gelu")
// COMPILED:         ascend.launch "cast"(%{{.*}}) as("aten._to_copy")
func.func private @tower(%x: tensor<7x8xf16>) -> tensor<7x8xf32> attributes {transformer.tower, transformer.eager} {
  %0 = transformer.gelu %x form(tanh) : tensor<7x8xf16>
  %1 = transformer.cast %0 : tensor<7x8xf16> to tensor<7x8xf32>
  return %1 : tensor<7x8xf32>
}

// The bias of a layer that is split by rows is added by one device, before the sum.
// EAGER-LABEL:    func private @rows
// EAGER:            ascend.launch "matmul_bias"
// EAGER-NEXT:       ascend.launch "all_reduce"
// EAGER-NEXT:       return
// PHYSICAL-LABEL: func private @rows
// PHYSICAL:         ascend.launch "matmul"
// PHYSICAL-NEXT:    ascend.launch "all_reduce"
// PHYSICAL-NEXT:    ascend.launch "add"
func.func private @rows(%x: tensor<7x8xf16>) -> tensor<7x8xf16> attributes {transformer.tower} {
  %w = transformer.weight "o.weight" : tensor<8x8xf16>
  %b = transformer.weight "o.bias" : tensor<8xf16>
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  %1 = transformer.all_reduce %0 over<2> : tensor<7x8xf16>
  %2 = transformer.add %1, %b : tensor<7x8xf16>, tensor<8xf16>
  return %2 : tensor<7x8xf16>
}
