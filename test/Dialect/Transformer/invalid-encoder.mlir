// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @order_too_short(%x: tensor<2x7xf16>) {
  // expected-error @below {{expected 'order' to name each of 2 dimensions once, but got 1 of them}}
  %r = transformer.permute %x order[1] : tensor<2x7xf16>
  return
}

// -----

func.func @order_twice(%x: tensor<2x7xf16>) {
  // expected-error @below {{expected 'order' to name each of 2 dimensions once, but got 1}}
  %r = transformer.permute %x order[1, 1] : tensor<2x7xf16>
  return
}

// -----

func.func @order_out_of_range(%x: tensor<2x7xf16>) {
  // expected-error @below {{expected 'order' to name each of 2 dimensions once, but got -1}}
  %r = transformer.permute %x order[0, -1] : tensor<2x7xf16>
  return
}

// -----

func.func @expand_rank(%x: tensor<1xf16>) {
  // expected-error @below {{expected 'result' of rank 1, but got 'tensor<2x7xf16>'}}
  %r = transformer.expand %x : tensor<1xf16> to tensor<2x7xf16>
  return
}

// -----

func.func @expand_size(%x: tensor<1x3xf16>) {
  // expected-error @below {{expected sizes that are those of the input where these are not 1, but got 'tensor<1x3xf16>' to 'tensor<2x7xf16>'}}
  %r = transformer.expand %x : tensor<1x3xf16> to tensor<2x7xf16>
  return
}

// -----

func.func @rank(%x: tensor<7x7xf16>) {
  // expected-error @below {{expected operands of one rank of at least 3, but got}}
  %r = transformer.batched_matmul %x, %x : tensor<7x7xf16>, tensor<7x7xf16>
  return
}

// -----

func.func @inner(%x: tensor<2x7x8xf16>) {
  // expected-error @below {{expected inner sizes that are equal, but got 8 and 7}}
  %r = transformer.batched_matmul %x, %x : tensor<2x7x8xf16>, tensor<2x7x8xf16>
  return
}

// -----

func.func @leading(%x: tensor<2x7x8xf16>, %y: tensor<3x7x8xf16>) {
  // expected-error @below {{expected leading sizes that are equal, but got}}
  %r = transformer.batched_matmul %x, %y transposed : tensor<2x7x8xf16>, tensor<3x7x8xf16>
  return
}

// -----

func.func @joined(%x: tensor<2x7x8xf16>) {
  // expected-error @below {{expected operands of rank 4 where heads are joined, but got 'tensor<2x7x8xf16>'}}
  %r = transformer.batched_matmul %x, %x transposed joined : tensor<2x7x8xf16>, tensor<2x7x8xf16>
  return
}

// -----

func.func @product_types(%x: tensor<2x7x8xf16>, %y: tensor<2x7x8xf32>) {
  // expected-error @below {{expected operands of one element type, but got 'f16' and 'f32'}}
  %r = transformer.batched_matmul %x, %y transposed : tensor<2x7x8xf16>, tensor<2x7x8xf32>
  return
}

// -----

func.func @causal_mask() {
  // expected-error @below {{expected at least as many columns as rows, but got 'tensor<9x7xf16>'}}
  %r = transformer.causal_mask : tensor<9x7xf16>
  return
}

// -----

func.func @padding_mask(%batch: !transformer.batch) {
  // expected-error @below {{expected 'result' of rank 4, but got 'tensor<7xf16>'}}
  %r = transformer.padding_mask %batch : !transformer.batch -> tensor<7xf16>
  return
}

// -----

func.func @first_tokens(%x: tensor<7x8xf16>) {
  // expected-error @below {{expected sequences of one length, but got 7 rows of 2 sequences}}
  %r = transformer.first_tokens %x : tensor<7x8xf16> -> tensor<2x8xf16>
  return
}

// -----

func.func @no_sequences(%x: tensor<7x8xf16>) {
  // expected-error @below {{expected sequences of one length, but got 7 rows of 0 sequences}}
  %r = transformer.first_tokens %x : tensor<7x8xf16> -> tensor<0x8xf16>
  return
}

// -----

func.func @attention_rank(%q: tensor<7x8x64xf16>) {
  // expected-error @below {{expected queries, keys and values of rank 4, but got 'tensor<7x8x64xf16>'}}
  %r = transformer.scaled_dot_product_attention %q, %q, %q scale(1.0)
      : tensor<7x8x64xf16>, tensor<7x8x64xf16>, tensor<7x8x64xf16>
  return
}

// -----

func.func @key(%q: tensor<2x7x8x64xf16>, %k: tensor<2x7x4x64xf16>) {
  // expected-error @below {{expected dimension 2 of 'key' to be 8, but got 4}}
  %r = transformer.scaled_dot_product_attention %q, %k, %q scale(1.0)
      : tensor<2x7x8x64xf16>, tensor<2x7x4x64xf16>, tensor<2x7x8x64xf16>
  return
}

// -----

func.func @window(%q: tensor<2x7x8x64xf16>) {
  // expected-error @below {{expected 'causal' beside a 'window', but got none}}
  %r = transformer.scaled_dot_product_attention %q, %q, %q scale(1.0) window(3)
      : tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>
  return
}

// -----

func.func @fewer_keys(%q: tensor<2x7x8x64xf16>, %k: tensor<2x5x8x64xf16>) {
  // expected-error @below {{expected at least as many keys as queries, of which the last are the same token, but got 5 and 7}}
  %r = transformer.scaled_dot_product_attention %q, %k, %k scale(1.0) causal
      : tensor<2x7x8x64xf16>, tensor<2x5x8x64xf16>, tensor<2x5x8x64xf16>
  return
}

// -----

func.func @mask_of_heads(%q: tensor<2x7x8x64xf16>, %m: tensor<8x7x7xf16>) {
  // expected-error @below {{expected a 'mask' that is the same for all heads, but got 'tensor<8x7x7xf16>'}}
  %r = transformer.scaled_dot_product_attention %q, %q, %q scale(1.0) mask(%m : tensor<8x7x7xf16>)
      : tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>
  return
}

// -----

func.func @bias(%q: tensor<2x7x8x64xf16>, %m: tensor<8x7x9xf16>) {
  // expected-error @below {{expected 'bias' of sizes that are 1 or those of 2 x 8 x 7 x 7 scores, but got 'tensor<8x7x9xf16>'}}
  %r = transformer.scaled_dot_product_attention %q, %q, %q scale(1.0) bias(%m : tensor<8x7x9xf16>)
      : tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>
  return
}

// -----

func.func @mask_type(%q: tensor<2x7x8x64xf16>, %m: tensor<7xbf16>) {
  // expected-error @below {{expected 'mask' of 'f16' or f32, but got 'tensor<7xbf16>'}}
  %r = transformer.scaled_dot_product_attention %q, %q, %q scale(1.0) mask(%m : tensor<7xbf16>)
      : tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>
  return
}

// -----

func.func @sink(%q: tensor<2x7x8x64xf16>, %s: tensor<7xf16>) {
  // expected-error @below {{expected dimension 0 of 'sink' to be 8, but got 7}}
  %r = transformer.scaled_dot_product_attention %q, %q, %q scale(1.0) sink(%s : tensor<7xf16>)
      : tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>
  return
}

// -----

func.func @sink_of_unknown_keys(%q: tensor<2x?x8x64xf16>, %s: tensor<8xf16>) {
  // expected-error @below {{expected a known number of keys beside a 'sink', but got ?}}
  %r = transformer.scaled_dot_product_attention %q, %q, %q scale(1.0) sink(%s : tensor<8xf16>)
      : tensor<2x?x8x64xf16>, tensor<2x?x8x64xf16>, tensor<2x?x8x64xf16>
  return
}

// -----

func.func @scale(%q: tensor<2x7x8x64xf16>) {
  // expected-error @below {{expected a finite 'scale', but got}}
  %r = "transformer.scaled_dot_product_attention"(%q, %q, %q) <{scale = 0x7FF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
      : (tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>, tensor<2x7x8x64xf16>) -> tensor<2x7x8x64xf16>
  return
}
