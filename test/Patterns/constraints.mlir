// RUN: tc-opt %s --transformer-apply-patterns="file=%S/Inputs/constraints.pdll" | FileCheck %s
// RUN: tc-opt %s --transformer-apply-patterns="file=%S/Inputs/constraints.pdll" --verify-diagnostics --remarks-filter=apply-patterns --remark-policy=all

#tokens = #transformer.dims<tokens>

//===----------------------------------------------------------------------===//
// HasOneUse
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @one_use
// CHECK:         transformer.fused "one_use"
func.func @one_use(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.silu %x : tensor<7x8xf16>
  // expected-remark @below {{[Passed] OneUse}}
  %1 = transformer.neg %0 : tensor<7x8xf16>
  return %1 : tensor<7x8xf16>
}

// One op that reads a value twice is two readers.
// CHECK-LABEL: func @two_uses
// CHECK-NOT:     transformer.fused
func.func @two_uses(%x: tensor<7x8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %0 = transformer.silu %x : tensor<7x8xf16>
  // expected-remark @below {{Reason="HasOneUse: the value has 3 readers"}}
  %1 = transformer.neg %0 : tensor<7x8xf16>
  %2 = transformer.add %0, %0 : tensor<7x8xf16>, tensor<7x8xf16>
  return %1, %2 : tensor<7x8xf16>, tensor<7x8xf16>
}

//===----------------------------------------------------------------------===//
// HasRank
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @rank
// CHECK:         transformer.fused "rank"
func.func @rank(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  // expected-remark @below {{[Passed] Rank}}
  %0 = transformer.rsqrt %x : tensor<7x8xf16>
  return %0 : tensor<7x8xf16>
}

// CHECK-LABEL: func @other_rank
// CHECK-NOT:     transformer.fused
func.func @other_rank(%x: tensor<7x4x8xf16>) -> tensor<7x4x8xf16> {
  // expected-remark @below {{Reason="HasRank: the value has rank 3, not 2"}}
  %0 = transformer.rsqrt %x : tensor<7x4x8xf16>
  return %0 : tensor<7x4x8xf16>
}

//===----------------------------------------------------------------------===//
// HasElementType
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @element_type
// CHECK:         transformer.fused "element_type"
func.func @element_type(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  // expected-remark @below {{[Passed] ElementType}}
  %0 = transformer.add_scalar %x, 1.0 : tensor<7x8xf16>
  return %0 : tensor<7x8xf16>
}

// CHECK-LABEL: func @other_element_type
// CHECK-NOT:     transformer.fused
func.func @other_element_type(%x: tensor<7x8xbf16>) -> tensor<7x8xbf16> {
  // expected-remark @below {{Reason="HasElementType: the elements are bf16, not f16"}}
  %0 = transformer.add_scalar %x, 1.0 : tensor<7x8xbf16>
  return %0 : tensor<7x8xbf16>
}

//===----------------------------------------------------------------------===//
// HasSize
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @size
// CHECK:         transformer.fused "size"
func.func @size(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  // expected-remark @below {{[Passed] Size}}
  %0 = transformer.pow %x exponent(2.0) : tensor<7x8xf16>
  return %0 : tensor<7x8xf16>
}

// The last dimension is asked about, not the first.
// CHECK-LABEL: func @other_size
// CHECK-NOT:     transformer.fused
func.func @other_size(%x: tensor<8x7xf16>) -> tensor<8x7xf16> {
  // expected-remark @below {{Reason="HasSize: the size is 7, not 8"}}
  %0 = transformer.pow %x exponent(2.0) : tensor<8x7xf16>
  return %0 : tensor<8x7xf16>
}

// CHECK-LABEL: func @no_dimension
// CHECK-NOT:     transformer.fused
func.func @no_dimension(%x: tensor<f32>) -> tensor<f32> {
  // expected-remark @below {{Reason="HasSize: the value has no dimension -1 but rank 0"}}
  %0 = transformer.pow %x exponent(2.0) : tensor<f32>
  return %0 : tensor<f32>
}

//===----------------------------------------------------------------------===//
// IsDivisible
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @divisible
// CHECK:         transformer.fused "divisible"
func.func @divisible(%x: tensor<8x3xf16>) -> tensor<8x1xf16> {
  // expected-remark @below {{[Passed] Divisible}}
  %0 = transformer.mean %x : tensor<8x3xf16>
  return %0 : tensor<8x1xf16>
}

// CHECK-LABEL: func @not_divisible
// CHECK-NOT:     transformer.fused
func.func @not_divisible(%x: tensor<6x8xf16>) -> tensor<6x1xf16> {
  // expected-remark @below {{Reason="IsDivisible: 4 does not divide the size 6"}}
  %0 = transformer.mean %x : tensor<6x8xf16>
  return %0 : tensor<6x1xf16>
}

// CHECK-LABEL: func @not_bound
// CHECK-NOT:     transformer.fused
func.func @not_bound(%x: tensor<?x8xf16, #tokens>) -> tensor<?x1xf16, #tokens> {
  // expected-remark @below {{Reason="IsDivisible: the size 'tokens' is not known; bind the workload first"}}
  %0 = transformer.mean %x : tensor<?x8xf16, #tokens>
  return %0 : tensor<?x1xf16, #tokens>
}

//===----------------------------------------------------------------------===//
// FitsBuffer, RowFitsBuffer
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @buffer
// CHECK:         transformer.fused "buffer"
func.func @buffer(%x: tensor<8x8xf16>) -> tensor<8x16xf16> {
  // expected-remark @below {{[Passed] Buffer}}
  %0 = transformer.concat %x, %x : tensor<8x8xf16>, tensor<8x8xf16>
  return %0 : tensor<8x16xf16>
}

// CHECK-LABEL: func @small_buffer
// CHECK-NOT:     transformer.fused
func.func @small_buffer(%x: tensor<9x8xf16>) -> tensor<9x16xf16> {
  // expected-remark @below {{Reason="FitsBuffer: the values have 288 bytes, more than 256"}}
  %0 = transformer.concat %x, %x : tensor<9x8xf16>, tensor<9x8xf16>
  return %0 : tensor<9x16xf16>
}

// CHECK-LABEL: func @buffer_for_how_many
// CHECK-NOT:     transformer.fused
func.func @buffer_for_how_many(%x: tensor<?x8xf16, #tokens>) -> tensor<?x16xf16, #tokens> {
  // expected-remark @below {{Reason="FitsBuffer: the size of a value is not known; bind the workload first"}}
  %0 = transformer.concat %x, %x : tensor<?x8xf16, #tokens>, tensor<?x8xf16, #tokens>
  return %0 : tensor<?x16xf16, #tokens>
}

// A row is known before the number of rows is.
// CHECK-LABEL: func @row
// CHECK:         transformer.fused "row"
func.func @row(%x: tensor<?x8xf16, #tokens>) -> tensor<?x8xf16, #tokens> {
  // expected-remark @below {{[Passed] RowBuffer}}
  %0 = transformer.swiglu %x, %x : tensor<?x8xf16, #tokens>
  return %0 : tensor<?x8xf16, #tokens>
}

// CHECK-LABEL: func @long_row
// CHECK-NOT:     transformer.fused
func.func @long_row(%x: tensor<?x9xf16, #tokens>) -> tensor<?x9xf16, #tokens> {
  // expected-remark @below {{Reason="RowFitsBuffer: a row of the values has 18 bytes, more than 16"}}
  %0 = transformer.swiglu %x, %x : tensor<?x9xf16, #tokens>
  return %0 : tensor<?x9xf16, #tokens>
}

// CHECK-LABEL: func @no_rows
// CHECK-NOT:     transformer.fused
func.func @no_rows(%x: tensor<f16>) -> tensor<f16> {
  // expected-remark @below {{Reason="RowFitsBuffer: a value has no rows"}}
  %0 = transformer.swiglu %x, %x : tensor<f16>
  return %0 : tensor<f16>
}

//===----------------------------------------------------------------------===//
// IsWeight
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @weight
// CHECK:         transformer.fused "weight"
func.func @weight(%x: tensor<7x8xf16>) -> tensor<7x4xf16> {
  %w = transformer.weight "w" : tensor<4x8xf16>
  // expected-remark @below {{[Passed] Weight}}
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %0 : tensor<7x4xf16>
}

// CHECK-LABEL: func @no_weight
// CHECK-NOT:     transformer.fused
func.func @no_weight(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> tensor<7x4xf16> {
  // expected-remark @below {{Reason="IsWeight: the value is no weight"}}
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %0 : tensor<7x4xf16>
}

//===----------------------------------------------------------------------===//
// InSameLayer
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @same_layer
// CHECK:         transformer.fused "layer"
func.func @same_layer(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.all_reduce %x over<2> : tensor<7x8xf16> loc("model.layers.3.mlp")
  // expected-remark @unknown {{[Passed] Layer}}
  %1 = transformer.mul %0, %x : tensor<7x8xf16>, tensor<7x8xf16> loc("model.layers.3.norm")
  return %1 : tensor<7x8xf16>
}

// CHECK-LABEL: func @other_layer
// CHECK-NOT:     transformer.fused
func.func @other_layer(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.all_reduce %x over<2> : tensor<7x8xf16> loc("model.layers.3.mlp")
  // expected-remark @unknown {{Reason="InSameLayer: the values belong to model.layers.3 and model.layers.4"}}
  %1 = transformer.mul %0, %x : tensor<7x8xf16>, tensor<7x8xf16> loc("model.layers.4.norm")
  return %1 : tensor<7x8xf16>
}

//===----------------------------------------------------------------------===//
// not
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @negated
// CHECK:         transformer.fused "negated"
func.func @negated(%x: tensor<7x8xf16>) -> tensor<7x8xf32> {
  // expected-remark @below {{[Passed] Negated}}
  %0 = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  return %0 : tensor<7x8xf32>
}

// CHECK-LABEL: func @not_negated
// CHECK-NOT:     transformer.fused
func.func @not_negated(%x: tensor<7x4x8xf16>) -> tensor<7x4x8xf32> {
  // expected-remark @below {{Reason="not HasRank does not hold"}}
  %0 = transformer.cast %x : tensor<7x4x8xf16> to tensor<7x4x8xf32>
  return %0 : tensor<7x4x8xf32>
}
