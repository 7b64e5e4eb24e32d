//===- TransformerOpsPipeline.td - Stages of a pipeline ----*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_PIPELINE
#define TENSORCAST_TRANSFORMER_OPS_PIPELINE

include "TransformerOpsBase.td"
include "mlir/IR/SymbolInterfaces.td"

//===----------------------------------------------------------------------===//
// Stages and what goes from one to the next
//===----------------------------------------------------------------------===//

def Transformer_StageOp : Transformer_Op<"stage",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs one stage of the model's pipeline.";
  let description = [{
    `results = callee(operands)`, on devices of the stage's own: stages are
    numbered in the order of their calls, and each begins when the one before it
    and the transfers between them have ended. Weights and caches keep their
    names; a weight that two stages declare is there twice.

    Operand and result types are those of the function.

    ```mlir
    func.func private @stage_0(tensor<2x8xf16>) -> tensor<2x8xf16>
    func.func private @stage_1(tensor<2x8xf16>) -> tensor<2x8xf16>
    func.func @main(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
      %0 = transformer.stage @stage_0(%x) : (tensor<2x8xf16>) -> tensor<2x8xf16>
      %1 = transformer.send_receive %0 from(0) to(8) : tensor<2x8xf16>
      %2 = transformer.stage @stage_1(%1) : (tensor<2x8xf16>) -> tensor<2x8xf16>
      return %2 : tensor<2x8xf16>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = [{
    $callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)
  }];
}

def Transformer_SendReceiveOp : Transformer_Op<"send_receive", [Pure,
    SameOperandsAndResultType]> {
  let summary = "Moves a tensor from one device to another.";
  let description = [{
    `result on device to = input on device from`. The devices are numbered as in
    the whole plan, and are those of the stages whose neighbours in their
    tensor-parallel groups do the same.

    ```mlir
    %received = transformer.send_receive %x from(0) to(8) : tensor<7x5120xf16>
    ```
  }];
  let arguments = (ins AnyDimsTensor:$input,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$from,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$to);
  let results = (outs AnyDimsTensor:$result);
  let assemblyFormat = [{
    $input `from` `(` $from `)` `to` `(` $to `)` attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_PIPELINE
