// RUN: tc-opt %s --split-input-file --transformer-shard="tp=3 vision-tp=3" --verify-diagnostics

#patches = #transformer.dims<4 * images * image_rows * image_columns>
func.func private @heads(%x: tensor<?x32xf16, #patches>, %batch: !transformer.batch)
    -> tensor<?x4x8xf16, #patches> attributes {transformer.tower} {
  // expected-error @below {{expected 3 devices to divide the 4 heads or be divided by them}}
  %q = transformer.weight "q.weight" sharding<column, vision, unit = 8> : tensor<32x32xf16>
  %0 = transformer.linear %x, %q : tensor<?x32xf16, #patches>, tensor<32x32xf16> -> tensor<?x32xf16, #patches>
  %1 = transformer.reshape %0 : tensor<?x32xf16, #patches> to tensor<?x4x8xf16, #patches>
  return %1 : tensor<?x4x8xf16, #patches>
}

// -----

#patches = #transformer.dims<4 * images * image_rows * image_columns>
func.func private @repeated_heads(%q: tensor<?x4x8xf16, #patches>, %batch: !transformer.batch)
    -> tensor<?x4x8xf16, #patches> attributes {transformer.tower} {
  // expected-error @below {{expected 'vision-tp' to divide the 4 heads, but got 3}}
  %0 = transformer.image_attention %q, %q, %q of %batch scale(0.5) merge(2)
      : tensor<?x4x8xf16, #patches>, !transformer.batch
  return %0 : tensor<?x4x8xf16, #patches>
}

// -----

// A range that is no whole part has no part on a device.
#patches = #transformer.dims<4 * images * image_rows * image_columns>
func.func private @range(%x: tensor<?x32xf16, #patches>)
    -> tensor<?x7xf16, #patches> attributes {transformer.tower} {
  %q = transformer.weight "q.weight" sharding<column, vision> : tensor<48x32xf16>
  %k = transformer.weight "k.weight" sharding<column, vision> : tensor<48x32xf16>
  %w = transformer.concat_weights %q, %k : tensor<48x32xf16>, tensor<48x32xf16>
  %0 = transformer.linear %x, %w : tensor<?x32xf16, #patches>, tensor<96x32xf16> -> tensor<?x96xf16, #patches>
  // expected-error @below {{expected parts of 96 features that shrink to 32 alike, but got 7 from 3}}
  %1 = transformer.slice %0 offset(3) size(7) : tensor<?x96xf16, #patches>
  return %1 : tensor<?x7xf16, #patches>
}
