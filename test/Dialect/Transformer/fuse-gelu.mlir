// RUN: tc-opt %s --transformer-fuse-ffn | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-ffn --transformer-fuse-ffn | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-ffn="gelu=false" | FileCheck %s --check-prefix=OFF
// RUN: tc-opt %s --transformer-fuse-ffn --verify-diagnostics --remarks-filter=fuse-ffn --remark-policy=all

// OFF-NOT: transformer.gelu

// CHECK-LABEL: func @gelu(
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.gelu %[[X]] : tensor<7x8xf16>
// CHECK-NEXT:    return %[[R]]
func.func @gelu(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %a = transformer.mul_scalar %x, 0.70710678118654757 : tensor<7x8xf16>
  %f = transformer.erf %a : tensor<7x8xf16>
  %gate = transformer.add_scalar %f, 1.0 : tensor<7x8xf16>
  %twice = transformer.mul %x, %gate : tensor<7x8xf16>, tensor<7x8xf16>
  // expected-remark @below {{[Passed] gelu | Category:fuse-ffn | Function=gelu | Remark=fused}}
  %r = transformer.mul_scalar %twice, 0.5 : tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// A factor that was rounded to f32 is the same factor.
// CHECK-LABEL: func @gelu_by_tanh(
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.gelu %[[X]] form(tanh) : tensor<7x8xf16>
// CHECK-NEXT:    return %[[R]]
func.func @gelu_by_tanh(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %cube = transformer.pow %x exponent(3.0) : tensor<7x8xf16>
  %share = transformer.mul_scalar %cube, 0.044715 : tensor<7x8xf16>
  %sum = transformer.add %x, %share : tensor<7x8xf16>, tensor<7x8xf16>
  %a = transformer.mul_scalar %sum, 0.79788456 : tensor<7x8xf16>
  %f = transformer.tanh %a : tensor<7x8xf16>
  %gate = transformer.add_scalar %f, 1.0 : tensor<7x8xf16>
  %twice = transformer.mul %x, %gate : tensor<7x8xf16>, tensor<7x8xf16>
  // expected-remark @below {{[Passed] gelu}}
  %r = transformer.mul_scalar %twice, 0.5 : tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @gelu_of_half_the_input(
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.gelu %[[X]] : tensor<7x8xf16>
// CHECK-NEXT:    return %[[R]]
func.func @gelu_of_half_the_input(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %a = transformer.mul_scalar %x, 0.70710678118654757 : tensor<7x8xf16>
  %f = transformer.erf %a : tensor<7x8xf16>
  %gate = transformer.add_scalar %f, 1.0 : tensor<7x8xf16>
  %h = transformer.mul_scalar %x, 0.5 : tensor<7x8xf16>
  // expected-remark @below {{[Passed] gelu}}
  %r = transformer.mul %h, %gate : tensor<7x8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @gelu_by_half_the_gate(
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.gelu %[[X]] form(tanh) : tensor<7x8xf16>
// CHECK-NEXT:    return %[[R]]
func.func @gelu_by_half_the_gate(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %cube = transformer.pow %x exponent(3.0) : tensor<7x8xf16>
  %share = transformer.mul_scalar %cube, 0.044715 : tensor<7x8xf16>
  %sum = transformer.add %x, %share : tensor<7x8xf16>, tensor<7x8xf16>
  %a = transformer.mul_scalar %sum, 0.79788456 : tensor<7x8xf16>
  %f = transformer.tanh %a : tensor<7x8xf16>
  %gate = transformer.add_scalar %f, 1.0 : tensor<7x8xf16>
  %h = transformer.mul_scalar %gate, 0.5 : tensor<7x8xf16>
  // expected-remark @below {{[Passed] gelu}}
  %r = transformer.mul %h, %x : tensor<7x8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// What is half as much as something else may be scaled as a whole.
// CHECK-LABEL: func @gelu_of_a_half
// CHECK:         %[[H:.*]] = transformer.mul_scalar %{{.*}}, 0.5
// CHECK-NEXT:    transformer.gelu %[[H]] : tensor<7x8xf16>
func.func @gelu_of_a_half(%y: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %x = transformer.mul_scalar %y, 0.5 : tensor<7x8xf16>
  %a = transformer.mul_scalar %x, 0.70710678118654757 : tensor<7x8xf16>
  %f = transformer.erf %a : tensor<7x8xf16>
  %gate = transformer.add_scalar %f, 1.0 : tensor<7x8xf16>
  %twice = transformer.mul %x, %gate : tensor<7x8xf16>, tensor<7x8xf16>
  // expected-remark @below {{[Passed] gelu}}
  %r = transformer.mul_scalar %twice, 0.5 : tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// A piece with another reader stays for it.
// CHECK-LABEL: func @gelu_whose_function_is_read
// CHECK:         %[[F:.*]] = transformer.erf
// CHECK-NOT:     transformer.mul %
// CHECK:         %[[R:.*]] = transformer.gelu
// CHECK:         return %[[R]], %[[F]]
func.func @gelu_whose_function_is_read(%x: tensor<7x8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %a = transformer.mul_scalar %x, 0.70710678118654757 : tensor<7x8xf16>
  %f = transformer.erf %a : tensor<7x8xf16>
  %gate = transformer.add_scalar %f, 1.0 : tensor<7x8xf16>
  %twice = transformer.mul %x, %gate : tensor<7x8xf16>, tensor<7x8xf16>
  // expected-remark @below {{[Passed] gelu}}
  %r = transformer.mul_scalar %twice, 0.5 : tensor<7x8xf16>
  return %r, %f : tensor<7x8xf16>, tensor<7x8xf16>
}

// CHECK-LABEL: func @no_gelu_that_is_not_halved(
// CHECK-NOT:     transformer.gelu
// CHECK:         return
func.func @no_gelu_that_is_not_halved(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %a = transformer.mul_scalar %x, 0.70710678118654757 : tensor<7x8xf16>
  %f = transformer.erf %a : tensor<7x8xf16>
  %gate = transformer.add_scalar %f, 1.0 : tensor<7x8xf16>
  // expected-remark @below {{[Missed] gelu | Category:fuse-ffn | Function=no_gelu_that_is_not_halved | Reason="the product is not halved", Remark="not fused"}}
  %r = transformer.mul %x, %gate : tensor<7x8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_gelu_with_another_sum(
// CHECK-NOT:     transformer.gelu
// CHECK:         return
func.func @no_gelu_with_another_sum(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %a = transformer.mul_scalar %x, 0.70710678118654757 : tensor<7x8xf16>
  %f = transformer.erf %a : tensor<7x8xf16>
  %gate = transformer.add_scalar %f, 2.0 : tensor<7x8xf16>
  // expected-remark @below {{[Missed] gelu | Category:fuse-ffn | Function=no_gelu_with_another_sum | Reason="what is added is not 1", Remark="not fused"}}
  %twice = transformer.mul %x, %gate : tensor<7x8xf16>, tensor<7x8xf16>
  %r = transformer.mul_scalar %twice, 0.5 : tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_gelu_of_another_scale(
// CHECK-NOT:     transformer.gelu
// CHECK:         return
func.func @no_gelu_of_another_scale(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %a = transformer.mul_scalar %x, 0.5 : tensor<7x8xf16>
  %f = transformer.erf %a : tensor<7x8xf16>
  %gate = transformer.add_scalar %f, 1.0 : tensor<7x8xf16>
  // expected-remark @below {{[Missed] gelu | Category:fuse-ffn | Function=no_gelu_of_another_scale | Reason="the function is not of what a GELU takes it of", Remark="not fused"}}
  %twice = transformer.mul %x, %gate : tensor<7x8xf16>, tensor<7x8xf16>
  %r = transformer.mul_scalar %twice, 0.5 : tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_gelu_of_another_cube(
// CHECK-NOT:     transformer.gelu
// CHECK:         return
func.func @no_gelu_of_another_cube(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %cube = transformer.pow %x exponent(3.0) : tensor<7x8xf16>
  %share = transformer.mul_scalar %cube, 0.05 : tensor<7x8xf16>
  %sum = transformer.add %x, %share : tensor<7x8xf16>, tensor<7x8xf16>
  %a = transformer.mul_scalar %sum, 0.79788456 : tensor<7x8xf16>
  %f = transformer.tanh %a : tensor<7x8xf16>
  %gate = transformer.add_scalar %f, 1.0 : tensor<7x8xf16>
  // expected-remark @below {{[Missed] gelu | Category:fuse-ffn | Function=no_gelu_of_another_cube | Reason="the function is not of what a GELU takes it of", Remark="not fused"}}
  %twice = transformer.mul %x, %gate : tensor<7x8xf16>, tensor<7x8xf16>
  %r = transformer.mul_scalar %twice, 0.5 : tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_gelu_of_a_square(
// CHECK-NOT:     transformer.gelu
// CHECK:         return
func.func @no_gelu_of_a_square(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %cube = transformer.pow %x exponent(2.0) : tensor<7x8xf16>
  %share = transformer.mul_scalar %cube, 0.044715 : tensor<7x8xf16>
  %sum = transformer.add %x, %share : tensor<7x8xf16>, tensor<7x8xf16>
  %a = transformer.mul_scalar %sum, 0.79788456 : tensor<7x8xf16>
  %f = transformer.tanh %a : tensor<7x8xf16>
  %gate = transformer.add_scalar %f, 1.0 : tensor<7x8xf16>
  // expected-remark @below {{[Missed] gelu | Category:fuse-ffn | Function=no_gelu_of_a_square | Reason="the function is not of what a GELU takes it of", Remark="not fused"}}
  %twice = transformer.mul %x, %gate : tensor<7x8xf16>, tensor<7x8xf16>
  %r = transformer.mul_scalar %twice, 0.5 : tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_gelu_of_another_value(
// CHECK-NOT:     transformer.gelu
// CHECK:         return
func.func @no_gelu_of_another_value(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %a = transformer.mul_scalar %x, 0.70710678118654757 : tensor<7x8xf16>
  %f = transformer.erf %a : tensor<7x8xf16>
  %gate = transformer.add_scalar %f, 1.0 : tensor<7x8xf16>
  // expected-remark @below {{[Missed] gelu | Category:fuse-ffn | Function=no_gelu_of_another_value | Reason="the function is of another value than what it scales", Remark="not fused"}}
  %twice = transformer.mul %y, %gate : tensor<7x8xf16>, tensor<7x8xf16>
  %r = transformer.mul_scalar %twice, 0.5 : tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// The product of half the input and half the gate is a quarter.
// CHECK-LABEL: func @no_gelu_that_is_halved_twice(
// CHECK-NOT:     transformer.gelu
// CHECK:         return
func.func @no_gelu_that_is_halved_twice(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %a = transformer.mul_scalar %x, 0.70710678118654757 : tensor<7x8xf16>
  %f = transformer.erf %a : tensor<7x8xf16>
  %gate = transformer.add_scalar %f, 1.0 : tensor<7x8xf16>
  %h = transformer.mul_scalar %gate, 0.5 : tensor<7x8xf16>
  %i = transformer.mul_scalar %x, 0.5 : tensor<7x8xf16>
  // expected-remark @below {{Reason="the function is of another value than what it scales"}}
  %r = transformer.mul %h, %i : tensor<7x8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// A product with a tanh alone is no near miss.
// CHECK-LABEL: func @no_gelu_without_a_sum
// CHECK:         transformer.tanh
// CHECK:         transformer.mul %
func.func @no_gelu_without_a_sum(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %f = transformer.tanh %x : tensor<7x8xf16>
  %r = transformer.mul %x, %f : tensor<7x8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}
