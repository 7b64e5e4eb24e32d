//===- ConversionPasses.td - Passes between dialects -------*- tablegen -*-===//

#ifndef TENSORCAST_CONVERSION_PASSES
#define TENSORCAST_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTransformerToAscend
    : Pass<"convert-transformer-to-ascend", "::mlir::ModuleOp"> {
  let summary = "Lowers ops to kernel launches.";
  let description = [{
    Each op that a framework launches becomes one `ascend.launch` with its work,
    by the rules and coefficients of a kernel set; reshapes and slices become
    `ascend.view`. Layers, weights and caches stay.

    Needs `transformer-decompose` before it: composite ops that are not
    launched whole have no kernel. All ops that cannot be lowered are listed at
    once, each with the reason. Sizes that depend on the batch need an encoding
    (`#transformer.dims`).
  }];
  let dependentDialects = ["::mlir::ascend::AscendDialect"];
  let options = [
    Option<"kernelSet", "kernel-set", "std::string",
           /*default=*/"\"reference-2026.08\"", "Name of the kernel set.">,
    Option<"compiled", "compiled", "bool", /*default=*/"false",
           "Whether the graph is compiled: kernel sets have other kernels for "
           "some ops then.">,
  ];
}

def ConvertTransformerToLinalg
    : Pass<"convert-transformer-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lowers ops to loops that compute what they mean.";
  let description = [{
    The reference semantics of the dialect, executable: each op becomes linalg
    on static tensors. Float arithmetic is done in f32 and rounded to the element
    type of each op's result; products of 8-bit integers are summed in i32. An
    op without a rule of its own is expanded to what it decomposes to.

    Weights and caches become arguments, and the caches as the step leaves them
    become results. The attributes `transformer.kind` (`input`, `indices`,
    `positions`, `weight` or `cache`) and `transformer.name` say which; a batch
    is no argument any more. A rope table is a tensor of 2 x tokens x width, a
    cache one of requests x tokens x 2 x heads x head size.

    Needs `transformer-bind-workload` and `transformer-inline-layers` before it.
    All ops that cannot be lowered are listed at once, each with the reason.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

#endif // TENSORCAST_CONVERSION_PASSES
