// Projections of latent attention are won back from their pieces.
// RUN: tc-opt %s --transformer-decompose --transformer-fuse-norm --transformer-fuse-attention="rope-pair=false" \
// RUN:   | FileCheck %s
// RUN: tc-opt %s --transformer-decompose --transformer-fuse-norm --transformer-fuse-attention="rope-pair=false latent-projection=false" \
// RUN:   | FileCheck %s --check-prefix=OFF
// RUN: tc-opt %s --transformer-fuse-attention="rope-pair=false" --remarks-filter=fuse-attention --remark-policy=all \
// RUN:   2>&1 >/dev/null | FileCheck %s --check-prefix=REMARKS
// OFF-NOT: latent_projection
// REMARKS-DAG: the norms of queries and latents differ
// REMARKS-DAG: no queries of the same input are rotated alike
// REMARKS-DAG: what the key is made of has another reader

// CHECK-LABEL: func @interleaved
// CHECK-NEXT:    %[[Q:.*]], %[[L:.*]], %[[K:.*]], %[[QL:.*]] = transformer.latent_projection {{.*}} head_size(12) eps(1.0e-06) style(interleaved)
// CHECK-NEXT:    return %[[Q]], %[[L]], %[[K]], %[[QL]]
func.func @interleaved(%x: tensor<7x32xf16>, %t: !transformer.rope_table<4xf16>, %qd: tensor<24x32xf16>, %qn: tensor<24xf16>, %qu: tensor<48x24xf16>, %ld: tensor<20x32xf16>, %ln: tensor<16xf16>)
    -> (tensor<7x4x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>) {
  %q, %l, %k, %ql = transformer.latent_projection %x, %t query(%qd, %qn, %qu) latent(%ld, %ln) head_size(12) eps(1.0e-06) style(interleaved)
      : (tensor<7x32xf16>, !transformer.rope_table<4xf16>, tensor<24x32xf16>, tensor<24xf16>, tensor<48x24xf16>, tensor<20x32xf16>, tensor<16xf16>)
      -> (tensor<7x4x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return %q, %l, %k, %ql : tensor<7x4x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>
}

// Heads of which all features are rotated.
// CHECK-LABEL: func @whole_heads
// CHECK-NEXT:    transformer.latent_projection {{.*}} head_size(4) eps(1.0e-06)
// CHECK-NEXT:    return
func.func @whole_heads(%x: tensor<7x32xf16>, %t: !transformer.rope_table<4xf16>, %qd: tensor<24x32xf16>, %qn: tensor<24xf16>, %qu: tensor<16x24xf16>, %ld: tensor<20x32xf16>, %ln: tensor<16xf16>)
    -> (tensor<7x4x4xf16>, tensor<7x16xf16>, tensor<7x4xf16>) {
  %q, %l, %k, %ql = transformer.latent_projection %x, %t query(%qd, %qn, %qu) latent(%ld, %ln) head_size(4) eps(1.0e-06)
      : (tensor<7x32xf16>, !transformer.rope_table<4xf16>, tensor<24x32xf16>, tensor<24xf16>, tensor<16x24xf16>, tensor<20x32xf16>, tensor<16xf16>)
      -> (tensor<7x4x4xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  return %q, %l, %k : tensor<7x4x4xf16>, tensor<7x16xf16>, tensor<7x4xf16>
}

// CHECK-LABEL: func @other_eps
// CHECK-NOT:     latent_projection
func.func @other_eps(%x: tensor<7x32xf16>, %t: !transformer.rope_table<4xf16>, %qd: tensor<24x32xf16>, %qn: tensor<24xf16>, %qu: tensor<16x24xf16>, %ld: tensor<20x32xf16>, %ln: tensor<16xf16>)
    -> (tensor<7x4x4xf16>, tensor<7x16xf16>, tensor<7x4xf16>) {
  %d = transformer.linear %x, %qd : tensor<7x32xf16>, tensor<24x32xf16> -> tensor<7x24xf16>
  %n = transformer.rms_norm %d, %qn eps(1.0e-05) : tensor<7x24xf16>, tensor<24xf16>
  %u = transformer.linear %n, %qu : tensor<7x24xf16>, tensor<16x24xf16> -> tensor<7x16xf16>
  %h = transformer.reshape %u : tensor<7x16xf16> to tensor<7x4x4xf16>
  %q = transformer.rope %h, %t : tensor<7x4x4xf16>, !transformer.rope_table<4xf16>
  %b = transformer.linear %x, %ld : tensor<7x32xf16>, tensor<20x32xf16> -> tensor<7x20xf16>
  %s = transformer.slice %b offset(0) size(16) : tensor<7x20xf16>
  %l = transformer.rms_norm %s, %ln eps(1.0e-06) : tensor<7x16xf16>, tensor<16xf16>
  %k = transformer.slice %b offset(16) size(4) : tensor<7x20xf16>
  %kh = transformer.reshape %k : tensor<7x4xf16> to tensor<7x1x4xf16>
  %kr = transformer.rope %kh, %t : tensor<7x1x4xf16>, !transformer.rope_table<4xf16>
  %r = transformer.reshape %kr : tensor<7x1x4xf16> to tensor<7x4xf16>
  return %q, %l, %r : tensor<7x4x4xf16>, tensor<7x16xf16>, tensor<7x4xf16>
}

// CHECK-LABEL: func @no_queries
// CHECK-NOT:     latent_projection
func.func @no_queries(%x: tensor<7x32xf16>, %t: !transformer.rope_table<4xf16>, %ld: tensor<20x32xf16>, %ln: tensor<16xf16>)
    -> (tensor<7x16xf16>, tensor<7x4xf16>) {
  %b = transformer.linear %x, %ld : tensor<7x32xf16>, tensor<20x32xf16> -> tensor<7x20xf16>
  %s = transformer.slice %b offset(0) size(16) : tensor<7x20xf16>
  %l = transformer.rms_norm %s, %ln eps(1.0e-06) : tensor<7x16xf16>, tensor<16xf16>
  %k = transformer.slice %b offset(16) size(4) : tensor<7x20xf16>
  %kh = transformer.reshape %k : tensor<7x4xf16> to tensor<7x1x4xf16>
  %kr = transformer.rope %kh, %t : tensor<7x1x4xf16>, !transformer.rope_table<4xf16>
  %r = transformer.reshape %kr : tensor<7x1x4xf16> to tensor<7x4xf16>
  return %l, %r : tensor<7x16xf16>, tensor<7x4xf16>
}

// CHECK-LABEL: func @read_key
// CHECK-NOT:     latent_projection
func.func @read_key(%x: tensor<7x32xf16>, %t: !transformer.rope_table<4xf16>, %ld: tensor<20x32xf16>, %ln: tensor<16xf16>)
    -> (tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x4xf16>) {
  %b = transformer.linear %x, %ld : tensor<7x32xf16>, tensor<20x32xf16> -> tensor<7x20xf16>
  %s = transformer.slice %b offset(0) size(16) : tensor<7x20xf16>
  %l = transformer.rms_norm %s, %ln eps(1.0e-06) : tensor<7x16xf16>, tensor<16xf16>
  %k = transformer.slice %b offset(16) size(4) : tensor<7x20xf16>
  %kh = transformer.reshape %k : tensor<7x4xf16> to tensor<7x1x4xf16>
  %kr = transformer.rope %kh, %t : tensor<7x1x4xf16>, !transformer.rope_table<4xf16>
  %r = transformer.reshape %kr : tensor<7x1x4xf16> to tensor<7x4xf16>
  return %l, %r, %k : tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x4xf16>
}
