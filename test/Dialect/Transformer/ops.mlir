// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s

#tokens = #transformer.dims<tokens>
#kept = #transformer.dims<sequences - sum(decode) + sum(q * decode)>
!cache = !transformer.kv_cache<2x8x128xf16, block_size = 128>

// CHECK-DAG: #[[DIMS:dims[0-9]*]] = #transformer.dims<sequences - sum(decode) + sum(q * decode)>
// CHECK-DAG: #[[TOKENS:tokens[0-9]*]] = #transformer.dims<tokens>
// CHECK-DAG: #[[WORKLOAD:workload[0-9]*]] = #transformer.workload<queries = 2, query_length = 3500>

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

func.func private @layer(tensor<?x64xf16, #tokens>, !transformer.batch)
    -> tensor<?x64xf16, #tokens>

// CHECK-LABEL: func @layer_call
// CHECK-SAME:    %[[X:.*]]: tensor<?x64xf16, #[[TOKENS]]>, %[[BATCH:.*]]: !transformer.batch
// CHECK:         transformer.layer @layer(%[[X]], %[[BATCH]]) name("model.layers.7")
// CHECK-SAME:      : (tensor<?x64xf16, #[[TOKENS]]>, !transformer.batch) -> tensor<?x64xf16, #[[TOKENS]]>
func.func @layer_call(%x: tensor<?x64xf16, #tokens>, %batch: !transformer.batch) {
  %0 = transformer.layer @layer(%x, %batch) name("model.layers.7")
      : (tensor<?x64xf16, #tokens>, !transformer.batch) -> tensor<?x64xf16, #tokens>
  return
}

func.func private @nothing()

// CHECK-LABEL: func @layer_without_operands_and_results
// CHECK:         transformer.layer @nothing() name("stem") : () -> ()
func.func @layer_without_operands_and_results() {
  transformer.layer @nothing() name("stem") : () -> ()
  return
}

// CHECK-LABEL: func @weight
// CHECK:         transformer.weight "self_attn.q_proj.weight" : tensor<8192x5120xf16>
// CHECK:         transformer.weight "self_attn.q_proj.weight_scale" : tensor<f32>
// CHECK:         transformer.weight "packed" : tensor<64x32xi4>
func.func @weight() {
  %0 = transformer.weight "self_attn.q_proj.weight" : tensor<8192x5120xf16>
  %1 = transformer.weight "self_attn.q_proj.weight_scale" : tensor<f32>
  %2 = transformer.weight "packed" : tensor<64x32xi4>
  return
}

// CHECK-LABEL: func @kv_cache
// CHECK:         transformer.kv_cache "self_attn" : <2x8x128xf16, block_size = 128>
// CHECK:         transformer.kv_cache "quantized" : <2x1x64xi8, block_size = 1>
func.func @kv_cache() {
  %0 = transformer.kv_cache "self_attn" : !cache
  %1 = transformer.kv_cache "quantized" : !transformer.kv_cache<2x1x64xi8, block_size = 1>
  return
}

// CHECK-LABEL: func private @types
// CHECK-SAME:    !transformer.batch,
// CHECK-SAME:    !transformer.batch<#[[WORKLOAD]]>,
// CHECK-SAME:    !transformer.kv_cache<2x8x128xf16, block_size = 128>,
// CHECK-SAME:    !transformer.rope_table<64xbf16>
func.func private @types(
    !transformer.batch,
    !transformer.batch<#transformer.workload<queries = 2, query_length = 3500>>,
    !cache, !transformer.rope_table<64xbf16>)

//===----------------------------------------------------------------------===//
// Norm
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @rms_norm
// CHECK-SAME:    %[[X:.*]]: tensor<?x16x8xf16, #[[TOKENS]]>, %[[W:.*]]: tensor<8xf16>
// CHECK:         transformer.rms_norm %[[X]], %[[W]] eps(1.0e-06)
// CHECK-SAME:      : tensor<?x16x8xf16, #[[TOKENS]]>, tensor<8xf16>
func.func @rms_norm(%x: tensor<?x16x8xf16, #tokens>, %w: tensor<8xf16>) {
  %0 = transformer.rms_norm %x, %w eps(1.0e-6)
      : tensor<?x16x8xf16, #tokens>, tensor<8xf16>
  return
}

// What the printer writes reads back as the same double.
// CHECK-LABEL: func @decimals
// CHECK:         eps(1.0e-05)
// CHECK:         eps(0.1)
// CHECK:         eps(5.0e-324)
func.func @decimals(%x: tensor<2x8xf16>, %w: tensor<8xf16>) {
  %0 = transformer.rms_norm %x, %w eps(1.0e-5) : tensor<2x8xf16>, tensor<8xf16>
  %1 = transformer.rms_norm %x, %w eps(0.1) : tensor<2x8xf16>, tensor<8xf16>
  %2 = transformer.rms_norm %x, %w eps(5.0e-324) : tensor<2x8xf16>, tensor<8xf16>
  return
}

// CHECK-LABEL: func @layer_norm
// CHECK-SAME:    %[[X:.*]]: tensor<?x16x8xf16, #[[TOKENS]]>, %[[W:.*]]: tensor<8xf16>, %[[B:.*]]: tensor<8xf16>
// CHECK:         transformer.layer_norm %[[X]], %[[W]] eps(1.0e-05)
// CHECK-SAME:      : tensor<?x16x8xf16, #[[TOKENS]]>, tensor<8xf16>
// CHECK:         transformer.layer_norm %[[X]], %[[W]] bias(%[[B]] : tensor<8xf16>) eps(1.0e-12)
// CHECK-SAME:      : tensor<?x16x8xf16, #[[TOKENS]]>, tensor<8xf16>
func.func @layer_norm(%x: tensor<?x16x8xf16, #tokens>, %w: tensor<8xf16>, %b: tensor<8xf16>) {
  %0 = transformer.layer_norm %x, %w eps(1.0e-5)
      : tensor<?x16x8xf16, #tokens>, tensor<8xf16>
  %1 = transformer.layer_norm %x, %w bias(%b : tensor<8xf16>) eps(1.0e-12)
      : tensor<?x16x8xf16, #tokens>, tensor<8xf16>
  return
}

//===----------------------------------------------------------------------===//
// Linear layers, embeddings
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @embedding
// CHECK-SAME:    %[[IDS:.*]]: tensor<?xi64, #[[TOKENS]]>, %[[TABLE:.*]]: tensor<256x64xf16>
// CHECK:         transformer.embedding %[[IDS]], %[[TABLE]]
// CHECK-SAME:      : tensor<?xi64, #[[TOKENS]]>, tensor<256x64xf16> -> tensor<?x64xf16, #[[TOKENS]]>
func.func @embedding(%ids: tensor<?xi64, #tokens>, %table: tensor<256x64xf16>) {
  %0 = transformer.embedding %ids, %table
      : tensor<?xi64, #tokens>, tensor<256x64xf16> -> tensor<?x64xf16, #tokens>
  return
}

// CHECK-LABEL: func @last_tokens
// CHECK-SAME:    %[[X:.*]]: tensor<?x64xf16, #[[TOKENS]]>, %[[BATCH:.*]]: !transformer.batch
// CHECK:         transformer.last_tokens %[[X]] of %[[BATCH]]
// CHECK-SAME:      : tensor<?x64xf16, #[[TOKENS]]>, !transformer.batch -> tensor<?x64xf16, #[[DIMS]]>
func.func @last_tokens(%x: tensor<?x64xf16, #tokens>, %batch: !transformer.batch) {
  %0 = transformer.last_tokens %x of %batch
      : tensor<?x64xf16, #tokens>, !transformer.batch -> tensor<?x64xf16, #kept>
  return
}

// CHECK-LABEL: func @last_tokens_of_a_bound_batch
// CHECK:         transformer.last_tokens
// CHECK-SAME:      : tensor<7000x64xf16>, <#[[WORKLOAD]]> -> tensor<2x64xf16>
func.func @last_tokens_of_a_bound_batch(%x: tensor<7000x64xf16>,
    %batch: !transformer.batch<#transformer.workload<queries = 2, query_length = 3500>>) {
  %0 = transformer.last_tokens %x of %batch
      : tensor<7000x64xf16>,
        !transformer.batch<#transformer.workload<queries = 2, query_length = 3500>>
     -> tensor<2x64xf16>
  return
}

// CHECK-LABEL: func @linear
// CHECK-SAME:    %[[X:.*]]: tensor<?x64xf16, #[[TOKENS]]>, %[[W:.*]]: tensor<32x64xf16>, %[[B:.*]]: tensor<32xf16>
// CHECK:         transformer.linear %[[X]], %[[W]]
// CHECK-SAME:      : tensor<?x64xf16, #[[TOKENS]]>, tensor<32x64xf16> -> tensor<?x32xf16, #[[TOKENS]]>
// CHECK:         transformer.linear %[[X]], %[[W]] bias(%[[B]] : tensor<32xf16>)
// CHECK-SAME:      : tensor<?x64xf16, #[[TOKENS]]>, tensor<32x64xf16> -> tensor<?x32xf16, #[[TOKENS]]>
func.func @linear(%x: tensor<?x64xf16, #tokens>, %w: tensor<32x64xf16>, %b: tensor<32xf16>) {
  %0 = transformer.linear %x, %w
      : tensor<?x64xf16, #tokens>, tensor<32x64xf16> -> tensor<?x32xf16, #tokens>
  %1 = transformer.linear %x, %w bias(%b : tensor<32xf16>)
      : tensor<?x64xf16, #tokens>, tensor<32x64xf16> -> tensor<?x32xf16, #tokens>
  return
}

// CHECK-LABEL: func @quantized_linear
// CHECK-SAME:    %[[X:.*]]: tensor<7x64xi8>, %[[W:.*]]: tensor<32x64xi8>, %[[XS:.*]]: tensor<f32>, %[[WS:.*]]: tensor<f32>, %[[B:.*]]: tensor<32xf16>
// CHECK:         transformer.quantized_linear %[[X]], %[[W]] weight_scale(%[[WS]] : tensor<f32>) input_scale(%[[XS]] : tensor<f32>)
// CHECK-SAME:      : tensor<7x64xi8>, tensor<32x64xi8> -> tensor<7x32xf16>
// CHECK:         transformer.quantized_linear %[[X]], %[[W]] weight_scale(%[[WS]] : tensor<f32>) input_scale(%[[XS]] : tensor<f32>) bias(%[[B]] : tensor<32xf16>)
// CHECK-SAME:      : tensor<7x64xi8>, tensor<32x64xi8> -> tensor<7x32xf16>
func.func @quantized_linear(%x: tensor<7x64xi8>, %w: tensor<32x64xi8>,
                            %xs: tensor<f32>, %ws: tensor<f32>, %b: tensor<32xf16>) {
  %0 = transformer.quantized_linear %x, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>)
      : tensor<7x64xi8>, tensor<32x64xi8> -> tensor<7x32xf16>
  %1 = transformer.quantized_linear %x, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>) bias(%b : tensor<32xf16>)
      : tensor<7x64xi8>, tensor<32x64xi8> -> tensor<7x32xf16>
  return
}

// CHECK-LABEL: func @quantize
// CHECK-SAME:    %[[X:.*]]: tensor<7x64xf16>, %[[S:.*]]: tensor<f32>
// CHECK:         %[[BYTES:.*]] = transformer.quantize %[[X]], %[[S]] : tensor<7x64xf16> to tensor<7x64xi8>
// CHECK:         %[[DYNAMIC:.*]], %[[SCALE:.*]] = transformer.dynamic_quantize %[[X]] : tensor<7x64xf16> to tensor<7x64xi8>, tensor<f32>
// CHECK:         return %[[BYTES]], %[[DYNAMIC]], %[[SCALE]] : tensor<7x64xi8>, tensor<7x64xi8>, tensor<f32>
func.func @quantize(%x: tensor<7x64xf16>, %s: tensor<f32>)
    -> (tensor<7x64xi8>, tensor<7x64xi8>, tensor<f32>) {
  %0 = transformer.quantize %x, %s : tensor<7x64xf16> to tensor<7x64xi8>
  %1, %2 = transformer.dynamic_quantize %x : tensor<7x64xf16> to tensor<7x64xi8>, tensor<f32>
  return %0, %1, %2 : tensor<7x64xi8>, tensor<7x64xi8>, tensor<f32>
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @rope_table
// CHECK-SAME:    %[[P:.*]]: tensor<?xi64, #[[TOKENS]]>, %[[COS:.*]]: tensor<128x8xf16>, %[[SIN:.*]]: tensor<128x8xf16>
// CHECK:         transformer.rope_table %[[P]], %[[COS]], %[[SIN]]
// CHECK-SAME:      : tensor<?xi64, #[[TOKENS]]>, tensor<128x8xf16> -> <8xf16>
func.func @rope_table(%p: tensor<?xi64, #tokens>, %cos: tensor<128x8xf16>, %sin: tensor<128x8xf16>) {
  %0 = transformer.rope_table %p, %cos, %sin
      : tensor<?xi64, #tokens>, tensor<128x8xf16> -> !transformer.rope_table<8xf16>
  return
}

// CHECK-LABEL: func @rope_pack_and_parts
// CHECK-SAME:    %[[COS:.*]]: tensor<7x8xf16>, %[[SIN:.*]]: tensor<7x8xf16>
// CHECK:         %[[TABLE:.*]] = transformer.rope_pack %[[COS]], %[[SIN]] : tensor<7x8xf16> -> <8xf16>
// CHECK:         transformer.rope_parts %[[TABLE]] : <8xf16> -> tensor<7x1x8xf16>
func.func @rope_pack_and_parts(%cos: tensor<7x8xf16>, %sin: tensor<7x8xf16>) {
  %0 = transformer.rope_pack %cos, %sin : tensor<7x8xf16> -> !transformer.rope_table<8xf16>
  %1, %2 = transformer.rope_parts %0 : !transformer.rope_table<8xf16> -> tensor<7x1x8xf16>
  return
}

// CHECK-LABEL: func @rope
// CHECK-SAME:    %[[Q:.*]]: tensor<?x16x8xf16, #[[TOKENS]]>, %[[TABLE:.*]]: !transformer.rope_table<8xf16>
// CHECK:         transformer.rope %[[Q]], %[[TABLE]] : tensor<?x16x8xf16, #[[TOKENS]]>, <8xf16>
func.func @rope(%q: tensor<?x16x8xf16, #tokens>, %table: !transformer.rope_table<8xf16>) {
  %0 = transformer.rope %q, %table : tensor<?x16x8xf16, #tokens>, !transformer.rope_table<8xf16>
  return
}

// The style of every other model is not printed; a table may be wider than the
// heads.
// CHECK-LABEL: func @interleaved_rope
// CHECK-SAME:    %[[Q:.*]]: tensor<?x16x8xf16, #[[TOKENS]]>, %[[TABLE:.*]]: !transformer.rope_table<8xf16>, %[[WIDE:.*]]: !transformer.rope_table<8xf32>
// CHECK:         transformer.rope %[[Q]], %[[TABLE]] style(interleaved) : tensor<?x16x8xf16, #[[TOKENS]]>, <8xf16>
// CHECK:         transformer.rope %[[Q]], %[[TABLE]] : tensor<?x16x8xf16, #[[TOKENS]]>, <8xf16>
// CHECK:         transformer.rope %[[Q]], %[[WIDE]] style(interleaved) : tensor<?x16x8xf16, #[[TOKENS]]>, <8xf32>
func.func @interleaved_rope(%q: tensor<?x16x8xf16, #tokens>, %table: !transformer.rope_table<8xf16>,
                            %wide: !transformer.rope_table<8xf32>) {
  %0 = transformer.rope %q, %table style(interleaved) : tensor<?x16x8xf16, #tokens>, !transformer.rope_table<8xf16>
  %1 = transformer.rope %q, %table style(half) : tensor<?x16x8xf16, #tokens>, !transformer.rope_table<8xf16>
  %2 = transformer.rope %q, %wide style(interleaved) : tensor<?x16x8xf16, #tokens>, !transformer.rope_table<8xf32>
  return
}

// CHECK-LABEL: func @attention_over_a_cache
// CHECK-SAME:    %[[Q:[^:]*]]: tensor<?x64x128xf16, #[[TOKENS]]>, %[[K:[^:]*]]: tensor<?x8x128xf16, #[[TOKENS]]>, %[[BATCH:[^:]*]]: !transformer.batch
// CHECK:         %[[CACHE:.*]] = transformer.kv_cache
// CHECK:         %[[FULL:.*]] = transformer.append_cache %[[K]], %[[K]] to %[[CACHE]] of %[[BATCH]]
// CHECK-SAME:      : tensor<?x8x128xf16, #[[TOKENS]]>, <2x8x128xf16, block_size = 128>, !transformer.batch
// CHECK:         transformer.attention %[[Q]], %[[FULL]] of %[[BATCH]] scale(0.08838834764831845)
// CHECK-SAME:      : tensor<?x64x128xf16, #[[TOKENS]]>, <2x8x128xf16, block_size = 128>, !transformer.batch
func.func @attention_over_a_cache(%q: tensor<?x64x128xf16, #tokens>,
                                  %k: tensor<?x8x128xf16, #tokens>, %batch: !transformer.batch) {
  %cache = transformer.kv_cache "self_attn" : !cache
  %full = transformer.append_cache %k, %k to %cache of %batch
      : tensor<?x8x128xf16, #tokens>, !cache, !transformer.batch
  %0 = transformer.attention %q, %full of %batch scale(0.08838834764831845)
      : tensor<?x64x128xf16, #tokens>, !cache, !transformer.batch
  return
}

//===----------------------------------------------------------------------===//
// Feed-forward networks
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @swiglu
// CHECK-SAME:    %[[GATE:.*]]: tensor<?x192xf16, #[[TOKENS]]>, %[[UP:.*]]: tensor<?x192xf16, #[[TOKENS]]>
// CHECK:         transformer.swiglu %[[GATE]], %[[UP]] : tensor<?x192xf16, #[[TOKENS]]>
func.func @swiglu(%gate: tensor<?x192xf16, #tokens>, %up: tensor<?x192xf16, #tokens>) {
  %0 = transformer.swiglu %gate, %up : tensor<?x192xf16, #tokens>
  return
}

// CHECK-LABEL: func @gelu
// CHECK-SAME:    %[[X:.*]]: tensor<?x192xf16, #[[TOKENS]]>
// CHECK:         transformer.gelu %[[X]] : tensor<?x192xf16, #[[TOKENS]]>
// CHECK:         transformer.gelu %[[X]] form(tanh) : tensor<?x192xf16, #[[TOKENS]]>
// CHECK:         transformer.gelu %[[X]] : tensor<?x192xf16, #[[TOKENS]]>
func.func @gelu(%x: tensor<?x192xf16, #tokens>) {
  %0 = transformer.gelu %x : tensor<?x192xf16, #tokens>
  %1 = transformer.gelu %x form(tanh) : tensor<?x192xf16, #tokens>
  %2 = transformer.gelu %x form(erf) : tensor<?x192xf16, #tokens>
  return
}

//===----------------------------------------------------------------------===//
// Primitives
//===----------------------------------------------------------------------===//

// The result type follows from the operands; sizes of 1 are repeated.
// CHECK-LABEL: func @elementwise_of_two
// CHECK-SAME:    %[[X:.*]]: tensor<?x16x8xf16, #[[TOKENS]]>, %[[Y:.*]]: tensor<?x1x8xf16, #[[TOKENS]]>, %[[W:.*]]: tensor<8xf16>
// CHECK:         %[[ADD:.*]] = transformer.add %[[X]], %[[Y]] : tensor<?x16x8xf16, #[[TOKENS]]>, tensor<?x1x8xf16, #[[TOKENS]]>
// CHECK:         %[[MUL:.*]] = transformer.mul %[[W]], %[[Y]] : tensor<8xf16>, tensor<?x1x8xf16, #[[TOKENS]]>
// CHECK:         %[[SUB:.*]] = transformer.sub %[[Y]], %[[X]] : tensor<?x1x8xf16, #[[TOKENS]]>, tensor<?x16x8xf16, #[[TOKENS]]>
// CHECK:         %[[DIV:.*]] = transformer.div %[[W]], %[[Y]] : tensor<8xf16>, tensor<?x1x8xf16, #[[TOKENS]]>
// CHECK:         return %[[ADD]], %[[MUL]], %[[SUB]], %[[DIV]]
// CHECK-SAME:      : tensor<?x16x8xf16, #[[TOKENS]]>, tensor<?x1x8xf16, #[[TOKENS]]>, tensor<?x16x8xf16, #[[TOKENS]]>, tensor<?x1x8xf16, #[[TOKENS]]>
func.func @elementwise_of_two(%x: tensor<?x16x8xf16, #tokens>, %y: tensor<?x1x8xf16, #tokens>,
                              %w: tensor<8xf16>)
    -> (tensor<?x16x8xf16, #tokens>, tensor<?x1x8xf16, #tokens>, tensor<?x16x8xf16, #tokens>,
        tensor<?x1x8xf16, #tokens>) {
  %0 = transformer.add %x, %y : tensor<?x16x8xf16, #tokens>, tensor<?x1x8xf16, #tokens>
  %1 = transformer.mul %w, %y : tensor<8xf16>, tensor<?x1x8xf16, #tokens>
  %2 = transformer.sub %y, %x : tensor<?x1x8xf16, #tokens>, tensor<?x16x8xf16, #tokens>
  %3 = transformer.div %w, %y : tensor<8xf16>, tensor<?x1x8xf16, #tokens>
  return %0, %1, %2, %3 : tensor<?x16x8xf16, #tokens>, tensor<?x1x8xf16, #tokens>,
                          tensor<?x16x8xf16, #tokens>, tensor<?x1x8xf16, #tokens>
}

// A known size fills in for an unknown one.
// CHECK-LABEL: func @unknown_size_meets_a_known_one
// CHECK:         transformer.add %{{.*}}, %{{.*}} : tensor<?x8xf16>, tensor<?x8xf16, #[[TOKENS]]>
// CHECK:         return %{{.*}} : tensor<?x8xf16, #[[TOKENS]]>
func.func @unknown_size_meets_a_known_one(%x: tensor<?x8xf16>, %y: tensor<?x8xf16, #tokens>)
    -> tensor<?x8xf16, #tokens> {
  %0 = transformer.add %x, %y : tensor<?x8xf16>, tensor<?x8xf16, #tokens>
  return %0 : tensor<?x8xf16, #tokens>
}

// CHECK-LABEL: func @elementwise_of_one
// CHECK-SAME:    %[[X:.*]]: tensor<7x64xf32>
// CHECK:         transformer.add_scalar %[[X]], 1.0e-06 : tensor<7x64xf32>
// CHECK:         transformer.add_scalar %[[X]], -2.0 : tensor<7x64xf32>
// CHECK:         transformer.pow %[[X]] exponent(2.0) : tensor<7x64xf32>
// CHECK:         transformer.neg %[[X]] : tensor<7x64xf32>
// CHECK:         transformer.rsqrt %[[X]] : tensor<7x64xf32>
// CHECK:         transformer.silu %[[X]] : tensor<7x64xf32>
// CHECK:         transformer.cast %[[X]] : tensor<7x64xf32> to tensor<7x64xf16>
// CHECK:         transformer.mul_scalar %[[X]], 0.5 : tensor<7x64xf32>
// CHECK:         transformer.sqrt %[[X]] : tensor<7x64xf32>
// CHECK:         transformer.tanh %[[X]] : tensor<7x64xf32>
// CHECK:         transformer.erf %[[X]] : tensor<7x64xf32>
func.func @elementwise_of_one(%x: tensor<7x64xf32>) {
  %0 = transformer.add_scalar %x, 1.0e-6 : tensor<7x64xf32>
  %1 = transformer.add_scalar %x, -2.0 : tensor<7x64xf32>
  %2 = transformer.pow %x exponent(2.0) : tensor<7x64xf32>
  %3 = transformer.neg %x : tensor<7x64xf32>
  %4 = transformer.rsqrt %x : tensor<7x64xf32>
  %5 = transformer.silu %x : tensor<7x64xf32>
  %6 = transformer.cast %x : tensor<7x64xf32> to tensor<7x64xf16>
  %7 = transformer.mul_scalar %x, 0.5 : tensor<7x64xf32>
  %8 = transformer.sqrt %x : tensor<7x64xf32>
  %9 = transformer.tanh %x : tensor<7x64xf32>
  %10 = transformer.erf %x : tensor<7x64xf32>
  return
}

// CHECK-LABEL: func @matmul
// CHECK-SAME:    %[[X:.*]]: tensor<?x64xf16, #[[TOKENS]]>, %[[W:.*]]: tensor<64x32xf16>, %[[T:.*]]: tensor<32x64xf16>
// CHECK:         %[[R:.*]] = transformer.matmul %[[X]], %[[W]] : tensor<?x64xf16, #[[TOKENS]]>, tensor<64x32xf16>
// CHECK:         %[[S:.*]] = transformer.matmul %[[X]], %[[T]] transposed : tensor<?x64xf16, #[[TOKENS]]>, tensor<32x64xf16>
// CHECK:         return %[[R]], %[[S]] : tensor<?x32xf16, #[[TOKENS]]>, tensor<?x32xf16, #[[TOKENS]]>
func.func @matmul(%x: tensor<?x64xf16, #tokens>, %w: tensor<64x32xf16>, %t: tensor<32x64xf16>)
    -> (tensor<?x32xf16, #tokens>, tensor<?x32xf16, #tokens>) {
  %0 = transformer.matmul %x, %w : tensor<?x64xf16, #tokens>, tensor<64x32xf16>
  %1 = transformer.matmul %x, %t transposed : tensor<?x64xf16, #tokens>, tensor<32x64xf16>
  return %0, %1 : tensor<?x32xf16, #tokens>, tensor<?x32xf16, #tokens>
}

// CHECK-LABEL: func @mean
// CHECK:         %[[R:.*]] = transformer.mean %{{.*}} : tensor<?x16x8xf32, #[[TOKENS]]>
// CHECK:         return %[[R]] : tensor<?x16x1xf32, #[[TOKENS]]>
func.func @mean(%x: tensor<?x16x8xf32, #tokens>) -> tensor<?x16x1xf32, #tokens> {
  %0 = transformer.mean %x : tensor<?x16x8xf32, #tokens>
  return %0 : tensor<?x16x1xf32, #tokens>
}

// CHECK-LABEL: func @gather
// CHECK:         %[[R:.*]] = transformer.gather %{{.*}}, %{{.*}} : tensor<128x8xf16>, tensor<?xi64, #[[TOKENS]]>
// CHECK:         return %[[R]] : tensor<?x8xf16, #[[TOKENS]]>
func.func @gather(%table: tensor<128x8xf16>, %indices: tensor<?xi64, #tokens>)
    -> tensor<?x8xf16, #tokens> {
  %0 = transformer.gather %table, %indices : tensor<128x8xf16>, tensor<?xi64, #tokens>
  return %0 : tensor<?x8xf16, #tokens>
}

// CHECK-LABEL: func @concat
// CHECK:         %[[R:.*]] = transformer.concat %{{.*}}, %{{.*}} : tensor<?x16x4xf16, #[[TOKENS]]>, tensor<?x16x8xf16, #[[TOKENS]]>
// CHECK:         return %[[R]] : tensor<?x16x12xf16, #[[TOKENS]]>
func.func @concat(%x: tensor<?x16x4xf16, #tokens>, %y: tensor<?x16x8xf16, #tokens>)
    -> tensor<?x16x12xf16, #tokens> {
  %0 = transformer.concat %x, %y : tensor<?x16x4xf16, #tokens>, tensor<?x16x8xf16, #tokens>
  return %0 : tensor<?x16x12xf16, #tokens>
}

// The range may end with the dimension.
// CHECK-LABEL: func @slice
// CHECK:         %[[R:.*]] = transformer.slice %{{.*}} offset(2) size(6) : tensor<?x16x8xf16, #[[TOKENS]]>
// CHECK:         return %[[R]] : tensor<?x16x6xf16, #[[TOKENS]]>
func.func @slice(%x: tensor<?x16x8xf16, #tokens>) -> tensor<?x16x6xf16, #tokens> {
  %0 = transformer.slice %x offset(2) size(6) : tensor<?x16x8xf16, #tokens>
  return %0 : tensor<?x16x6xf16, #tokens>
}

// CHECK-LABEL: func @reshape
// CHECK:         transformer.reshape %{{.*}} : tensor<?x128xf16, #[[TOKENS]]> to tensor<?x16x8xf16, #[[TOKENS]]>
func.func @reshape(%x: tensor<?x128xf16, #tokens>) {
  %0 = transformer.reshape %x : tensor<?x128xf16, #tokens> to tensor<?x16x8xf16, #tokens>
  return
}

// Without an expression for a `?`, the sizes may be equal.
// CHECK-LABEL: func @reshape_of_unknown_size
// CHECK:         transformer.reshape %{{.*}} : tensor<?x128xf16> to tensor<?x16x8xf16>
func.func @reshape_of_unknown_size(%x: tensor<?x128xf16>) {
  %0 = transformer.reshape %x : tensor<?x128xf16> to tensor<?x16x8xf16>
  return
}

//===----------------------------------------------------------------------===//
// Module attributes
//===----------------------------------------------------------------------===//

// CHECK-LABEL: module @bound
// CHECK-SAME:    transformer.model = #transformer.model<"Qwen/Qwen3-32B", dtype = f16>
// CHECK-SAME:    transformer.workload = #workload{{[0-9]*}}
module @bound attributes {
  transformer.model = #transformer.model<"Qwen/Qwen3-32B", dtype = f16>,
  transformer.workload = #transformer.workload<queries = 2, query_length = 3500>
} {}
