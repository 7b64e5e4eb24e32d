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

def Transformer_ClampedSwiGLUOp : Transformer_CompositeOp<"clamped_swiglu",
    [AllTypesMatch<["gate", "up", "result"]>], ["isLaunchedWhole"]> {
  let summary = "Gates a limited up projection by a limited gate projection.";
  let description = [{
    `result = (u + 1) * g * sigmoid(slope * g)`, elementwise, where
    `g = min(gate, limit)` and `u = max(min(up, limit), -limit)` are taken in
    f32. OpenAI, 2025 (arXiv 2508.10925). A framework that comes with a kernel
    for it (`whole`) does not launch its parts.

    ```mlir
    %act = transformer.clamped_swiglu %gate, %up limit(7.0) slope(1.702)
        : tensor<28x2880xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$gate, FloatTensor:$up, F64Attr:$limit,
                       F64Attr:$slope, UnitAttr:$whole);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $gate `,` $up `limit` `(` custom<Decimal>($limit) `)`
    `slope` `(` custom<Decimal>($slope) `)` (`whole` $whole^)? attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_LimitedSwiGLUOp : Transformer_CompositeOp<"limited_swiglu",
    [AllTypesMatch<["gate", "up", "result"]>], ["isLaunchedWhole"]> {
  let summary = "Gates a limited up projection by the SiLU of a limited gate.";
  let description = [{
    `result = silu(min(gate, limit)) * max(min(up, limit), -limit)`,
    elementwise. DeepSeek-AI, 2026 (DeepSeek-V4).

    ```mlir
    %act = transformer.limited_swiglu %gate, %up limit(10.0)
        : tensor<7x2048xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$gate, FloatTensor:$up, F64Attr:$limit);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $gate `,` $up `limit` `(` custom<Decimal>($limit) `)` attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_GeluOp : Transformer_CompositeOp<"gelu",
    [SameOperandsAndResultType]> {
  let summary = "Applies the Gaussian error linear unit.";
  let description = [{
    Form `erf`: `result = x * (1 + erf(x / sqrt(2))) / 2`; form `tanh`:
    `result = x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2`, where
    `x = input`. Hendrycks and Gimpel, 2016 (arXiv 1606.08415).

    ```mlir
    %exact = transformer.gelu %x : tensor<7x3072xf16>
    %near = transformer.gelu %x form(tanh) : tensor<7x3072xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input,
      DefaultValuedProp<EnumProp<Transformer_GeluForm>,
                        "::mlir::transformer::GeluForm::Erf">:$form);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input (`form` `(` $form^ `)`)? attr-dict `:` type($input)
  }];
}

#endif // TENSORCAST_TRANSFORMER_OPS_FFN
