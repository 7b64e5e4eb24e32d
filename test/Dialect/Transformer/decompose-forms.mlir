// RUN: tc-opt %s --transformer-decompose=level=primitive | FileCheck %s

// The weight is multiplied in f32, and the product rounded.
// CHECK-LABEL: func @wide_weight
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>
// CHECK:         %[[N:.*]] = transformer.mul %{{.*}}, %{{.*}} : tensor<7x8xf32>, tensor<7x1xf32>
// CHECK-NEXT:    %[[S:.*]] = transformer.mul %[[W]], %[[N]] : tensor<8xf16>, tensor<7x8xf32>
// CHECK-NEXT:    %[[R:.*]] = transformer.cast %[[S]] : tensor<7x8xf32> to tensor<7x8xf16>
// CHECK-NEXT:    return %[[R]]
func.func @wide_weight(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.rms_norm %x, %w eps(1.0e-5) wide_weight : tensor<7x8xf16>, tensor<8xf16>
  return %0 : tensor<7x8xf16>
}

// Both halves are multiplied by the same half of a table.
// CHECK-LABEL: func @half_table
// CHECK-SAME:    %[[X:.*]]: tensor<7x2x8xf16>
// CHECK:         %[[COS:.*]], %[[SIN:.*]] = transformer.rope_parts
// CHECK-NEXT:    %[[A:.*]] = transformer.slice %[[X]] offset(0) size(4)
// CHECK-NEXT:    %[[B:.*]] = transformer.slice %[[X]] offset(4) size(4)
// CHECK-DAG:     %[[AC:.*]] = transformer.mul %[[A]], %[[COS]]
// CHECK-DAG:     %[[BS:.*]] = transformer.mul %[[B]], %[[SIN]]
// CHECK-DAG:     %[[FIRST:.*]] = transformer.sub %[[AC]], %[[BS]]
// CHECK-DAG:     %[[BC:.*]] = transformer.mul %[[B]], %[[COS]]
// CHECK-DAG:     %[[AS:.*]] = transformer.mul %[[A]], %[[SIN]]
// CHECK-DAG:     %[[SECOND:.*]] = transformer.add %[[BC]], %[[AS]]
// CHECK:         transformer.concat %[[FIRST]], %[[SECOND]]
func.func @half_table(%x: tensor<7x2x8xf16>, %t: !transformer.rope_table<4xf16>) -> tensor<7x2x8xf16> {
  %0 = transformer.rope %x, %t style(half_table) : tensor<7x2x8xf16>, !transformer.rope_table<4xf16>
  return %0 : tensor<7x2x8xf16>
}

// CHECK-LABEL: func @clamped_swiglu
// CHECK-SAME:    %[[G:.*]]: tensor<7x8xf16>, %[[U:.*]]: tensor<7x8xf16>
// CHECK-NEXT:    transformer.cast %[[G]] : tensor<7x8xf16> to tensor<7x8xf32>
// CHECK-NEXT:    transformer.min_scalar %{{.*}}, 7.0 : tensor<7x8xf32>
// CHECK-NEXT:    %[[GATE:.*]] = transformer.cast %{{.*}} to tensor<7x8xf16>
// CHECK-NEXT:    transformer.cast %[[U]] : tensor<7x8xf16> to tensor<7x8xf32>
// CHECK-NEXT:    transformer.min_scalar %{{.*}}, 7.0
// CHECK-NEXT:    transformer.max_scalar %{{.*}}, -7.0
// CHECK-NEXT:    %[[UP:.*]] = transformer.cast
// CHECK-NEXT:    %[[STEEP:.*]] = transformer.mul_scalar %[[GATE]], 1.702
// CHECK-NEXT:    %[[OPEN:.*]] = transformer.sigmoid %[[STEEP]]
// CHECK-NEXT:    %[[GATED:.*]] = transformer.mul %[[GATE]], %[[OPEN]]
// CHECK-NEXT:    %[[ABOVE:.*]] = transformer.add_scalar %[[UP]], 1.0
// CHECK-NEXT:    transformer.mul %[[ABOVE]], %[[GATED]]
func.func @clamped_swiglu(%g: tensor<7x8xf16>, %u: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.clamped_swiglu %g, %u limit(7.0) slope(1.702) : tensor<7x8xf16>
  return %0 : tensor<7x8xf16>
}

// Experts are chosen by their logits, and weighted by the softmax of those.
// CHECK-LABEL: func @softmax_of_chosen
// CHECK-SAME:    %[[L:.*]]: tensor<7x8xf16>
// CHECK-NEXT:    %[[V:.*]], %[[I:.*]] = transformer.top_k %[[L]] count(2) : tensor<7x8xf16>
// CHECK-NEXT:    transformer.cast %[[V]] : tensor<7x2xf16> to tensor<7x2xf32>
// CHECK-NEXT:    transformer.max
// CHECK:         %[[P:.*]] = transformer.div
// CHECK-NEXT:    %[[W:.*]] = transformer.cast %[[P]] : tensor<7x2xf32> to tensor<7x2xf16>
// CHECK-NEXT:    return %[[W]], %[[I]]
func.func @softmax_of_chosen(%l: tensor<7x8xf16>) -> (tensor<7x2xf16>, tensor<7x2xi64>) {
  %w, %i = transformer.select_experts %l top_k(2) score(softmax_of_chosen) : tensor<7x8xf16> -> tensor<7x2xf16>, tensor<7x2xi64>
  return %w, %i : tensor<7x2xf16>, tensor<7x2xi64>
}
