// RUN: tc-opt %s --transformer-fuse-moe | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-moe --transformer-decompose --transformer-fuse-moe | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-moe="dispatch-ffn-combine=false" | FileCheck %s --check-prefix=OFF
// RUN: tc-opt %s --transformer-fuse-moe --verify-diagnostics --remarks-filter=fuse-moe --remark-policy=all

// OFF-NOT: dispatch_ffn_combine

// CHECK-LABEL: func @plain
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf16>, %[[IDS:.*]]: tensor<4x2xi64>, %[[UP:.*]]: tensor<2x12x8xf16>, %[[DOWN:.*]]: tensor<2x8x6xf16>
// CHECK-NEXT:    %[[Y:.*]] = transformer.dispatch_ffn_combine %[[X]], %[[UP]], %[[DOWN]] by %[[IDS]] placement<experts = 4, devices = 2> : tensor<4x8xf16>, tensor<2x12x8xf16>, tensor<2x8x6xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
// CHECK-NEXT:    return %[[Y]]
func.func @plain(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x12x8xf16>, %down: tensor<2x8x6xf16>) -> tensor<4x2x8xf16> {
  %p = transformer.permute_tokens %x by %ids : tensor<4x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %d = transformer.dispatch_tokens %p by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %a = transformer.grouped_linear %d, %up by %ids placement<experts = 4, devices = 2> swiglu : tensor<8x8xf16>, tensor<2x12x8xf16>, tensor<4x2xi64> -> tensor<8x6xf16>
  %r = transformer.grouped_linear %a, %down by %ids placement<experts = 4, devices = 2> : tensor<8x6xf16>, tensor<2x8x6xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %t = transformer.return_tokens %r by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  // expected-remark @below {{[Passed] dispatch-ffn-combine}}
  %u = transformer.unpermute_tokens %t by %ids : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return %u : tensor<4x2x8xf16>
}

// CHECK-LABEL: func @int8
// CHECK-NEXT:    transformer.dispatch_ffn_combine {{.*}} up_scale(%{{.*}} : tensor<f32>) down_scale(%{{.*}} : tensor<f32>) rows(i8) : tensor<4x8xf16>, tensor<2x12x8xi8>, tensor<2x8x6xi8>
// CHECK-NEXT:    return
func.func @int8(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x12x8xi8>, %down: tensor<2x8x6xi8>, %s: tensor<f32>) -> tensor<4x2x8xf16> {
  %p = transformer.permute_tokens %x by %ids : tensor<4x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %d = transformer.dispatch_tokens %p by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %q, %qs = transformer.dynamic_quantize %d : tensor<8x8xf16> to tensor<8x8xi8>, tensor<f32>
  %a = transformer.quantized_grouped_linear %q, %up by %ids placement<experts = 4, devices = 2> weight_scale(%s : tensor<f32>) input_scale(%qs : tensor<f32>) swiglu : tensor<8x8xi8>, tensor<2x12x8xi8>, tensor<4x2xi64> -> tensor<8x6xf16>
  %b, %bs = transformer.dynamic_quantize %a : tensor<8x6xf16> to tensor<8x6xi8>, tensor<f32>
  %r = transformer.quantized_grouped_linear %b, %down by %ids placement<experts = 4, devices = 2> weight_scale(%s : tensor<f32>) input_scale(%bs : tensor<f32>) : tensor<8x6xi8>, tensor<2x8x6xi8>, tensor<4x2xi64> -> tensor<8x8xf16>
  %t = transformer.return_tokens %r by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  // expected-remark @below {{[Passed] dispatch-ffn-combine}}
  %u = transformer.unpermute_tokens %t by %ids : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return %u : tensor<4x2x8xf16>
}

// CHECK-LABEL: func @int4
// CHECK-NEXT:    transformer.dispatch_ffn_combine {{.*}} up_scale(%{{.*}} : tensor<f32>) down_scale(%{{.*}} : tensor<f32>) rows(i8) : tensor<4x8xf16>, tensor<2x12x8xi4>, tensor<2x8x6xi4>
// CHECK-NEXT:    return
func.func @int4(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x12x8xi4>, %down: tensor<2x8x6xi4>, %s: tensor<f32>) -> tensor<4x2x8xf16> {
  %p = transformer.permute_tokens %x by %ids : tensor<4x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %d = transformer.dispatch_tokens %p by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %q, %qs = transformer.dynamic_quantize %d : tensor<8x8xf16> to tensor<8x8xi8>, tensor<f32>
  %a = transformer.quantized_grouped_linear %q, %up by %ids placement<experts = 4, devices = 2> weight_scale(%s : tensor<f32>) input_scale(%qs : tensor<f32>) swiglu : tensor<8x8xi8>, tensor<2x12x8xi4>, tensor<4x2xi64> -> tensor<8x6xf16>
  %b, %bs = transformer.dynamic_quantize %a : tensor<8x6xf16> to tensor<8x6xi8>, tensor<f32>
  %r = transformer.quantized_grouped_linear %b, %down by %ids placement<experts = 4, devices = 2> weight_scale(%s : tensor<f32>) input_scale(%bs : tensor<f32>) : tensor<8x6xi8>, tensor<2x8x6xi4>, tensor<4x2xi64> -> tensor<8x8xf16>
  %t = transformer.return_tokens %r by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  // expected-remark @below {{[Passed] dispatch-ffn-combine}}
  %u = transformer.unpermute_tokens %t by %ids : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return %u : tensor<4x2x8xf16>
}

// CHECK-LABEL: func @fp8
// CHECK-NEXT:    transformer.dispatch_ffn_combine {{.*}} up_scale(%{{.*}} : tensor<f32>) down_scale(%{{.*}} : tensor<f32>) rows(f8E4M3FN) : tensor<4x8xf16>, tensor<2x12x8xf8E4M3FN>, tensor<2x8x6xf8E4M3FN>
// CHECK-NEXT:    return
func.func @fp8(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x12x8xf8E4M3FN>, %down: tensor<2x8x6xf8E4M3FN>, %s: tensor<f32>) -> tensor<4x2x8xf16> {
  %p = transformer.permute_tokens %x by %ids : tensor<4x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %d = transformer.dispatch_tokens %p by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %q, %qs = transformer.dynamic_quantize %d : tensor<8x8xf16> to tensor<8x8xf8E4M3FN>, tensor<f32>
  %a = transformer.quantized_grouped_linear %q, %up by %ids placement<experts = 4, devices = 2> weight_scale(%s : tensor<f32>) input_scale(%qs : tensor<f32>) swiglu : tensor<8x8xf8E4M3FN>, tensor<2x12x8xf8E4M3FN>, tensor<4x2xi64> -> tensor<8x6xf16>
  %b, %bs = transformer.dynamic_quantize %a : tensor<8x6xf16> to tensor<8x6xf8E4M3FN>, tensor<f32>
  %r = transformer.quantized_grouped_linear %b, %down by %ids placement<experts = 4, devices = 2> weight_scale(%s : tensor<f32>) input_scale(%bs : tensor<f32>) : tensor<8x6xf8E4M3FN>, tensor<2x8x6xf8E4M3FN>, tensor<4x2xi64> -> tensor<8x8xf16>
  %t = transformer.return_tokens %r by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  // expected-remark @below {{[Passed] dispatch-ffn-combine}}
  %u = transformer.unpermute_tokens %t by %ids : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return %u : tensor<4x2x8xf16>
}

// CHECK-LABEL: func @known_scales
// CHECK-NEXT:    transformer.dispatch_ffn_combine {{.*}} rows(i8) input_scale(%{{.*}}) inner_scale(%{{.*}}) :
// CHECK-NEXT:    return
func.func @known_scales(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x12x8xi8>, %down: tensor<2x8x6xi8>, %s: tensor<f32>) -> tensor<4x2x8xf16> {
  %p = transformer.permute_tokens %x by %ids : tensor<4x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %d = transformer.dispatch_tokens %p by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %q = transformer.quantize %d, %s : tensor<8x8xf16> to tensor<8x8xi8>
  %a = transformer.quantized_grouped_linear %q, %up by %ids placement<experts = 4, devices = 2> weight_scale(%s : tensor<f32>) input_scale(%s : tensor<f32>) swiglu : tensor<8x8xi8>, tensor<2x12x8xi8>, tensor<4x2xi64> -> tensor<8x6xf16>
  %b = transformer.quantize %a, %s : tensor<8x6xf16> to tensor<8x6xi8>
  %r = transformer.quantized_grouped_linear %b, %down by %ids placement<experts = 4, devices = 2> weight_scale(%s : tensor<f32>) input_scale(%s : tensor<f32>) : tensor<8x6xi8>, tensor<2x8x6xi8>, tensor<4x2xi64> -> tensor<8x8xf16>
  %t = transformer.return_tokens %r by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  // expected-remark @below {{[Passed] dispatch-ffn-combine}}
  %u = transformer.unpermute_tokens %t by %ids : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return %u : tensor<4x2x8xf16>
}

// CHECK-LABEL: func @mx
// CHECK-NEXT:    transformer.dispatch_ffn_combine {{.*}} rows(f4E2M1FN) group_size(4) :
// CHECK-NEXT:    return
func.func @mx(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x16x8xf4E2M1FN>, %down: tensor<2x8x8xf4E2M1FN>, %us: tensor<2x16x2xf8E8M0FNU>, %ds: tensor<2x8x2xf8E8M0FNU>) -> tensor<4x2x8xf16> {
  %p = transformer.permute_tokens %x by %ids : tensor<4x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %d = transformer.dispatch_tokens %p by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %q, %qs = transformer.dynamic_quantize %d group_size(4) : tensor<8x8xf16> to tensor<8x8xf4E2M1FN>, tensor<8x2xf8E8M0FNU>
  %b, %bs = transformer.quantized_grouped_linear %q, %up by %ids placement<experts = 4, devices = 2> weight_scale(%us : tensor<2x16x2xf8E8M0FNU>) input_scale(%qs : tensor<8x2xf8E8M0FNU>) group_size(4) swiglu : tensor<8x8xf4E2M1FN>, tensor<2x16x8xf4E2M1FN>, tensor<4x2xi64> -> tensor<8x8xf4E2M1FN>, tensor<8x2xf8E8M0FNU>
  %r = transformer.quantized_grouped_linear %b, %down by %ids placement<experts = 4, devices = 2> weight_scale(%ds : tensor<2x8x2xf8E8M0FNU>) input_scale(%bs : tensor<8x2xf8E8M0FNU>) group_size(4) : tensor<8x8xf4E2M1FN>, tensor<2x8x8xf4E2M1FN>, tensor<4x2xi64> -> tensor<8x8xf16>
  %t = transformer.return_tokens %r by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  // expected-remark @below {{[Passed] dispatch-ffn-combine}}
  %u = transformer.unpermute_tokens %t by %ids : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return %u : tensor<4x2x8xf16>
}

//===----------------------------------------------------------------------===//
// Near misses
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @split_experts
// CHECK:         transformer.unpermute_tokens
func.func @split_experts(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x12x8xf16>, %down: tensor<2x8x6xf16>) -> tensor<4x2x8xf16> {
  %p = transformer.permute_tokens %x by %ids : tensor<4x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %d = transformer.dispatch_tokens %p by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %a = transformer.grouped_linear %d, %up by %ids placement<experts = 4, devices = 2> swiglu : tensor<8x8xf16>, tensor<2x12x8xf16>, tensor<4x2xi64> -> tensor<8x6xf16>
  %r = transformer.grouped_linear %a, %down by %ids placement<experts = 4, devices = 2> : tensor<8x6xf16>, tensor<2x8x6xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %m = transformer.all_reduce %r over<2> : tensor<8x8xf16>
  %t = transformer.return_tokens %m by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  // expected-remark @below {{Reason="each expert is split over devices"}}
  %u = transformer.unpermute_tokens %t by %ids : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return %u : tensor<4x2x8xf16>
}

// CHECK-LABEL: func @other_reader
// CHECK:         transformer.unpermute_tokens
func.func @other_reader(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x12x8xf16>, %down: tensor<2x8x6xf16>) -> (tensor<4x2x8xf16>, tensor<8x6xf16>) {
  %p = transformer.permute_tokens %x by %ids : tensor<4x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %d = transformer.dispatch_tokens %p by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %a = transformer.grouped_linear %d, %up by %ids placement<experts = 4, devices = 2> swiglu : tensor<8x8xf16>, tensor<2x12x8xf16>, tensor<4x2xi64> -> tensor<8x6xf16>
  %r = transformer.grouped_linear %a, %down by %ids placement<experts = 4, devices = 2> : tensor<8x6xf16>, tensor<2x8x6xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %t = transformer.return_tokens %r by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  // expected-remark @below {{Reason="rows between the exchanges have another reader"}}
  %u = transformer.unpermute_tokens %t by %ids : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return %u, %a : tensor<4x2x8xf16>, tensor<8x6xf16>
}

// CHECK-LABEL: func @mixed_scales
// CHECK:         transformer.unpermute_tokens
func.func @mixed_scales(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x12x8xi8>, %down: tensor<2x8x6xi8>, %s: tensor<f32>) -> tensor<4x2x8xf16> {
  %p = transformer.permute_tokens %x by %ids : tensor<4x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %d = transformer.dispatch_tokens %p by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %q, %qs = transformer.dynamic_quantize %d : tensor<8x8xf16> to tensor<8x8xi8>, tensor<f32>
  %a = transformer.quantized_grouped_linear %q, %up by %ids placement<experts = 4, devices = 2> weight_scale(%s : tensor<f32>) input_scale(%qs : tensor<f32>) swiglu : tensor<8x8xi8>, tensor<2x12x8xi8>, tensor<4x2xi64> -> tensor<8x6xf16>
  %b = transformer.quantize %a, %s : tensor<8x6xf16> to tensor<8x6xi8>
  %r = transformer.quantized_grouped_linear %b, %down by %ids placement<experts = 4, devices = 2> weight_scale(%s : tensor<f32>) input_scale(%s : tensor<f32>) : tensor<8x6xi8>, tensor<2x8x6xi8>, tensor<4x2xi64> -> tensor<8x8xf16>
  %t = transformer.return_tokens %r by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  // expected-remark @below {{Reason="the two layers are quantized in different ways"}}
  %u = transformer.unpermute_tokens %t by %ids : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return %u : tensor<4x2x8xf16>
}

// CHECK-LABEL: func @other_choices
// CHECK:         transformer.unpermute_tokens
func.func @other_choices(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %other: tensor<4x2xi64>, %up: tensor<2x12x8xf16>, %down: tensor<2x8x6xf16>) -> tensor<4x2x8xf16> {
  %p = transformer.permute_tokens %x by %ids : tensor<4x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %d = transformer.dispatch_tokens %p by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %a = transformer.grouped_linear %d, %up by %ids placement<experts = 4, devices = 2> swiglu : tensor<8x8xf16>, tensor<2x12x8xf16>, tensor<4x2xi64> -> tensor<8x6xf16>
  %r = transformer.grouped_linear %a, %down by %ids placement<experts = 4, devices = 2> : tensor<8x6xf16>, tensor<2x8x6xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %t = transformer.return_tokens %r by %other placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  // expected-remark @below {{Reason="choices or placements differ"}}
  %u = transformer.unpermute_tokens %t by %ids : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return %u : tensor<4x2x8xf16>
}

// CHECK-LABEL: func @other_activation
// CHECK:         transformer.unpermute_tokens
func.func @other_activation(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x12x8xf16>, %down: tensor<2x8x12xf16>) -> tensor<4x2x8xf16> {
  %p = transformer.permute_tokens %x by %ids : tensor<4x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %d = transformer.dispatch_tokens %p by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %a = transformer.grouped_linear %d, %up by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<2x12x8xf16>, tensor<4x2xi64> -> tensor<8x12xf16>
  %c = transformer.silu %a : tensor<8x12xf16>
  %r = transformer.grouped_linear %c, %down by %ids placement<experts = 4, devices = 2> : tensor<8x12xf16>, tensor<2x8x12xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %t = transformer.return_tokens %r by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  // expected-remark @below {{Reason="the activation is not in the layer in front"}}
  %u = transformer.unpermute_tokens %t by %ids : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return %u : tensor<4x2x8xf16>
}

// One device sends nothing.
// CHECK-LABEL: func @one_device
// CHECK:         transformer.unpermute_tokens
func.func @one_device(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<4x12x8xf16>, %down: tensor<4x8x6xf16>) -> tensor<4x2x8xf16> {
  %p = transformer.permute_tokens %x by %ids : tensor<4x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %a = transformer.grouped_linear %p, %up by %ids placement<experts = 4> swiglu : tensor<8x8xf16>, tensor<4x12x8xf16>, tensor<4x2xi64> -> tensor<8x6xf16>
  %r = transformer.grouped_linear %a, %down by %ids placement<experts = 4> : tensor<8x6xf16>, tensor<4x8x6xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %u = transformer.unpermute_tokens %r by %ids : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return %u : tensor<4x2x8xf16>
}
