// RUN: tc-opt %s --transformer-fuse-norm | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-norm --transformer-fuse-norm | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-norm="wide-rms-norm=false" | FileCheck %s --check-prefix=OFF
// RUN: tc-opt %s --transformer-decompose | FileCheck %s --check-prefix=PIECES
// RUN: tc-opt %s --transformer-fuse-norm --verify-diagnostics --remarks-filter=fuse-norm --remark-policy=all
// RUN: tc-opt %s --transformer-fuse-norm --transformer-fuse-quant --remarks-filter=fuse-quant --remark-policy=all 2>&1 >/dev/null | FileCheck %s --check-prefix=QUANT

#tokens = #transformer.dims<tokens>

// A norm that multiplies by its weight before it rounds; here by one more than
// the weight.
// CHECK-LABEL: func @wide_weight
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #[[T:.*]]>, %[[W:.*]]: tensor<8xf32>
// CHECK-NEXT:    %[[MORE:.*]] = transformer.add_scalar %[[W]], 1.0
// CHECK-NEXT:    %[[R:.*]] = transformer.rms_norm %[[X]], %[[MORE]] eps(2.5e-05) wide_weight : tensor<?x8xf16, #[[T]]>, tensor<8xf32>
// CHECK-NEXT:    return %[[R]]
// OFF-LABEL:   func @wide_weight
// OFF-NOT:       transformer.rms_norm
// OFF:           transformer.rsqrt
func.func @wide_weight(%x: tensor<?x8xf16, #tokens>, %w: tensor<8xf32>) -> tensor<?x8xf16, #tokens> {
  %more = transformer.add_scalar %w, 1.0 : tensor<8xf32>
  %wide = transformer.cast %x : tensor<?x8xf16, #tokens> to tensor<?x8xf32, #tokens>
  %squares = transformer.pow %wide exponent(2.0) : tensor<?x8xf32, #tokens>
  %mean = transformer.mean %squares : tensor<?x8xf32, #tokens>
  %stable = transformer.add_scalar %mean, 2.5e-5 : tensor<?x1xf32, #tokens>
  %root = transformer.rsqrt %stable : tensor<?x1xf32, #tokens>
  %normal = transformer.mul %wide, %root : tensor<?x8xf32, #tokens>, tensor<?x1xf32, #tokens>
  %scaled = transformer.mul %normal, %more : tensor<?x8xf32, #tokens>, tensor<8xf32>
  // expected-remark @below {{[Passed] wide-rms-norm | Category:fuse-norm | Function=wide_weight | Remark=fused}}
  %r = transformer.cast %scaled : tensor<?x8xf32, #tokens> to tensor<?x8xf16, #tokens>
  return %r : tensor<?x8xf16, #tokens>
}

// A weight of the input's type may be multiplied in f32 as well.
// CHECK-LABEL: func @narrow_weight
// CHECK-NEXT:    transformer.rms_norm %{{.*}}, %{{.*}} eps(1.0e-06) wide_weight : tensor<7x2x8xf16>, tensor<8xf16>
func.func @narrow_weight(%x: tensor<7x2x8xf16>, %w: tensor<8xf16>) -> tensor<7x2x8xf16> {
  %wide = transformer.cast %x : tensor<7x2x8xf16> to tensor<7x2x8xf32>
  %squares = transformer.pow %wide exponent(2.0) : tensor<7x2x8xf32>
  %mean = transformer.mean %squares : tensor<7x2x8xf32>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x2x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x2x1xf32>
  %normal = transformer.mul %root, %wide : tensor<7x2x1xf32>, tensor<7x2x8xf32>
  %scaled = transformer.mul %w, %normal : tensor<8xf16>, tensor<7x2x8xf32>
  // expected-remark @below {{[Passed] wide-rms-norm}}
  %r = transformer.cast %scaled : tensor<7x2x8xf32> to tensor<7x2x8xf16>
  return %r : tensor<7x2x8xf16>
}

// CHECK-LABEL: func @mean_of_cubes
// CHECK-NOT:     transformer.rms_norm
// CHECK:         return
func.func @mean_of_cubes(%x: tensor<7x8xf16>, %w: tensor<8xf32>) -> tensor<7x8xf16> {
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  %squares = transformer.pow %wide exponent(3.0) : tensor<7x8xf32>
  %mean = transformer.mean %squares : tensor<7x8xf32>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x1xf32>
  %normal = transformer.mul %wide, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %scaled = transformer.mul %normal, %w : tensor<7x8xf32>, tensor<8xf32>
  // expected-remark @below {{[Missed] wide-rms-norm | Category:fuse-norm | Function=mean_of_cubes | Reason="the root is not of a mean of squares plus a constant"}}
  %r = transformer.cast %scaled : tensor<7x8xf32> to tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @another_mean
// CHECK-NOT:     transformer.rms_norm
// CHECK:         return
func.func @another_mean(%x: tensor<7x8xf16>, %y: tensor<7x8xf32>, %w: tensor<8xf32>) -> tensor<7x8xf16> {
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  %squares = transformer.pow %y exponent(2.0) : tensor<7x8xf32>
  %mean = transformer.mean %squares : tensor<7x8xf32>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x1xf32>
  %normal = transformer.mul %wide, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %scaled = transformer.mul %normal, %w : tensor<7x8xf32>, tensor<8xf32>
  // expected-remark @below {{Reason="what is normalized is not what the mean is of"}}
  %r = transformer.cast %scaled : tensor<7x8xf32> to tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// CHECK-LABEL: func @weight_per_token
// CHECK-NOT:     transformer.rms_norm
// CHECK:         return
func.func @weight_per_token(%x: tensor<7x8xf16>, %w: tensor<7x1xf32>) -> tensor<7x8xf16> {
  %wide = transformer.cast %x : tensor<7x8xf16> to tensor<7x8xf32>
  %squares = transformer.pow %wide exponent(2.0) : tensor<7x8xf32>
  %mean = transformer.mean %squares : tensor<7x8xf32>
  %stable = transformer.add_scalar %mean, 1.0e-6 : tensor<7x1xf32>
  %root = transformer.rsqrt %stable : tensor<7x1xf32>
  %normal = transformer.mul %wide, %root : tensor<7x8xf32>, tensor<7x1xf32>
  %scaled = transformer.mul %normal, %w : tensor<7x8xf32>, tensor<7x1xf32>
  // expected-remark @below {{Reason="no norm has these types, weight or constant"}}
  %r = transformer.cast %scaled : tensor<7x8xf32> to tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}

// No kernel joins such a norm with the residual or a quantization: it would
// round before it multiplies.
// CHECK-LABEL: func @with_residual
// CHECK-NEXT:    %[[SUM:.*]] = transformer.add
// CHECK-NEXT:    transformer.rms_norm %[[SUM]], %{{.*}} wide_weight
// QUANT: remark: [Missed] norm | Category:fuse-quant | Function=with_residual | Reason="the norm's weight is multiplied in f32"
// PIECES-LABEL: func @with_residual
// PIECES:        %[[S:.*]] = transformer.mul %{{.*}} : tensor<8xf32>, tensor<7x8xf32>
// PIECES:        transformer.cast %[[S]] : tensor<7x8xf32> to tensor<7x8xf16>
func.func @with_residual(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf32>) -> (tensor<7x8xi8>, tensor<f32>) {
  %sum = transformer.add %x, %y : tensor<7x8xf16>, tensor<7x8xf16>
  // expected-remark @below {{[Missed] residual | Category:fuse-norm | Function=with_residual | Reason="the weight is multiplied in f32"}}
  %norm = transformer.rms_norm %sum, %w eps(1.0e-6) wide_weight : tensor<7x8xf16>, tensor<8xf32>
  %q, %s = transformer.dynamic_quantize %norm : tensor<7x8xf16> to tensor<7x8xi8>, tensor<f32>
  return %q, %s : tensor<7x8xi8>, tensor<f32>
}
