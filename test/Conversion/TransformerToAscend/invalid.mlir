// RUN: tc-opt %s --split-input-file --convert-transformer-to-ascend --verify-diagnostics

// All ops that have no kernel are listed at once.
func.func @several(%x: tensor<?x8xf16>, %y: tensor<4x8xf16>) {
  // expected-error @below {{'transformer.silu' op cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %0 = transformer.silu %x : tensor<?x8xf16>
  %1 = transformer.silu %y : tensor<4x8xf16>
  // expected-error @below {{'transformer.neg' op cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %2 = transformer.neg %x : tensor<?x8xf16>
  return
}

// -----

func.func @layer_norm_with_residual(%x: tensor<7x8xf16>, %u: tensor<?x8xf16>, %w: tensor<8xf16>) {
  // The reference has no such kernel.
  // expected-error @below {{'transformer.add_layer_norm' op cannot be lowered to a kernel: kernel set reference-2026.08 has no kernel 'add_layer_norm_discard'}}
  %0, %1 = transformer.add_layer_norm %x, %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  // expected-error @below {{'transformer.layer_norm' op cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %2 = transformer.layer_norm %u, %w eps(1.0e-6) : tensor<?x8xf16>, tensor<8xf16>
  return
}

// -----

func.func @elementwise_of_unknown_size(%x: tensor<?x8xf16>) {
  // expected-error @below {{'transformer.silu' op cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %0 = transformer.silu %x : tensor<?x8xf16>
  // Nothing needs to know the size of a view.
  %1 = transformer.reshape %x : tensor<?x8xf16> to tensor<?x2x4xf16>
  return
}

// -----

func.func @linear_of_unknown_size(%x: tensor<?x8xf16>, %w: tensor<4x8xf16>, %i: tensor<?x8xi8>,
                                  %b: tensor<4x8xi8>, %s: tensor<f32>) {
  // expected-error @below {{'transformer.linear' op cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %0 = transformer.linear %x, %w : tensor<?x8xf16>, tensor<4x8xf16> -> tensor<?x4xf16>
  // expected-error @below {{'transformer.matmul' op cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %1 = transformer.matmul %x, %w transposed : tensor<?x8xf16>, tensor<4x8xf16>
  // expected-error @below {{'transformer.quantized_linear' op cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %2 = transformer.quantized_linear %i, %b weight_scale(%s : tensor<f32>) input_scale(%s : tensor<f32>) : tensor<?x8xi8>, tensor<4x8xi8> -> tensor<?x4xf16>
  return
}

// -----

func.func @lookup_of_unknown_size(%ids: tensor<?xi64>, %table: tensor<256x8xf16>, %wide: tensor<256x?xf16>,
                                  %known: tensor<7xi64>) {
  // expected-error @below {{'transformer.embedding' op cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %0 = transformer.embedding %ids, %table : tensor<?xi64>, tensor<256x8xf16> -> tensor<?x8xf16>
  // expected-error @below {{'transformer.gather' op cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %1 = transformer.gather %wide, %known : tensor<256x?xf16>, tensor<7xi64>
  return
}

// -----

func.func @last_tokens_of_unknown_number(%x: tensor<?x8xf16>, %batch: !transformer.batch) {
  // expected-error @below {{'transformer.last_tokens' op cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %0 = transformer.last_tokens %x of %batch : tensor<?x8xf16>, !transformer.batch -> tensor<?x8xf16>
  return
}

// -----

// What is composite may have a kernel: its size is why it got none.
func.func @composites_of_unknown_size(%x: tensor<?x8xf16>, %w: tensor<8xf16>) {
  // expected-error @below {{'transformer.rms_norm' op cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<?x8xf16>, tensor<8xf16>
  // expected-error @below {{'transformer.swiglu' op cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %1 = transformer.swiglu %x, %x : tensor<?x8xf16>
  return
}

// -----

func.func @latent_projection_of_unknown_rank(
    %x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %a: tensor<?x64xf16>, %n: tensor<?xf16>,
    %b: tensor<96x?xf16>, %d: tensor<20x64xf16>, %m: tensor<16xf16>) {
  // expected-error @below {{cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %0:4 = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<?x64xf16>, tensor<?xf16>, tensor<96x?xf16>,
         tensor<20x64xf16>, tensor<16xf16>) -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x?xf16>)
  return
}

// -----

func.func @transfer_of_unknown_size(%x: tensor<?x8xf16>) {
  // expected-error @below {{'transformer.send_receive' op cannot be lowered to a kernel: a '?' has no expression; add #transformer.dims to its type}}
  %0 = transformer.send_receive %x from(0) to(1) : tensor<?x8xf16>
  return
}

// -----

func.func @experts_with_activations(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x16x8xf4E2M1FN>, %down: tensor<2x8x8xf4E2M1FN>, %us: tensor<2x16x2xf8E8M0FNU>, %ds: tensor<2x8x2xf8E8M0FNU>) -> tensor<4x2x8xf16> {
  %p = transformer.permute_tokens %x by %ids : tensor<4x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %d = transformer.dispatch_tokens %p by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %q, %qs = transformer.dynamic_quantize %d group_size(4) : tensor<8x8xf16> to tensor<8x8xf4E2M1FN>, tensor<8x2xf8E8M0FNU>
  // No kernel of one expert does more than a linear layer.
  // expected-error @below {{'transformer.quantized_grouped_linear' op cannot be lowered to a kernel: kernel set reference-2026.08 has no kernel 'quantized_grouped_matmul_mx_swiglu_quantize'}}
  %b, %bs = transformer.quantized_grouped_linear %q, %up by %ids placement<experts = 4, devices = 2> weight_scale(%us : tensor<2x16x2xf8E8M0FNU>) input_scale(%qs : tensor<8x2xf8E8M0FNU>) group_size(4) swiglu : tensor<8x8xf4E2M1FN>, tensor<2x16x8xf4E2M1FN>, tensor<4x2xi64> -> tensor<8x8xf4E2M1FN>, tensor<8x2xf8E8M0FNU>
  // expected-error @below {{kernel set reference-2026.08 has no kernel 'quantized_grouped_matmul_mx'}}
  %r = transformer.quantized_grouped_linear %b, %down by %ids placement<experts = 4, devices = 2> weight_scale(%ds : tensor<2x8x2xf8E8M0FNU>) input_scale(%bs : tensor<8x2xf8E8M0FNU>) group_size(4) : tensor<8x8xf4E2M1FN>, tensor<2x8x8xf4E2M1FN>, tensor<4x2xi64> -> tensor<8x8xf16>
  %t = transformer.return_tokens %r by %ids placement<experts = 4, devices = 2> : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<8x8xf16>
  %u = transformer.unpermute_tokens %t by %ids : tensor<8x8xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return %u : tensor<4x2x8xf16>
}
