//===- AscendAttributes.td - Devices and costs -------------*- tablegen -*-===//

#ifndef TENSORCAST_ASCEND_ATTRIBUTES
#define TENSORCAST_ASCEND_ATTRIBUTES

include "AscendDialect.td"
include "mlir/IR/EnumAttr.td"

def Ascend_DeviceAttr : Ascend_Attr<"Device", "device"> {
  let summary = "A device profile.";
  let description = [{
    The keys of a device profile in JSON (`device_profiles/schema.json`), so
    that a test needs no file. Checked when it is parsed.

    ```mlir
    module attributes {ascend.device = #ascend.device<{
      name = "tiny", cube_ops_per_s = {f16 = 1.0e12},
      vector_ops_per_s = {f16 = 1.0e10, f32 = 5.0e9}, compute_efficiency = 0.7,
      memory_bytes = 1000000000, memory_bandwidth_bytes_per_s = 1.0e10,
      memory_efficiency = 0.6, launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0},
      interconnect = []}>} {}
    ```
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$profile);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

/// The exchanges between devices.
def Ascend_CollectiveKind : I32Enum<"CollectiveKind", "exchange between devices", [
  I32EnumCase<"AllReduce", 0, "all_reduce">,
  I32EnumCase<"AllGather", 1, "all_gather">,
  I32EnumCase<"ReduceScatter", 2, "reduce_scatter">,
  I32EnumCase<"AllToAll", 3, "all_to_all">
]> {
  let cppNamespace = "::mlir::ascend";
}

def Ascend_CostAttr : Ascend_Attr<"Cost", "cost"> {
  let summary = "What one launch costs, in seconds.";
  let description = [{
    `time` is the time of one launch. `cube`, `vector`, `memory` and
    `communication` are the times that each resource alone would take, `launch`
    is the fixed cost of the start. Terms of zero are not written.

    ```mlir
    #cost = #ascend.cost<time = 1.19e-03, cube = 1.185e-03, memory = 8.0e-05,
                         launch = 5.0e-06>
    ```
  }];
  let parameters = (ins
    "::mlir::FloatAttr":$time, "::mlir::FloatAttr":$cube,
    "::mlir::FloatAttr":$vector, "::mlir::FloatAttr":$memory,
    "::mlir::FloatAttr":$communication, "::mlir::FloatAttr":$launch);
  let builders = [AttrBuilder<(ins "double":$timeS, "double":$cubeS,
      "double":$vectorS, "double":$memoryS, "double":$communicationS,
      "double":$launchS)>];
  let hasCustomAssemblyFormat = 1;
}

#endif // TENSORCAST_ASCEND_ATTRIBUTES
