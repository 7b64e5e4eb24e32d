//===- Schedules.cpp - Programs of the transform dialect ------------------===//
//
// MLIR's own passes keep one schedule per context, look for it wherever the
// path leads, and print the whole model if there is none.
//
//===----------------------------------------------------------------------===//

#include "Schedules.h"

#include "tensorcast/CommandLine/InputModule.h"
#include "tensorcast/Dialect/Transformer/TransformOps/TransformOps.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/Passes.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {
class SchedulePass : public PassWrapper<SchedulePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SchedulePass)

  SchedulePass() = default;
  SchedulePass(const SchedulePass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "tensorcast-schedule"; }
  StringRef getDescription() const final {
    return "Run a schedule: a program of the transform dialect in a file";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<transform::TransformDialect>();
  }

  LogicalResult initialize(MLIRContext *context) final {
    llvm::SourceMgr sources;
    OwningOpRef<ModuleOp> module = readModule(file, sources, context);
    if (!module)
      return failure();
    sequence = module->lookupSymbol<transform::NamedSequenceOp>(entry);
    if (!sequence || sequence.isExternal()) {
      SmallVector<StringRef> known;
      for (auto other : module->getOps<transform::NamedSequenceOp>())
        known.push_back(other.getName());
      std::string what = known.empty()
                             ? "expected a module of named sequences, but "
                               "there are none"
                             : unknownName("sequence", entry, known);
      return emitError(module->getLoc()) << what;
    }
    if (sequence.getArgumentTypes().size() != 1)
      return emitError(sequence.getLoc())
             << "expected '" << entry << "' to have one argument, the module, "
             << "but got " << sequence.getArgumentTypes().size();
    schedule = std::make_shared<OwningOpRef<ModuleOp>>(std::move(module));
    return success();
  }

  void runOnOperation() final {
    if (failed(transform::applyTransformNamedSequence(getOperation(), sequence,
                                                      schedule->get(), {})))
      signalPassFailure();
  }

private:
  Option<std::string> file{
      *this, "file",
      llvm::cl::desc("The schedule: a module of named sequences.")};
  Option<std::string> entry{
      *this, "entry", llvm::cl::desc("The sequence that is run."),
      llvm::cl::init(
          transform::TransformDialect::kTransformEntryPointSymbolName.str())};

  std::shared_ptr<OwningOpRef<ModuleOp>> schedule;
  transform::NamedSequenceOp sequence;
};
} // namespace

void tensorcast::registerSchedules(DialectRegistry &registry) {
  transformer::registerTransformOps(registry);
  transform::registerTransformPasses();
  PassRegistration<SchedulePass>();
}
