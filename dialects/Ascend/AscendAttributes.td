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

/// The queues of a device, each of which runs its kernels one after another.
def Ascend_Stream : I32Enum<"Stream", "queue of kernels", [
  I32EnumCase<"Compute", 0, "compute">,
  I32EnumCase<"Communication", 1, "communication">
]> {
  let cppNamespace = "::mlir::ascend";
}

def Ascend_SlotAttr : Ascend_Attr<"Slot", "slot"> {
  let summary = "The stream a kernel runs on, and what it waits for.";
  let description = [{
    A kernel starts when the kernel before it on its stream has ended and the
    operands numbered under `after` are ready: their kernels have ended,
    whatever their streams. Nothing else is waited for. Without a slot, a kernel
    runs on the compute stream and waits for no other.

    ```mlir
    #slot = #ascend.slot<communication, after(0)>
    ```
  }];
  let parameters = (ins EnumParameter<Ascend_Stream>:$stream,
                        OptionalArrayRefParameter<"int64_t">:$waits);
  let assemblyFormat = "`<` $stream (`,` `after` `(` $waits^ `)`)? `>`";
  let genVerifyDecl = 1;
}

/// What `ascend-schedule` takes for a dependence between streams.
def Ascend_StreamRule : I32Enum<"StreamRule", "rule of streams", [
  I32EnumCase<"DataFlow", 0, "data_flow">,
  I32EnumCase<"DirectWaits", 1, "direct_waits">,
  I32EnumCase<"DirectWaitsInPlace", 2, "direct_waits_in_place">
]> {
  let cppNamespace = "::mlir::ascend";
}

def Ascend_StreamRuleAttr
    : EnumAttr<Ascend_Dialect, Ascend_StreamRule, "stream_rule"> {
  let summary = "The rule by which the launches of a module have slots.";
  let description = [{
    The rules are those of `ascend-schedule`.

    ```mlir
    module attributes {ascend.stream_rule = #ascend.stream_rule<data_flow>} {}
    ```
  }];
  let assemblyFormat = "`<` $value `>`";
}

#endif // TENSORCAST_ASCEND_ATTRIBUTES
