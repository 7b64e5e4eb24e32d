// RUN: tc-opt %s --transformer-merge-linears | FileCheck %s
// RUN: tc-opt %s --transformer-merge-linears --transformer-merge-linears | FileCheck %s
// RUN: tc-opt %s --transformer-merge-linears="only-equal-groups" | FileCheck %s --check-prefix=EQUAL
// RUN: tc-opt %s --transformer-merge-linears --verify-diagnostics --remarks-filter=merge-linears --remark-policy=all

#tokens = #transformer.dims<tokens>

// All readers of an input are one layer; results are parts of its result, in
// the order of the layers.
// CHECK-LABEL: func @three
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #[[T:[a-z]+]]>)
// CHECK-DAG:     %[[Q:.*]] = transformer.weight "q.weight"
// CHECK-DAG:     %[[K:.*]] = transformer.weight "k.weight"
// CHECK-DAG:     %[[V:.*]] = transformer.weight "v.weight"
// CHECK:         %[[W:.*]] = transformer.concat_weights %[[Q]], %[[K]], %[[V]] : tensor<6x8xf16>, tensor<2x8xf16>, tensor<4x8xf16>
// CHECK-NEXT:    %[[ALL:.*]] = transformer.linear %[[X]], %[[W]] : tensor<?x8xf16, #[[T]]>, tensor<12x8xf16> -> tensor<?x12xf16, #[[T]]>
// CHECK-DAG:     %[[Y0:.*]] = transformer.slice %[[ALL]] offset(0) size(6)
// CHECK-DAG:     %[[Y1:.*]] = transformer.slice %[[ALL]] offset(6) size(2)
// CHECK-DAG:     %[[Y2:.*]] = transformer.slice %[[ALL]] offset(8) size(4)
// CHECK:         return %[[Y0]], %[[Y1]], %[[Y2]]
func.func @three(%x: tensor<?x8xf16, #tokens>) -> (tensor<?x6xf16, #tokens>, tensor<?x2xf16, #tokens>, tensor<?x4xf16, #tokens>) {
  %q = transformer.weight "q.weight" : tensor<6x8xf16>
  // expected-remark @below {{[Passed] linears | Category:merge-linears | Function=three | Remark=fused}}
  %0 = transformer.linear %x, %q : tensor<?x8xf16, #tokens>, tensor<6x8xf16> -> tensor<?x6xf16, #tokens>
  %k = transformer.weight "k.weight" : tensor<2x8xf16>
  %1 = transformer.linear %x, %k : tensor<?x8xf16, #tokens>, tensor<2x8xf16> -> tensor<?x2xf16, #tokens>
  %v = transformer.weight "v.weight" : tensor<4x8xf16>
  %2 = transformer.linear %x, %v : tensor<?x8xf16, #tokens>, tensor<4x8xf16> -> tensor<?x4xf16, #tokens>
  return %0, %1, %2 : tensor<?x6xf16, #tokens>, tensor<?x2xf16, #tokens>, tensor<?x4xf16, #tokens>
}

// CHECK-LABEL: func @biases
// CHECK:         %[[B:.*]] = transformer.concat_weights %{{.*}}, %{{.*}} : tensor<6xf16>, tensor<2xf16>
// CHECK:         transformer.linear %{{.*}}, %{{.*}} bias(%[[B]] : tensor<8xf16>)
func.func @biases(%x: tensor<7x8xf16>) -> (tensor<7x6xf16>, tensor<7x2xf16>) {
  %q = transformer.weight "q.weight" : tensor<6x8xf16>
  %qb = transformer.weight "q.bias" : tensor<6xf16>
  // expected-remark @below {{[Passed] linears}}
  %0 = transformer.linear %x, %q bias(%qb : tensor<6xf16>) : tensor<7x8xf16>, tensor<6x8xf16> -> tensor<7x6xf16>
  %k = transformer.weight "k.weight" : tensor<2x8xf16>
  %kb = transformer.weight "k.bias" : tensor<2xf16>
  %1 = transformer.linear %x, %k bias(%kb : tensor<2xf16>) : tensor<7x8xf16>, tensor<2x8xf16> -> tensor<7x2xf16>
  return %0, %1 : tensor<7x6xf16>, tensor<7x2xf16>
}

// Of quantized layers, one scale stands for the whole weight.
// CHECK-LABEL: func @quantized
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xi8>, %[[XS:.*]]: tensor<f32>
// CHECK-DAG:     %[[WS:.*]] = transformer.weight "q.weight_scale"
// CHECK:         %[[W:.*]] = transformer.concat_weights %{{.*}}, %{{.*}} : tensor<6x8xi8>, tensor<2x8xi8>
// CHECK:         transformer.quantized_linear %[[X]], %[[W]] weight_scale(%[[WS]] : tensor<f32>) input_scale(%[[XS]] : tensor<f32>)
// CHECK-SAME:      : tensor<7x8xi8>, tensor<8x8xi8> -> tensor<7x8xf16>
func.func @quantized(%x: tensor<7x8xi8>, %xs: tensor<f32>) -> (tensor<7x6xf16>, tensor<7x2xf16>) {
  %q = transformer.weight "q.weight" : tensor<6x8xi8>
  %qs = transformer.weight "q.weight_scale" : tensor<f32>
  // expected-remark @below {{[Passed] linears}}
  %0 = transformer.quantized_linear %x, %q weight_scale(%qs : tensor<f32>) input_scale(%xs : tensor<f32>)
      : tensor<7x8xi8>, tensor<6x8xi8> -> tensor<7x6xf16>
  %k = transformer.weight "k.weight" : tensor<2x8xi8>
  %ks = transformer.weight "k.weight_scale" : tensor<f32>
  %1 = transformer.quantized_linear %x, %k weight_scale(%ks : tensor<f32>) input_scale(%xs : tensor<f32>)
      : tensor<7x8xi8>, tensor<2x8xi8> -> tensor<7x2xf16>
  return %0, %1 : tensor<7x6xf16>, tensor<7x2xf16>
}

// Scales per group are joined as the weights are; a kernel set may want equal
// shapes.
// CHECK-LABEL: func @groups
// CHECK:         %[[S:.*]] = transformer.concat_weights %{{.*}}, %{{.*}} : tensor<6x2xf8E8M0FNU>, tensor<2x2xf8E8M0FNU>
// CHECK:         transformer.quantized_linear %{{.*}}, %{{.*}} weight_scale(%[[S]] : tensor<8x2xf8E8M0FNU>) input_scale(%{{.*}} : tensor<7x2xf8E8M0FNU>) group_size(32)
// EQUAL-LABEL: func @groups
// EQUAL-NOT:     transformer.concat_weights
// EQUAL-COUNT-2: transformer.quantized_linear
func.func @groups(%x: tensor<7x64xf4E2M1FN>, %xs: tensor<7x2xf8E8M0FNU>) -> (tensor<7x6xf16>, tensor<7x2xf16>) {
  %q = transformer.weight "q.weight" : tensor<6x64xf4E2M1FN>
  %qs = transformer.weight "q.weight_scale" : tensor<6x2xf8E8M0FNU>
  // expected-remark @below {{[Passed] linears}}
  %0 = transformer.quantized_linear %x, %q weight_scale(%qs : tensor<6x2xf8E8M0FNU>) input_scale(%xs : tensor<7x2xf8E8M0FNU>)
      group_size(32) : tensor<7x64xf4E2M1FN>, tensor<6x64xf4E2M1FN> -> tensor<7x6xf16>
  %k = transformer.weight "k.weight" : tensor<2x64xf4E2M1FN>
  %ks = transformer.weight "k.weight_scale" : tensor<2x2xf8E8M0FNU>
  %1 = transformer.quantized_linear %x, %k weight_scale(%ks : tensor<2x2xf8E8M0FNU>) input_scale(%xs : tensor<7x2xf8E8M0FNU>)
      group_size(32) : tensor<7x64xf4E2M1FN>, tensor<2x64xf4E2M1FN> -> tensor<7x2xf16>
  return %0, %1 : tensor<7x6xf16>, tensor<7x2xf16>
}

// EQUAL-LABEL: func @equal_groups
// EQUAL:         transformer.concat_weights
// CHECK-LABEL: func @equal_groups
// CHECK:         transformer.concat_weights
func.func @equal_groups(%x: tensor<7x64xf4E2M1FN>, %xs: tensor<7x2xf8E8M0FNU>) -> (tensor<7x6xf16>, tensor<7x6xf16>) {
  %q = transformer.weight "gate.weight" : tensor<6x64xf4E2M1FN>
  %qs = transformer.weight "gate.weight_scale" : tensor<6x2xf8E8M0FNU>
  // expected-remark @below {{[Passed] linears}}
  %0 = transformer.quantized_linear %x, %q weight_scale(%qs : tensor<6x2xf8E8M0FNU>) input_scale(%xs : tensor<7x2xf8E8M0FNU>)
      group_size(32) : tensor<7x64xf4E2M1FN>, tensor<6x64xf4E2M1FN> -> tensor<7x6xf16>
  %1 = transformer.quantized_linear %x, %q weight_scale(%qs : tensor<6x2xf8E8M0FNU>) input_scale(%xs : tensor<7x2xf8E8M0FNU>)
      group_size(32) : tensor<7x64xf4E2M1FN>, tensor<6x64xf4E2M1FN> -> tensor<7x6xf16>
  return %0, %1 : tensor<7x6xf16>, tensor<7x6xf16>
}

// What is not alike stays apart: another input, a bias on one side only, an
// all-reduce, another type of weight or result.
// CHECK-LABEL: func @not_alike
// CHECK-NOT:     transformer.concat_weights
// CHECK-COUNT-4: transformer.linear
// CHECK:         return
func.func @not_alike(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<6x8xf16>, %b: tensor<6xf16>)
    -> (tensor<7x6xf16>, tensor<7x6xf16>, tensor<7x6xf16>, tensor<7x6xf16>) {
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<6x8xf16> -> tensor<7x6xf16>
  %1 = transformer.linear %y, %w : tensor<7x8xf16>, tensor<6x8xf16> -> tensor<7x6xf16>
  %2 = transformer.linear %x, %w bias(%b : tensor<6xf16>) : tensor<7x8xf16>, tensor<6x8xf16> -> tensor<7x6xf16>
  %3 = transformer.linear %x, %w all_reduce<2> : tensor<7x8xf16>, tensor<6x8xf16> -> tensor<7x6xf16>
  return %0, %1, %2, %3 : tensor<7x6xf16>, tensor<7x6xf16>, tensor<7x6xf16>, tensor<7x6xf16>
}

// CHECK-LABEL: func @quantized_not_alike
// CHECK-NOT:     transformer.concat_weights
// CHECK-COUNT-4: transformer.quantized_linear
// CHECK:         return
func.func @quantized_not_alike(%x: tensor<7x8xi8>, %w: tensor<6x8xi8>, %n: tensor<6x8xi4>, %s: tensor<f32>, %t: tensor<f32>)
    -> (tensor<7x6xf16>, tensor<7x6xf16>, tensor<7x6xf16>, tensor<7x6xf32>) {
  %0 = transformer.quantized_linear %x, %w weight_scale(%s : tensor<f32>) input_scale(%s : tensor<f32>)
      : tensor<7x8xi8>, tensor<6x8xi8> -> tensor<7x6xf16>
  %1 = transformer.quantized_linear %x, %w weight_scale(%s : tensor<f32>) input_scale(%t : tensor<f32>)
      : tensor<7x8xi8>, tensor<6x8xi8> -> tensor<7x6xf16>
  %2 = transformer.quantized_linear %x, %n weight_scale(%s : tensor<f32>) input_scale(%s : tensor<f32>)
      : tensor<7x8xi8>, tensor<6x8xi4> -> tensor<7x6xf16>
  %3 = transformer.quantized_linear %x, %w weight_scale(%s : tensor<f32>) input_scale(%s : tensor<f32>)
      : tensor<7x8xi8>, tensor<6x8xi8> -> tensor<7x6xf32>
  return %0, %1, %2, %3 : tensor<7x6xf16>, tensor<7x6xf16>, tensor<7x6xf16>, tensor<7x6xf32>
}

// CHECK-LABEL: func @weight_that_comes_too_late
// CHECK-NOT:     transformer.concat_weights
// CHECK:         return
func.func @weight_that_comes_too_late(%x: tensor<7x8xf16>, %w: tensor<6x8xf16>) -> (tensor<7x6xf16>, tensor<7x6xf16>) {
  // expected-remark @below {{[Missed] linears | Category:merge-linears | Function=weight_that_comes_too_late | Reason="a weight is computed after the first layer", Remark="not fused"}}
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<6x8xf16> -> tensor<7x6xf16>
  %v = transformer.neg %w : tensor<6x8xf16>
  %1 = transformer.linear %x, %v : tensor<7x8xf16>, tensor<6x8xf16> -> tensor<7x6xf16>
  return %0, %1 : tensor<7x6xf16>, tensor<7x6xf16>
}

// Weights whose size is not known cannot be laid side by side.
// CHECK-LABEL: func @weights_of_unknown_size
// CHECK-NOT:     transformer.concat_weights
// CHECK-COUNT-2: transformer.linear
func.func @weights_of_unknown_size(%x: tensor<7x8xf16>, %w: tensor<?x8xf16, #tokens>, %v: tensor<?x8xf16, #tokens>)
    -> (tensor<7x?xf16, #tokens>, tensor<7x?xf16, #tokens>) {
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<?x8xf16, #tokens> -> tensor<7x?xf16, #tokens>
  %1 = transformer.linear %x, %v : tensor<7x8xf16>, tensor<?x8xf16, #tokens> -> tensor<7x?xf16, #tokens>
  return %0, %1 : tensor<7x?xf16, #tokens>, tensor<7x?xf16, #tokens>
}
