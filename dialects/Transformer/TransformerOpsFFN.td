//===- TransformerOpsFFN.td - Feed-forward networks --------*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_FFN
#define TENSORCAST_TRANSFORMER_OPS_FFN

include "TransformerOpsBase.td"

def Transformer_SwiGLUOp : Transformer_CompositeOp<"swiglu",
    [AllTypesMatch<["gate", "up", "result"]>]> {
  let summary = "Gates the up projection by the SiLU of the gate projection.";
  let description = [{
    `result = silu(gate) * up`, elementwise. Shazeer, 2020 (arXiv 2002.05202).

    ```mlir
    %act = transformer.swiglu %gate, %up : tensor<7x25600xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$gate, FloatTensor:$up);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$gate `,` $up attr-dict `:` type($result)";
}

#endif // TENSORCAST_TRANSFORMER_OPS_FFN
