//===- AscendDialect.td - The ascend dialect ---------------*- tablegen -*-===//

#ifndef TENSORCAST_ASCEND_DIALECT
#define TENSORCAST_ASCEND_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Ascend_Dialect : Dialect {
  let name = "ascend";
  let summary = "Kernels of an Ascend NPU and what they cost.";
  let description = [{
    `ascend.launch` is one kernel start with the traffic of its operands and
    results; the *work* ops in its body say what it computes, by dimensions and
    operations, in expressions over the batch. A cost model turns this
    description into time. Nothing in the dialect depends on a cost model or a
    device: both are attributes of the module.
  }];
  let cppNamespace = "::mlir::ascend";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::transformer::TransformerDialect"];
  let hasOperationAttrVerify = 1;
}

class Ascend_Op<string mnemonic, list<Trait> traits = []>
    : Op<Ascend_Dialect, mnemonic, traits>;

class Ascend_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Ascend_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

#endif // TENSORCAST_ASCEND_DIALECT
