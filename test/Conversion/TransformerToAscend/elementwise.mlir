// RUN: tc-opt %s --convert-transformer-to-ascend | FileCheck %s

#tokens = #transformer.dims<tokens>

// The launch reads all operands and writes the result; elementwise kernels of
// the set charge no operations.
// CHECK-LABEL: func @add
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #[[T:.*]]>, %[[Y:.*]]: tensor<8xf16>
// CHECK:         %[[R:.*]] = ascend.launch "add"(%[[X]], %[[Y]]) as("aten.add")
// CHECK-SAME:      : (tensor<?x8xf16, #[[T]]>, tensor<8xf16>) -> tensor<?x8xf16, #[[T]]>{{$}}
// CHECK:         return %[[R]]
func.func @add(%x: tensor<?x8xf16, #tokens>, %y: tensor<8xf16>) -> tensor<?x8xf16, #tokens> {
  %0 = transformer.add %x, %y : tensor<?x8xf16, #tokens>, tensor<8xf16>
  return %0 : tensor<?x8xf16, #tokens>
}

// CHECK-LABEL: func @mul
// CHECK:         ascend.launch "mul"(%{{.*}}, %{{.*}}) as("aten.mul") :
func.func @mul(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.mul %x, %x : tensor<7x8xf16>, tensor<7x8xf16>
  return %0 : tensor<7x8xf16>
}

// CHECK-LABEL: func @difference_and_quotient
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[Y:.*]]: tensor<7x1xf16>
// CHECK:         ascend.launch "sub"(%[[X]], %[[Y]]) as("aten.sub") : (tensor<7x8xf16>, tensor<7x1xf16>) -> tensor<7x8xf16>
// CHECK:         ascend.launch "div"(%[[X]], %[[Y]]) as("aten.div") : (tensor<7x8xf16>, tensor<7x1xf16>) -> tensor<7x8xf16>
func.func @difference_and_quotient(%x: tensor<7x8xf16>, %y: tensor<7x1xf16>) {
  %0 = transformer.sub %x, %y : tensor<7x8xf16>, tensor<7x1xf16>
  %1 = transformer.div %x, %y : tensor<7x8xf16>, tensor<7x1xf16>
  return
}

// CHECK-LABEL: func @elementwise_of_one
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf32>
// CHECK:         ascend.launch "add_scalar"(%[[X]]) as("aten.add") : (tensor<7x8xf32>) -> tensor<7x8xf32>
// CHECK:         ascend.launch "pow"(%[[X]]) as("aten.pow") : (tensor<7x8xf32>) -> tensor<7x8xf32>
// CHECK:         ascend.launch "neg"(%[[X]]) as("aten.neg") : (tensor<7x8xf32>) -> tensor<7x8xf32>
// CHECK:         ascend.launch "rsqrt"(%[[X]]) as("aten.rsqrt") : (tensor<7x8xf32>) -> tensor<7x8xf32>
// CHECK:         ascend.launch "silu"(%[[X]]) as("aten.silu") : (tensor<7x8xf32>) -> tensor<7x8xf32>
// CHECK:         ascend.launch "cast"(%[[X]]) as("aten._to_copy") : (tensor<7x8xf32>) -> tensor<7x8xf16>
// CHECK:         ascend.launch "mean"(%[[X]]) as("aten.mean") : (tensor<7x8xf32>) -> tensor<7x1xf32>
// CHECK:         ascend.launch "mul_scalar"(%[[X]]) as("aten.mul") : (tensor<7x8xf32>) -> tensor<7x8xf32>
// CHECK:         ascend.launch "sqrt"(%[[X]]) as("aten.sqrt") : (tensor<7x8xf32>) -> tensor<7x8xf32>
// CHECK:         ascend.launch "tanh"(%[[X]]) as("aten.tanh") : (tensor<7x8xf32>) -> tensor<7x8xf32>
// CHECK:         ascend.launch "erf"(%[[X]]) as("aten.erf") : (tensor<7x8xf32>) -> tensor<7x8xf32>
func.func @elementwise_of_one(%x: tensor<7x8xf32>) {
  %0 = transformer.add_scalar %x, 1.0e-6 : tensor<7x8xf32>
  %1 = transformer.pow %x exponent(2.0) : tensor<7x8xf32>
  %2 = transformer.neg %x : tensor<7x8xf32>
  %3 = transformer.rsqrt %x : tensor<7x8xf32>
  %4 = transformer.silu %x : tensor<7x8xf32>
  %5 = transformer.cast %x : tensor<7x8xf32> to tensor<7x8xf16>
  %6 = transformer.mean %x : tensor<7x8xf32>
  %7 = transformer.mul_scalar %x, 0.5 : tensor<7x8xf32>
  %8 = transformer.sqrt %x : tensor<7x8xf32>
  %9 = transformer.tanh %x : tensor<7x8xf32>
  %10 = transformer.erf %x : tensor<7x8xf32>
  return
}

// CHECK-LABEL: func @concat
// CHECK:         ascend.launch "concat"(%{{.*}}, %{{.*}}) as("aten.cat") : (tensor<7x8xf16>, tensor<7x4xf16>) -> tensor<7x12xf16>
func.func @concat(%x: tensor<7x8xf16>, %y: tensor<7x4xf16>) {
  %0 = transformer.concat %x, %y : tensor<7x8xf16>, tensor<7x4xf16>
  return
}

// CHECK-LABEL: func @quantize
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[S:.*]]: tensor<f32>
// CHECK:         ascend.launch "quantize"(%[[X]], %[[S]]) as("tensor_cast.quantize")
// CHECK-SAME:      : (tensor<7x8xf16>, tensor<f32>) -> tensor<7x8xi8>
// CHECK:         ascend.launch "dynamic_quantize"(%[[X]]) as("tensor_cast.dynamic_quantize_symmetric")
// CHECK-SAME:      : (tensor<7x8xf16>) -> (tensor<7x8xi8>, tensor<f32>)
func.func @quantize(%x: tensor<7x8xf16>, %s: tensor<f32>) {
  %0 = transformer.quantize %x, %s : tensor<7x8xf16> to tensor<7x8xi8>
  %1, %2 = transformer.dynamic_quantize %x : tensor<7x8xf16> to tensor<7x8xi8>, tensor<f32>
  return
}

// What only names memory in another way starts nothing.
// CHECK-LABEL: func @views
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>
// CHECK:         ascend.view %[[X]] : (tensor<7x8xf16>) -> tensor<7x2x4xf16>
// CHECK:         ascend.view %[[X]] : (tensor<7x8xf16>) -> tensor<7x4xf16>
// CHECK:         %[[T:.*]] = ascend.view %[[X]], %[[X]] : (tensor<7x8xf16>, tensor<7x8xf16>) -> !transformer.rope_table<8xf16>
// CHECK:         ascend.view %[[T]] : (!transformer.rope_table<8xf16>) -> (tensor<7x1x8xf16>, tensor<7x1x8xf16>)
// CHECK-NOT:     ascend.launch
// CHECK:         return
func.func @views(%x: tensor<7x8xf16>) {
  %0 = transformer.reshape %x : tensor<7x8xf16> to tensor<7x2x4xf16>
  %1 = transformer.slice %x offset(2) size(4) : tensor<7x8xf16>
  %2 = transformer.rope_pack %x, %x : tensor<7x8xf16> -> !transformer.rope_table<8xf16>
  %3, %4 = transformer.rope_parts %2 : !transformer.rope_table<8xf16> -> tensor<7x1x8xf16>
  return
}

// The name of an op says which part of the model a launch is from.
// CHECK-LABEL: func @provenance
// CHECK:         ascend.launch "silu"(%{{.*}}) from("model.layers.*.mlp.act_fn") as("aten.silu")
// CHECK:         ascend.launch "silu"(%{{.*}}) as("aten.silu")
func.func @provenance(%x: tensor<7x8xf16>) {
  %0 = transformer.silu %x : tensor<7x8xf16> loc("model.layers.*.mlp.act_fn")
  %1 = transformer.silu %x : tensor<7x8xf16>
  return
}
