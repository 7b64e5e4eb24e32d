//===- TransformerOpsSampling.td - From logits to tokens ---*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_SAMPLING
#define TENSORCAST_TRANSFORMER_OPS_SAMPLING

include "TransformerOpsBase.td"

def Transformer_SampleTokensOp : Transformer_Op<"sample_tokens", [Pure]> {
  let summary = "Picks the token that follows each request.";
  let description = [{
    `result[r] = index of the largest of logits[last row of request r, :]`

    `logits` has a row per request, or, in a step that checks drafts, one per
    new token, all of which are read; `result` is one id per request.

    ```mlir
    #requests = #transformer.dims<sequences>
    %next = transformer.sample_tokens %logits of %batch
        : tensor<?x151936xf16, #requests>, !transformer.batch -> tensor<?xi64, #requests>
    ```
  }];
  let arguments = (ins FloatTensor:$logits, Transformer_BatchType:$batch);
  let results = (outs IndicesTensor:$result);
  let assemblyFormat = [{
    $logits `of` $batch attr-dict `:` type($logits) `,` type($batch)
    `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_ShiftTokensOp : Transformer_Op<"shift_tokens", [Pure,
    AllTypesMatch<["ids", "result"]>]> {
  let summary = "Moves the tokens of each request by one.";
  let description = [{
    `result[t] = ids[t + 1]`, but `next[r]` for the last token of request `r`:
    what a layer that predicts the token after the next one is given.

    ```mlir
    %shifted = transformer.shift_tokens %ids, %next of %batch
        : tensor<?xi64, #transformer.dims<tokens>>, tensor<?xi64, #transformer.dims<sequences>>,
          !transformer.batch
    ```
  }];
  let arguments = (ins IndicesTensor:$ids, IndicesTensor:$next,
                       Transformer_BatchType:$batch);
  let results = (outs IndicesTensor:$result);
  let assemblyFormat = [{
    $ids `,` $next `of` $batch attr-dict
    `:` type($ids) `,` type($next) `,` type($batch)
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_SAMPLING
