func.func @f(%q: tensor<7x4x8xf16>, %beta: tensor<7x4xf16>, %g: tensor<7x4xf32>, %state: !transformer.state<4x8x8xf32>, %batch: !transformer.batch) -> tensor<7x4x8xf16> {
  %0, %1 = transformer.gated_delta_rule %q, %q, %q, %beta, %g, %state of %batch chunk(64) : tensor<7x4x8xf16>, tensor<7x4x8xf16>, tensor<7x4xf16>, tensor<7x4xf32>, !transformer.state<4x8x8xf32>, !transformer.batch
  return %0 : tensor<7x4x8xf16>
}
