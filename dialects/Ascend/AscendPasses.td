//===- AscendPasses.td - Passes of the ascend dialect ------*- tablegen -*-===//

#ifndef TENSORCAST_ASCEND_PASSES
#define TENSORCAST_ASCEND_PASSES

include "mlir/Pass/PassBase.td"

def AscendEstimate : Pass<"ascend-estimate", "::mlir::ModuleOp"> {
  let summary = "Attaches the cost of each launch for a device.";
  let description = [{
    Prices every `ascend.launch` by the laws of the cost model, and records
    device and cost model in the module attributes `ascend.device` and
    `ascend.cost_model`. Where the workload is not bound, launches get no cost:
    the record is all that a later report needs.

    A coefficient file gives single kernels an efficiency and a launch cost of
    their own; it is recorded in `ascend.kernel_coefficients`:

    ```json
    {"kernels": {"norm_linear": {"compute_efficiency": 0.6,
                                 "memory_efficiency": 0.7, "launch_s": 2e-6,
                                 "source": "measured"}}}
    ```

    Needs `convert-transformer-to-ascend` before it. An element type that the
    device has no rate for is dropped by the roofline of 2026.08, with a
    warning.
  }];
  let dependentDialects = ["::mlir::ascend::AscendDialect"];
  let options = [
    Option<"device", "device", "std::string", /*default=*/"\"\"",
           "Name of a device profile or path of its JSON file; the module "
           "attribute ascend.device if empty.">,
    Option<"defaultDevice", "default-device", "std::string",
           /*default=*/"\"\"",
           "Device to take where neither option nor attribute names one.">,
    Option<"costModel", "cost-model", "std::string", /*default=*/"\"\"",
           "Name of the cost model; tensorcast-2026.08 if empty.">,
    Option<"reservedMemoryGB", "reserved-memory-gb", "double",
           /*default=*/"0.0", "Device memory (GiB) kept for other uses.">,
    Option<"kernelCoefficients", "kernel-coefficients", "std::string",
           /*default=*/"\"\"",
           "JSON file that gives kernels an efficiency and launch cost of their "
           "own.">,
  ];
}

def AscendPrintCost : Pass<"ascend-print-cost", "::mlir::ModuleOp"> {
  let summary = "Says what each launch costs and why.";
  let description = [{
    Emits one remark per launch: the time to four digits, what bounds it, and
    the terms of the formula. What lit tests of costs check.

    Needs `ascend-estimate` on a bound module before it.
  }];
}

def AscendSchedule : Pass<"ascend-schedule", "::mlir::ModuleOp"> {
  let summary = "Gives launches streams, so that exchanges overlap compute.";
  let description = [{
    Gives launches slots (`#ascend.slot`): a kernel that only exchanges data
    runs on the communication stream, others on the compute stream, and a kernel
    waits for operands that come from the other stream. The order of launches
    stays, and a launch without a slot is on the compute stream. Slots depend on
    no cost, so the pass runs on bound and unbound modules; the rule is recorded
    in the module attribute `ascend.stream_rule`. A module without an exchange
    stays as it is.

    What counts as coming from the other stream, the rule says:

    - `data-flow`: whatever the operand is computed from, through views and
      across layers; what correct execution needs;
    - `direct-waits`: what one launch or view makes directly, within a layer.
      Kernels whose results the software stack has as a tuple, caches, and views
      that split a tensor (several, each of a part of it) are not seen: they
      wait for nothing, and nothing waits for them. So an exchange that only such a kernel reads is never
      waited for.
    - `direct-waits-in-place`: the same waits, but a launch that neither waits
      nor is waited for runs on the stream that is current. An exchange makes
      its stream the current one, so what follows runs behind it there; a
      kernel of the compute stream that waits for one makes that the current
      one, and so does every kernel that is waited for, which runs on the
      stream of its kind.

    The first call of a layer decides on the slots of its function, for all
    calls.

    ```mlir
    %y = ascend.launch "all_reduce"(%x) on <communication, after(0)>
        : (tensor<7x8xf16>) -> tensor<7x8xf16> {
      ascend.collective all_reduce bytes(112) over<2>
    }
    ```

    Needs `convert-transformer-to-ascend` before it.
  }];
  let dependentDialects = ["::mlir::ascend::AscendDialect"];
  let options = [
    Option<"rule", "rule", "::mlir::ascend::StreamRule",
           /*default=*/"::mlir::ascend::StreamRule::DataFlow",
           "What is waited for.", [{::llvm::cl::values(
             clEnumValN(::mlir::ascend::StreamRule::DataFlow, "data-flow",
                        "Whatever an operand is computed from."),
             clEnumValN(::mlir::ascend::StreamRule::DirectWaits, "direct-waits",
                        "What makes an operand, within a layer."),
             clEnumValN(::mlir::ascend::StreamRule::DirectWaitsInPlace,
                        "direct-waits-in-place",
                        "The same; other launches stay on the current "
                        "stream."))}]>,
    ListOption<"tuples", "tuples", "std::string",
               "Kernels with one result that the software stack has as a "
               "tuple.">,
    ListOption<"tensors", "tensors", "std::string",
               "Kernels with several results that the software stack has as "
               "one tensor.">,
    ListOption<"partReaders", "part-readers", "std::string",
               "Kernels that the software stack gives parts of their operands, "
               "which it splits before.">,
  ];
}

#endif // TENSORCAST_ASCEND_PASSES
