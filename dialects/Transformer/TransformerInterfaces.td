//===- TransformerInterfaces.td - What ops of the dialect offer -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_INTERFACES
#define TENSORCAST_TRANSFORMER_INTERFACES

include "mlir/IR/OpBase.td"

def CompositeOpInterface : OpInterface<"CompositeOpInterface"> {
  let description = [{
    A composite op stands for a sequence of simpler ops. The sequence is its
    meaning: verification runs it, and a cost model may price it.
  }];
  let cppNamespace = "::mlir::transformer";
  let methods = [
    InterfaceMethod<[{
      Builds the ops that this op stands for, at the builder's insertion point.
      Returns one value per result, of the result's type but for sizes that
      only one of the two knows.
    }],
    "::llvm::SmallVector<::mlir::Value>", "decompose",
    (ins "::mlir::OpBuilder &":$builder)>,
    InterfaceMethod<[{
      Whether a framework launches this op as one kernel, so that the eager form
      keeps it whole.
    }],
    "bool", "isLaunchedWhole", (ins), /*methodBody=*/"",
    /*defaultImplementation=*/"return false;">];
}

#endif // TENSORCAST_TRANSFORMER_INTERFACES
