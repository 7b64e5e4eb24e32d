// RUN: tc-opt %s --transformer-quantize="linear-action=W8A16_STATIC" | FileCheck %s --check-prefixes=CHECK,W8A16
// RUN: tc-opt %s --transformer-quantize="linear-action=W8A16_DYNAMIC" | FileCheck %s --check-prefixes=CHECK,W8A16
// RUN: tc-opt %s --transformer-quantize="linear-action=W8A8_STATIC" | FileCheck %s --check-prefixes=CHECK,W8A8S
// RUN: tc-opt %s --transformer-quantize="linear-action=W8A8_DYNAMIC" | FileCheck %s --check-prefixes=CHECK,W8A8D
// RUN: tc-opt %s --transformer-quantize="linear-action=W4A8_STATIC" | FileCheck %s --check-prefixes=CHECK,W4A8S
// RUN: tc-opt %s --transformer-quantize="linear-action=W4A8_DYNAMIC" | FileCheck %s --check-prefixes=CHECK,W4A8D
// RUN: tc-opt %s --transformer-quantize="linear-action=FP8" | FileCheck %s --check-prefixes=CHECK,FP8
// RUN: tc-opt %s --transformer-quantize="linear-action=MXFP4" | FileCheck %s --check-prefixes=CHECK,MXFP4
// RUN: tc-opt %s --transformer-quantize="linear-action=MXFP4 group-size=48" | FileCheck %s --check-prefixes=CHECK,GROUP48
// RUN: tc-opt %s --transformer-quantize="linear-action=MXFP4 shared-group-scales" | FileCheck %s --check-prefixes=CHECK,SHARED
// RUN: tc-opt %s --transformer-quantize="linear-action=DISABLED" | FileCheck %s --check-prefixes=CHECK,DISABLED

// CHECK-LABEL: func private @layer
// CHECK-SAME:    %[[X:.*]]: tensor<7x64xf16>

// Only the weight is narrow; the activation stays.
// W8A16:         %[[W:.*]] = transformer.weight "up.weight" sharding <column, mlp> : tensor<32x64xi8>
// W8A16-NEXT:    %[[WS:.*]] = transformer.weight "up.weight_scale" : tensor<f32>
// W8A16-NOT:     quantize %
// W8A16:         transformer.quantized_linear %[[X]], %[[W]] weight_scale(%[[WS]] : tensor<f32>) : tensor<7x64xf16>, tensor<32x64xi8> -> tensor<7x32xf16>

// W8A8S:         %[[W:.*]] = transformer.weight "up.weight" sharding <column, mlp> : tensor<32x64xi8>
// W8A8S-NEXT:    %[[WS:.*]] = transformer.weight "up.weight_scale"
// W8A8S-NEXT:    %[[XS:.*]] = transformer.weight "up.input_scale" : tensor<f32>
// W8A8S-NEXT:    %[[Q:.*]] = transformer.quantize %[[X]], %[[XS]] : tensor<7x64xf16> to tensor<7x64xi8>
// W8A8S-NEXT:    transformer.quantized_linear %[[Q]], %[[W]] weight_scale(%[[WS]] : tensor<f32>) input_scale(%[[XS]] : tensor<f32>) : tensor<7x64xi8>, tensor<32x64xi8> -> tensor<7x32xf16>

// W8A8D:         %[[W:.*]] = transformer.weight "up.weight" sharding <column, mlp> : tensor<32x64xi8>
// W8A8D-NEXT:    %[[WS:.*]] = transformer.weight "up.weight_scale"
// W8A8D-NEXT:    %[[Q:.*]], %[[XS:.*]] = transformer.dynamic_quantize %[[X]] : tensor<7x64xf16> to tensor<7x64xi8>, tensor<f32>
// W8A8D-NEXT:    transformer.quantized_linear %[[Q]], %[[W]] weight_scale(%[[WS]] : tensor<f32>) input_scale(%[[XS]] : tensor<f32>)

// W4A8S:         transformer.weight "up.weight" sharding <column, mlp> : tensor<32x64xi4>
// W4A8S:         transformer.quantize %[[X]], %{{.*}} : tensor<7x64xf16> to tensor<7x64xi8>
// W4A8S:         transformer.quantized_linear {{.*}} : tensor<7x64xi8>, tensor<32x64xi4> -> tensor<7x32xf16>

// W4A8D:         transformer.weight "up.weight" sharding <column, mlp> : tensor<32x64xi4>
// W4A8D:         transformer.dynamic_quantize %[[X]] : tensor<7x64xf16> to tensor<7x64xi8>, tensor<f32>
// W4A8D:         transformer.quantized_linear {{.*}} : tensor<7x64xi8>, tensor<32x64xi4> -> tensor<7x32xf16>

// FP8:           transformer.weight "up.weight" sharding <column, mlp> : tensor<32x64xf8E4M3FN>
// FP8-NEXT:      transformer.weight "up.weight_scale" : tensor<f32>
// FP8-NEXT:      transformer.dynamic_quantize %[[X]] : tensor<7x64xf16> to tensor<7x64xf8E4M3FN>, tensor<f32>
// FP8-NEXT:      transformer.quantized_linear {{.*}} : tensor<7x64xf8E4M3FN>, tensor<32x64xf8E4M3FN> -> tensor<7x32xf16>

// 64 features are two groups of 32.
// MXFP4:         %[[W:.*]] = transformer.weight "up.weight" sharding <column, mlp> : tensor<32x64xf4E2M1FN>
// MXFP4-NEXT:    %[[WS:.*]] = transformer.weight "up.weight_scale" sharding <column, mlp> : tensor<32x2xf8E8M0FNU>
// MXFP4-NEXT:    %[[Q:.*]], %[[XS:.*]] = transformer.dynamic_quantize %[[X]] group_size(32) : tensor<7x64xf16> to tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
// MXFP4-NEXT:    transformer.quantized_linear %[[Q]], %[[W]] weight_scale(%[[WS]] : tensor<32x2xf8E8M0FNU>) input_scale(%[[XS]] : tensor<7x2xf8E8M0FNU>) group_size(32) : tensor<7x64xf4E2M1FN>, tensor<32x64xf4E2M1FN> -> tensor<7x32xf16>

// The last group may be a part of one.
// GROUP48:       transformer.weight "up.weight_scale" {{.*}} : tensor<32x2xf8E8M0FNU>
// GROUP48:       transformer.dynamic_quantize %[[X]] group_size(48) : {{.*}}, tensor<7x2xf8E8M0FNU>
// GROUP48:       transformer.quantized_linear {{.*}} group_size(48)

// SHARED:        transformer.weight "up.weight_scale" {{.*}} : tensor<2xf8E8M0FNU>
// SHARED:        transformer.dynamic_quantize %[[X]] group_size(32) : {{.*}}, tensor<2xf8E8M0FNU>
// SHARED:        transformer.quantized_linear {{.*}} weight_scale(%{{.*}} : tensor<2xf8E8M0FNU>) input_scale(%{{.*}} : tensor<2xf8E8M0FNU>)

// DISABLED:      transformer.weight "up.weight" sharding <column, mlp> : tensor<32x64xf16>
// DISABLED-NEXT: transformer.linear %[[X]]
func.func private @layer(%x: tensor<7x64xf16>) -> tensor<7x32xf16> {
  %w = transformer.weight "up.weight" sharding<column, mlp> : tensor<32x64xf16>
  %0 = transformer.linear %x, %w : tensor<7x64xf16>, tensor<32x64xf16> -> tensor<7x32xf16>
  return %0 : tensor<7x32xf16>
}

// Layers that read one tensor share its scale from calibration, and nothing
// else.
// W8A8S-LABEL: func private @two_of_one_input
// W8A8S-COUNT-1: .input_scale"
// W8A8S-NOT:     .input_scale"
// W8A8S:         return
func.func private @two_of_one_input(%x: tensor<7x64xf16>) -> (tensor<7x32xf16>, tensor<7x32xf16>) {
  %w = transformer.weight "gate.weight" : tensor<32x64xf16>
  %0 = transformer.linear %x, %w : tensor<7x64xf16>, tensor<32x64xf16> -> tensor<7x32xf16>
  %v = transformer.weight "up.weight" : tensor<32x64xf16>
  %1 = transformer.linear %x, %v : tensor<7x64xf16>, tensor<32x64xf16> -> tensor<7x32xf16>
  return %0, %1 : tensor<7x32xf16>, tensor<7x32xf16>
}

// A layer that sums over devices still does.
// CHECK-LABEL: func private @with_all_reduce
// W8A8D:         transformer.quantized_linear {{.*}} all_reduce <2>
func.func private @with_all_reduce(%x: tensor<7x64xf16>) -> tensor<7x32xf16> {
  %w = transformer.weight "down.weight" : tensor<32x64xf16>
  %0 = transformer.linear %x, %w all_reduce<2> : tensor<7x64xf16>, tensor<32x64xf16> -> tensor<7x32xf16>
  return %0 : tensor<7x32xf16>
}

// A scale that is declared behind the layer is not its own.
// W8A8S-LABEL: func private @scale_of_a_later_reader
// W8A8S:         %[[XS:.*]] = transformer.weight "up.input_scale" : tensor<f32>
// W8A8S:         transformer.quantize %{{.*}}, %[[XS]]
func.func private @scale_of_a_later_reader(%x: tensor<7x64xf16>) -> (tensor<7x32xf16>, tensor<7x64xi8>) {
  %w = transformer.weight "up.weight" : tensor<32x64xf16>
  %0 = transformer.linear %x, %w : tensor<7x64xf16>, tensor<32x64xf16> -> tensor<7x32xf16>
  %s = transformer.weight "scale" : tensor<f32>
  %1 = transformer.quantize %x, %s : tensor<7x64xf16> to tensor<7x64xi8>
  return %0, %1 : tensor<7x32xf16>, tensor<7x64xi8>
}
