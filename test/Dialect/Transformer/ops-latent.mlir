// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s

#tokens = #transformer.dims<tokens>
#picked = #transformer.dims<tokens, min(3, max(kv))>
!rope = !transformer.rope_table<4xf16>
!cache = !transformer.kv_cache<20xf16, block_size = 128>
!int8_cache = !transformer.kv_cache<20xi8, block_size = 128>
!keys = !transformer.kv_cache<8xf16, block_size = 128>

// CHECK-LABEL: func @projection
// CHECK:         transformer.latent_projection %{{.*}}, %{{.*}} query(%{{.*}}, %{{.*}}, %{{.*}}) latent(%{{.*}}, %{{.*}}) head_size(12) eps(1.0e-06) : (
// CHECK-SAME:      -> (tensor<?x8x12xf16, #{{.*}}>, tensor<?x16xf16, #{{.*}}>, tensor<?x4xf16, #{{.*}}>, tensor<?x24xf16, #{{.*}}>)
// CHECK:         transformer.latent_projection {{.*}} eps(1.0e-06) style(interleaved) : (
func.func @projection(%x: tensor<?x64xf16, #tokens>, %rope: !rope, %a: tensor<24x64xf16>,
                      %n: tensor<24xf16>, %b: tensor<96x24xf16>, %d: tensor<20x64xf16>,
                      %m: tensor<16xf16>) {
  %0:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<?x64xf16, #tokens>, !rope, tensor<24x64xf16>, tensor<24xf16>, tensor<96x24xf16>,
         tensor<20x64xf16>, tensor<16xf16>)
      -> (tensor<?x8x12xf16, #tokens>, tensor<?x16xf16, #tokens>, tensor<?x4xf16, #tokens>, tensor<?x24xf16, #tokens>)
  %1:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6) style(interleaved)
      : (tensor<?x64xf16, #tokens>, !rope, tensor<24x64xf16>, tensor<24xf16>, tensor<96x24xf16>,
         tensor<20x64xf16>, tensor<16xf16>)
      -> (tensor<?x8x12xf16, #tokens>, tensor<?x16xf16, #tokens>, tensor<?x4xf16, #tokens>, tensor<?x24xf16, #tokens>)
  return
}

// Scales on the way, scales of calibration, and scales per group.
// CHECK-LABEL: func @quantized_projection
// CHECK:         transformer.quantized_latent_projection {{.*}} scales(%{{.*}}, %{{.*}}, %{{.*}}) activation(i8) head_size(12) eps(1.0e-06) : (
// CHECK:         transformer.quantized_latent_projection {{.*}} scales(%{{.*}}, %{{.*}}, %{{.*}}) input_scales(%{{.*}}, %{{.*}}) activation(i8) head_size(12)
// CHECK:         transformer.quantized_latent_projection {{.*}} scales(%{{.*}}, %{{.*}}, %{{.*}}) activation(f4E2M1FN) group_size(32) head_size(12)
// CHECK:         transformer.quantized_latent_projection {{.*}} scales(%{{.*}}, %{{.*}}, %{{.*}}) head_size(12)
func.func @quantized_projection(
    %x: tensor<7x64xf16>, %rope: !rope, %a: tensor<24x64xi8>, %n: tensor<24xf16>, %b: tensor<96x24xi8>,
    %d: tensor<20x64xi8>, %m: tensor<16xf16>, %s: tensor<f32>, %fa: tensor<24x64xf4E2M1FN>,
    %fb: tensor<96x24xf4E2M1FN>, %fd: tensor<20x64xf4E2M1FN>, %sa: tensor<24x2xf8E8M0FNU>,
    %sb: tensor<96x1xf8E8M0FNU>, %sd: tensor<20x2xf8E8M0FNU>) {
  %0:4 = transformer.quantized_latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) scales(%s, %s, %s)
      activation(i8) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !rope, tensor<24x64xi8>, tensor<24xf16>, tensor<96x24xi8>, tensor<20x64xi8>,
         tensor<16xf16>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  %1:4 = transformer.quantized_latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) scales(%s, %s, %s)
      input_scales(%s, %s) activation(i8) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !rope, tensor<24x64xi8>, tensor<24xf16>, tensor<96x24xi8>, tensor<20x64xi8>,
         tensor<16xf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  %2:4 = transformer.quantized_latent_projection %x, %rope query(%fa, %n, %fb) latent(%fd, %m) scales(%sa, %sb, %sd)
      activation(f4E2M1FN) group_size(32) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !rope, tensor<24x64xf4E2M1FN>, tensor<24xf16>, tensor<96x24xf4E2M1FN>,
         tensor<20x64xf4E2M1FN>, tensor<16xf16>, tensor<24x2xf8E8M0FNU>, tensor<96x1xf8E8M0FNU>,
         tensor<20x2xf8E8M0FNU>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  %3:4 = transformer.quantized_latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) scales(%s, %s, %s)
      head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !rope, tensor<24x64xi8>, tensor<24xf16>, tensor<96x24xi8>, tensor<20x64xi8>,
         tensor<16xf16>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return
}

// CHECK-LABEL: func @attention
// CHECK:         %[[C:.*]] = transformer.kv_cache "self_attn" : <20xf16, block_size = 128>
// CHECK:         %[[F:.*]] = transformer.append_latent_cache %{{.*}}, %{{.*}} to %[[C]] of %{{.*}} : tensor<?x16xf16, #{{.*}}>, tensor<?x4xf16, #{{.*}}>, <20xf16, block_size = 128>, !transformer.batch
// CHECK:         transformer.latent_attention %{{.*}}, %[[F]] of %{{.*}} weight(%{{.*}}) scale(0.5) : {{.*}} -> tensor<?x8x6xf16, #{{.*}}>
// CHECK:         transformer.latent_attention %{{.*}}, %[[F]] of %{{.*}} weight(%{{.*}}) indices(%{{.*}} : tensor<?x?xi64, #{{.*}}>) scale(0.5)
func.func @attention(%q: tensor<?x8x12xf16, #tokens>, %c: tensor<?x16xf16, #tokens>,
                     %k: tensor<?x4xf16, #tokens>, %w: tensor<112x16xf16>,
                     %i: tensor<?x?xi64, #picked>, %batch: !transformer.batch) {
  %cache = transformer.kv_cache "self_attn" : !cache
  %full = transformer.append_latent_cache %c, %k to %cache of %batch
      : tensor<?x16xf16, #tokens>, tensor<?x4xf16, #tokens>, !cache, !transformer.batch
  %0 = transformer.latent_attention %q, %full of %batch weight(%w) scale(0.5)
      : tensor<?x8x12xf16, #tokens>, !cache, !transformer.batch, tensor<112x16xf16> -> tensor<?x8x6xf16, #tokens>
  %1 = transformer.latent_attention %q, %full of %batch weight(%w) indices(%i : tensor<?x?xi64, #picked>) scale(0.5)
      : tensor<?x8x12xf16, #tokens>, !cache, !transformer.batch, tensor<112x16xf16> -> tensor<?x8x6xf16, #tokens>
  return
}

// CHECK-LABEL: func @quantized_attention
// CHECK:         transformer.quantized_latent_attention {{.*}} weight(%{{.*}}) scale(0.5) scales(%{{.*}}, %{{.*}}, %{{.*}}) : tensor<?x8x12xi8, #{{.*}}>, <20xi8, block_size = 128>, !transformer.batch, tensor<112x16xi8> -> tensor<?x8x6xf16, #{{.*}}>
func.func @quantized_attention(%q: tensor<?x8x12xi8, #tokens>, %cache: !int8_cache,
                               %w: tensor<112x16xi8>, %s: tensor<f32>, %batch: !transformer.batch) {
  %0 = transformer.quantized_latent_attention %q, %cache of %batch weight(%w) scale(0.5) scales(%s, %s, %s)
      : tensor<?x8x12xi8, #tokens>, !int8_cache, !transformer.batch, tensor<112x16xi8> -> tensor<?x8x6xf16, #tokens>
  return
}

// CHECK-LABEL: func @indexer
// CHECK:         transformer.kv_cache "self_attn.indexer" auxiliary : <8xf16, block_size = 128>
// CHECK:         transformer.lightning_indexer %{{.*}}, %{{.*}}, %{{.*}} to %{{.*}} of %{{.*}} query(%{{.*}}) key(%{{.*}}) head_weights(%{{.*}}) norm(%{{.*}}, %{{.*}}) top_k(3) eps(1.0e-06) : (
// CHECK:         transformer.lightning_indexer {{.*}} norm(%{{.*}}, %{{.*}}) scales(%{{.*}}, %{{.*}}, %{{.*}}) top_k(3) eps(1.0e-06) style(interleaved) : (
func.func @indexer(%x: tensor<?x64xf16, #tokens>, %ql: tensor<?x24xf16, #tokens>, %rope: !rope,
                   %wq: tensor<16x24xf16>, %wk: tensor<8x64xf16>, %ww: tensor<2x64xf16>, %n: tensor<8xf16>,
                   %iq: tensor<16x24xi8>, %ik: tensor<8x64xi8>, %iw: tensor<2x64xi8>, %s: tensor<f32>,
                   %batch: !transformer.batch) {
  %cache = transformer.kv_cache "self_attn.indexer" auxiliary : !keys
  %0, %full = transformer.lightning_indexer %x, %ql, %rope to %cache of %batch query(%wq) key(%wk)
      head_weights(%ww) norm(%n, %n) top_k(3) eps(1.0e-6)
      : (tensor<?x64xf16, #tokens>, tensor<?x24xf16, #tokens>, !rope, !keys, !transformer.batch,
         tensor<16x24xf16>, tensor<8x64xf16>, tensor<2x64xf16>, tensor<8xf16>, tensor<8xf16>)
      -> (tensor<?x?xi64, #picked>, !keys)
  %1, %again = transformer.lightning_indexer %x, %ql, %rope to %cache of %batch query(%iq) key(%ik)
      head_weights(%iw) norm(%n, %n) scales(%s, %s, %s) top_k(3) eps(1.0e-6) style(interleaved)
      : (tensor<?x64xf16, #tokens>, tensor<?x24xf16, #tokens>, !rope, !keys, !transformer.batch,
         tensor<16x24xi8>, tensor<8x64xi8>, tensor<2x64xi8>, tensor<8xf16>, tensor<8xf16>,
         tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<?x?xi64, #picked>, !keys)
  return
}

// CHECK-LABEL: func @load_weight
// CHECK:         transformer.load_weight %{{.*}} scale(%{{.*}} : tensor<f32>) : tensor<112x16xi8> to tensor<112x16xf16>
// CHECK:         transformer.load_weight %{{.*}} scale(%{{.*}} : tensor<f32>) result_scale(%{{.*}}) : tensor<112x16xi8> to tensor<112x16xf8E4M3FN>
func.func @load_weight(%w: tensor<112x16xi8>, %s: tensor<f32>) {
  %0 = transformer.load_weight %w scale(%s : tensor<f32>) : tensor<112x16xi8> to tensor<112x16xf16>
  %1 = transformer.load_weight %w scale(%s : tensor<f32>) result_scale(%s) : tensor<112x16xi8> to tensor<112x16xf8E4M3FN>
  return
}
