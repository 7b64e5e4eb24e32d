//===- TransformerOpsExpertKernels.td - Experts in one kernel -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_EXPERTKERNELS
#define TENSORCAST_TRANSFORMER_OPS_EXPERTKERNELS

include "TransformerOpsBase.td"

def Transformer_DispatchFFNCombineOp
    : Transformer_CompositeOp<"dispatch_ffn_combine", [AttrSizedOperandSegments]> {
  let summary = "Takes tokens to their experts, through them and back.";
  let description = [{
    One kernel for `transformer.permute_tokens`, `transformer.dispatch_tokens`,
    the two grouped layers of experts with the SwiGLU between them,
    `transformer.return_tokens` and `transformer.unpermute_tokens`.

    `input` is `T x H`, `ids` is `T x k`, `upWeight` is `E x 2I x H` (gate and
    up, side by side), `downWeight` is `E x H x I` and `result` `T x k x H`, with
    the `E` experts that this device holds.

    Quantized weights have scales as in `transformer.quantized_grouped_linear`.
    With `rows`, what the layers read is quantized to this type: by the scales
    `input_scale` and `inner_scale`, or by scales found on the way.

    ```mlir
    %y = transformer.dispatch_ffn_combine %x, %up, %down by %ids
        placement<experts = 128, devices = 8>
        : tensor<16x2048xf16>, tensor<16x1536x2048xf16>,
          tensor<16x2048x768xf16>, tensor<16x8xi64> -> tensor<16x8x2048xf16>
    %z = transformer.dispatch_ffn_combine %x, %up8, %down8 by %ids
        placement<experts = 128, devices = 8> up_scale(%s : tensor<f32>)
        down_scale(%t : tensor<f32>) rows(i8)
        : tensor<16x2048xf16>, tensor<16x1536x2048xi8>,
          tensor<16x2048x768xi8>, tensor<16x8xi64> -> tensor<16x8x2048xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, AnyDimsTensor:$upWeight,
                       AnyDimsTensor:$downWeight, IndicesTensor:$ids,
                       Optional<GroupScaleTensor>:$upScale,
                       Optional<GroupScaleTensor>:$downScale,
                       Optional<ScaleTensor>:$inputScale,
                       Optional<ScaleTensor>:$innerScale,
                       Transformer_PlacementAttr:$placement,
                       OptionalAttr<TypeAttr>:$rows,
                       OptionalAttr<I64Attr>:$group_size);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $upWeight `,` $downWeight `by` $ids `placement` `` $placement
    (`up_scale` `(` $upScale^ `:` type($upScale) `)`)?
    (`down_scale` `(` $downScale^ `:` type($downScale) `)`)?
    (`rows` `(` $rows^ `)`)? (`input_scale` `(` $inputScale^ `)`)?
    (`inner_scale` `(` $innerScale^ `)`)? (`group_size` `(` $group_size^ `)`)?
    attr-dict `:` type($input) `,` type($upWeight) `,` type($downWeight) `,`
    type($ids) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_EXPERTKERNELS
