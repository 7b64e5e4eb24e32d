// Fuses what a framework launches, one layer in another way than the rest: there, the
// norm of the MLP and the residual in front of it are in the kernel of the linear layer
// behind, by a pattern in a text file.
//
//     tc-opt eager.mlir --tensorcast-schedule=file=examples/schedules/one-layer.mlir

module attributes {transform.with_named_sequence} {
  transform.named_sequence @fuse(%functions: !transform.any_op {transform.consumed}) -> !transform.any_op {
    %0 = transform.apply_registered_pass "transformer-fuse-norm" to %functions
        : (!transform.any_op) -> !transform.any_op
    %1 = transform.apply_registered_pass "transformer-fuse-attention" to %0
        : (!transform.any_op) -> !transform.any_op
    %2 = transform.apply_registered_pass "transformer-fuse-ffn" to %1
        : (!transform.any_op) -> !transform.any_op
    %3 = transform.apply_registered_pass "transformer-merge-linears" to %2
        : (!transform.any_op) -> !transform.any_op
    transform.yield %3 : !transform.any_op
  }

  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %layer, %rest = transform.transformer.match_layers "model.layers.3" in %module
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %0 = transform.include @fuse failures(propagate) (%rest) : (!transform.any_op) -> !transform.any_op
    %1 = transform.include @fuse failures(propagate) (%layer) : (!transform.any_op) -> !transform.any_op
    %2 = transform.apply_registered_pass "transformer-apply-patterns"
        with options = { "file" = "examples/patterns/norm-linear.pdll" } to %1
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
