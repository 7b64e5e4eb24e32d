//===- TransformerOpsStructure.td - Layers, weights, caches -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_STRUCTURE
#define TENSORCAST_TRANSFORMER_OPS_STRUCTURE

include "TransformerOpsBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

//===----------------------------------------------------------------------===//
// Layers and what belongs to them
//===----------------------------------------------------------------------===//

def Transformer_LayerOp : Transformer_Op<"layer",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs one layer of the model.";
  let description = [{
    `results = callee(operands)`, with weights and a cache of the call's own:
    64 calls of one function are 64 layers. `name` is the layer's place in the
    model, and the prefix of the names of its weights: calls of one name run the
    same layer, with the same weights, again.

    Operand and result types are those of the function.

    ```mlir
    func.func private @decoder_layer(tensor<2x8xf16>) -> tensor<2x8xf16>
    func.func @main(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
      %0 = transformer.layer @decoder_layer(%x) name("model.layers.0")
          : (tensor<2x8xf16>) -> tensor<2x8xf16>
      return %0 : tensor<2x8xf16>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, StrAttr:$name,
                       Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `name` `(` $name `)` attr-dict
    `:` functional-type($inputs, $outputs)
  }];
}

def Transformer_WeightOp : Transformer_Op<"weight", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Declares a weight of the layer or model.";
  let description = [{
    The result is the weight called `name` within the enclosing layer, of static
    shape. Every call of the layer has its own. `sharding` says how it may be
    split over devices; without it every device holds all of it.

    ```mlir
    %w = transformer.weight "self_attn.q_proj.weight"
        sharding<column, tensor, unit = 128> : tensor<8192x5120xf16>
    ```
  }];
  let arguments = (ins StrAttr:$name,
                       OptionalAttr<Transformer_ShardingAttr>:$sharding);
  let results = (outs AnyDimsTensor:$result);
  let assemblyFormat = [{
    $name (`sharding` $sharding^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_KVCacheOp : Transformer_Op<"kv_cache", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Declares the KV cache of an attention.";
  let description = [{
    The result is the cache called `name` within the enclosing layer, as the
    step finds it. Every call of the layer has its own. Reports count the memory
    of one that is `auxiliary` with the activations, not as KV cache. Of each
    request, `spare` slots are kept for tokens to come; 1 if it is left out.

    With `window`, it has slots for so many tokens of each request, however long
    that is; with `ratio`, a slot stands for so many tokens.

    ```mlir
    %cache = transformer.kv_cache "self_attn"
        : !transformer.kv_cache<2x8x128xf16, block_size = 128>
    %window = transformer.kv_cache "self_attn.window" window(128)
        : !transformer.kv_cache<512xf16, block_size = 128>
    %rows = transformer.kv_cache "self_attn.compressed" ratio(4)
        : !transformer.kv_cache<512xf16, block_size = 128>
    ```
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$auxiliary,
      OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$spare,
      OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$window,
      OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<2>]>>:$ratio);
  let results = (outs Transformer_KVCacheType:$result);
  let assemblyFormat = [{
    $name (`auxiliary` $auxiliary^)? (`spare` `(` $spare^ `)`)?
    (`window` `(` $window^ `)`)? (`ratio` `(` $ratio^ `)`)? attr-dict
    `:` type($result)
  }];
}

#endif // TENSORCAST_TRANSFORMER_OPS_STRUCTURE
