// RUN: tc-opt %s --transformer-fuse-quant | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-quant --transformer-fuse-quant | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-quant="share=false" | FileCheck %s --check-prefix=NO-SHARE
// RUN: tc-opt %s --transformer-fuse-quant="norm=false" | FileCheck %s --check-prefix=NO-NORM
// RUN: tc-opt %s --transformer-fuse-quant="only-eps=1.0e-6" | FileCheck %s --check-prefix=EPS
// RUN: tc-opt %s --transformer-fuse-quant --verify-diagnostics --remarks-filter=fuse-quant --remark-policy=all
// RUN: tc-opt %s --transformer-fuse-quant="only-eps=1.0e-6 share=false" --remarks-filter=fuse-quant --remark-policy=all 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EPS-REMARK

// NO-NORM-NOT: norm_quantize
// EPS-REMARK: remark: [Missed] norm | Category:fuse-quant | Function=another_eps | Reason="the kernel exists for another 'eps' only", Remark="not fused"

//===----------------------------------------------------------------------===//
// share
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @shared
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[S:.*]]: tensor<f32>
// CHECK-NEXT:    %[[Q:.*]] = transformer.quantize %[[X]], %[[S]]
// CHECK-NEXT:    %[[D:.*]], %[[DS:.*]] = transformer.dynamic_quantize %[[X]]
// CHECK-NEXT:    return %[[Q]], %[[Q]], %[[D]], %[[DS]], %[[D]], %[[DS]]
// NO-SHARE-LABEL: func @shared
// NO-SHARE-COUNT-2: transformer.quantize
// NO-SHARE-COUNT-2: transformer.dynamic_quantize
func.func @shared(%x: tensor<7x8xf16>, %s: tensor<f32>) -> (tensor<7x8xi8>, tensor<7x8xi8>, tensor<7x8xi8>, tensor<f32>, tensor<7x8xi8>, tensor<f32>) {
  %0 = transformer.quantize %x, %s : tensor<7x8xf16> to tensor<7x8xi8>
  // expected-remark @below {{[Passed] share | Category:fuse-quant | Function=shared | Remark=fused}}
  %1 = transformer.quantize %x, %s : tensor<7x8xf16> to tensor<7x8xi8>
  %2, %3 = transformer.dynamic_quantize %x : tensor<7x8xf16> to tensor<7x8xi8>, tensor<f32>
  // expected-remark @below {{[Passed] share}}
  %4, %5 = transformer.dynamic_quantize %x : tensor<7x8xf16> to tensor<7x8xi8>, tensor<f32>
  return %0, %1, %2, %3, %4, %5 : tensor<7x8xi8>, tensor<7x8xi8>, tensor<7x8xi8>, tensor<f32>, tensor<7x8xi8>, tensor<f32>
}

// Another scale, another type, other groups: nothing is equal.
// CHECK-LABEL: func @not_shared
// CHECK-COUNT-3: transformer.quantize
// CHECK-COUNT-3: transformer.dynamic_quantize
func.func @not_shared(%x: tensor<7x64xf16>, %s: tensor<f32>, %t: tensor<f32>)
    -> (tensor<7x64xi8>, tensor<7x64xi8>, tensor<7x64xf8E4M3FN>, tensor<7x64xi8>, tensor<7x64xf4E2M1FN>, tensor<7x64xf4E2M1FN>) {
  %0 = transformer.quantize %x, %s : tensor<7x64xf16> to tensor<7x64xi8>
  %1 = transformer.quantize %x, %t : tensor<7x64xf16> to tensor<7x64xi8>
  %2 = transformer.quantize %x, %s : tensor<7x64xf16> to tensor<7x64xf8E4M3FN>
  %3, %4 = transformer.dynamic_quantize %x : tensor<7x64xf16> to tensor<7x64xi8>, tensor<f32>
  %5, %6 = transformer.dynamic_quantize %x group_size(32) : tensor<7x64xf16> to tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
  %7, %8 = transformer.dynamic_quantize %x group_size(16) : tensor<7x64xf16> to tensor<7x64xf4E2M1FN>, tensor<7x4xf8E8M0FNU>
  return %0, %1, %2, %3, %5, %7 : tensor<7x64xi8>, tensor<7x64xi8>, tensor<7x64xf8E4M3FN>, tensor<7x64xi8>, tensor<7x64xf4E2M1FN>, tensor<7x64xf4E2M1FN>
}

//===----------------------------------------------------------------------===//
// norm
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @rms_norm_quantize
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>, %[[S:.*]]: tensor<f32>
// CHECK-NEXT:    %[[Q:.*]] = transformer.rms_norm_quantize %[[X]], %[[W]] eps(1.0e-06) scale(%[[S]]) : tensor<7x8xf16>, tensor<8xf16> -> tensor<7x8xi8>
// CHECK-NEXT:    return %[[Q]]
// NO-NORM-LABEL: func @rms_norm_quantize
// NO-NORM:       transformer.rms_norm
// NO-NORM-NEXT:  transformer.quantize
// EPS-LABEL:   func @rms_norm_quantize
// EPS:           transformer.rms_norm_quantize
func.func @rms_norm_quantize(%x: tensor<7x8xf16>, %w: tensor<8xf16>, %s: tensor<f32>) -> tensor<7x8xi8> {
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Passed] norm | Category:fuse-quant | Function=rms_norm_quantize | Remark=fused}}
  %1 = transformer.quantize %0, %s : tensor<7x8xf16> to tensor<7x8xi8>
  return %1 : tensor<7x8xi8>
}

// CHECK-LABEL: func @rms_norm_dynamic_quantize
// CHECK-SAME:    %[[X:.*]]: tensor<7x64xf16>, %[[W:.*]]: tensor<64xf16>
// CHECK-NEXT:    %[[Q:.*]], %[[S:.*]] = transformer.rms_norm_quantize %[[X]], %[[W]] eps(1.0e-06) group_size(32)
// CHECK-SAME:      : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
// CHECK-NEXT:    return %[[Q]], %[[S]]
func.func @rms_norm_dynamic_quantize(%x: tensor<7x64xf16>, %w: tensor<64xf16>) -> (tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>) {
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<7x64xf16>, tensor<64xf16>
  // expected-remark @below {{[Passed] norm}}
  %1, %2 = transformer.dynamic_quantize %0 group_size(32) : tensor<7x64xf16> to tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
  return %1, %2 : tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
}

// The sum is there as early as before, for readers between norm and
// quantization; the scale is declared in front of the kernel.
// CHECK-LABEL: func @add_rms_norm_quantize
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[Y:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>
// CHECK-NEXT:    %[[S:.*]] = transformer.weight "scale" : tensor<f32>
// CHECK-NEXT:    %[[SUM:.*]], %[[Q:.*]] = transformer.add_rms_norm_quantize %[[X]], %[[Y]], %[[W]] eps(1.0e-06) scale(%[[S]]) : tensor<7x8xf16>, tensor<8xf16> -> tensor<7x8xi8>
// CHECK-NEXT:    %[[SILU:.*]] = transformer.silu %[[SUM]]
// CHECK-NEXT:    return %[[SUM]], %[[SILU]], %[[Q]]
// NO-NORM-LABEL: func @add_rms_norm_quantize
// NO-NORM:       transformer.add_rms_norm
// NO-NORM:       transformer.quantize
func.func @add_rms_norm_quantize(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>, tensor<7x8xi8>) {
  %sum, %norm = transformer.add_rms_norm %x, %y, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  %silu = transformer.silu %sum : tensor<7x8xf16>
  %s = transformer.weight "scale" : tensor<f32>
  // expected-remark @below {{[Passed] norm}}
  %q = transformer.quantize %norm, %s : tensor<7x8xf16> to tensor<7x8xi8>
  return %sum, %silu, %q : tensor<7x8xf16>, tensor<7x8xf16>, tensor<7x8xi8>
}

// CHECK-LABEL: func @add_rms_norm_dynamic_quantize
// CHECK-NEXT:    %[[SUM:.*]], %[[Q:.*]], %[[S:.*]] = transformer.add_rms_norm_quantize %{{.*}}, %{{.*}}, %{{.*}} eps(1.0e-06) : tensor<7x8xf16>, tensor<8xf16> -> tensor<7x8xi8>, tensor<f32>
// CHECK-NEXT:    return %[[SUM]], %[[Q]], %[[S]]
func.func @add_rms_norm_dynamic_quantize(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xi8>, tensor<f32>) {
  %sum, %norm = transformer.add_rms_norm %x, %y, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Passed] norm}}
  %q, %s = transformer.dynamic_quantize %norm : tensor<7x8xf16> to tensor<7x8xi8>, tensor<f32>
  return %sum, %q, %s : tensor<7x8xf16>, tensor<7x8xi8>, tensor<f32>
}

// Quantizations that are shared read the norm once: then it is fused.
// CHECK-LABEL: func @shared_then_fused
// CHECK-NEXT:    %[[Q:.*]], %[[S:.*]] = transformer.rms_norm_quantize
// CHECK-NEXT:    return %[[Q]], %[[Q]]
// NO-SHARE-LABEL: func @shared_then_fused
// NO-SHARE:      transformer.rms_norm %
// NO-SHARE-COUNT-2: transformer.dynamic_quantize
func.func @shared_then_fused(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xi8>, tensor<7x8xi8>) {
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Passed] norm}}
  %1, %2 = transformer.dynamic_quantize %0 : tensor<7x8xf16> to tensor<7x8xi8>, tensor<f32>
  // expected-remark @below {{[Passed] share}}
  %3, %4 = transformer.dynamic_quantize %0 : tensor<7x8xf16> to tensor<7x8xi8>, tensor<f32>
  return %1, %3 : tensor<7x8xi8>, tensor<7x8xi8>
}

// CHECK-LABEL: func @no_norm_with_another_reader
// CHECK:         transformer.rms_norm %
// CHECK-NEXT:    transformer.quantize
func.func @no_norm_with_another_reader(%x: tensor<7x8xf16>, %w: tensor<8xf16>, %s: tensor<f32>) -> (tensor<7x8xf16>, tensor<7x8xi8>) {
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Missed] norm | Category:fuse-quant | Function=no_norm_with_another_reader | Reason="the norm has another reader", Remark="not fused"}}
  %1 = transformer.quantize %0, %s : tensor<7x8xf16> to tensor<7x8xi8>
  return %0, %1 : tensor<7x8xf16>, tensor<7x8xi8>
}

// The sum is no norm.
// CHECK-LABEL: func @no_quantization_of_the_sum
// CHECK:         transformer.add_rms_norm %
// CHECK-NEXT:    transformer.quantize
func.func @no_quantization_of_the_sum(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>, %s: tensor<f32>) -> (tensor<7x8xi8>, tensor<7x8xf16>) {
  %sum, %norm = transformer.add_rms_norm %x, %y, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  %q = transformer.quantize %sum, %s : tensor<7x8xf16> to tensor<7x8xi8>
  return %q, %norm : tensor<7x8xi8>, tensor<7x8xf16>
}

// The weight of the scale stays in front of its other readers.
// CHECK-LABEL: func @scale_with_an_earlier_reader
// CHECK-NEXT:    %[[S:.*]] = transformer.weight "scale"
// CHECK-NEXT:    transformer.quantize %{{.*}}, %[[S]]
// CHECK-NEXT:    transformer.add_rms_norm_quantize {{.*}} scale(%[[S]])
func.func @scale_with_an_earlier_reader(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xi8>, tensor<7x8xf16>, tensor<7x8xi8>) {
  %s = transformer.weight "scale" : tensor<f32>
  %0 = transformer.quantize %x, %s : tensor<7x8xf16> to tensor<7x8xi8>
  %sum, %norm = transformer.add_rms_norm %x, %y, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Passed] norm}}
  %q = transformer.quantize %norm, %s : tensor<7x8xf16> to tensor<7x8xi8>
  return %0, %sum, %q : tensor<7x8xi8>, tensor<7x8xf16>, tensor<7x8xi8>
}

// CHECK-LABEL: func @no_scale_that_comes_too_late
// CHECK:         transformer.add_rms_norm %
// CHECK-NEXT:    transformer.dynamic_quantize
// CHECK-NEXT:    transformer.quantize
func.func @no_scale_that_comes_too_late(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xi8>, tensor<7x8xf16>, tensor<7x8xi8>) {
  %sum, %norm = transformer.add_rms_norm %x, %y, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  %0, %s = transformer.dynamic_quantize %y : tensor<7x8xf16> to tensor<7x8xi8>, tensor<f32>
  // expected-remark @below {{[Missed] norm | Category:fuse-quant | Function=no_scale_that_comes_too_late | Reason="the scale is computed after the norm", Remark="not fused"}}
  %q = transformer.quantize %norm, %s : tensor<7x8xf16> to tensor<7x8xi8>
  return %0, %sum, %q : tensor<7x8xi8>, tensor<7x8xf16>, tensor<7x8xi8>
}

// EPS-LABEL:   func @another_eps
// EPS:           transformer.rms_norm %
// EPS-NEXT:      transformer.quantize
// CHECK-LABEL: func @another_eps
// CHECK:         transformer.rms_norm_quantize
func.func @another_eps(%x: tensor<7x8xf16>, %w: tensor<8xf16>, %s: tensor<f32>) -> tensor<7x8xi8> {
  %0 = transformer.rms_norm %x, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Passed] norm}}
  %1 = transformer.quantize %0, %s : tensor<7x8xf16> to tensor<7x8xi8>
  return %1 : tensor<7x8xi8>
}
