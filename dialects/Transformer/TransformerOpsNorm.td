//===- TransformerOpsNorm.td - Normalization ---------------*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_NORM
#define TENSORCAST_TRANSFORMER_OPS_NORM

include "TransformerOpsBase.td"

def Transformer_RMSNormOp : Transformer_CompositeOp<"rms_norm",
    [AllTypesMatch<["input", "result"]>]> {
  let summary = "Scales each row by the inverse of its root mean square.";
  let description = [{
    `result[.., i] = input[.., i] / sqrt(mean_i(input[.., i]^2) + eps) * weight[i]`

    `input` and `result` are `.. x H` (rows of features), `weight` is `H`. The
    mean is taken in f32. Zhang and Sennrich, 2019 (arXiv 1910.07467).

    ```mlir
    %norm = transformer.rms_norm %hidden, %weight eps(1.0e-6)
        : tensor<7x4096xf16>, tensor<4096xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$weight, F64Attr:$eps);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight `eps` `(` custom<Decimal>($eps) `)` attr-dict
    `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_NORM
