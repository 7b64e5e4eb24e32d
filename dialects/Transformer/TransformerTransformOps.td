//===- TransformerTransformOps.td - Ops for schedules ------*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_TRANSFORM_OPS
#define TENSORCAST_TRANSFORMER_TRANSFORM_OPS

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Transformer_MatchLayersOp : Op<Transform_Dialect, "transformer.match_layers", [
    DeclareOpInterfaceMethods<TransformOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    ReportTrackingListenerFailuresOpTrait]> {
  let summary = "Finds the functions of layers by their names.";
  let description = [{
    Yields the functions that the layers called `layers` (with wildcards) run, in
    the order of the model, each once; and the rest, which is the other functions
    of the module with a body, those that call layers included. A function that
    other layers run as well is copied first, as `transformer-specialize-layers`
    does, but once for all of the layers. That there is no such layer is an error.

    ```mlir
    %layer, %rest = transform.transformer.match_layers "model.layers.3" in %module
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    ```
  }];
  let arguments = (ins StrAttr:$layers, TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$functions,
                      TransformHandleTypeInterface:$rest);
  let assemblyFormat = [{
    $layers `in` $target attr-dict `:` functional-type($target, results)
  }];
}

#endif // TENSORCAST_TRANSFORMER_TRANSFORM_OPS
