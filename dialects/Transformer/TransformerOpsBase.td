//===- TransformerOpsBase.td - What all op files include ---*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_BASE
#define TENSORCAST_TRANSFORMER_OPS_BASE

include "TransformerTypes.td"
include "TransformerInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Nothing is known of other encodings, so that ops could not pass them on.
def HasOwnEncoding : CPred<
    "::llvm::isa_and_present<::mlir::transformer::DimsAttr>("
        "::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()) || "
    "!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">;
class DimsTensorOf<list<Type> elementTypes>
    : RankedTensorOf<elementTypes, [HasOwnEncoding],
                     "ranked tensor without an encoding but #transformer.dims">;

def AnyDimsTensor : DimsTensorOf<[AnyType]>;
def FloatTensor : DimsTensorOf<[AnyFloat]>;
def QuantizedTensor
    : DimsTensorOf<[I8, I<4>, F8E4M3FN, F8E5M2, F4E2M1FN]>;
def FloatOrByteTensor : DimsTensorOf<[AnyFloat, I8]>;
def GroupScaleTensor : DimsTensorOf<[F32, F8E8M0FNU]>;
def IndicesTensor : DimsTensorOf<[I64]>;
def ScaleTensor : Type<
    CPred<"$_self == ::mlir::RankedTensorType::get("
          "{}, ::mlir::Float32Type::get($_self.getContext()))">,
    "a scale (tensor<f32>)", "::mlir::RankedTensorType">,
  BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getF32Type())">;

/// An op that names memory in another way: no kernel is started for it, and
/// nothing moves.
def MovesNothing : NativeOpTrait<"MovesNothing"> {
  let cppNamespace = "::mlir::transformer";
}

/// An op that stands for simpler ones (see CompositeOpInterface).
class Transformer_CompositeOp<string mnemonic, list<Trait> traits = [],
                              list<string> methods = []>
    : Transformer_Op<mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<CompositeOpInterface, methods>], traits)>;

/// An op whose result type follows from its operands.
class Transformer_InferredOp<string mnemonic, list<Trait> traits = []>
    : Transformer_Op<mnemonic, !listconcat([Pure,
        InferTypeOpAdaptor], traits)>;

#endif // TENSORCAST_TRANSFORMER_OPS_BASE
