//===- TransformerDialect.td - The transformer dialect -----*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_DIALECT
#define TENSORCAST_TRANSFORMER_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Transformer_Dialect : Dialect {
  let name = "transformer";
  let summary = "Transformer models as a serving stack sees them.";
  let description = [{
    A model is a module of functions: one per kind of layer, called once per
    layer. *Composite* ops are what a model's author would name, or what one
    kernel does at once; each can be decomposed into *primitive* ops, which a
    framework launches one by one. Importers build composites, fusion wins them
    back.

    Tokens of all requests are packed: a hidden state is
    `tensor<?x5120xf16, #tokens>`, whose encoding says in expressions over the
    batch what each `?` is.
  }];
  let cppNamespace = "::mlir::transformer";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

class Transformer_Op<string mnemonic, list<Trait> traits = []>
    : Op<Transformer_Dialect, mnemonic, traits>;

class Transformer_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Transformer_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Transformer_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Transformer_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

#endif // TENSORCAST_TRANSFORMER_DIALECT
