//===- TransformerOpsNorm.td - Normalization ---------------*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_NORM
#define TENSORCAST_TRANSFORMER_OPS_NORM

include "TransformerOpsBase.td"

def Transformer_RMSNormOp : Transformer_CompositeOp<"rms_norm",
    [AllTypesMatch<["input", "result"]>], ["isLaunchedWhole"]> {
  let summary = "Scales each row by the inverse of its root mean square.";
  let description = [{
    `result[.., i] = input[.., i] / sqrt(mean_i(input[.., i]^2) + eps) * weight[i]`

    `input` and `result` are `.. x H` (rows of features), `weight` is `H`. The
    mean is taken in f32. With `wide_weight`, the product with `weight`, which
    may be f32 then, is in f32 too, and rounded afterwards. `kernel` says that the
    model's code calls a kernel for it, so that the eager form launches it whole.
    Zhang and Sennrich,
    2019 (arXiv 1910.07467).

    ```mlir
    %norm = transformer.rms_norm %hidden, %weight eps(1.0e-6)
        : tensor<7x4096xf16>, tensor<4096xf16>
    %late = transformer.rms_norm %hidden, %weight eps(1.0e-6) wide_weight
        : tensor<7x4096xf16>, tensor<4096xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$weight, F64Attr:$eps,
                       UnitAttr:$wide_weight, UnitAttr:$kernel);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight `eps` `(` custom<Decimal>($eps) `)`
    (`wide_weight` $wide_weight^)? (`kernel` $kernel^)? attr-dict
    `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
}

def Transformer_AddRMSNormOp : Transformer_CompositeOp<"add_rms_norm",
    [AllTypesMatch<["lhs", "rhs", "sum", "norm"]>]> {
  let summary = "Adds the residual and normalizes the sum, in one kernel.";
  let description = [{
    `sum = lhs + rhs; norm = rms_norm(sum, weight, eps)`

    Both results are written once; the sum is read from device memory no more.
    Shapes as in `transformer.rms_norm`.

    ```mlir
    %sum, %norm = transformer.add_rms_norm %hidden, %residual, %weight
        eps(1.0e-6) : tensor<7x4096xf16>, tensor<4096xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$lhs, FloatTensor:$rhs, FloatTensor:$weight,
                       F64Attr:$eps);
  let results = (outs FloatTensor:$sum, FloatTensor:$norm);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $weight `eps` `(` custom<Decimal>($eps) `)` attr-dict
    `:` type($lhs) `,` type($weight)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Normalization around the mean
//===----------------------------------------------------------------------===//

def Transformer_LayerNormOp : Transformer_CompositeOp<"layer_norm",
    [AllTypesMatch<["input", "result"]>]> {
  let summary = "Moves each row to mean 0 and variance 1, and scales it.";
  let description = [{
    `result[.., i] = (input[.., i] - m) / sqrt(v + eps) * weight[i] (+ bias[i])`,
    where `m = mean_i(input[.., i])` and `v = mean_i((input[.., i] - m)^2)`.

    `input` and `result` are `.. x H` (rows of features), `weight` and `bias`
    are `H`. Ba et al., 2016 (arXiv 1607.06450).

    ```mlir
    %norm = transformer.layer_norm %hidden, %weight
        bias(%bias : tensor<768xf16>) eps(1.0e-12)
        : tensor<7x768xf16>, tensor<768xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$weight,
                       Optional<FloatTensor>:$bias, F64Attr:$eps);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)?
    `eps` `(` custom<Decimal>($eps) `)` attr-dict
    `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
}

def Transformer_AddLayerNormOp : Transformer_CompositeOp<"add_layer_norm",
    [AllTypesMatch<["lhs", "rhs", "sum", "norm"]>]> {
  let summary = "Adds the residual and normalizes the sum around its mean.";
  let description = [{
    `sum = lhs + rhs; norm = layer_norm(sum, weight, bias, eps)`

    One kernel does both. Shapes as in `transformer.layer_norm`.

    ```mlir
    %sum, %norm = transformer.add_layer_norm %hidden, %residual, %weight
        bias(%bias : tensor<768xf16>) eps(1.0e-12)
        : tensor<7x768xf16>, tensor<768xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$lhs, FloatTensor:$rhs, FloatTensor:$weight,
                       Optional<FloatTensor>:$bias, F64Attr:$eps);
  let results = (outs FloatTensor:$sum, FloatTensor:$norm);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)?
    `eps` `(` custom<Decimal>($eps) `)` attr-dict
    `:` type($lhs) `,` type($weight)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Normalization with quantization of the result
//===----------------------------------------------------------------------===//

def Transformer_RMSNormQuantizeOp
    : Transformer_CompositeOp<"rms_norm_quantize"> {
  let summary = "Normalizes and quantizes, in one kernel.";
  let description = [{
    `result = quantize(rms_norm(input, weight, eps), scale)`

    With `scale` given, as `transformer.quantize`; otherwise the scale is found
    on the way and is the second result, as in `transformer.dynamic_quantize`
    (with one scale per `group_size` elements if that is given).

    ```mlir
    %q, %scale = transformer.rms_norm_quantize %x, %w eps(1.0e-6)
        : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>, tensor<f32>
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$weight,
                       Optional<ScaleTensor>:$scale, F64Attr:$eps,
                       OptionalAttr<I64Attr>:$group_size);
  let results = (outs QuantizedTensor:$result,
                      Optional<GroupScaleTensor>:$result_scale);
  let assemblyFormat = [{
    $input `,` $weight `eps` `(` custom<Decimal>($eps) `)`
    (`scale` `(` $scale^ `)`)? (`group_size` `(` $group_size^ `)`)? attr-dict
    `:` type($input) `,` type($weight) `->` type($result)
    (`,` type($result_scale)^)?
  }];
  let hasVerifier = 1;
}

def Transformer_AddRMSNormQuantizeOp
    : Transformer_CompositeOp<"add_rms_norm_quantize",
    [AllTypesMatch<["lhs", "rhs", "sum"]>]> {
  let summary = "Adds the residual, normalizes and quantizes, in one kernel.";
  let description = [{
    `sum = lhs + rhs; result = quantize(rms_norm(sum, weight, eps), scale)`

    Scales as in `transformer.rms_norm_quantize`.

    ```mlir
    %sum, %q, %scale = transformer.add_rms_norm_quantize %x, %y, %w eps(1.0e-6)
        : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>, tensor<f32>
    ```
  }];
  let arguments = (ins FloatTensor:$lhs, FloatTensor:$rhs, FloatTensor:$weight,
                       Optional<ScaleTensor>:$scale, F64Attr:$eps,
                       OptionalAttr<I64Attr>:$group_size);
  let results = (outs FloatTensor:$sum, QuantizedTensor:$result,
                      Optional<GroupScaleTensor>:$result_scale);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $weight `eps` `(` custom<Decimal>($eps) `)`
    (`scale` `(` $scale^ `)`)? (`group_size` `(` $group_size^ `)`)? attr-dict
    `:` type($lhs) `,` type($weight) `->` type($result)
    (`,` type($result_scale)^)?
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_NORM
