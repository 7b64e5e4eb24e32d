//===- TransformerOpsDistribution.td - Exchange between devices -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_DISTRIBUTION
#define TENSORCAST_TRANSFORMER_OPS_DISTRIBUTION

include "TransformerOpsBase.td"

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

def Transformer_AllReduceOp : Transformer_Op<"all_reduce", [Pure,
    SameOperandsAndResultType]> {
  let summary = "Sums a tensor over devices.";
  let description = [{
    `result = sum over ranks r of input(r)`, on every rank.

    ```mlir
    %sum = transformer.all_reduce %x over<8> : tensor<7x5120xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, Transformer_RanksAttr:$ranks);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$input `over` $ranks attr-dict `:` type($input)";
}

class Transformer_ResizingOp<string mnemonic, list<Trait> traits = []>
    : Transformer_Op<mnemonic, !listconcat([Pure], traits)> {
  let arguments = (ins AnyDimsTensor:$input, Transformer_RanksAttr:$ranks,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dim);
  let results = (outs AnyDimsTensor:$result);
  let assemblyFormat = [{
    $input `over` $ranks `dim` `(` $dim `)` attr-dict
    `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_AllGatherOp : Transformer_ResizingOp<"all_gather"> {
  let summary = "Joins the parts that devices have.";
  let description = [{
    `result = concatenation of input(r) over ranks r` at dimension `dim`, on
    every rank. Where parts are padded, `result` may be narrower than all parts
    together.

    ```mlir
    %all = transformer.all_gather %x over<8> dim(1)
        : tensor<7x640xf16> to tensor<7x5120xf16>
    ```
  }];
}

def Transformer_ReduceScatterOp : Transformer_ResizingOp<"reduce_scatter"> {
  let summary = "Sums a tensor over devices and leaves each a part.";
  let description = [{
    `result(r) = part r of sum over ranks of input` at dimension `dim`.

    ```mlir
    %part = transformer.reduce_scatter %x over<8> dim(0)
        : tensor<64x5120xf16> to tensor<8x5120xf16>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// The part of a device
//===----------------------------------------------------------------------===//

def Transformer_OwnRowsOp : Transformer_ResizingOp<"own_rows", [MovesNothing]> {
  let summary = "Sees the rows of a tensor that belong to this device.";
  let description = [{
    `result(r) = part r of input` at dimension `dim` (0: tokens), without moving
    data.

    ```mlir
    %mine = transformer.own_rows %x over<8> dim(0)
        : tensor<64x5120xf16> to tensor<8x5120xf16>
    ```
  }];
}

def Transformer_OwnFeaturesOp : Transformer_ResizingOp<"own_features"> {
  let summary = "Copies the features of a tensor that belong to this device.";
  let description = [{
    `result(r) = part r of input` at dimension `dim`, laid out anew for a row
    split of the layer behind it.

    ```mlir
    %mine = transformer.own_features %x over<8> dim(1)
        : tensor<64x5120xf16> to tensor<64x640xf16>
    ```
  }];
}

#endif // TENSORCAST_TRANSFORMER_OPS_DISTRIBUTION
