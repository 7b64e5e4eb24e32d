// RUN: tc-opt %s --convert-transformer-to-ascend | FileCheck %s

#tokens = #transformer.dims<tokens>
#kept = #transformer.dims<sequences - sum(decode) + sum(q * decode)>
!bound_prefill = !transformer.batch<#transformer.workload<queries = 2, query_length = 3>>
!bound_decode = !transformer.batch<#transformer.workload<queries = 2, query_length = 3, decode = true>>

// CHECK-LABEL: func @linear
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #[[T:.*]]>, %[[W:.*]]: tensor<4x8xf16>
// CHECK:         %[[R:.*]] = ascend.launch "matmul"(%[[X]], %[[W]]) as("aten.mm")
// CHECK-SAME:      : (tensor<?x8xf16, #[[T]]>, tensor<4x8xf16>) -> tensor<?x4xf16, #[[T]]>
// CHECK-SAME:      { ascend.matmul m(tokens) n(4) k(8) : f16 }
// CHECK:         return %[[R]]
func.func @linear(%x: tensor<?x8xf16, #tokens>, %w: tensor<4x8xf16>) -> tensor<?x4xf16, #tokens> {
  %0 = transformer.linear %x, %w
      : tensor<?x8xf16, #tokens>, tensor<4x8xf16> -> tensor<?x4xf16, #tokens>
  return %0 : tensor<?x4xf16, #tokens>
}

// The product adds the bias on its way out: no operations of its own.
// CHECK-LABEL: func @linear_with_bias
// CHECK:         ascend.launch "matmul_bias"(%{{.*}}, %{{.*}}, %{{.*}}) as("aten.addmm")
// CHECK-SAME:      : (tensor<7x8xf16>, tensor<4x8xf16>, tensor<4xf16>) -> tensor<7x4xf16>
// CHECK-SAME:      { ascend.matmul m(7) n(4) k(8) : f16 }
func.func @linear_with_bias(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>, %b: tensor<4xf16>) {
  %0 = transformer.linear %x, %w bias(%b : tensor<4xf16>)
      : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return
}

// CHECK-LABEL: func @matmul
// CHECK:         ascend.launch "matmul"(%{{.*}}, %{{.*}}) as("aten.mm")
// CHECK-SAME:      { ascend.matmul m(7) n(4) k(8) : f16 }
// CHECK:         ascend.launch "matmul"(%{{.*}}, %{{.*}}) as("aten.mm")
// CHECK-SAME:      { ascend.matmul m(7) n(3) k(8) : f16 }
func.func @matmul(%x: tensor<7x8xf16>, %y: tensor<8x4xf16>, %z: tensor<3x8xf16>) {
  %0 = transformer.matmul %x, %y : tensor<7x8xf16>, tensor<8x4xf16>
  %1 = transformer.matmul %x, %z transposed : tensor<7x8xf16>, tensor<3x8xf16>
  return
}

// Operations are of the element type of the operands.
// CHECK-LABEL: func @quantized_linear
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xi8>, %[[W:.*]]: tensor<4x8xi8>, %[[XS:.*]]: tensor<f32>, %[[WS:.*]]: tensor<f32>
// CHECK:         ascend.launch "quantized_matmul"(%[[X]], %[[W]], %[[XS]], %[[WS]]) as("tensor_cast.static_quant_linear")
// CHECK-SAME:      : (tensor<7x8xi8>, tensor<4x8xi8>, tensor<f32>, tensor<f32>) -> tensor<7x4xf16>
// CHECK-SAME:      { ascend.matmul m(7) n(4) k(8) : i8 }
func.func @quantized_linear(%x: tensor<7x8xi8>, %w: tensor<4x8xi8>, %xs: tensor<f32>, %ws: tensor<f32>) {
  %0 = transformer.quantized_linear %x, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>)
      : tensor<7x8xi8>, tensor<4x8xi8> -> tensor<7x4xf16>
  return
}

// One operation of the result's type adds the bias to each element.
// CHECK-LABEL: func @quantized_linear_with_bias
// CHECK:         ascend.launch "quantized_matmul"
// CHECK-SAME:      -> tensor<?x4xf16, #{{.*}}> {
// CHECK-NEXT:      ascend.matmul m(tokens) n(4) k(8) : i8
// CHECK-NEXT:      ascend.elementwise elements(4 * tokens) operations(1) : f16
// CHECK-NEXT:    }
func.func @quantized_linear_with_bias(%x: tensor<?x8xi8, #tokens>, %w: tensor<4x8xi8>,
    %xs: tensor<f32>, %ws: tensor<f32>, %b: tensor<4xf16>) {
  %0 = transformer.quantized_linear %x, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>) bias(%b : tensor<4xf16>)
      : tensor<?x8xi8, #tokens>, tensor<4x8xi8> -> tensor<?x4xf16, #tokens>
  return
}

// The table stays where it is; a row of 8 x 2 bytes is read per token.
// CHECK-LABEL: func @embedding
// CHECK-SAME:    %[[IDS:.*]]: tensor<?xi64, #[[T:.*]]>, %[[TABLE:.*]]: tensor<256x8xf16>
// CHECK:         ascend.launch "embedding"(%[[IDS]]) using(%[[TABLE]]) as("aten.embedding")
// CHECK-SAME:      : (tensor<?xi64, #[[T]]>, tensor<256x8xf16>) -> tensor<?x8xf16, #[[T]]>
// CHECK-SAME:      { ascend.gather rows(tokens) row_bytes(16) index(0) }
func.func @embedding(%ids: tensor<?xi64, #tokens>, %table: tensor<256x8xf16>) {
  %0 = transformer.embedding %ids, %table
      : tensor<?xi64, #tokens>, tensor<256x8xf16> -> tensor<?x8xf16, #tokens>
  return
}

// Elements below a byte are packed: a row of 3 x 4 bits is 1.5 bytes.
// CHECK-LABEL: func @embedding_of_packed_elements
// CHECK:         { ascend.gather rows(7) row_bytes(1.5) index(0) }
func.func @embedding_of_packed_elements(%ids: tensor<7xi64>, %table: tensor<256x3xf4E2M1FN>) {
  %0 = transformer.embedding %ids, %table
      : tensor<7xi64>, tensor<256x3xf4E2M1FN> -> tensor<7x3xf4E2M1FN>
  return
}

// CHECK-LABEL: func @gather
// CHECK-SAME:    %[[TABLE:.*]]: tensor<128x8xf32>, %[[I:.*]]: tensor<7xi64>
// CHECK:         ascend.launch "gather"(%[[I]]) using(%[[TABLE]]) as("aten.index_select")
// CHECK-SAME:      : (tensor<7xi64>, tensor<128x8xf32>) -> tensor<7x8xf32>
// CHECK-SAME:      { ascend.gather rows(7) row_bytes(32) index(0) }
func.func @gather(%table: tensor<128x8xf32>, %indices: tensor<7xi64>) {
  %0 = transformer.gather %table, %indices : tensor<128x8xf32>, tensor<7xi64>
  return
}

// Started in prefill only; reads the rows that it keeps, and an index for each.
// CHECK-LABEL: func @last_tokens
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #[[T:.*]]>, %[[B:.*]]: !transformer.batch
// CHECK:         ascend.launch "last_tokens"() using(%[[B]], %[[X]]) times(1 - decode) as("aten.index_select")
// CHECK-SAME:      { ascend.gather rows(sequences - sum(decode) + sum(q * decode)) row_bytes(16)
// CHECK-SAME:        index(8 * sequences - 8 * sum(decode) + 8 * sum(q * decode)) }
func.func @last_tokens(%x: tensor<?x8xf16, #tokens>, %batch: !transformer.batch) {
  %0 = transformer.last_tokens %x of %batch
      : tensor<?x8xf16, #tokens>, !transformer.batch -> tensor<?x8xf16, #kept>
  return
}

// CHECK-LABEL: func @last_tokens_of_prefill
// CHECK:         ascend.launch "last_tokens"() using(%{{.*}}, %{{.*}}) as("aten.index_select")
// CHECK-SAME:      { ascend.gather rows(2) row_bytes(16) index(16) }
func.func @last_tokens_of_prefill(%x: tensor<6x8xf16>, %batch: !bound_prefill) {
  %0 = transformer.last_tokens %x of %batch : tensor<6x8xf16>, !bound_prefill -> tensor<2x8xf16>
  return
}

// CHECK-LABEL: func @last_tokens_of_decode
// CHECK:         ascend.launch "last_tokens"() using(%{{.*}}, %{{.*}}) times(0)
func.func @last_tokens_of_decode(%x: tensor<6x8xf16>, %batch: !bound_decode) {
  %0 = transformer.last_tokens %x of %batch : tensor<6x8xf16>, !bound_decode -> tensor<6x8xf16>
  return
}
