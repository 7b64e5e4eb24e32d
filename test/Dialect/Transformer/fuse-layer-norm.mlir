// RUN: tc-opt %s --transformer-fuse-norm | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-norm --transformer-fuse-norm | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-norm="layer-norm=false" | FileCheck %s --check-prefix=NO-NORM
// RUN: tc-opt %s --transformer-fuse-norm="layer-norm-residual=false" | FileCheck %s --check-prefix=NO-RESIDUAL
// RUN: tc-opt %s --transformer-fuse-norm --verify-diagnostics --remarks-filter=fuse-norm --remark-policy=all

// NO-NORM-NOT: transformer.layer_norm
// NO-RESIDUAL-NOT: transformer.add_layer_norm

#tokens = #transformer.dims<tokens>

//===----------------------------------------------------------------------===//
// layer-norm
//===----------------------------------------------------------------------===//

// The nine pieces become one op, which has the constant as its eps.
// CHECK-LABEL: func @layer_norm
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #[[T:.*]]>, %[[W:.*]]: tensor<8xf16>, %[[B:.*]]: tensor<8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.layer_norm %[[X]], %[[W]] bias(%[[B]] : tensor<8xf16>) eps(2.5e-05) : tensor<?x8xf16, #[[T]]>, tensor<8xf16>
// CHECK-NEXT:    return %[[R]]
// NO-NORM-LABEL: func @layer_norm
// NO-NORM:       transformer.div
// NO-RESIDUAL-LABEL: func @layer_norm
// NO-RESIDUAL:   transformer.layer_norm
func.func @layer_norm(%x: tensor<?x8xf16, #tokens>, %w: tensor<8xf16>, %b: tensor<8xf16>) -> tensor<?x8xf16, #tokens> {
  %mean = transformer.mean %x : tensor<?x8xf16, #tokens>
  %c = transformer.sub %x, %mean : tensor<?x8xf16, #tokens>, tensor<?x1xf16, #tokens>
  %squares = transformer.pow %c exponent(2.0) : tensor<?x8xf16, #tokens>
  %variance = transformer.mean %squares : tensor<?x8xf16, #tokens>
  %stable = transformer.add_scalar %variance, 2.5e-5 : tensor<?x1xf16, #tokens>
  %root = transformer.sqrt %stable : tensor<?x1xf16, #tokens>
  %n = transformer.div %c, %root : tensor<?x8xf16, #tokens>, tensor<?x1xf16, #tokens>
  %s = transformer.mul %n, %w : tensor<?x8xf16, #tokens>, tensor<8xf16>
  // expected-remark @below {{[Passed] layer-norm | Category:fuse-norm | Function=layer_norm | Remark=fused}}
  %r = transformer.add %s, %b : tensor<?x8xf16, #tokens>, tensor<8xf16>
  return %r : tensor<?x8xf16, #tokens>
}

// A product with the inverse root is the quotient by the root; sums and
// products do not mind the order of their operands.
// CHECK-LABEL: func @layer_norm_by_the_inverse_root
// CHECK-SAME:    %[[X:.*]]: tensor<7x2x8xf16>, %[[W:.*]]: tensor<8xf16>, %[[B:.*]]: tensor<8xf16>
// CHECK-NEXT:    transformer.layer_norm %[[X]], %[[W]] bias(%[[B]] : tensor<8xf16>) eps(1.0e-05) : tensor<7x2x8xf16>, tensor<8xf16>
// CHECK-NEXT:    return
func.func @layer_norm_by_the_inverse_root(%x: tensor<7x2x8xf16>, %w: tensor<8xf16>, %b: tensor<8xf16>) -> tensor<7x2x8xf16> {
  %mean = transformer.mean %x : tensor<7x2x8xf16>
  %c = transformer.sub %x, %mean : tensor<7x2x8xf16>, tensor<7x2x1xf16>
  %squares = transformer.pow %c exponent(2.0) : tensor<7x2x8xf16>
  %variance = transformer.mean %squares : tensor<7x2x8xf16>
  %stable = transformer.add_scalar %variance, 1.0e-5 : tensor<7x2x1xf16>
  %root = transformer.rsqrt %stable : tensor<7x2x1xf16>
  %n = transformer.mul %c, %root : tensor<7x2x8xf16>, tensor<7x2x1xf16>
  %s = transformer.mul %w, %n : tensor<8xf16>, tensor<7x2x8xf16>
  // expected-remark @below {{[Passed] layer-norm}}
  %r = transformer.add %b, %s : tensor<8xf16>, tensor<7x2x8xf16>
  return %r : tensor<7x2x8xf16>
}

// CHECK-LABEL: func @layer_norm_without_a_bias
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>
// CHECK-NEXT:    transformer.layer_norm %[[X]], %[[W]] eps(1.0e-05) : tensor<7x8xf16>, tensor<8xf16>
// CHECK-NEXT:    return
func.func @layer_norm_without_a_bias(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %mean = transformer.mean %x : tensor<7x8xf16>
  %c = transformer.sub %x, %mean : tensor<7x8xf16>, tensor<7x1xf16>
  %squares = transformer.pow %c exponent(2.0) : tensor<7x8xf16>
  %variance = transformer.mean %squares : tensor<7x8xf16>
  %stable = transformer.add_scalar %variance, 1.0e-5 : tensor<7x1xf16>
  %root = transformer.sqrt %stable : tensor<7x1xf16>
  %n = transformer.div %c, %root : tensor<7x8xf16>, tensor<7x1xf16>
  // expected-remark @below {{[Passed] layer-norm}}
  %r = transformer.mul %n, %w : tensor<7x8xf16>, tensor<8xf16>
  return %r : tensor<7x8xf16>
}

// What is added is no bias: it has an element per row and feature.
// CHECK-LABEL: func @layer_norm_with_a_residual_behind
// CHECK-NEXT:    %[[N:.*]] = transformer.layer_norm %{{.*}}, %{{.*}} eps(1.0e-05)
// CHECK-NEXT:    transformer.add %[[N]], %{{.*}}
func.func @layer_norm_with_a_residual_behind(%x: tensor<7x8xf16>, %w: tensor<8xf16>, %y: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %mean = transformer.mean %x : tensor<7x8xf16>
  %c = transformer.sub %x, %mean : tensor<7x8xf16>, tensor<7x1xf16>
  %squares = transformer.pow %c exponent(2.0) : tensor<7x8xf16>
  %variance = transformer.mean %squares : tensor<7x8xf16>
  %stable = transformer.add_scalar %variance, 1.0e-5 : tensor<7x1xf16>
  %root = transformer.sqrt %stable : tensor<7x1xf16>
  %n = transformer.div %c, %root : tensor<7x8xf16>, tensor<7x1xf16>
  // expected-remark @below {{[Passed] layer-norm}}
  %s = transformer.mul %n, %w : tensor<7x8xf16>, tensor<8xf16>
  %r = transformer.add %s, %y : tensor<7x8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// A product that something else reads stays apart from the bias.
// CHECK-LABEL: func @layer_norm_whose_product_is_read
// CHECK-NEXT:    %[[N:.*]] = transformer.layer_norm %{{.*}}, %{{.*}} eps(1.0e-05)
// CHECK-NEXT:    %[[R:.*]] = transformer.add %[[N]], %{{.*}}
// CHECK-NEXT:    return %[[N]], %[[R]]
func.func @layer_norm_whose_product_is_read(%x: tensor<7x8xf16>, %w: tensor<8xf16>, %b: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %mean = transformer.mean %x : tensor<7x8xf16>
  %c = transformer.sub %x, %mean : tensor<7x8xf16>, tensor<7x1xf16>
  %squares = transformer.pow %c exponent(2.0) : tensor<7x8xf16>
  %variance = transformer.mean %squares : tensor<7x8xf16>
  %stable = transformer.add_scalar %variance, 1.0e-5 : tensor<7x1xf16>
  %root = transformer.sqrt %stable : tensor<7x1xf16>
  %n = transformer.div %c, %root : tensor<7x8xf16>, tensor<7x1xf16>
  // expected-remark @below {{[Passed] layer-norm}}
  %s = transformer.mul %n, %w : tensor<7x8xf16>, tensor<8xf16>
  %r = transformer.add %s, %b : tensor<7x8xf16>, tensor<8xf16>
  return %s, %r : tensor<7x8xf16>, tensor<7x8xf16>
}

// All up to the weight may be in f32.
// CHECK-LABEL: func @layer_norm_in_f32
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>
// CHECK-NEXT:    transformer.layer_norm %[[X]], %[[W]] eps(1.0e-05) : tensor<7x8xf16>, tensor<8xf16>
// CHECK-NEXT:    return
func.func @layer_norm_in_f32(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  %mean = transformer.mean %wide : tensor<7x8xf32>
  %c = transformer.sub %wide, %mean : tensor<7x8xf32>, tensor<7x1xf32>
  %squares = transformer.pow %c exponent(2.0) : tensor<7x8xf32>
  %variance = transformer.mean %squares : tensor<7x8xf32>
  %stable = transformer.add_scalar %variance, 1.0e-5 : tensor<7x1xf32>
  %root = transformer.sqrt %stable : tensor<7x1xf32>
  %m = transformer.div %c, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %n = transformer.cast %m : tensor<7x8xf32> to tensor<7x8xf16>
  // expected-remark @below {{[Passed] layer-norm}}
  %r = transformer.mul %n, %w : tensor<7x8xf16>, tensor<8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_norm_that_is_rounded_to_another_type
// CHECK-NOT:     transformer.layer_norm
// CHECK:         return
func.func @no_norm_that_is_rounded_to_another_type(%x: tensor<7x8xf16>, %w: tensor<8xbf16>) -> tensor<7x8xbf16> {
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  %mean = transformer.mean %wide : tensor<7x8xf32>
  %c = transformer.sub %wide, %mean : tensor<7x8xf32>, tensor<7x1xf32>
  %squares = transformer.pow %c exponent(2.0) : tensor<7x8xf32>
  %variance = transformer.mean %squares : tensor<7x8xf32>
  %stable = transformer.add_scalar %variance, 1.0e-5 : tensor<7x1xf32>
  %root = transformer.sqrt %stable : tensor<7x1xf32>
  %m = transformer.div %c, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %n = transformer.cast %m : tensor<7x8xf32> to tensor<7x8xbf16>
  // expected-remark @below {{[Missed] layer-norm | Category:fuse-norm | Function=no_norm_that_is_rounded_to_another_type | Reason="no norm has these types, weight or constant", Remark="not fused"}}
  %r = transformer.mul %n, %w : tensor<7x8xbf16>, tensor<8xbf16>
  return %r : tensor<7x8xbf16>
}

// CHECK-LABEL: func @no_norm_around_the_mean_of_another
// CHECK-NOT:     transformer.layer_norm
// CHECK:         return
func.func @no_norm_around_the_mean_of_another(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %mean = transformer.mean %y : tensor<7x8xf16>
  %c = transformer.sub %x, %mean : tensor<7x8xf16>, tensor<7x1xf16>
  %squares = transformer.pow %c exponent(2.0) : tensor<7x8xf16>
  %variance = transformer.mean %squares : tensor<7x8xf16>
  %stable = transformer.add_scalar %variance, 1.0e-5 : tensor<7x1xf16>
  %root = transformer.sqrt %stable : tensor<7x1xf16>
  %n = transformer.div %c, %root : tensor<7x8xf16>, tensor<7x1xf16>
  // expected-remark @below {{[Missed] layer-norm | Category:fuse-norm | Function=no_norm_around_the_mean_of_another | Reason="what is subtracted is not the mean of the input", Remark="not fused"}}
  %r = transformer.mul %n, %w : tensor<7x8xf16>, tensor<8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_norm_without_a_constant
// CHECK-NOT:     transformer.layer_norm
// CHECK:         return
func.func @no_norm_without_a_constant(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %mean = transformer.mean %x : tensor<7x8xf16>
  %c = transformer.sub %x, %mean : tensor<7x8xf16>, tensor<7x1xf16>
  %squares = transformer.pow %c exponent(2.0) : tensor<7x8xf16>
  %variance = transformer.mean %squares : tensor<7x8xf16>
  %root = transformer.sqrt %variance : tensor<7x1xf16>
  %n = transformer.div %c, %root : tensor<7x8xf16>, tensor<7x1xf16>
  // expected-remark @below {{[Missed] layer-norm | Category:fuse-norm | Function=no_norm_without_a_constant | Reason="the root is not of a mean of powers plus a constant", Remark="not fused"}}
  %r = transformer.mul %n, %w : tensor<7x8xf16>, tensor<8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_norm_of_cubes
// CHECK-NOT:     transformer.layer_norm
// CHECK:         return
func.func @no_norm_of_cubes(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %mean = transformer.mean %x : tensor<7x8xf16>
  %c = transformer.sub %x, %mean : tensor<7x8xf16>, tensor<7x1xf16>
  %squares = transformer.pow %c exponent(3.0) : tensor<7x8xf16>
  %variance = transformer.mean %squares : tensor<7x8xf16>
  %stable = transformer.add_scalar %variance, 1.0e-5 : tensor<7x1xf16>
  %root = transformer.sqrt %stable : tensor<7x1xf16>
  %n = transformer.div %c, %root : tensor<7x8xf16>, tensor<7x1xf16>
  // expected-remark @below {{[Missed] layer-norm | Category:fuse-norm | Function=no_norm_of_cubes | Reason="the mean is not of squares", Remark="not fused"}}
  %r = transformer.mul %n, %w : tensor<7x8xf16>, tensor<8xf16>
  return %r : tensor<7x8xf16>
}

// The squares are of the input, not of its difference from the mean.
// CHECK-LABEL: func @no_norm_by_the_variance_of_another
// CHECK-NOT:     transformer.layer_norm
// CHECK:         return
func.func @no_norm_by_the_variance_of_another(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %mean = transformer.mean %x : tensor<7x8xf16>
  %c = transformer.sub %x, %mean : tensor<7x8xf16>, tensor<7x1xf16>
  %squares = transformer.pow %x exponent(2.0) : tensor<7x8xf16>
  %variance = transformer.mean %squares : tensor<7x8xf16>
  %stable = transformer.add_scalar %variance, 1.0e-5 : tensor<7x1xf16>
  %root = transformer.sqrt %stable : tensor<7x1xf16>
  %n = transformer.div %c, %root : tensor<7x8xf16>, tensor<7x1xf16>
  // expected-remark @below {{[Missed] layer-norm | Category:fuse-norm | Function=no_norm_by_the_variance_of_another | Reason="what is normalized is not what the variance is of", Remark="not fused"}}
  %r = transformer.mul %n, %w : tensor<7x8xf16>, tensor<8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_norm_by_weights_per_row
// CHECK-NOT:     transformer.layer_norm
// CHECK:         return
func.func @no_norm_by_weights_per_row(%x: tensor<7x8xf16>, %w: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %mean = transformer.mean %x : tensor<7x8xf16>
  %c = transformer.sub %x, %mean : tensor<7x8xf16>, tensor<7x1xf16>
  %squares = transformer.pow %c exponent(2.0) : tensor<7x8xf16>
  %variance = transformer.mean %squares : tensor<7x8xf16>
  %stable = transformer.add_scalar %variance, 1.0e-5 : tensor<7x1xf16>
  %root = transformer.sqrt %stable : tensor<7x1xf16>
  %n = transformer.div %c, %root : tensor<7x8xf16>, tensor<7x1xf16>
  // expected-remark @below {{[Missed] layer-norm | Category:fuse-norm | Function=no_norm_by_weights_per_row | Reason="no norm has these types, weight or constant", Remark="not fused"}}
  %r = transformer.mul %n, %w : tensor<7x8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_norm_with_a_constant_of_zero
// CHECK-NOT:     transformer.layer_norm
// CHECK:         return
func.func @no_norm_with_a_constant_of_zero(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %mean = transformer.mean %x : tensor<7x8xf16>
  %c = transformer.sub %x, %mean : tensor<7x8xf16>, tensor<7x1xf16>
  %squares = transformer.pow %c exponent(2.0) : tensor<7x8xf16>
  %variance = transformer.mean %squares : tensor<7x8xf16>
  %stable = transformer.add_scalar %variance, 0.0 : tensor<7x1xf16>
  %root = transformer.sqrt %stable : tensor<7x1xf16>
  %n = transformer.div %c, %root : tensor<7x8xf16>, tensor<7x1xf16>
  // expected-remark @below {{Reason="no norm has these types, weight or constant"}}
  %r = transformer.mul %n, %w : tensor<7x8xf16>, tensor<8xf16>
  return %r : tensor<7x8xf16>
}

// A quotient that is no norm at all is no near miss.
// CHECK-LABEL: func @no_norm_of_a_difference_from_another_value
// CHECK-NOT:     transformer.layer_norm
// CHECK:         return
func.func @no_norm_of_a_difference_from_another_value(%x: tensor<7x8xf16>, %y: tensor<7x1xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %mean = transformer.mean %x : tensor<7x8xf16>
  %c = transformer.sub %x, %y : tensor<7x8xf16>, tensor<7x1xf16>
  %squares = transformer.pow %c exponent(2.0) : tensor<7x8xf16>
  %variance = transformer.mean %squares : tensor<7x8xf16>
  %stable = transformer.add_scalar %variance, 1.0e-5 : tensor<7x1xf16>
  %root = transformer.sqrt %stable : tensor<7x1xf16>
  %n = transformer.div %c, %root : tensor<7x8xf16>, tensor<7x1xf16>
  %r = transformer.mul %n, %w : tensor<7x8xf16>, tensor<8xf16>
  return %r : tensor<7x8xf16>
}

//===----------------------------------------------------------------------===//
// layer-norm-residual
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @add_layer_norm
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[Y:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>, %[[B:.*]]: tensor<8xf16>
// CHECK-NEXT:    %[[SUM:.*]], %[[NORM:.*]] = transformer.add_layer_norm %[[X]], %[[Y]], %[[W]] bias(%[[B]] : tensor<8xf16>) eps(1.0e-05) : tensor<7x8xf16>, tensor<8xf16>
// CHECK-NEXT:    return %[[SUM]], %[[NORM]]
// NO-RESIDUAL-LABEL: func @add_layer_norm
// NO-RESIDUAL:   transformer.add %
// NO-RESIDUAL-NEXT: transformer.layer_norm
func.func @add_layer_norm(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>, %b: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %sum = transformer.add %x, %y : tensor<7x8xf16>, tensor<7x8xf16>
  // expected-remark @below {{[Passed] layer-norm-residual | Category:fuse-norm | Function=add_layer_norm | Remark=fused}}
  %norm = transformer.layer_norm %sum, %w bias(%b : tensor<8xf16>) eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  return %sum, %norm : tensor<7x8xf16>, tensor<7x8xf16>
}

// CHECK-LABEL: func @no_residual_that_repeats
// CHECK:         transformer.add %
// CHECK-NEXT:    transformer.layer_norm
func.func @no_residual_that_repeats(%x: tensor<7x8xf16>, %y: tensor<8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %sum = transformer.add %x, %y : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Missed] layer-norm-residual | Category:fuse-norm | Function=no_residual_that_repeats | Reason="the sum repeats an operand", Remark="not fused"}}
  %norm = transformer.layer_norm %sum, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  return %norm : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_residual_that_is_used_before
// CHECK:         transformer.add %
// CHECK:         transformer.layer_norm
func.func @no_residual_that_is_used_before(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %sum = transformer.add %x, %x : tensor<7x8xf16>, tensor<7x8xf16>
  %gelu = transformer.gelu %sum : tensor<7x8xf16>
  // expected-remark @below {{[Missed] layer-norm-residual | Category:fuse-norm | Function=no_residual_that_is_used_before | Reason="the sum is used before the norm", Remark="not fused"}}
  %norm = transformer.layer_norm %sum, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  return %gelu, %norm : tensor<7x8xf16>, tensor<7x8xf16>
}

// CHECK-LABEL: func @no_residual_that_is_the_bias
// CHECK:         transformer.add %
// CHECK-NEXT:    transformer.layer_norm
func.func @no_residual_that_is_the_bias(%x: tensor<8xf16>, %w: tensor<8xf16>) -> tensor<8xf16> {
  %sum = transformer.add %x, %x : tensor<8xf16>, tensor<8xf16>
  // expected-remark @below {{[Missed] layer-norm-residual | Category:fuse-norm | Function=no_residual_that_is_the_bias | Reason="the sum is the weight or bias as well", Remark="not fused"}}
  %norm = transformer.layer_norm %sum, %w bias(%sum : tensor<8xf16>) eps(1.0e-5) : tensor<8xf16>, tensor<8xf16>
  return %norm : tensor<8xf16>
}
