//===- TransformerOpsLinearAttention.td - Gated delta nets --*- tablegen -*-===//
//
// Linear attention by the gated delta rule (Yang et al., 2024, arXiv
// 2412.06464), as Qwen3-Next and its successors have it in most layers. A
// request is remembered as a matrix per head, of one size for any context.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_TRANSFORMER_OPS_LINEAR_ATTENTION
#define TENSORCAST_TRANSFORMER_OPS_LINEAR_ATTENTION

include "TransformerOpsBase.td"
include "mlir/IR/OpAsmInterface.td"

//===----------------------------------------------------------------------===//
// What is remembered
//===----------------------------------------------------------------------===//

def Transformer_StateOp : Transformer_Op<"state", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Declares what a layer remembers of each request.";
  let description = [{
    The result is the state called `name` within the enclosing layer, as the
    step finds it: zeros for a request without context. Every call of the layer
    has its own. `sharding` says how its first dimension may be split over
    devices; without it every device holds all of it. Reports count its memory
    with the KV cache, but not that of one that is `uncounted`.

    ```mlir
    %state = transformer.state "linear_attn" sharding<column, tensor, unit = 2>
        : !transformer.state<32x128x128xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name,
                       OptionalAttr<Transformer_ShardingAttr>:$sharding,
                       UnitAttr:$uncounted);
  let results = (outs Transformer_StateType:$result);
  let assemblyFormat = [{
    $name (`sharding` $sharding^)? (`uncounted` $uncounted^)? attr-dict
    `:` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

def Transformer_CausalConvOp : Transformer_Op<"causal_conv", [Pure,
    AllTypesMatch<["input", "result"]>,
    AllTypesMatch<["state", "new_state"]>]> {
  let summary = "Convolves each channel over the latest tokens.";
  let description = [{
    `result[t, c] = silu(sum_j weight[c, j] * x[t - K + 1 + j, c])`, where `x`
    is `input` within the token's request, and before its first new token what
    the request's state holds.

    `input` and `result` are `T x C` (tokens by channels), `weight` is `C x K`,
    `state` is `C x (K - 1)` per request: the last inputs, oldest first.
    `new_state` is the state afterwards.

    ```mlir
    %y, %s1 = transformer.causal_conv %x, %weight, %s0 of %batch
        : tensor<7x8192xf16>, tensor<8192x4xf16>,
          !transformer.state<8192x3xf16>, !transformer.batch
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$weight,
                       Transformer_StateType:$state,
                       Transformer_BatchType:$batch);
  let results = (outs FloatTensor:$result, Transformer_StateType:$new_state);
  let assemblyFormat = [{
    $input `,` $weight `,` $state `of` $batch attr-dict
    `:` type($input) `,` type($weight) `,` type($state) `,` type($batch)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The gated delta rule
//===----------------------------------------------------------------------===//

def Transformer_Log1pOp : Transformer_Op<"log1p", [Pure,
    SameOperandsAndResultType]> {
  let summary = "Takes the logarithm of one more than the input.";
  let description = [{
    `result = log(1 + input)`

    ```mlir
    %r = transformer.log1p %x : tensor<7x64xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Transformer_DeltaGatingOp : Transformer_CompositeOp<"delta_gating", [
    AllTypesMatch<["query", "key"]>, AllTypesMatch<["strength", "step", "beta"]>,
    AllTypesMatch<["decay", "step_bias"]>,
    AllTypesMatch<["wide_query", "wide_key"]>]> {
  let summary = "Makes the gates of the delta rule, and repeats key heads.";
  let description = [{
    `beta[t, h] = sigmoid(strength[t, h])`: how strongly a token is written;
    `log_gate[t, h] = -exp(decay[h]) * softplus(step[t, h] + step_bias[h])`, in
    f32: the logarithm of what is kept of the state;
    `wide_query[t, h, :] = query[t, h / r, :]`, and keys alike, for `r` value
    heads per key head.

    `query` and `key` are `T x key heads x D`, `strength` and `step` are `T x
    value heads`, `decay` and `step_bias` are value heads.

    ```mlir
    %q1, %k1, %beta, %log_gate = transformer.delta_gating %q, %k, %b, %a,
        %decay, %step_bias
        : tensor<7x16x128xf16>, tensor<7x32xf16>, tensor<32xf16>
          -> tensor<7x32x128xf16>, tensor<7x32xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$query, FloatTensor:$key,
                       FloatTensor:$strength, FloatTensor:$step,
                       FloatTensor:$decay, FloatTensor:$step_bias);
  let results = (outs FloatTensor:$wide_query, FloatTensor:$wide_key,
                      FloatTensor:$beta, FloatTensor:$log_gate);
  let assemblyFormat = [{
    $query `,` $key `,` $strength `,` $step `,` $decay `,` $step_bias attr-dict
    `:` type($query) `,` type($strength) `,` type($decay)
    `->` type($wide_query) `,` type($log_gate)
  }];
  let extraClassDeclaration = [{
    /// The types of the results for operands of these types.
    static ::llvm::SmallVector<::mlir::Type> getResultTypesFor(
        ::mlir::RankedTensorType query, ::mlir::RankedTensorType strength);
  }];
  let hasVerifier = 1;
}

def Transformer_GatedDeltaRuleOp : Transformer_Op<"gated_delta_rule", [Pure,
    AllTypesMatch<["query", "key"]>, AllTypesMatch<["value", "result"]>,
    AllTypesMatch<["state", "new_state"]>]> {
  let summary = "Linear attention over a state that each token corrects.";
  let description = [{
    For each token of a request, one after the other, and each head:

    `S := exp(log_gate) * S`

    `S := S + k (beta * (value - S^T k))^T`

    `result = S^T q`

    where `k = key / |key|` and `q = query / (|query| * sqrt(D))`; the lengths
    are roots of a sum of squares plus 1e-6. Yang et al., 2024 (arXiv
    2412.06464), equation 10.

    `query` and `key` are `T x heads x D`, `value` and `result` are `T x heads x
    E`, `beta` and `log_gate` (f32) are `T x heads`; `state` is `heads x D x E`
    per request, and `new_state` is what it is afterwards. All is computed in
    f32. In a decode step tokens are taken one by one; otherwise `chunk` tokens
    of a request together, by matrix products that say the same (section 3.3
    there).

    ```mlir
    %y, %s1 = transformer.gated_delta_rule %q, %k, %v, %beta, %log_gate, %s0
        of %batch chunk(64)
        : tensor<7x32x128xf16>, tensor<7x32x128xf16>, tensor<7x32xf16>,
          tensor<7x32xf32>, !transformer.state<32x128x128xf32>,
          !transformer.batch
    ```
  }];
  let arguments = (ins FloatTensor:$query, FloatTensor:$key, FloatTensor:$value,
                       FloatTensor:$beta, FloatTensor:$log_gate,
                       Transformer_StateType:$state,
                       Transformer_BatchType:$batch,
                       ConfinedAttr<I64Attr, [IntPositive]>:$chunk);
  let results = (outs FloatTensor:$result, Transformer_StateType:$new_state);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $beta `,` $log_gate `,` $state `of` $batch
    `chunk` `(` $chunk `)` attr-dict
    `:` type($query) `,` type($value) `,` type($beta) `,` type($log_gate) `,`
    type($state) `,` type($batch)
  }];
  let hasVerifier = 1;
}

def Transformer_GatedRMSNormOp : Transformer_CompositeOp<"gated_rms_norm",
    [AllTypesMatch<["input", "gate", "result"]>]> {
  let summary = "Normalizes each row and scales it by the SiLU of a gate.";
  let description = [{
    `result = rms_norm(input, weight, eps) * silu(gate)`; the product is taken
    in f32.

    `input`, `gate` and `result` are `.. x H` (rows of features), `weight` is
    `H`.

    ```mlir
    %norm = transformer.gated_rms_norm %x, %gate, %weight eps(1.0e-6)
        : tensor<7x32x128xf16>, tensor<128xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$gate,
                       FloatTensor:$weight, F64Attr:$eps);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $gate `,` $weight `eps` `(` custom<Decimal>($eps) `)` attr-dict
    `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

def Transformer_LinearAttentionOp : Transformer_CompositeOp<"linear_attention",
    [AllTypesMatch<["input", "result"]>,
     AllTypesMatch<["conv_state", "new_conv_state"]>,
     AllTypesMatch<["state", "new_state"]>]> {
  let summary = "A gated delta net, from hidden state to hidden state.";
  let description = [{
    Projections of `input` make, for each key head: a query, a key, the values
    of its value heads, a gate `z` for each value, and two numbers `b` and `a`
    per value head. Query, key and value pass `transformer.causal_conv`; then

    `beta, log_gate = delta_gating(b, a)`

    `y = gated_delta_rule(query, key, value, beta, log_gate)`

    `result = output * gated_rms_norm(y, z)`

    `projections` are four weights, of query, key and value; `z`; `b`; and `a`;
    or two, of query, key, value and `z`; and of `b` and `a`. Their rows are in
    the order of key heads, so that devices can have some of the heads. `conv`
    is `C x K`, where `C` counts queries, keys and values; `decay` and
    `step_bias` are value heads; `norm` is one value head wide; `output` is
    `H x values`. The states are those of `transformer.causal_conv` and
    `transformer.gated_delta_rule`.

    Devices that share the model each compute all of it; taken apart before
    (`transformer-decompose{ops=linear_attention}`), it is split by heads.

    ```mlir
    %y, %c1, %s1 = transformer.linear_attention %x
        projections(%qkv, %z, %b, %a) conv(%conv) gating(%decay, %step_bias)
        norm(%norm) output(%out) states(%c0, %s0) of %batch key_heads(2)
        eps(1.0e-6) chunk(64)
        : (tensor<7x64xf16>, tensor<64x4xf16>, tensor<4xf16>, tensor<4xf16>,
           tensor<8xf16>, tensor<64x32xf16>, !transformer.state<64x3xf16>,
           !transformer.state<4x8x8xf32>, !transformer.batch,
           tensor<64x64xf16>, tensor<32x64xf16>, tensor<4x64xf16>,
           tensor<4x64xf16>)
        -> (tensor<7x64xf16>, !transformer.state<64x3xf16>,
            !transformer.state<4x8x8xf32>)
    ```
  }];
  // Types of results are inferred from operands by position, which those behind
  // a variadic one have not.
  let arguments = (ins FloatTensor:$input, FloatTensor:$conv,
                       FloatTensor:$decay, FloatTensor:$step_bias,
                       FloatTensor:$norm, FloatTensor:$output,
                       Transformer_StateType:$conv_state,
                       Transformer_StateType:$state,
                       Transformer_BatchType:$batch,
                       Variadic<FloatTensor>:$projections,
                       ConfinedAttr<I64Attr, [IntPositive]>:$key_heads,
                       F64Attr:$eps,
                       ConfinedAttr<I64Attr, [IntPositive]>:$chunk);
  let results = (outs FloatTensor:$result, Transformer_StateType:$new_conv_state,
                      Transformer_StateType:$new_state);
  let assemblyFormat = [{
    $input `projections` `(` $projections `)` `conv` `(` $conv `)`
    `gating` `(` $decay `,` $step_bias `)` `norm` `(` $norm `)`
    `output` `(` $output `)` `states` `(` $conv_state `,` $state `)`
    `of` $batch `key_heads` `(` $key_heads `)`
    `eps` `(` custom<Decimal>($eps) `)` `chunk` `(` $chunk `)` attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Sizes that the states tell; value heads per key head.
    int64_t getValueHeads() { return getState().getType().getShape()[0]; }
    int64_t getKeySize() { return getState().getType().getShape()[1]; }
    int64_t getValueSize() { return getState().getType().getShape()[2]; }
    int64_t getGroup() {
      return getValueHeads() / static_cast<int64_t>(getKeyHeads());
    }
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_LINEAR_ATTENTION
