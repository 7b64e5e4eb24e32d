//===- PrintCost.cpp - Say what each launch costs and why -----------------===//

#include "tensorcast/CostModel/CostModel.h"
#include "tensorcast/Dialect/Ascend/Transforms/Passes.h"
#include "tensorcast/Support/Numbers.h"

namespace mlir::ascend {
#define GEN_PASS_DEF_ASCENDPRINTCOST
#include "tensorcast/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace mlir::ascend

using namespace mlir;
using namespace mlir::ascend;
using namespace mlir::tensorcast;

namespace {
class AscendPrintCostPass
    : public ascend::impl::AscendPrintCostBase<AscendPrintCostPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](LaunchOp launch) {
      return failed(print(launch)) ? WalkResult::interrupt()
                                   : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  static LogicalResult print(LaunchOp launch) {
    CostAttr cost = launch.getCostAttr();
    if (!cost)
      return launch.emitOpError("expected a cost; run ascend-estimate on a "
                                "bound module first");
    CostTerms terms = getTerms(cost);
    InFlightDiagnostic remark = launch.emitRemark();
    remark << launch.getKernel() << " takes " << formatTime(terms.totalS)
           << ", bound by " << stringifyBound(getBound(terms));
    StringRef separator = ": ";
    auto add = [&](StringRef name, double seconds) {
      if (seconds == 0)
        return;
      remark << separator << name << " " << formatTime(seconds);
      separator = ", ";
    };
    add("cube", terms.cubeS);
    add("vector", terms.vectorS);
    add("memory", terms.memoryS);
    add("communication", terms.communicationS);
    add("launch", terms.launchS);
    return success();
  }
};
} // namespace
