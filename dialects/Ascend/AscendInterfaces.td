//===- AscendInterfaces.td - What work ops offer -----------*- tablegen -*-===//

#ifndef TENSORCAST_ASCEND_INTERFACES
#define TENSORCAST_ASCEND_INTERFACES

include "mlir/IR/OpBase.td"

def WorkOpInterface : OpInterface<"WorkOpInterface"> {
  let description = [{
    A work op says what a kernel computes. The laws of a cost model need its
    operations and bytes; both are expressions over the batch.
  }];
  let cppNamespace = "::mlir::ascend";
  let methods = [InterfaceMethod<[{
      Adds the operations of this op, and the traffic that does not follow from
      the launch's operands and results, to `total`.
    }],
    "void", "addWork", (ins "::mlir::ascend::WorkTotal &":$total)>,
    InterfaceMethod<[{
      Multiplies the operations and bytes of this op by `factor`.
    }],
    "void", "scale", (ins "::mlir::transformer::ExprAttr":$factor)>];
}

#endif // TENSORCAST_ASCEND_INTERFACES
