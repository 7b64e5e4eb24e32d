//===- TransformerOpsFused.td - Kernels of one's own -------*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_FUSED
#define TENSORCAST_TRANSFORMER_OPS_FUSED

include "TransformerOpsBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Transformer_FusedOp : Transformer_Op<"fused", [
    IsolatedFromAbove, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<CompositeOpInterface, ["isLaunchedWhole"]>]> {
  let summary = "Ops that one kernel computes.";
  let description = [{
    `results = body(inputs)`, in one kernel called `kernel`. The kernel reads
    `inputs` from device memory and writes the results there; what the ops of
    the body hand to each other stays on the chip.

    A fusion that nobody has written a kernel for: it lowers to one launch with
    the work of its body, runs as the ops of its body, and needs no C++. User
    patterns make it with `Fuse` (see `Transformer.pdll`).

    The body has ops that compute; weights, caches and layers are declared
    outside. Inputs and block arguments have the same types, and so have
    results and what is yielded.

    ```mlir
    %y = transformer.fused "rms_norm_matmul"(%a = %x, %b = %norm, %c = %proj)
        : (tensor<7x64xf16>, tensor<64xf16>, tensor<32x64xf16>)
        -> tensor<7x32xf16> {
      %0 = transformer.rms_norm %a, %b eps(1.0e-6)
          : tensor<7x64xf16>, tensor<64xf16>
      %1 = transformer.linear %0, %c
          : tensor<7x64xf16>, tensor<32x64xf16> -> tensor<7x32xf16>
      transformer.yield %1 : tensor<7x32xf16>
    }
    ```
  }];
  let arguments = (ins StrAttr:$kernel, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kernel `` custom<FusedBody>($inputs, type($inputs), type($outputs), $body)
    attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Transformer_YieldOp : Transformer_Op<"yield",
    [Pure, Terminator, ReturnLike, HasParent<"FusedOp">]> {
  let summary = "Names the results of a fused kernel.";
  let description = [{
    `results of the kernel = operands`

    ```mlir
    %y = transformer.fused "copy"(%a = %x) : (tensor<8xf16>) -> tensor<8xf16> {
      transformer.yield %a : tensor<8xf16>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ /* yields nothing */ }]>];
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

#endif // TENSORCAST_TRANSFORMER_OPS_FUSED
