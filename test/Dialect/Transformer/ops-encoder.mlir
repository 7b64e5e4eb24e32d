// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s

// CHECK-LABEL: func @products(
func.func @products(%q: tensor<2x8x7x96xf16>, %k: tensor<2x8x9x96xf16>, %sinks: tensor<1x8x1x1xf16>) -> tensor<2x7x8x96xf16> {
  // CHECK: transformer.permute %{{.*}} order [0, 1, 3, 2] : tensor<2x8x9x96xf16>
  %t = transformer.permute %k order [0, 1, 3, 2] : tensor<2x8x9x96xf16>
  // CHECK: transformer.batched_matmul %{{.*}}, %{{.*}} : tensor<2x8x7x96xf16>, tensor<2x8x96x9xf16>
  %s = transformer.batched_matmul %q, %t : tensor<2x8x7x96xf16>, tensor<2x8x96x9xf16>
  // CHECK: transformer.batched_matmul %{{.*}}, %{{.*}} transposed : tensor<2x8x7x96xf16>, tensor<2x8x9x96xf16>
  %u = transformer.batched_matmul %q, %k transposed : tensor<2x8x7x96xf16>, tensor<2x8x9x96xf16>
  // CHECK: transformer.expand %{{.*}} : tensor<1x8x1x1xf16> to tensor<2x8x7x9xf16>
  %e = transformer.expand %sinks : tensor<1x8x1x1xf16> to tensor<2x8x7x9xf16>
  %a = transformer.add %s, %u : tensor<2x8x7x9xf16>, tensor<2x8x7x9xf16>
  %b = transformer.add %a, %e : tensor<2x8x7x9xf16>, tensor<2x8x7x9xf16>
  // CHECK: transformer.batched_matmul %{{.*}}, %{{.*}} joined : tensor<2x8x7x9xf16>, tensor<2x8x9x96xf16>
  %r = transformer.batched_matmul %b, %k joined : tensor<2x8x7x9xf16>, tensor<2x8x9x96xf16>
  return %r : tensor<2x7x8x96xf16>
}

// CHECK-LABEL: func @masks(
func.func @masks(%batch: !transformer.batch) {
  // CHECK: transformer.causal_mask : tensor<7x9xf16>
  %all = transformer.causal_mask : tensor<7x9xf16>
  // CHECK: transformer.causal_mask window(4) : tensor<7x7xf32>
  %near = transformer.causal_mask window(4) : tensor<7x7xf32>
  // CHECK: transformer.padding_mask %{{.*}} : !transformer.batch -> tensor<?x1x1x?xf16, #[[MASK:.*]]>
  %mask = transformer.padding_mask %batch : !transformer.batch
      -> tensor<?x1x1x?xf16, #transformer.dims<sequences, max(q)>>
  return
}

// CHECK-LABEL: func @first_tokens(
func.func @first_tokens(%x: tensor<14x768xf16>) -> tensor<2x768xf16> {
  // CHECK: transformer.first_tokens %{{.*}} : tensor<14x768xf16> -> tensor<2x768xf16>
  %first = transformer.first_tokens %x : tensor<14x768xf16> -> tensor<2x768xf16>
  return %first : tensor<2x768xf16>
}

// CHECK-LABEL: func @attention(
func.func @attention(%q: tensor<2x7x8x96xf16>, %k: tensor<2x9x8x96xf16>, %v: tensor<2x9x8x64xf16>,
                     %qh: tensor<2x8x7x96xf16>, %mask: tensor<2x1x1x9xf32>, %bias: tensor<8x7x9xf16>,
                     %sink: tensor<8xf16>, %near: tensor<1x7xf16>) {
  // CHECK: transformer.scaled_dot_product_attention %{{.*}}, %{{.*}}, %{{.*}} scale(0.125) : tensor<2x7x8x96xf16>, tensor<2x9x8x96xf16>, tensor<2x9x8x64xf16>
  %a = transformer.scaled_dot_product_attention %q, %k, %v scale(0.125)
      : tensor<2x7x8x96xf16>, tensor<2x9x8x96xf16>, tensor<2x9x8x64xf16>
  // CHECK: transformer.scaled_dot_product_attention %{{.*}} scale(0.125) causal window(3) mask(%{{.*}} : tensor<2x1x1x9xf32>) bias(%{{.*}} : tensor<8x7x9xf16>) sink(%{{.*}} : tensor<8xf16>) :
  %b = transformer.scaled_dot_product_attention %q, %k, %v scale(0.125) causal window(3)
      mask(%mask : tensor<2x1x1x9xf32>) bias(%bias : tensor<8x7x9xf16>) sink(%sink : tensor<8xf16>)
      : tensor<2x7x8x96xf16>, tensor<2x9x8x96xf16>, tensor<2x9x8x64xf16>
  // CHECK: transformer.scaled_dot_product_attention %{{.*}} scale(1.0) layout(BNSD) : tensor<2x8x7x96xf16>
  %c = transformer.scaled_dot_product_attention %qh, %qh, %qh scale(1.0) layout(BNSD)
      : tensor<2x8x7x96xf16>, tensor<2x8x7x96xf16>, tensor<2x8x7x96xf16>
  // CHECK: transformer.scaled_dot_product_attention %{{.*}} layout(BNSD_BSND) mask(
  %d = transformer.scaled_dot_product_attention %qh, %qh, %qh scale(1.0) layout(BNSD_BSND)
      mask(%near : tensor<1x7xf16>)
      : tensor<2x8x7x96xf16>, tensor<2x8x7x96xf16>, tensor<2x8x7x96xf16>
  return
}
