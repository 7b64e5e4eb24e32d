// RUN: tc-opt %s --convert-transformer-to-ascend | FileCheck %s

#tokens = #transformer.dims<tokens>
#own = #transformer.dims<ceildiv(tokens, 4)>

// A collective reads its input, writes its result, and sends what it reads.
// CHECK-LABEL: func @collectives
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #[[T:[a-z0-9]+]]>)
// CHECK-NEXT:    ascend.launch "all_reduce"(%[[X]]) as("tensor_cast.all_reduce") : (tensor<?x8xf16, #[[T]]>) -> tensor<?x8xf16, #[[T]]>
// CHECK-SAME:      { ascend.collective all_reduce bytes(16 * tokens) over <4> }
// CHECK-NEXT:    ascend.launch "all_gather"(%[[X]]) as("tensor_cast.all_gather") : (tensor<?x8xf16, #[[T]]>) -> tensor<?x32xf16, #[[T]]>
// CHECK-SAME:      { ascend.collective all_gather bytes(16 * tokens) over <4, step = 2> }
func.func @collectives(%x: tensor<?x8xf16, #tokens>) {
  %0 = transformer.all_reduce %x over<4> : tensor<?x8xf16, #tokens>
  %1 = transformer.all_gather %x over<4, step = 2> dim(1) : tensor<?x8xf16, #tokens> to tensor<?x32xf16, #tokens>
  return
}

// CHECK-LABEL: func @reduce_scatter
// CHECK:         ascend.launch "reduce_scatter"(%{{.*}}) as("tensor_cast.reduce_scatter") : (tensor<8x4xf16>) -> tensor<4x4xf16>
// CHECK-SAME:      { ascend.collective reduce_scatter bytes(64) over <2> }
func.func @reduce_scatter(%x: tensor<8x4xf16>) {
  %0 = transformer.reduce_scatter %x over<2> dim(0) : tensor<8x4xf16> to tensor<4x4xf16>
  return
}

// Rows of this device lie together, so nothing moves; its features do not.
// CHECK-LABEL: func @parts
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf16>
// CHECK-NEXT:    ascend.view %[[X]] : (tensor<8x4xf16>) -> tensor<4x4xf16>
// CHECK-NEXT:    %[[V:.*]] = ascend.view %[[X]] : (tensor<8x4xf16>) -> tensor<8x2xf16>
// CHECK-NEXT:    ascend.launch "own_features"(%[[V]], %[[V]]) as("aten.copy_") : (tensor<8x2xf16>, tensor<8x2xf16>) -> tensor<8x2xf16>{{$}}
func.func @parts(%x: tensor<8x4xf16>) {
  %0 = transformer.own_rows %x over<2> dim(0) : tensor<8x4xf16> to tensor<4x4xf16>
  %1 = transformer.own_features %x over<2> dim(1) : tensor<8x4xf16> to tensor<8x2xf16>
  return
}

// One kernel multiplies and sums the product over devices.
// CHECK-LABEL: func @linear_all_reduce
// CHECK:         ascend.launch "matmul_all_reduce"(%{{.*}}, %{{.*}}) as("tensor_cast.matmul_all_reduce")
// CHECK-NEXT:      ascend.matmul m(7) n(4) k(8) : f16
// CHECK-NEXT:      ascend.collective all_reduce bytes(56) over <2>
// CHECK-NEXT:    }
// CHECK-NEXT:    ascend.launch "matmul_bias_all_reduce"(%{{.*}}, %{{.*}}, %{{.*}}) as("tensor_cast.matmul_all_reduce")
// CHECK:           ascend.collective all_reduce bytes(56) over <2>
// CHECK:         ascend.launch "quantized_matmul_all_reduce"(%{{.*}}) as("tensor_cast.static_quant_linear_all_reduce")
// CHECK-NEXT:      ascend.matmul m(7) n(4) k(8) : i8
// CHECK-NEXT:      ascend.collective all_reduce bytes(56) over <2>
func.func @linear_all_reduce(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>, %b: tensor<4xf16>,
                             %q: tensor<7x8xi8>, %n: tensor<4x8xi8>, %s: tensor<f32>) {
  %0 = transformer.linear %x, %w all_reduce<2> : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  %1 = transformer.linear %x, %w bias(%b : tensor<4xf16>) all_reduce<2> : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  %2 = transformer.quantized_linear %q, %n weight_scale(%s : tensor<f32>) input_scale(%s : tensor<f32>) all_reduce<2>
      : tensor<7x8xi8>, tensor<4x8xi8> -> tensor<7x4xf16>
  return
}

// What goes from stage to stage; what calls stages stays.
// CHECK-LABEL: func @stages
// CHECK-NEXT:    %[[A:.*]] = transformer.stage @stage
// CHECK-NEXT:    %[[B:.*]] = ascend.launch "send_receive"(%[[A]]) as("tensor_cast.pipeline_send_recv") : (tensor<?x8xf16, #{{.*}}>) -> tensor<?x8xf16, #{{.*}}>
// CHECK-SAME:      { ascend.send_receive bytes(16 * tokens) from(4) to(8) }
// CHECK-NEXT:    transformer.stage @stage(%[[B]])
func.func private @stage(%x: tensor<?x8xf16, #tokens>) -> tensor<?x8xf16, #tokens> {
  return %x : tensor<?x8xf16, #tokens>
}
func.func @stages(%x: tensor<?x8xf16, #tokens>) {
  %0 = transformer.stage @stage(%x) : (tensor<?x8xf16, #tokens>) -> tensor<?x8xf16, #tokens>
  %1 = transformer.send_receive %0 from(4) to(8) : tensor<?x8xf16, #tokens>
  %2 = transformer.stage @stage(%1) : (tensor<?x8xf16, #tokens>) -> tensor<?x8xf16, #tokens>
  return
}
