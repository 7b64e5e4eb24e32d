// RUN: tc-opt %s --transformer-decompose | FileCheck %s --check-prefixes=CHECK,FRAMEWORK
// RUN: tc-opt %s --transformer-decompose="level=framework" | FileCheck %s --check-prefixes=CHECK,FRAMEWORK
// RUN: tc-opt %s --transformer-decompose="level=primitive" | FileCheck %s --check-prefixes=CHECK,PRIMITIVE
// RUN: tc-opt %s --transformer-decompose --transformer-decompose \
// RUN:   | FileCheck %s --check-prefixes=CHECK,FRAMEWORK

#tokens = #transformer.dims<tokens>
!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>

// The mean is taken in f32; the weight scales what is f16 again.
// CHECK-LABEL: func @rms_norm
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #[[TOKENS:.*]]>, %[[W:.*]]: tensor<8xf16>
// CHECK:         %[[WIDE:.*]] = transformer.cast %[[X]] : tensor<?x8xf16, #[[TOKENS]]> to tensor<?x8xf32, #[[TOKENS]]>
// CHECK:         %[[SQUARE:.*]] = transformer.pow %[[WIDE]] exponent(2.0)
// CHECK:         %[[MEAN:.*]] = transformer.mean %[[SQUARE]]
// CHECK:         %[[STABLE:.*]] = transformer.add_scalar %[[MEAN]], 1.0e-05 : tensor<?x1xf32, #[[TOKENS]]>
// CHECK:         %[[INVERSE:.*]] = transformer.rsqrt %[[STABLE]]
// CHECK:         %[[NORMAL:.*]] = transformer.mul %[[WIDE]], %[[INVERSE]]
// CHECK:         %[[NARROW:.*]] = transformer.cast %[[NORMAL]] : tensor<?x8xf32, #[[TOKENS]]> to tensor<?x8xf16, #[[TOKENS]]>
// CHECK:         %[[R:.*]] = transformer.mul %[[W]], %[[NARROW]]
// CHECK:         return %[[R]]
func.func @rms_norm(%x: tensor<?x8xf16, #tokens>, %w: tensor<8xf16>) -> tensor<?x8xf16, #tokens> {
  %0 = transformer.rms_norm %x, %w eps(1.0e-5) : tensor<?x8xf16, #tokens>, tensor<8xf16>
  return %0 : tensor<?x8xf16, #tokens>
}

// Nine launches with a bias, eight without.
// CHECK-LABEL: func @layer_norm
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #[[TOKENS:.*]]>, %[[W:.*]]: tensor<8xf16>, %[[B:.*]]: tensor<8xf16>
// CHECK-NEXT:    %[[MEAN:.*]] = transformer.mean %[[X]] : tensor<?x8xf16, #[[TOKENS]]>
// CHECK-NEXT:    %[[CENTERED:.*]] = transformer.sub %[[X]], %[[MEAN]]
// CHECK-NEXT:    %[[SQUARES:.*]] = transformer.pow %[[CENTERED]] exponent(2.0)
// CHECK-NEXT:    %[[VARIANCE:.*]] = transformer.mean %[[SQUARES]]
// CHECK-NEXT:    %[[STABLE:.*]] = transformer.add_scalar %[[VARIANCE]], 1.0e-05 : tensor<?x1xf16, #[[TOKENS]]>
// CHECK-NEXT:    %[[ROOT:.*]] = transformer.sqrt %[[STABLE]]
// CHECK-NEXT:    %[[NORMAL:.*]] = transformer.div %[[CENTERED]], %[[ROOT]]
// CHECK-NEXT:    %[[SCALED:.*]] = transformer.mul %[[NORMAL]], %[[W]]
// CHECK-NEXT:    %[[R:.*]] = transformer.add %[[SCALED]], %[[B]]
// CHECK-NEXT:    return %[[R]]
func.func @layer_norm(%x: tensor<?x8xf16, #tokens>, %w: tensor<8xf16>, %b: tensor<8xf16>) -> tensor<?x8xf16, #tokens> {
  %0 = transformer.layer_norm %x, %w bias(%b : tensor<8xf16>) eps(1.0e-5) : tensor<?x8xf16, #tokens>, tensor<8xf16>
  return %0 : tensor<?x8xf16, #tokens>
}

// CHECK-LABEL: func @layer_norm_without_a_bias
// CHECK:         %[[R:.*]] = transformer.mul
// CHECK-NEXT:    return %[[R]]
func.func @layer_norm_without_a_bias(%x: tensor<?x8xf16, #tokens>, %w: tensor<8xf16>) -> tensor<?x8xf16, #tokens> {
  %0 = transformer.layer_norm %x, %w eps(1.0e-5) : tensor<?x8xf16, #tokens>, tensor<8xf16>
  return %0 : tensor<?x8xf16, #tokens>
}

// Five launches.
// CHECK-LABEL: func @gelu(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #{{.*}}>
// CHECK-NEXT:    %[[A:.*]] = transformer.mul_scalar %[[X]], 0.7071067811865475
// CHECK-NEXT:    %[[ERF:.*]] = transformer.erf %[[A]]
// CHECK-NEXT:    %[[GATE:.*]] = transformer.add_scalar %[[ERF]], 1.0
// CHECK-NEXT:    %[[TWICE:.*]] = transformer.mul %[[X]], %[[GATE]]
// CHECK-NEXT:    %[[R:.*]] = transformer.mul_scalar %[[TWICE]], 0.5
// CHECK-NEXT:    return %[[R]]
func.func @gelu(%x: tensor<?x8xf16, #tokens>) -> tensor<?x8xf16, #tokens> {
  %0 = transformer.gelu %x : tensor<?x8xf16, #tokens>
  return %0 : tensor<?x8xf16, #tokens>
}

// Eight launches.
// CHECK-LABEL: func @gelu_by_tanh
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #{{.*}}>
// CHECK-NEXT:    %[[CUBE:.*]] = transformer.pow %[[X]] exponent(3.0)
// CHECK-NEXT:    %[[SHARE:.*]] = transformer.mul_scalar %[[CUBE]], 0.044715
// CHECK-NEXT:    %[[SUM:.*]] = transformer.add %[[X]], %[[SHARE]]
// CHECK-NEXT:    %[[A:.*]] = transformer.mul_scalar %[[SUM]], 0.7978845608028654
// CHECK-NEXT:    %[[TANH:.*]] = transformer.tanh %[[A]]
// CHECK-NEXT:    %[[GATE:.*]] = transformer.add_scalar %[[TANH]], 1.0
// CHECK-NEXT:    %[[TWICE:.*]] = transformer.mul %[[X]], %[[GATE]]
// CHECK-NEXT:    %[[R:.*]] = transformer.mul_scalar %[[TWICE]], 0.5
// CHECK-NEXT:    return %[[R]]
func.func @gelu_by_tanh(%x: tensor<?x8xf16, #tokens>) -> tensor<?x8xf16, #tokens> {
  %0 = transformer.gelu %x form(tanh) : tensor<?x8xf16, #tokens>
  return %0 : tensor<?x8xf16, #tokens>
}

// CHECK-LABEL: func @swiglu
// CHECK-SAME:    %[[GATE:.*]]: tensor<?x8xf16, #{{.*}}>, %[[UP:.*]]: tensor
// CHECK:         %[[SILU:.*]] = transformer.silu %[[GATE]]
// CHECK:         %[[R:.*]] = transformer.mul %[[SILU]], %[[UP]]
// CHECK:         return %[[R]]
func.func @swiglu(%gate: tensor<?x8xf16, #tokens>, %up: tensor<?x8xf16, #tokens>) -> tensor<?x8xf16, #tokens> {
  %0 = transformer.swiglu %gate, %up : tensor<?x8xf16, #tokens>
  return %0 : tensor<?x8xf16, #tokens>
}

// CHECK-LABEL: func @rope_table
// CHECK-SAME:    %[[P:.*]]: tensor<?xi64, #{{.*}}>, %[[C:.*]]: tensor<128x8xf16>, %[[S:.*]]: tensor<128x8xf16>
// CHECK:         %[[COS:.*]] = transformer.gather %[[C]], %[[P]]
// CHECK:         %[[SIN:.*]] = transformer.gather %[[S]], %[[P]]
// CHECK:         %[[R:.*]] = transformer.rope_pack %[[COS]], %[[SIN]] : tensor<?x8xf16, #{{.*}}> -> <8xf16>
// CHECK:         return %[[R]]
func.func @rope_table(%p: tensor<?xi64, #tokens>, %cos: tensor<128x8xf16>, %sin: tensor<128x8xf16>)
    -> !transformer.rope_table<8xf16> {
  %0 = transformer.rope_table %p, %cos, %sin
      : tensor<?xi64, #tokens>, tensor<128x8xf16> -> !transformer.rope_table<8xf16>
  return %0 : !transformer.rope_table<8xf16>
}

// x * cos + concat(-x[4:8], x[0:4]) * sin
// CHECK-LABEL: func @rope_of_whole_heads
// CHECK-SAME:    %[[X:.*]]: tensor<?x2x8xf16, #{{.*}}>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK:         %[[COS:.*]], %[[SIN:.*]] = transformer.rope_parts %[[T]] : <8xf16> -> tensor<?x1x8xf16, #{{.*}}>
// CHECK:         %[[A:.*]] = transformer.mul %[[X]], %[[COS]]
// CHECK:         %[[LOW:.*]] = transformer.slice %[[X]] offset(0) size(4)
// CHECK:         %[[HIGH:.*]] = transformer.slice %[[X]] offset(4) size(4)
// CHECK:         %[[NEG:.*]] = transformer.neg %[[HIGH]]
// CHECK:         %[[HALF:.*]] = transformer.concat %[[NEG]], %[[LOW]]
// CHECK:         %[[B:.*]] = transformer.mul %[[HALF]], %[[SIN]]
// CHECK:         %[[R:.*]] = transformer.add %[[A]], %[[B]]
// CHECK:         return %[[R]]
func.func @rope_of_whole_heads(%x: tensor<?x2x8xf16, #tokens>, %table: !transformer.rope_table<8xf16>)
    -> tensor<?x2x8xf16, #tokens> {
  %0 = transformer.rope %x, %table : tensor<?x2x8xf16, #tokens>, !transformer.rope_table<8xf16>
  return %0 : tensor<?x2x8xf16, #tokens>
}

// The features beyond the table's width pass.
// CHECK-LABEL: func @rope_of_a_part_of_each_head
// CHECK-SAME:    %[[X:.*]]: tensor<?x2x8xf16, #{{.*}}>, %[[T:.*]]: !transformer.rope_table<6xf16>
// CHECK:         transformer.rope_parts %[[T]] : <6xf16> -> tensor<?x1x6xf16, #{{.*}}>
// CHECK:         %[[TURNED:.*]] = transformer.slice %[[X]] offset(0) size(6)
// CHECK:         transformer.mul %[[TURNED]],
// CHECK:         transformer.slice %[[TURNED]] offset(0) size(3)
// CHECK:         transformer.slice %[[TURNED]] offset(3) size(3)
// CHECK:         %[[SUM:.*]] = transformer.add
// CHECK:         %[[REST:.*]] = transformer.slice %[[X]] offset(6) size(2)
// CHECK:         %[[R:.*]] = transformer.concat %[[SUM]], %[[REST]]
// CHECK:         return %[[R]] : tensor<?x2x8xf16, #{{.*}}>
func.func @rope_of_a_part_of_each_head(%x: tensor<?x2x8xf16, #tokens>, %table: !transformer.rope_table<6xf16>)
    -> tensor<?x2x8xf16, #tokens> {
  %0 = transformer.rope %x, %table : tensor<?x2x8xf16, #tokens>, !transformer.rope_table<6xf16>
  return %0 : tensor<?x2x8xf16, #tokens>
}

// Neighbours are the halves of pairs; five launches, as for halves.
// CHECK-LABEL: func @interleaved_rope
// CHECK-SAME:    %[[X:.*]]: tensor<?x2x8xf16, #{{.*}}>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK:         %[[COS:.*]], %[[SIN:.*]] = transformer.rope_parts %[[T]]
// CHECK-NEXT:    %[[A:.*]] = transformer.mul %[[X]], %[[COS]]
// CHECK-NEXT:    %[[PAIRS:.*]] = transformer.reshape %[[X]] : tensor<?x2x8xf16, #{{.*}}> to tensor<?x2x4x2xf16, #{{.*}}>
// CHECK-NEXT:    %[[FIRST:.*]] = transformer.slice %[[PAIRS]] offset(0) size(1)
// CHECK-NEXT:    %[[SECOND:.*]] = transformer.slice %[[PAIRS]] offset(1) size(1)
// CHECK-NEXT:    %[[NEG:.*]] = transformer.neg %[[SECOND]]
// CHECK-NEXT:    %[[TURNED:.*]] = transformer.concat %[[NEG]], %[[FIRST]]
// CHECK-NEXT:    %[[FLAT:.*]] = transformer.reshape %[[TURNED]] : tensor<?x2x4x2xf16, #{{.*}}> to tensor<?x2x8xf16, #{{.*}}>
// CHECK-NEXT:    %[[B:.*]] = transformer.mul %[[FLAT]], %[[SIN]]
// CHECK-NEXT:    %[[R:.*]] = transformer.add %[[A]], %[[B]]
// CHECK-NEXT:    return %[[R]]
func.func @interleaved_rope(%x: tensor<?x2x8xf16, #tokens>, %table: !transformer.rope_table<8xf16>)
    -> tensor<?x2x8xf16, #tokens> {
  %0 = transformer.rope %x, %table style(interleaved) : tensor<?x2x8xf16, #tokens>, !transformer.rope_table<8xf16>
  return %0 : tensor<?x2x8xf16, #tokens>
}

// With a wider table the factors are widened, and the sum is rounded.
// CHECK-LABEL: func @rope_in_f32
// CHECK-SAME:    %[[X:.*]]: tensor<?x2x8xf16, #{{.*}}>, %[[T:.*]]: !transformer.rope_table<8xf32>
// CHECK:         %[[COS:.*]], %[[SIN:.*]] = transformer.rope_parts %[[T]] : <8xf32> -> tensor<?x1x8xf32, #{{.*}}>
// CHECK-NEXT:    %[[WIDE:.*]] = transformer.cast %[[X]] : tensor<?x2x8xf16, #{{.*}}> to tensor<?x2x8xf32, #{{.*}}>
// CHECK-NEXT:    %[[A:.*]] = transformer.mul %[[WIDE]], %[[COS]]
// CHECK:         transformer.neg %{{.*}} : tensor<?x2x4x1xf16, #{{.*}}>
// CHECK:         %[[FLAT:.*]] = transformer.reshape %{{.*}} : tensor<?x2x4x2xf16, #{{.*}}> to tensor<?x2x8xf16, #{{.*}}>
// CHECK-NEXT:    %[[WIDE2:.*]] = transformer.cast %[[FLAT]]
// CHECK-NEXT:    %[[B:.*]] = transformer.mul %[[WIDE2]], %[[SIN]]
// CHECK-NEXT:    %[[SUM:.*]] = transformer.add %[[A]], %[[B]]
// CHECK-NEXT:    %[[R:.*]] = transformer.cast %[[SUM]] : tensor<?x2x8xf32, #{{.*}}> to tensor<?x2x8xf16, #{{.*}}>
// CHECK-NEXT:    return %[[R]]
func.func @rope_in_f32(%x: tensor<?x2x8xf16, #tokens>, %table: !transformer.rope_table<8xf32>)
    -> tensor<?x2x8xf16, #tokens> {
  %0 = transformer.rope %x, %table style(interleaved) : tensor<?x2x8xf16, #tokens>, !transformer.rope_table<8xf32>
  return %0 : tensor<?x2x8xf16, #tokens>
}

// CHECK-LABEL: func @linear
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #{{.*}}>, %[[W:.*]]: tensor<4x8xf16>
// FRAMEWORK:     transformer.linear %[[X]], %[[W]]
// PRIMITIVE:     %[[R:.*]] = transformer.matmul %[[X]], %[[W]] transposed
// PRIMITIVE-NEXT: return %[[R]]
func.func @linear(%x: tensor<?x8xf16, #tokens>, %w: tensor<4x8xf16>) -> tensor<?x4xf16, #tokens> {
  %0 = transformer.linear %x, %w
      : tensor<?x8xf16, #tokens>, tensor<4x8xf16> -> tensor<?x4xf16, #tokens>
  return %0 : tensor<?x4xf16, #tokens>
}

// CHECK-LABEL: func @linear_with_bias
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #{{.*}}>, %[[W:.*]]: tensor<4x8xf16>, %[[B:.*]]: tensor<4xf16>
// FRAMEWORK:     transformer.linear %[[X]], %[[W]] bias(%[[B]] : tensor<4xf16>)
// PRIMITIVE:     %[[PRODUCT:.*]] = transformer.matmul %[[X]], %[[W]] transposed
// PRIMITIVE:     %[[R:.*]] = transformer.add %[[PRODUCT]], %[[B]]
// PRIMITIVE:     return %[[R]]
func.func @linear_with_bias(%x: tensor<?x8xf16, #tokens>, %w: tensor<4x8xf16>, %b: tensor<4xf16>)
    -> tensor<?x4xf16, #tokens> {
  %0 = transformer.linear %x, %w bias(%b : tensor<4xf16>)
      : tensor<?x8xf16, #tokens>, tensor<4x8xf16> -> tensor<?x4xf16, #tokens>
  return %0 : tensor<?x4xf16, #tokens>
}

// CHECK-LABEL: func @embedding
// CHECK-SAME:    %[[IDS:.*]]: tensor<?xi64, #{{.*}}>, %[[TABLE:.*]]: tensor<256x8xf16>
// FRAMEWORK:     transformer.embedding %[[IDS]], %[[TABLE]]
// PRIMITIVE:     transformer.gather %[[TABLE]], %[[IDS]]
func.func @embedding(%ids: tensor<?xi64, #tokens>, %table: tensor<256x8xf16>) -> tensor<?x8xf16, #tokens> {
  %0 = transformer.embedding %ids, %table
      : tensor<?xi64, #tokens>, tensor<256x8xf16> -> tensor<?x8xf16, #tokens>
  return %0 : tensor<?x8xf16, #tokens>
}

// Attention over a cache is launched whole.
// CHECK-LABEL: func @attention_over_a_cache
// CHECK:         transformer.append_cache
// FRAMEWORK:     transformer.attention
// PRIMITIVE:     transformer.head_mix
func.func @attention_over_a_cache(%q: tensor<?x4x8xf16, #tokens>, %k: tensor<?x2x8xf16, #tokens>,
                                  %cache: !cache, %batch: !transformer.batch) -> tensor<?x4x8xf16, #tokens> {
  %full = transformer.append_cache %k, %k to %cache of %batch
      : tensor<?x2x8xf16, #tokens>, !cache, !transformer.batch
  %0 = transformer.attention %q, %full of %batch scale(0.5)
      : tensor<?x4x8xf16, #tokens>, !cache, !transformer.batch
  return %0 : tensor<?x4x8xf16, #tokens>
}

// CHECK-LABEL: func @primitives_stay
// CHECK:         transformer.quantize
// CHECK:         transformer.dynamic_quantize
// CHECK:         transformer.reshape
func.func @primitives_stay(%x: tensor<?x8xf16, #tokens>, %scale: tensor<f32>) {
  %0 = transformer.quantize %x, %scale : tensor<?x8xf16, #tokens> to tensor<?x8xi8, #tokens>
  %1, %2 = transformer.dynamic_quantize %x : tensor<?x8xf16, #tokens> to tensor<?x8xi8, #tokens>, tensor<f32>
  %3 = transformer.reshape %x : tensor<?x8xf16, #tokens> to tensor<?x2x4xf16, #tokens>
  return
}

// Works on a bound module as well.
// CHECK-LABEL: func @static_sizes
// CHECK:         transformer.silu %{{.*}} : tensor<7x8xf16>
func.func @static_sizes(%gate: tensor<7x8xf16>, %up: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.swiglu %gate, %up : tensor<7x8xf16>
  return %0 : tensor<7x8xf16>
}
