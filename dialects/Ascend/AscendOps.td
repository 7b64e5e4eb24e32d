//===- AscendOps.td - Launches and the work they do --------*- tablegen -*-===//

#ifndef TENSORCAST_ASCEND_OPS
#define TENSORCAST_ASCEND_OPS

include "AscendAttributes.td"
include "AscendInterfaces.td"
include "Transformer/TransformerTypes.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

def Ascend_LaunchOp : Ascend_Op<"launch", [AttrSizedOperandSegments,
    IsolatedFromAbove, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "Starts one kernel.";
  let description = [{
    `cost = fixed cost of the start + time of the work and of the traffic`

    The kernel reads `inputs` and writes the results, each once and whole, at
    the size at which they are stored. Operands under `using` are in device
    memory, and what is read of them the work ops say: the rows of a table, the
    cached tokens. The body lists what is computed; a kernel without a body only
    moves its operands.

    `times` is how often the kernel is started (1 if absent; 0 where a batch
    does not need it). `from` names the part of the model, `as` what the
    reference simulator calls the operator. `cost` is attached by
    `ascend-estimate`, and `on`, the stream and what the kernel waits for, by
    `ascend-schedule`.

    ```mlir
    %y = ascend.launch "matmul"(%x, %w) from("model.layers.*.self_attn.q_proj")
        : (tensor<7x5120xf16>, tensor<8192x5120xf16>) -> tensor<7x8192xf16>
        { ascend.matmul m(7) n(8192) k(5120) : f16 }
    ```
  }];
  let arguments = (ins StrAttr:$kernel, Variadic<AnyType>:$inputs,
                       Variadic<AnyType>:$resident,
                       OptionalAttr<Transformer_ExprAttr>:$count,
                       OptionalAttr<StrAttr>:$provenance,
                       OptionalAttr<StrAttr>:$reference_name,
                       OptionalAttr<Ascend_CostAttr>:$cost,
                       OptionalAttr<Ascend_SlotAttr>:$slot);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region MaxSizedRegion<1>:$work);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` (`using` `(` $resident^ `)`)?
    (`times` `(` custom<Expr>($count)^ `)`)? (`from` `(` $provenance^ `)`)?
    (`as` `(` $reference_name^ `)`)? (`on` $slot^)? (`cost` $cost^)? attr-dict
    `:` functional-type(operands, $outputs) `` custom<Work>($work)
  }];
  let hasVerifier = 1;
  // Launches are made without a slot.
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$outputs,
      "::mlir::StringAttr":$kernel, "::mlir::ValueRange":$inputs,
      "::mlir::ValueRange":$resident, "::mlir::transformer::ExprAttr":$count,
      "::mlir::StringAttr":$provenance, "::mlir::StringAttr":$referenceName,
      "CostAttr":$cost), [{
    build($_builder, $_state, outputs, kernel, inputs, resident, count,
          provenance, referenceName, cost, SlotAttr());
  }]>];
  let extraClassDeclaration = [{
    /// How often the kernel is started.
    transformer::ExprAttr getCountExpr();
    /// Operations and bytes of one start.
    WorkTotal getWorkTotal();
  }];
}

def Ascend_ViewOp : Ascend_Op<"view", [Pure]> {
  let summary = "Sees device memory as other tensors.";
  let description = [{
    The results name parts of the operands' memory; nothing is started and
    nothing moves. A view with a slot (`on`) is a place on a stream: what waits
    for it waits for the kernels before it, and those behind it wait for what it
    waits for.

    ```mlir
    %heads = ascend.view %q : (tensor<7x8192xf16>) -> tensor<7x64x128xf16>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs,
                       OptionalAttr<Ascend_SlotAttr>:$slot);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = [{
    $inputs (`on` $slot^)? attr-dict `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Work: one op per law
//===----------------------------------------------------------------------===//

class Ascend_WorkOp<string mnemonic>
    : Ascend_Op<mnemonic, [ParentOneOf<["LaunchOp"]>,
        DeclareOpInterfaceMethods<WorkOpInterface>]>;

def Ascend_MatmulOp : Ascend_WorkOp<"matmul"> {
  let summary = "A matrix product on the cube cores.";
  let description = [{
    `2 * m * n * k` operations of the element type: `m x k` by `k x n`.

    ```mlir
    ascend.launch "matmul"() : () -> () {
      ascend.matmul m(7000) n(8192) k(5120) : i8
    }
    ```
  }];
  let arguments = (ins Transformer_ExprAttr:$m, Transformer_ExprAttr:$n,
                       Transformer_ExprAttr:$k, TypeAttr:$elementType);
  let assemblyFormat = [{
    `m` `(` custom<Expr>($m) `)` `n` `(` custom<Expr>($n) `)`
    `k` `(` custom<Expr>($k) `)` attr-dict `:` $elementType
  }];
}

def Ascend_AttentionOp : Ascend_WorkOp<"attention"> {
  let summary = "Scores, softmax and the weighted sum over cached tokens.";
  let description = [{
    With `P` pairs of a query token and a token it may attend to:
    `2 * P * heads * (key_size + value_size)` cube operations of the element
    type, and `softmax * P * heads` vector operations. Of the cache,
    `rows` tokens of `kv_heads * (key_size + value_size)` elements are read, and
    `metadata` bytes of lengths and block tables. The types are those of the
    products, of the cache and of the softmax.

    ```mlir
    ascend.launch "attention"() : () -> () {
      ascend.attention pairs(sum(q * kv)) heads(64) key_size(128)
          value_size(128) softmax(4) rows(sum(kv)) kv_heads(8)
          metadata(8 + 24 * sequences) : f16, f16, f16
    }
    ```
  }];
  let arguments = (ins Transformer_ExprAttr:$pairs, I64Attr:$heads,
                       I64Attr:$key_size, I64Attr:$value_size,
                       Transformer_ExprAttr:$softmax,
                       Transformer_ExprAttr:$rows, I64Attr:$kv_heads,
                       Transformer_ExprAttr:$metadata,
                       TypeAttr:$elementType, TypeAttr:$cacheType,
                       TypeAttr:$softmaxType);
  let assemblyFormat = [{
    `pairs` `(` custom<Expr>($pairs) `)` `heads` `(` $heads `)`
    `key_size` `(` $key_size `)` `value_size` `(` $value_size `)`
    `softmax` `(` custom<Expr>($softmax) `)`
    `rows` `(` custom<Expr>($rows) `)` `kv_heads` `(` $kv_heads `)`
    `metadata` `(` custom<Expr>($metadata) `)` attr-dict
    `:` $elementType `,` $cacheType `,` $softmaxType
  }];
  let hasVerifier = 1;
}

def Ascend_ElementwiseOp : Ascend_WorkOp<"elementwise"> {
  let summary = "Vector operations on each element.";
  let description = [{
    `operations * elements` vector operations of the element type.

    ```mlir
    ascend.launch "add_bias"() : () -> () {
      ascend.elementwise elements(8192 * tokens) operations(1) : f16
    }
    ```
  }];
  let arguments = (ins Transformer_ExprAttr:$elements,
                       Transformer_ExprAttr:$operations, TypeAttr:$elementType);
  let assemblyFormat = [{
    `elements` `(` custom<Expr>($elements) `)`
    `operations` `(` custom<Expr>($operations) `)` attr-dict `:` $elementType
  }];
}

def Ascend_GatherOp : Ascend_WorkOp<"gather"> {
  let summary = "Reads rows of a table that stays in device memory.";
  let description = [{
    `rows * row_bytes` bytes are read, and `index` bytes of indices beside the
    launch's operands.

    ```mlir
    ascend.launch "gather"() : () -> () {
      ascend.gather rows(tokens) row_bytes(10240) index(0)
    }
    ```
  }];
  let arguments = (ins Transformer_ExprAttr:$rows,
                       Transformer_ExprAttr:$row_bytes,
                       Transformer_ExprAttr:$index);
  let assemblyFormat = [{
    `rows` `(` custom<Expr>($rows) `)`
    `row_bytes` `(` custom<Expr>($row_bytes) `)`
    `index` `(` custom<Expr>($index) `)` attr-dict
  }];
}

def Ascend_ScatterOp : Ascend_WorkOp<"scatter"> {
  let summary = "Writes rows to a table that stays in device memory.";
  let description = [{
    `rows * row_bytes` bytes are written, and `index` bytes of slots read.

    ```mlir
    ascend.launch "append_cache"() : () -> () {
      ascend.scatter rows(tokens) row_bytes(4096) index(8 * tokens)
    }
    ```
  }];
  let arguments = (ins Transformer_ExprAttr:$rows,
                       Transformer_ExprAttr:$row_bytes,
                       Transformer_ExprAttr:$index);
  let assemblyFormat = [{
    `rows` `(` custom<Expr>($rows) `)`
    `row_bytes` `(` custom<Expr>($row_bytes) `)`
    `index` `(` custom<Expr>($index) `)` attr-dict
  }];
}

def Ascend_CollectiveOp : Ascend_WorkOp<"collective"> {
  let summary = "An exchange between devices.";
  let description = [{
    The device sends a tensor of `bytes` to the other `ranks`, in the way of the
    collective; a cost model knows the steps and the links. For `all_to_all`,
    `bytes` is the larger of what it sends to others and receives from them.

    An exchange overlaps with the other work of its kernel. One that is `serial`
    comes before or after that work, which there must be: its time is added, and
    it has a start of its own in place of the kernel's.

    ```mlir
    ascend.launch "all_reduce"() : () -> () {
      ascend.collective all_reduce bytes(10240 * tokens) over<8>
    }
    ascend.launch "dispatch_ffn_combine"() : () -> () {
      ascend.matmul m(128) n(1536) k(2048) : i8
      ascend.collective all_to_all bytes(229376) over<8> serial
    }
    ```
  }];
  let arguments = (ins EnumProp<Ascend_CollectiveKind>:$kind,
                       Transformer_ExprAttr:$bytes,
                       Transformer_RanksAttr:$ranks, UnitAttr:$serial);
  let assemblyFormat = [{
    $kind `bytes` `(` custom<Expr>($bytes) `)` `over` $ranks (`serial` $serial^)?
    attr-dict
  }];
}

def Ascend_SendReceiveOp : Ascend_WorkOp<"send_receive"> {
  let summary = "A transfer from one device to another.";
  let description = [{
    Device `from` sends a tensor of `bytes` to device `to`, over one link of the
    level at which the two differ.

    ```mlir
    ascend.launch "send_receive"() : () -> () {
      ascend.send_receive bytes(10240 * tokens) from(0) to(8)
    }
    ```
  }];
  let arguments = (ins Transformer_ExprAttr:$bytes,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$from,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$to);
  let assemblyFormat = [{
    `bytes` `(` custom<Expr>($bytes) `)` `from` `(` $from `)` `to` `(` $to `)`
    attr-dict
  }];
  let hasVerifier = 1;
}

def Ascend_ExtraStartsOp : Ascend_WorkOp<"extra_starts"> {
  let summary = "Fixed costs of steps within a kernel.";
  let description = [{
    Beside its own start, the kernel has `count` steps that each cost as much.

    ```mlir
    ascend.launch "latent_projection"() : () -> () {
      ascend.extra_starts count(15)
    }
    ```
  }];
  let arguments = (ins Transformer_ExprAttr:$count);
  let assemblyFormat = "`count` `(` custom<Expr>($count) `)` attr-dict";
}

#endif // TENSORCAST_ASCEND_OPS
