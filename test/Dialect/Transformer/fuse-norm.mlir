// RUN: tc-opt %s --transformer-fuse-norm | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-norm --transformer-fuse-norm | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-norm="rms-norm=false" | FileCheck %s --check-prefix=NO-NORM
// RUN: tc-opt %s --transformer-fuse-norm="residual=false" | FileCheck %s --check-prefix=NO-RESIDUAL
// RUN: tc-opt %s --transformer-fuse-norm --verify-diagnostics --remarks-filter=fuse-norm --remark-policy=all

#tokens = #transformer.dims<tokens>

//===----------------------------------------------------------------------===//
// rms-norm
//===----------------------------------------------------------------------===//

// The eight pieces become one op, which has the constant as its eps.
// CHECK-LABEL: func @rms_norm
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #[[T:.*]]>, %[[W:.*]]: tensor<8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.rms_norm %[[X]], %[[W]] eps(2.5e-05) : tensor<?x8xf16, #[[T]]>, tensor<8xf16>
// CHECK-NEXT:    return %[[R]]
// NO-NORM-LABEL: func @rms_norm
// NO-NORM-NOT:   transformer.rms_norm
// NO-NORM:       transformer.rsqrt
// NO-RESIDUAL-LABEL: func @rms_norm
// NO-RESIDUAL:   transformer.rms_norm
func.func @rms_norm(%x: tensor<?x8xf16, #tokens>, %w: tensor<8xf16>) -> tensor<?x8xf16, #tokens> {
  %wide = transformer.cast %x : tensor<?x8xf16, #tokens> to tensor<?x8xf32, #tokens>
  %squares = transformer.pow %wide exponent(2.0) : tensor<?x8xf32, #tokens>
  %mean = transformer.mean %squares : tensor<?x8xf32, #tokens>
  %stable = transformer.add_scalar %mean, 2.5e-5 : tensor<?x1xf32, #tokens>
  %root = transformer.rsqrt %stable : tensor<?x1xf32, #tokens>
  %normal = transformer.mul %wide, %root : tensor<?x8xf32, #tokens>, tensor<?x1xf32, #tokens>
  %narrow = transformer.cast %normal : tensor<?x8xf32, #tokens> to tensor<?x8xf16, #tokens>
  // expected-remark @below {{[Passed] rms-norm | Category:fuse-norm | Function=rms_norm | Remark=fused}}
  %r = transformer.mul %w, %narrow : tensor<8xf16>, tensor<?x8xf16, #tokens>
  return %r : tensor<?x8xf16, #tokens>
}

// Products do not mind the order of their operands; heads have norms, too.
// CHECK-LABEL: func @rms_norm_of_swapped_products
// CHECK-SAME:    %[[X:.*]]: tensor<7x2x8xf16>, %[[W:.*]]: tensor<8xf16>
// CHECK-NEXT:    transformer.rms_norm %[[X]], %[[W]] eps(1.0e-06) : tensor<7x2x8xf16>, tensor<8xf16>
func.func @rms_norm_of_swapped_products(%x: tensor<7x2x8xf16>, %w: tensor<8xf16>) -> tensor<7x2x8xf16> {
  %wide = transformer.cast %x : tensor<7x2x8xf16> to tensor<7x2x8xf32>
  %squares = transformer.pow %wide exponent(2.0) : tensor<7x2x8xf32>
  %mean = transformer.mean %squares : tensor<7x2x8xf32>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x2x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x2x1xf32>
  %normal = transformer.mul %root, %wide : tensor<7x2x1xf32>, tensor<7x2x8xf32>
  %narrow = transformer.cast %normal : tensor<7x2x8xf32> to tensor<7x2x8xf16>
  // expected-remark @below {{[Passed] rms-norm}}
  %r = transformer.mul %narrow, %w : tensor<7x2x8xf16>, tensor<8xf16>
  return %r : tensor<7x2x8xf16>
}

// A piece with another reader stays for it.
// CHECK-LABEL: func @rms_norm_whose_root_is_read
// CHECK:         %[[ROOT:.*]] = transformer.rsqrt
// CHECK-NOT:     transformer.mul
// CHECK:         %[[R:.*]] = transformer.rms_norm
// CHECK:         return %[[R]], %[[ROOT]]
func.func @rms_norm_whose_root_is_read(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x1xf32>) {
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  %squares = transformer.pow %wide exponent(2.0) : tensor<7x8xf32>
  %mean = transformer.mean %squares : tensor<7x8xf32>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x1xf32>
  %normal = transformer.mul %wide, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %narrow = transformer.cast %normal : tensor<7x8xf32> to tensor<7x8xf16>
  // expected-remark @below {{[Passed] rms-norm}}
  %r = transformer.mul %w, %narrow : tensor<8xf16>, tensor<7x8xf16>
  return %r, %root : tensor<7x8xf16>, tensor<7x1xf32>
}

// CHECK-LABEL: func @no_norm_without_a_constant
// CHECK-NOT:     transformer.rms_norm
// CHECK:         return
func.func @no_norm_without_a_constant(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  %squares = transformer.pow %wide exponent(2.0) : tensor<7x8xf32>
  %mean = transformer.mean %squares : tensor<7x8xf32>
  %root = transformer.rsqrt %mean : tensor<7x1xf32>
  %normal = transformer.mul %wide, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %narrow = transformer.cast %normal : tensor<7x8xf32> to tensor<7x8xf16>
  // expected-remark @below {{[Missed] rms-norm | Category:fuse-norm | Function=no_norm_without_a_constant | Reason="the root is not of a mean of powers plus a constant", Remark="not fused"}}
  %r = transformer.mul %w, %narrow : tensor<8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_norm_of_cubes
// CHECK-NOT:     transformer.rms_norm
// CHECK:         return
func.func @no_norm_of_cubes(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  %powers = transformer.pow %wide exponent(3.0) : tensor<7x8xf32>
  %mean = transformer.mean %powers : tensor<7x8xf32>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x1xf32>
  %normal = transformer.mul %wide, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %narrow = transformer.cast %normal : tensor<7x8xf32> to tensor<7x8xf16>
  // expected-remark @below {{[Missed] rms-norm | Category:fuse-norm | Function=no_norm_of_cubes | Reason="the mean is not of squares", Remark="not fused"}}
  %r = transformer.mul %w, %narrow : tensor<8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_norm_by_the_root_of_another
// CHECK-NOT:     transformer.rms_norm
// CHECK:         return
func.func @no_norm_by_the_root_of_another(%x: tensor<7x8xf16>, %y: tensor<7x8xf32>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  %squares = transformer.pow %wide exponent(2.0) : tensor<7x8xf32>
  %mean = transformer.mean %squares : tensor<7x8xf32>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x1xf32>
  %normal = transformer.mul %y, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %narrow = transformer.cast %normal : tensor<7x8xf32> to tensor<7x8xf16>
  // expected-remark @below {{[Missed] rms-norm | Category:fuse-norm | Function=no_norm_by_the_root_of_another | Reason="what is normalized is not what the mean is of", Remark="not fused"}}
  %r = transformer.mul %w, %narrow : tensor<8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// A mean of f32 is no mean of narrow values: rms_norm widens its input.
// CHECK-LABEL: func @no_norm_of_wide_values
// CHECK-NOT:     transformer.rms_norm
// CHECK:         return
func.func @no_norm_of_wide_values(%wide: tensor<7x8xf32>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %squares = transformer.pow %wide exponent(2.0) : tensor<7x8xf32>
  %mean = transformer.mean %squares : tensor<7x8xf32>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x1xf32>
  %normal = transformer.mul %wide, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %narrow = transformer.cast %normal : tensor<7x8xf32> to tensor<7x8xf16>
  // expected-remark @below {{Reason="what is normalized is not what the mean is of"}}
  %r = transformer.mul %w, %narrow : tensor<8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_norm_by_weights_per_row
// CHECK-NOT:     transformer.rms_norm
// CHECK:         return
func.func @no_norm_by_weights_per_row(%x: tensor<7x8xf16>, %w: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  %squares = transformer.pow %wide exponent(2.0) : tensor<7x8xf32>
  %mean = transformer.mean %squares : tensor<7x8xf32>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x1xf32>
  %normal = transformer.mul %wide, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %narrow = transformer.cast %normal : tensor<7x8xf32> to tensor<7x8xf16>
  // expected-remark @below {{[Missed] rms-norm | Category:fuse-norm | Function=no_norm_by_weights_per_row | Reason="no norm has these types, weight or constant", Remark="not fused"}}
  %r = transformer.mul %w, %narrow : tensor<7x8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_norm_by_one_weight_for_all
// CHECK-NOT:     transformer.rms_norm
// CHECK:         return
func.func @no_norm_by_one_weight_for_all(%x: tensor<7x8xf16>, %w: tensor<1xf16>) -> tensor<7x8xf16> {
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  %squares = transformer.pow %wide exponent(2.0) : tensor<7x8xf32>
  %mean = transformer.mean %squares : tensor<7x8xf32>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x1xf32>
  %normal = transformer.mul %wide, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %narrow = transformer.cast %normal : tensor<7x8xf32> to tensor<7x8xf16>
  // expected-remark @below {{Reason="no norm has these types, weight or constant"}}
  %r = transformer.mul %w, %narrow : tensor<1xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_norm_with_a_constant_of_zero
// CHECK-NOT:     transformer.rms_norm
// CHECK:         return
func.func @no_norm_with_a_constant_of_zero(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  %squares = transformer.pow %wide exponent(2.0) : tensor<7x8xf32>
  %mean = transformer.mean %squares : tensor<7x8xf32>
  %stable = transformer.add_scalar %mean, 0.0 : tensor<7x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x1xf32>
  %normal = transformer.mul %wide, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %narrow = transformer.cast %normal : tensor<7x8xf32> to tensor<7x8xf16>
  // expected-remark @below {{Reason="no norm has these types, weight or constant"}}
  %r = transformer.mul %w, %narrow : tensor<8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_norm_of_rows_that_are_repeated
// CHECK-NOT:     transformer.rms_norm
// CHECK:         return
func.func @no_norm_of_rows_that_are_repeated(%x: tensor<7x1xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %wide = transformer.cast %x : tensor<7x1xf16> to tensor<7x1xf32>
  %squares = transformer.pow %wide exponent(2.0) : tensor<7x1xf32>
  %mean = transformer.mean %squares : tensor<7x1xf32>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x1xf32>
  %normal = transformer.mul %wide, %root : tensor<7x1xf32>, tensor<7x1xf32>
  %narrow = transformer.cast %normal : tensor<7x1xf32> to tensor<7x1xf16>
  // expected-remark @below {{Reason="no norm has these types, weight or constant"}}
  %r = transformer.mul %w, %narrow : tensor<8xf16>, tensor<7x1xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_norm_of_a_mean_in_f64
// CHECK-NOT:     transformer.rms_norm
// CHECK:         return
func.func @no_norm_of_a_mean_in_f64(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf64>
  %squares = transformer.pow %wide exponent(2.0) : tensor<7x8xf64>
  %mean = transformer.mean %squares : tensor<7x8xf64>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x1xf64>
  %root = transformer.rsqrt %stable : tensor<7x1xf64>
  %normal = transformer.mul %wide, %root : tensor<7x8xf64>, tensor<7x1xf64>
  %narrow = transformer.cast %normal : tensor<7x8xf64> to tensor<7x8xf16>
  // expected-remark @below {{Reason="no norm has these types, weight or constant"}}
  %r = transformer.mul %w, %narrow : tensor<8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// A product that is no norm at all is no near miss.
// CHECK-LABEL: func @no_norm_of_a_product
// CHECK:         transformer.mul
func.func @no_norm_of_a_product(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %r = transformer.mul %w, %x : tensor<8xf16>, tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

//===----------------------------------------------------------------------===//
// residual
//===----------------------------------------------------------------------===//

// The kernel still yields the sum.
// CHECK-LABEL: func @add_rms_norm
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[Y:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>
// CHECK-NEXT:    %[[SUM:.*]], %[[NORM:.*]] = transformer.add_rms_norm %[[X]], %[[Y]], %[[W]] eps(1.0e-05) : tensor<7x8xf16>, tensor<8xf16>
// CHECK-NEXT:    return %[[SUM]], %[[NORM]]
// NO-NORM-LABEL: func @add_rms_norm
// NO-NORM:       transformer.add_rms_norm
// NO-RESIDUAL-LABEL: func @add_rms_norm
// NO-RESIDUAL:   transformer.add
// NO-RESIDUAL-NEXT: transformer.rms_norm
func.func @add_rms_norm(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %sum = transformer.add %x, %y : tensor<7x8xf16>, tensor<7x8xf16>
  // expected-remark @below {{[Passed] residual | Category:fuse-norm | Function=add_rms_norm | Remark=fused}}
  %norm = transformer.rms_norm %sum, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  return %sum, %norm : tensor<7x8xf16>, tensor<7x8xf16>
}

// A norm from its pieces takes the sum in front of it, too.
// CHECK-LABEL: func @add_rms_norm_from_pieces
// CHECK-NEXT:    transformer.add_rms_norm
// CHECK-NEXT:    return
// NO-NORM-LABEL: func @add_rms_norm_from_pieces
// NO-NORM:       transformer.add %
// NO-NORM-NOT:   transformer.add_rms_norm
// NO-RESIDUAL-LABEL: func @add_rms_norm_from_pieces
// NO-RESIDUAL:   transformer.add %
// NO-RESIDUAL-NEXT: transformer.rms_norm
func.func @add_rms_norm_from_pieces(%a: tensor<7x8xf16>, %b: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %x = transformer.add %a, %b : tensor<7x8xf16>, tensor<7x8xf16>
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  %squares = transformer.pow %wide exponent(2.0) : tensor<7x8xf32>
  %mean = transformer.mean %squares : tensor<7x8xf32>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x1xf32>
  %normal = transformer.mul %wide, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %narrow = transformer.cast %normal : tensor<7x8xf32> to tensor<7x8xf16>
  // expected-remark @below {{[Passed] rms-norm}}
  // expected-remark @below {{[Passed] residual}}
  %r = transformer.mul %w, %narrow : tensor<8xf16>, tensor<7x8xf16>
  return %r, %x : tensor<7x8xf16>, tensor<7x8xf16>
}

// NO-NORM-LABEL: func @no_residual_that_repeats
// CHECK-LABEL: func @no_residual_that_repeats
// CHECK:         transformer.add %
// CHECK-NEXT:    transformer.rms_norm
func.func @no_residual_that_repeats(%x: tensor<7x8xf16>, %y: tensor<8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %sum = transformer.add %x, %y : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Missed] residual | Category:fuse-norm | Function=no_residual_that_repeats | Reason="the sum repeats an operand", Remark="not fused"}}
  %norm = transformer.rms_norm %sum, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  return %norm : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_residual_that_is_used_before
// CHECK:         transformer.add %
// CHECK:         transformer.rms_norm
func.func @no_residual_that_is_used_before(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %sum = transformer.add %x, %y : tensor<7x8xf16>, tensor<7x8xf16>
  %silu = transformer.silu %sum : tensor<7x8xf16>
  // expected-remark @below {{[Missed] residual | Category:fuse-norm | Function=no_residual_that_is_used_before | Reason="the sum is used before the norm", Remark="not fused"}}
  %norm = transformer.rms_norm %sum, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  return %silu, %norm : tensor<7x8xf16>, tensor<7x8xf16>
}

// The first of two norms of one sum has the sum, which the second reads.
// CHECK-LABEL: func @two_norms_of_one_sum
// CHECK:         %[[SUM:.*]], %{{.*}} = transformer.add_rms_norm
// CHECK:         transformer.rms_norm %[[SUM]]
func.func @two_norms_of_one_sum(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %sum = transformer.add %x, %y : tensor<7x8xf16>, tensor<7x8xf16>
  // expected-remark @below {{[Passed] residual}}
  %first = transformer.rms_norm %sum, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  %second = transformer.rms_norm %sum, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  return %first, %second : tensor<7x8xf16>, tensor<7x8xf16>
}

// A norm of anything else is no near miss.
// CHECK-LABEL: func @no_residual_in_front
// CHECK:         transformer.rms_norm
func.func @no_residual_in_front(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %norm = transformer.rms_norm %x, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  return %norm : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_residual_that_is_the_weight
// CHECK:         transformer.add %
// CHECK-NEXT:    transformer.rms_norm
func.func @no_residual_that_is_the_weight(%x: tensor<8xf16>) -> tensor<8xf16> {
  %sum = transformer.add %x, %x : tensor<8xf16>, tensor<8xf16>
  // expected-remark @below {{[Missed] residual | Category:fuse-norm | Function=no_residual_that_is_the_weight | Reason="the sum is the weight or bias as well", Remark="not fused"}}
  %norm = transformer.rms_norm %sum, %sum eps(1.0e-5) : tensor<8xf16>, tensor<8xf16>
  return %norm : tensor<8xf16>
}
