// A block with the norms, activations and rotations of encoders: residuals in
// front of layer norms, with and without a bias, both forms of GELU, and queries
// and keys whose neighbours are rotated together.

#tokens = #transformer.dims<tokens>
!rope = !transformer.rope_table<16xf16>

module @encoder {
  func.func private @layer(%x: tensor<?x64xf16, #tokens>, %rope: !rope) -> tensor<?x64xf16, #tokens> {
    %wq = transformer.weight "query.weight" : tensor<64x64xf16>
    %q = transformer.linear %x, %wq : tensor<?x64xf16, #tokens>, tensor<64x64xf16> -> tensor<?x64xf16, #tokens>
    %wk = transformer.weight "key.weight" : tensor<32x64xf16>
    %k = transformer.linear %x, %wk : tensor<?x64xf16, #tokens>, tensor<32x64xf16> -> tensor<?x32xf16, #tokens>
    %qh = transformer.reshape %q : tensor<?x64xf16, #tokens> to tensor<?x4x16xf16, #tokens>
    %kh = transformer.reshape %k : tensor<?x32xf16, #tokens> to tensor<?x2x16xf16, #tokens>
    %qr = transformer.rope %qh, %rope style(interleaved) : tensor<?x4x16xf16, #tokens>, !rope
    %kr = transformer.rope %kh, %rope style(interleaved) : tensor<?x2x16xf16, #tokens>, !rope
    %qf = transformer.reshape %qr : tensor<?x4x16xf16, #tokens> to tensor<?x64xf16, #tokens>
    %kf = transformer.reshape %kr : tensor<?x2x16xf16, #tokens> to tensor<?x32xf16, #tokens>
    %wo = transformer.weight "output.weight" : tensor<64x32xf16>
    %o = transformer.linear %kf, %wo : tensor<?x32xf16, #tokens>, tensor<64x32xf16> -> tensor<?x64xf16, #tokens>
    %r0 = transformer.add %qf, %o : tensor<?x64xf16, #tokens>, tensor<?x64xf16, #tokens>
    %w0 = transformer.weight "attention_norm.weight" : tensor<64xf16>
    %b0 = transformer.weight "attention_norm.bias" : tensor<64xf16>
    %n0 = transformer.layer_norm %r0, %w0 bias(%b0 : tensor<64xf16>) eps(1.0e-5) : tensor<?x64xf16, #tokens>, tensor<64xf16>
    %w1 = transformer.weight "up.weight" : tensor<64x64xf16>
    %b1 = transformer.weight "up.bias" : tensor<64xf16>
    %u = transformer.linear %n0, %w1 bias(%b1 : tensor<64xf16>) : tensor<?x64xf16, #tokens>, tensor<64x64xf16> -> tensor<?x64xf16, #tokens>
    %a = transformer.gelu %u : tensor<?x64xf16, #tokens>
    %t = transformer.gelu %a form(tanh) : tensor<?x64xf16, #tokens>
    %w2 = transformer.weight "down.weight" : tensor<64x64xf16>
    %d = transformer.linear %t, %w2 : tensor<?x64xf16, #tokens>, tensor<64x64xf16> -> tensor<?x64xf16, #tokens>
    %r1 = transformer.add %r0, %d : tensor<?x64xf16, #tokens>, tensor<?x64xf16, #tokens>
    %w3 = transformer.weight "norm.weight" : tensor<64xf16>
    %n1 = transformer.layer_norm %r1, %w3 eps(1.0e-12) : tensor<?x64xf16, #tokens>, tensor<64xf16>
    return %n1 : tensor<?x64xf16, #tokens>
  }
  func.func @main(%x: tensor<?x64xf16, #tokens>, %positions: tensor<?xi64, #tokens>) -> tensor<?x64xf16, #tokens> {
    %cos = transformer.weight "rotary.cos" : tensor<128x16xf16>
    %sin = transformer.weight "rotary.sin" : tensor<128x16xf16>
    %rope = transformer.rope_table %positions, %cos, %sin : tensor<?xi64, #tokens>, tensor<128x16xf16> -> !rope
    %0 = transformer.layer @layer(%x, %rope) name("encoder.0") : (tensor<?x64xf16, #tokens>, !rope) -> tensor<?x64xf16, #tokens>
    %1 = transformer.layer @layer(%0, %rope) name("encoder.1") : (tensor<?x64xf16, #tokens>, !rope) -> tensor<?x64xf16, #tokens>
    return %1 : tensor<?x64xf16, #tokens>
  }
}
