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

#endif // TENSORCAST_ASCEND_PASSES
