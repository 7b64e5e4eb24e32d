//===- TransformerOpsPrimitive.td - What a framework launches -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_PRIMITIVE
#define TENSORCAST_TRANSFORMER_OPS_PRIMITIVE

include "TransformerOpsBase.td"

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

class Transformer_BinaryOp<string mnemonic, string verb, string formula,
                           list<Trait> traits = []>
    : Transformer_InferredOp<mnemonic, traits> {
  let summary = verb # " two tensors elementwise.";
  let description = "`result = " # formula # [{`

    Shapes are aligned at the last dimension; a missing dimension or one of
    size 1 is repeated. Of two element types the result has the wider one.

    ```mlir
    %r = transformer.}] # mnemonic # [{ %x, %y
        : tensor<7x64x128xf16>, tensor<7x1x128xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$lhs, FloatTensor:$rhs);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}

def Transformer_AddOp
    : Transformer_BinaryOp<"add", "Adds", "lhs + rhs", [Commutative]>;
def Transformer_SubOp
    : Transformer_BinaryOp<"sub", "Subtracts", "lhs - rhs">;
def Transformer_MulOp
    : Transformer_BinaryOp<"mul", "Multiplies", "lhs * rhs", [Commutative]>;
def Transformer_DivOp
    : Transformer_BinaryOp<"div", "Divides", "lhs / rhs">;

class Transformer_ScalarOp<string mnemonic, string verb, string formula>
    : Transformer_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let summary = verb # " a constant.";
  let description = "`result = " # formula # [{`

    ```mlir
    %r = transformer.}] # mnemonic # [{ %x, 1.0e-6 : tensor<7x1xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$input, F64Attr:$value);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` custom<Decimal>($value) attr-dict `:` type($input)
  }];
}

def Transformer_AddScalarOp
    : Transformer_ScalarOp<"add_scalar", "Adds", "input + value">;
def Transformer_MulScalarOp
    : Transformer_ScalarOp<"mul_scalar", "Multiplies by", "input * value">;

def Transformer_MaxScalarOp
    : Transformer_ScalarOp<"max_scalar", "Limits from below by",
                           "max(input, value)">;
def Transformer_MinScalarOp
    : Transformer_ScalarOp<"min_scalar", "Limits from above by",
                           "min(input, value)">;

def Transformer_PowOp : Transformer_Op<"pow", [Pure,
    SameOperandsAndResultType]> {
  let summary = "Raises to a constant power.";
  let description = [{
    `result = input ^ exponent`

    ```mlir
    %r = transformer.pow %x exponent(2.0) : tensor<7x5120xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$input, F64Attr:$exponent);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `exponent` `(` custom<Decimal>($exponent) `)` attr-dict
    `:` type($input)
  }];
}

class Transformer_UnaryOp<string mnemonic, string verb, string formula>
    : Transformer_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let summary = verb;
  let description = "`result = " # formula # [{`

    ```mlir
    %r = transformer.}] # mnemonic # [{ %x : tensor<7x64xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Transformer_NegOp : Transformer_UnaryOp<"neg", "Negates.", "-input">;
def Transformer_SqrtOp : Transformer_UnaryOp<"sqrt",
    "Takes the square root.", "sqrt(input)">;
def Transformer_RsqrtOp : Transformer_UnaryOp<"rsqrt",
    "Takes the inverse square root.", "1 / sqrt(input)">;
def Transformer_SiluOp : Transformer_UnaryOp<"silu",
    "Applies the sigmoid-weighted linear unit.", "input / (1 + exp(-input))">;

def Transformer_ExpOp : Transformer_UnaryOp<"exp", "Exponentiates.",
    "exp(input)">;
def Transformer_SigmoidOp : Transformer_UnaryOp<"sigmoid",
    "Applies the logistic function.", "1 / (1 + exp(-input))">;
def Transformer_TanhOp : Transformer_UnaryOp<"tanh",
    "Takes the hyperbolic tangent.", "tanh(input)">;
def Transformer_ErfOp : Transformer_UnaryOp<"erf",
    "Takes the error function.",
    "2 / sqrt(pi) * integral of exp(-t^2) from 0 to input">;

def Transformer_CosOp
    : Transformer_UnaryOp<"cos", "Takes the cosine.", "cos(input)">;
def Transformer_SinOp
    : Transformer_UnaryOp<"sin", "Takes the sine.", "sin(input)">;

def Transformer_CastOp : Transformer_Op<"cast", [Pure]> {
  let summary = "Converts to another float type.";
  let description = [{
    `result = input`, rounded to the element type of `result`.

    ```mlir
    %r = transformer.cast %x : tensor<7x5120xf16> to tensor<7x5120xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$input);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Contraction and reduction
//===----------------------------------------------------------------------===//

def Transformer_MatmulOp : Transformer_InferredOp<"matmul"> {
  let summary = "Multiplies two matrices.";
  let description = [{
    `result[m, n] = sum_k lhs[m, k] * rhs[k, n] (+ bias[n])`, or `rhs[n, k]` if
    `transposed`

    ```mlir
    %r = transformer.matmul %x, %w transposed
        : tensor<7x5120xf16>, tensor<8192x5120xf16>
    %s = transformer.matmul %x, %w transposed bias(%b : tensor<8192xf16>)
        : tensor<7x5120xf16>, tensor<8192x5120xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$lhs, FloatTensor:$rhs,
                       Optional<FloatTensor>:$bias, UnitAttr:$transposed);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transposed` $transposed^)?
    (`bias` `(` $bias^ `:` type($bias) `)`)? attr-dict
    `:` type($lhs) `,` type($rhs)
  }];
}

def Transformer_MeanOp : Transformer_InferredOp<"mean"> {
  let summary = "Takes the mean of each row.";
  let description = [{
    `result[.., 0] = mean_i(input[.., i])`; the last dimension becomes 1.

    ```mlir
    %r = transformer.mean %x : tensor<7x5120xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$input);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

class Transformer_ReduceOp<string mnemonic, string verb, string formula>
    : Transformer_InferredOp<mnemonic> {
  let summary = verb # " along one dimension.";
  let description = "`result[.., 0, ..] = " # formula # [{(input[.., :, ..])`; the
    dimension becomes 1.

    ```mlir
    %r = transformer.}] # mnemonic # [{ %x dim(1) : tensor<7x8x2048xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dim);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$input `dim` `(` $dim `)` attr-dict `:` type($input)";
}

def Transformer_SumOp : Transformer_ReduceOp<"sum", "Adds", "sum">;
def Transformer_MaxOp
    : Transformer_ReduceOp<"max", "Finds the largest element", "max">;

//===----------------------------------------------------------------------===//
// Moving data, and seeing it in another shape
//===----------------------------------------------------------------------===//

def Transformer_GatherOp : Transformer_InferredOp<"gather"> {
  let summary = "Picks rows of a table.";
  let description = [{
    `result[t, :] = table[indices[t], :]`

    `table` is `V x H`, `indices` is `T`, `result` is `T x H`. Only the rows in
    use are read. `first_row` is for a part of a table, as in
    `transformer.embedding`.

    ```mlir
    %r = transformer.gather %table, %positions
        : tensor<40960x128xf16>, tensor<7xi64>
    ```
  }];
  let arguments = (ins FloatTensor:$table, IndicesTensor:$indices,
      OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$first_row);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $table `,` $indices (`first_row` `(` $first_row^ `)`)? attr-dict
    `:` type($table) `,` type($indices)
  }];
}

def Transformer_ConcatOp : Transformer_InferredOp<"concat"> {
  let summary = "Joins two tensors at the last dimension.";
  let description = [{
    `result[..] = lhs[..] ++ rhs[..]`; the other dimensions are equal.

    ```mlir
    %r = transformer.concat %x, %y
        : tensor<7x64x64xf16>, tensor<7x64x64xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$lhs, FloatTensor:$rhs);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}

def Transformer_SliceOp : Transformer_InferredOp<"slice", [MovesNothing]> {
  let summary = "Sees a range of the last dimension.";
  let description = [{
    `result[.., i] = input[.., offset + i]` for `i` below `size`, without
    moving data.

    ```mlir
    %r = transformer.slice %x offset(64) size(64) : tensor<7x64x128xf16>
    ```
  }];
  let arguments = (ins AnyDimsTensor:$input,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$offset,
      ConfinedAttr<I64Attr, [IntPositive]>:$size);
  let results = (outs AnyDimsTensor:$result);
  let assemblyFormat = [{
    $input `offset` `(` $offset `)` `size` `(` $size `)` attr-dict
    `:` type($input)
  }];
}

def Transformer_ReshapeOp : Transformer_Op<"reshape", [Pure, MovesNothing]> {
  let summary = "Sees a tensor in another shape.";
  let description = [{
    `result` has the elements of `input` in row-major order, without moving
    data.

    ```mlir
    %r = transformer.reshape %x : tensor<7x8192xf16> to tensor<7x64x128xf16>
    ```
  }];
  let arguments = (ins AnyDimsTensor:$input);
  let results = (outs AnyDimsTensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_PRIMITIVE
