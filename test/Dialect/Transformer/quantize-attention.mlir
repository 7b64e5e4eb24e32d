// RUN: tc-opt %s --transformer-quantize="linear-action=DISABLED attention-action=INT8" | FileCheck %s --check-prefixes=CHECK,INT8
// RUN: tc-opt %s --transformer-quantize="linear-action=DISABLED attention-action=FP8" | FileCheck %s --check-prefixes=CHECK,FP8
// RUN: tc-opt %s --transformer-quantize="linear-action=DISABLED attention-action=DISABLED" | FileCheck %s --check-prefix=DISABLED
// RUN: tc-opt %s --transformer-quantize="linear-action=DISABLED attention-action=INT8" \
// RUN:   --transformer-quantize="linear-action=DISABLED attention-action=INT8" | FileCheck %s --check-prefixes=CHECK,INT8
// RUN: not tc-opt %s --transformer-quantize="attention-action=INT4" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// DISABLED-NOT: quantize
// UNKNOWN: error: unknown attention action 'INT4'; did you mean 'INT8'? known attention actions: DISABLED, INT8, FP8

#tokens = #transformer.dims<tokens>
!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>

// Queries, keys and values have 8 bits and scales from calibration; so has the
// cache. The result is as wide as before.
// CHECK-LABEL: func private @layer
// CHECK-SAME:    %[[Q:.*]]: tensor<?x4x8xf16, #[[T:.*]]>, %[[K:.*]]: tensor<?x2x8xf16, #[[T]]>, %[[V:.*]]: tensor<?x2x8xf16, #[[T]]>, %[[B:.*]]: !transformer.batch
// CHECK-DAG:     %[[KS:.*]] = transformer.weight "self_attn.k_scale" : tensor<f32>
// CHECK-DAG:     %[[VS:.*]] = transformer.weight "self_attn.v_scale" : tensor<f32>
// CHECK-DAG:     %[[QS:.*]] = transformer.weight "self_attn.q_scale" : tensor<f32>
// INT8-DAG:      %[[KN:.*]] = transformer.quantize %[[K]], %[[KS]] : tensor<?x2x8xf16, #[[T]]> to tensor<?x2x8xi8, #[[T]]>
// INT8-DAG:      %[[VN:.*]] = transformer.quantize %[[V]], %[[VS]] : tensor<?x2x8xf16, #[[T]]> to tensor<?x2x8xi8, #[[T]]>
// INT8-DAG:      %[[QN:.*]] = transformer.quantize %[[Q]], %[[QS]] : tensor<?x4x8xf16, #[[T]]> to tensor<?x4x8xi8, #[[T]]>
// INT8-DAG:      %[[C:.*]] = transformer.kv_cache "self_attn" : <2x2x8xi8, block_size = 128>
// INT8:          %[[F:.*]] = transformer.append_cache %[[KN]], %[[VN]] to %[[C]] of %[[B]] : tensor<?x2x8xi8, #[[T]]>, <2x2x8xi8, block_size = 128>
// INT8:          %[[A:.*]] = transformer.quantized_attention %[[QN]], %[[F]] of %[[B]] scale(0.25) scales(%[[QS]], %[[KS]], %[[VS]])
// INT8-SAME:       : tensor<?x4x8xi8, #[[T]]>, <2x2x8xi8, block_size = 128>, !transformer.batch -> tensor<?x4x8xf16, #[[T]]>
// FP8-DAG:       transformer.quantize %[[K]], %[[KS]] : {{.*}} to tensor<?x2x8xf8E4M3FN, #[[T]]>
// FP8-DAG:       transformer.quantize %[[V]], %[[VS]] : {{.*}} to tensor<?x2x8xf8E4M3FN, #[[T]]>
// FP8-DAG:       transformer.quantize %[[Q]], %[[QS]] : {{.*}} to tensor<?x4x8xf8E4M3FN, #[[T]]>
// FP8-DAG:       transformer.kv_cache "self_attn" : <2x2x8xf8E4M3FN, block_size = 128>
// FP8:           %[[A:.*]] = transformer.quantized_attention {{.*}} -> tensor<?x4x8xf16, #[[T]]>
// CHECK:         return %[[A]]
func.func private @layer(%q: tensor<?x4x8xf16, #tokens>, %k: tensor<?x2x8xf16, #tokens>,
                         %v: tensor<?x2x8xf16, #tokens>, %batch: !transformer.batch) -> tensor<?x4x8xf16, #tokens> {
  %cache = transformer.kv_cache "self_attn" : !cache
  %full = transformer.append_cache %k, %v to %cache of %batch : tensor<?x2x8xf16, #tokens>, !cache, !transformer.batch
  %a = transformer.attention %q, %full of %batch scale(0.25) : tensor<?x4x8xf16, #tokens>, !cache, !transformer.batch
  return %a : tensor<?x4x8xf16, #tokens>
}

// A cache with another reader keeps its type, and so does all of its attention.
// CHECK-LABEL: func private @no_cache_with_two_readers
// CHECK-NOT:     quantize
// CHECK:         return
func.func private @no_cache_with_two_readers(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %batch: !transformer.batch)
    -> (tensor<7x4x8xf16>, tensor<7x4x8xf16>) {
  %cache = transformer.kv_cache "self_attn" : !cache
  %full = transformer.append_cache %k, %k to %cache of %batch : tensor<7x2x8xf16>, !cache, !transformer.batch
  %a = transformer.attention %q, %full of %batch scale(0.25) : tensor<7x4x8xf16>, !cache, !transformer.batch
  %b = transformer.attention %q, %full of %batch scale(0.5) : tensor<7x4x8xf16>, !cache, !transformer.batch
  return %a, %b : tensor<7x4x8xf16>, tensor<7x4x8xf16>
}

// CHECK-LABEL: func private @no_cache_from_elsewhere
// CHECK-NOT:     quantize
// CHECK:         return
func.func private @no_cache_from_elsewhere(%q: tensor<7x4x8xf16>, %cache: !cache, %batch: !transformer.batch) -> tensor<7x4x8xf16> {
  %a = transformer.attention %q, %cache of %batch scale(0.25) : tensor<7x4x8xf16>, !cache, !transformer.batch
  return %a : tensor<7x4x8xf16>
}

// CHECK-LABEL: func @no_attention_outside_of_layers
// CHECK-NOT:     quantize
// CHECK:         return
func.func @no_attention_outside_of_layers(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %batch: !transformer.batch) -> tensor<7x4x8xf16> {
  %cache = transformer.kv_cache "self_attn" : !cache
  %full = transformer.append_cache %k, %k to %cache of %batch : tensor<7x2x8xf16>, !cache, !transformer.batch
  %a = transformer.attention %q, %full of %batch scale(0.25) : tensor<7x4x8xf16>, !cache, !transformer.batch
  return %a : tensor<7x4x8xf16>
}
