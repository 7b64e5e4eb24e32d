// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s

// CHECK-LABEL: @primitives
func.func @primitives(%x: tensor<7x8xf32>, %i: tensor<7x2xi64>, %y: tensor<7x8xf16>) {
  // CHECK: transformer.exp %{{.*}} : tensor<7x8xf32>
  %0 = transformer.exp %x : tensor<7x8xf32>
  // CHECK: transformer.sigmoid %{{.*}} : tensor<7x8xf32>
  %1 = transformer.sigmoid %x : tensor<7x8xf32>
  // CHECK: transformer.softmax %{{.*}} : tensor<7x8xf32>
  %2 = transformer.softmax %x : tensor<7x8xf32>
  // CHECK: transformer.max_scalar %{{.*}}, 1.0e-12 : tensor<7x8xf32>
  %3 = transformer.max_scalar %x, 1.0e-12 : tensor<7x8xf32>
  // CHECK: transformer.sum %{{.*}} dim(1) : tensor<7x8xf32>
  %4 = transformer.sum %x dim(1) : tensor<7x8xf32>
  // CHECK: transformer.max %{{.*}} dim(0) : tensor<7x8xf32>
  %5 = transformer.max %x dim(0) : tensor<7x8xf32>
  // CHECK: transformer.top_k %{{.*}} count(2) : tensor<7x8xf32>
  %6, %7 = transformer.top_k %x count(2) : tensor<7x8xf32>
  // CHECK: transformer.take %{{.*}} by %{{.*}} : tensor<7x8xf32>, tensor<7x2xi64>
  %8 = transformer.take %x by %7 : tensor<7x8xf32>, tensor<7x2xi64>
  // CHECK: transformer.mask_groups %{{.*}} by %{{.*}} groups(4) : tensor<7x8xf32>, tensor<7x2xi64>
  %9 = transformer.mask_groups %x by %i groups(4) : tensor<7x8xf32>, tensor<7x2xi64>
  // The result of two types has the wider one.
  // CHECK: %[[WIDE:.*]] = transformer.mul %{{.*}}, %{{.*}} : tensor<7x8xf16>, tensor<7x8xf32>
  %10 = transformer.mul %y, %x : tensor<7x8xf16>, tensor<7x8xf32>
  // CHECK: transformer.exp %[[WIDE]] : tensor<7x8xf32>
  %11 = transformer.exp %10 : tensor<7x8xf32>
  return
}

// CHECK-LABEL: @choice
func.func @choice(%x: tensor<7x8xf32>, %b: tensor<8xf16>) {
  // CHECK: transformer.select_experts %{{.*}} top_k(2) score(softmax) normalize : tensor<7x8xf32> -> tensor<7x2xf16>, tensor<7x2xi64>
  %0, %1 = transformer.select_experts %x top_k(2) score(softmax) normalize
      : tensor<7x8xf32> -> tensor<7x2xf16>, tensor<7x2xi64>
  // CHECK: transformer.select_experts %{{.*}} bias(%{{.*}} : tensor<8xf16>) top_k(2) score(sigmoid) groups(2 of 4) normalize epsilon(1.0e-20) scale(2.5) gating_kernel : tensor<7x8xf32> -> tensor<7x2xf32>, tensor<7x2xi64>
  %2, %3 = transformer.select_experts %x bias(%b : tensor<8xf16>) top_k(2) score(sigmoid) groups(2 of 4)
      normalize epsilon(1.0e-20) scale(2.5) gating_kernel : tensor<7x8xf32> -> tensor<7x2xf32>, tensor<7x2xi64>
  return
}

#tokens = #transformer.dims<tokens>
#rows = #transformer.dims<2 * tokens>

// CHECK-LABEL: @rows
func.func @rows(%x: tensor<?x16xf16, #tokens>, %ids: tensor<?x2xi64, #tokens>, %w: tensor<8x4x16xf16>,
                %weights: tensor<?x2xf16, #tokens>) {
  // CHECK: transformer.spread_tokens %{{.*}} : tensor<?x16xf16
  %0 = transformer.spread_tokens %x : tensor<?x16xf16, #tokens>
  // CHECK: transformer.permute_tokens %{{.*}} by %{{.*}} : tensor<?x16xf16, #tokens>, tensor<?x2xi64, #tokens> -> tensor<?x16xf16, #dims>
  %1 = transformer.permute_tokens %0 by %ids
      : tensor<?x16xf16, #tokens>, tensor<?x2xi64, #tokens> -> tensor<?x16xf16, #rows>
  // CHECK: transformer.grouped_linear %{{.*}}, %{{.*}} by %{{.*}} placement<experts = 8>
  %2 = transformer.grouped_linear %1, %w by %ids placement<experts = 8>
      : tensor<?x16xf16, #rows>, tensor<8x4x16xf16>, tensor<?x2xi64, #tokens> -> tensor<?x4xf16, #rows>
  // CHECK: transformer.grouped_linear %{{.*}}, %{{.*}} by %{{.*}} placement<experts = 8> swiglu
  %3 = transformer.grouped_linear %1, %w by %ids placement<experts = 8> swiglu
      : tensor<?x16xf16, #rows>, tensor<8x4x16xf16>, tensor<?x2xi64, #tokens> -> tensor<?x2xf16, #rows>
  // CHECK: transformer.combine_tokens %{{.*}}, %{{.*}} by %{{.*}}
  %4 = transformer.combine_tokens %2, %weights by %ids
      : tensor<?x4xf16, #rows>, tensor<?x2xf16, #tokens>, tensor<?x2xi64, #tokens> -> tensor<?x4xf16, #tokens>
  // CHECK: transformer.collect_tokens
  %5 = transformer.collect_tokens %4 : tensor<?x4xf16, #tokens>
  return
}

// 14 rows over 8 experts are one each and one more for six of them; the first
// of two devices has 4 + 4 of them, from two devices.
// CHECK-LABEL: @exchange
func.func @exchange(%rows: tensor<14x16xf16>, %ids: tensor<7x2xi64>) {
  // CHECK: transformer.dispatch_tokens %{{.*}} by %{{.*}} placement<experts = 8, devices = 2> : tensor<14x16xf16>, tensor<7x2xi64> -> tensor<16x16xf16>
  %0 = transformer.dispatch_tokens %rows by %ids placement<experts = 8, devices = 2>
      : tensor<14x16xf16>, tensor<7x2xi64> -> tensor<16x16xf16>
  // CHECK: transformer.return_tokens %{{.*}} by %{{.*}} placement<experts = 8, devices = 2> : tensor<16x16xf16>, tensor<7x2xi64> -> tensor<14x16xf16>
  %1 = transformer.return_tokens %0 by %ids placement<experts = 8, devices = 2>
      : tensor<16x16xf16>, tensor<7x2xi64> -> tensor<14x16xf16>
  // CHECK: transformer.unpermute_tokens %{{.*}} by %{{.*}} : tensor<14x16xf16>, tensor<7x2xi64> -> tensor<7x2x16xf16>
  %2 = transformer.unpermute_tokens %1 by %ids : tensor<14x16xf16>, tensor<7x2xi64> -> tensor<7x2x16xf16>
  // CHECK: transformer.pad_rows %{{.*}} multiple(4) : tensor<14x16xf16> to tensor<16x16xf16>
  %3 = transformer.pad_rows %rows multiple(4) : tensor<14x16xf16> to tensor<16x16xf16>
  return
}

// CHECK-LABEL: @quantized
func.func @quantized(%x: tensor<14x32xi8>, %s: tensor<f32>, %w: tensor<8x4x32xi8>, %ids: tensor<7x2xi64>,
                     %m: tensor<14x32xf4E2M1FN>, %ms: tensor<14x1xf8E8M0FNU>, %mw: tensor<8x64x32xf4E2M1FN>,
                     %mws: tensor<8x64x1xf8E8M0FNU>) {
  // CHECK: transformer.quantized_grouped_linear %{{.*}}, %{{.*}} by %{{.*}} placement<experts = 8> weight_scale(%{{.*}} : tensor<f32>) input_scale(%{{.*}} : tensor<f32>)
  %0 = transformer.quantized_grouped_linear %x, %w by %ids placement<experts = 8> weight_scale(%s : tensor<f32>)
      input_scale(%s : tensor<f32>) : tensor<14x32xi8>, tensor<8x4x32xi8>, tensor<7x2xi64> -> tensor<14x4xf16>
  // CHECK: group_size(32) swiglu : {{.*}} -> tensor<14x32xf4E2M1FN>, tensor<14x1xf8E8M0FNU>
  %1, %2 = transformer.quantized_grouped_linear %m, %mw by %ids placement<experts = 8>
      weight_scale(%mws : tensor<8x64x1xf8E8M0FNU>) input_scale(%ms : tensor<14x1xf8E8M0FNU>) group_size(32) swiglu
      : tensor<14x32xf4E2M1FN>, tensor<8x64x32xf4E2M1FN>, tensor<7x2xi64> -> tensor<14x32xf4E2M1FN>, tensor<14x1xf8E8M0FNU>
  return
}

// CHECK-LABEL: @drafts
func.func @drafts(%logits: tensor<4x64xf16>, %ids: tensor<8xi64>, %h: tensor<8x16xf16>,
    %batch: !transformer.batch<#transformer.workload<queries = 4, query_length = 2, decode = true>>) {
  // CHECK: transformer.sample_tokens %{{.*}} of %{{.*}} : tensor<4x64xf16>, {{.*}} -> tensor<4xi64>
  %0 = transformer.sample_tokens %logits of %batch
      : tensor<4x64xf16>, !transformer.batch<#transformer.workload<queries = 4, query_length = 2, decode = true>> -> tensor<4xi64>
  // CHECK: transformer.shift_tokens %{{.*}}, %{{.*}} of %{{.*}}
  %1 = transformer.shift_tokens %ids, %0 of %batch
      : tensor<8xi64>, tensor<4xi64>, !transformer.batch<#transformer.workload<queries = 4, query_length = 2, decode = true>>
  // CHECK: transformer.last_tokens %{{.*}} of %{{.*}} select(last)
  %2 = transformer.last_tokens %h of %batch select(last)
      : tensor<8x16xf16>, !transformer.batch<#transformer.workload<queries = 4, query_length = 2, decode = true>> -> tensor<4x16xf16>
  // CHECK: transformer.last_tokens %{{.*}} of %{{.*}} select(copied)
  %3 = transformer.last_tokens %h of %batch select(copied)
      : tensor<8x16xf16>, !transformer.batch<#transformer.workload<queries = 4, query_length = 2, decode = true>> -> tensor<8x16xf16>
  // CHECK: transformer.kv_cache "self_attn" spare(2)
  %4 = transformer.kv_cache "self_attn" spare(2) : !transformer.kv_cache<2x8x128xf16, block_size = 128>
  return
}
