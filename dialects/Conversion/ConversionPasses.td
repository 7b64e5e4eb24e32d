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

#endif // TENSORCAST_CONVERSION_PASSES
