//===- TransformerToLinalg.cpp - What ops compute, executable -------------===//

#include "LinalgRule.h"

#include "tensorcast/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::tensorcast {
#define GEN_PASS_DEF_CONVERTTRANSFORMERTOLINALG
#include "tensorcast/Conversion/Passes.h.inc"
} // namespace mlir::tensorcast

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The workload of the step that `function` runs; null if nothing says.
static WorkloadAttr findWorkload(func::FuncOp function) {
  for (Type type : function.getArgumentTypes())
    if (auto batch = dyn_cast<BatchType>(type))
      if (batch.getWorkload())
        return batch.getWorkload();
  auto module = function->getParentOfType<ModuleOp>();
  return module->getAttrOfType<WorkloadAttr>(kWorkloadAttrName);
}

/// Rows of the rope tables of `function`: its new tokens, or where no workload
/// says how many, as many as a table is made of.
static std::optional<int64_t> countTokens(func::FuncOp function,
                                          WorkloadAttr workload) {
  if (workload)
    return workload.getRequests() * workload.getNewTokens();
  std::optional<int64_t> rows;
  function.walk([&](Operation *op) {
    if (auto pack = dyn_cast<RopePackOp>(op);
        pack && pack.getType().getPatches() == 0)
      rows = pack.getCos().getType().getDimSize(0);
    if (auto table = dyn_cast<RopeTableOp>(op))
      rows = table.getPositions().getType().getDimSize(0);
  });
  return rows;
}

namespace {
/// Types of the dialect to tensors; fails for what is not bound.
class BoundTypes : public TypeConverter {
public:
  explicit BoundTypes(func::FuncOp function) {
    WorkloadAttr workload = findWorkload(function);
    std::optional<int64_t> tokens = countTokens(function, workload);
    addConversion([](Type type) { return type; });
    addConversion([](RankedTensorType type) -> Type {
      return type.hasStaticShape() && !type.getEncoding() ? type : nullptr;
    });
    addConversion([](BatchType type, SmallVectorImpl<Type> &) {
      return success(static_cast<bool>(type.getWorkload()));
    });
    addConversion([tokens, workload](RopeTableType type) -> Type {
      std::optional<int64_t> rows = tokens;
      if (type.getPatches() != 0) {
        if (!workload || !workload.getImages())
          return nullptr;
        rows = workload.getRequests() * workload.getImages().getNumCells() *
               type.getPatches();
      }
      if (!rows)
        return nullptr;
      return RankedTensorType::get({2, *rows, type.getWidth()},
                                   type.getElementType());
    });
    addConversion([workload](StateType type) -> Type {
      if (!workload)
        return nullptr;
      SmallVector<int64_t> shape = {workload.getRequests()};
      llvm::append_range(shape, type.getShape());
      return RankedTensorType::get(shape, type.getElementType());
    });
    addConversion([workload](KVCacheType type) -> Type {
      if (!workload)
        return nullptr;
      SmallVector<int64_t> shape = {workload.getRequests(),
                                    type.getNumKept(workload.getTotalTokens())};
      llvm::append_range(shape, type.getStoredShape());
      return RankedTensorType::get(shape, type.getElementType());
    });
  }
};

//===----------------------------------------------------------------------===//
// The rule of last resort
//===----------------------------------------------------------------------===//

/// A composite op without a rule of its own means what it decomposes to.
class LowerComposite
    : public OpInterfaceConversionPattern<CompositeOpInterface> {
public:
  /// `rules` are those that go first; benefits alone do not order patterns of
  /// ops and of interfaces.
  LowerComposite(MLIRContext *context, RewritePatternSet &rules)
      : OpInterfaceConversionPattern(context) {
    for (const std::unique_ptr<RewritePattern> &rule :
         rules.getNativePatterns())
      if (std::optional<OperationName> root = rule->getRootKind())
        ruled.insert(*root);
    // What an op decomposes to may have to be decomposed in turn.
    setHasBoundedRewriteRecursion();
  }

  LogicalResult
  matchAndRewrite(CompositeOpInterface op, ArrayRef<ValueRange>,
                  ConversionPatternRewriter &rewriter) const override {
    if (ruled.contains(op->getName()))
      return rewriter.notifyMatchFailure(op, "it has a rule of its own");
    rewriter.replaceOp(op, op.decompose(rewriter));
    return success();
  }

private:
  DenseSet<OperationName> ruled;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

class ConvertTransformerToLinalgPass
    : public tensorcast::impl::ConvertTransformerToLinalgBase<
          ConvertTransformerToLinalgPass> {
public:
  using ConvertTransformerToLinalgBase::ConvertTransformerToLinalgBase;

  void runOnOperation() override {
    bool lowered = true;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration())
        lowered &= succeeded(lower(function));
    if (!lowered)
      return signalPassFailure();
    // Nothing is left that the workload could be about.
    getOperation()->removeAttr(kWorkloadAttrName);
  }

private:
  LogicalResult lower(func::FuncOp function) {
    if (!function.getBody().hasOneBlock())
      return function.emitOpError("expected one block, but got ")
             << function.getBody().getBlocks().size();
    if (WorkloadAttr workload = findWorkload(function);
        workload && workload.isMixed())
      return function.emitOpError("expected requests of one kind, but got ")
             << workload;
    BoundTypes types(function);
    if (failed(checkForm(function, types)) ||
        failed(declareArguments(function)))
      return failure();
    Signature signature = Signature::describe(function, types);
    if (failed(convert(function, types)))
      return failure();
    signature.attach(function);
    return success();
  }

  /// Reports the first op that an earlier pass should have seen to; there would
  /// be as many errors as ops.
  static LogicalResult checkForm(func::FuncOp function,
                                 const TypeConverter &types) {
    auto check = [&](Operation *op, TypeRange found) -> LogicalResult {
      SmallVector<Type> converted;
      for (Type type : found)
        if (failed(types.convertType(type, converted)))
          return op->emitOpError("expected types of known sizes, but got ")
                 << type << "; run transformer-bind-workload first";
      return success();
    };
    if (failed(check(function, function.getArgumentTypes())))
      return failure();
    WalkResult result = function.walk([&](Operation *op) {
      auto layer = dyn_cast<LayerOp>(op);
      if (layer)
        layer.emitOpError("expected no layers, but got '")
            << layer.getName() << "'; run transformer-inline-layers first";
      auto stage = dyn_cast<StageOp>(op);
      if (stage)
        stage.emitOpError("expected no stages, but got one; run "
                          "transformer-join-stages first");
      bool isValid =
          !layer && !stage &&
          (op == function || succeeded(check(op, op->getResultTypes())));
      return isValid ? WalkResult::advance() : WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult convert(func::FuncOp function, const TypeConverter &types) {
    MLIRContext *context = &getContext();
    DeclineReasons reasons;
    RuleContext rules = {types, reasons};
    RewritePatternSet patterns(context);
    populateElementwiseRules(patterns, rules);
    populateNormRules(patterns, rules);
    populateLinearRules(patterns, rules);
    populateQuantizeRules(patterns, rules);
    populateDataRules(patterns, rules);
    populateRopeRules(patterns, rules);
    populateAttentionRules(patterns, rules);
    populateContextRules(patterns, rules);
    populateRoutingRules(patterns, rules);
    populateExpertRules(patterns, rules);
    populateGroupedLinearRules(patterns, rules);
    populateCompressedRules(patterns, rules);
    populateHyperRules(patterns, rules);
    populateIndexerRules(patterns, rules);
    populateSparseRules(patterns, rules);
    populateLatentProjectionRules(patterns, rules);
    populateLatentRules(patterns, rules);
    populateLinearAttentionRules(patterns, rules);
    populateVisionRules(patterns, rules);
    populateEncoderRules(patterns, rules);
    patterns.add(std::make_unique<LowerComposite>(context, patterns));
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   types);
    populateReturnOpTypeConversionPattern(patterns, types);

    // Ops of other dialects stay as they are; so do, to be listed, those that
    // no rule lowers.
    ConversionTarget target(*context);
    target.addLegalDialect<arith::ArithDialect, linalg::LinalgDialect,
                           math::MathDialect, tensor::TensorDialect>();
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return types.isSignatureLegal(op.getFunctionType()) &&
             types.isLegal(&op.getBody());
    });
    target.addDynamicallyLegalOp<func::ReturnOp>(
        [&](func::ReturnOp op) { return types.isLegal(op); });
    DenseSet<Operation *> left;
    ConversionConfig config;
    config.unlegalizedOps = &left;
    config.buildMaterializations = false;
    if (failed(applyPartialConversion(
            function.getOperation(), target,
            FrozenRewritePatternSet(std::move(patterns)), config)))
      return failure();
    return checkLowered(function, reasons);
  }

  /// Reports every op that is still there, each with a reason.
  static LogicalResult checkLowered(func::FuncOp function,
                                    const DeclineReasons &reasons) {
    bool lowered = true;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<func::FuncOp, func::ReturnOp, UnrealizedConversionCastOp>(op) ||
          isa_and_nonnull<arith::ArithDialect, linalg::LinalgDialect,
                          math::MathDialect, tensor::TensorDialect>(
              op->getDialect()))
        return WalkResult::advance();
      lowered = false;
      if (isa<func::CallOp>(op)) {
        op->emitOpError("cannot be executed: calls are not followed; inline "
                        "them first");
        return WalkResult::skip();
      }
      auto reason = reasons.find(op);
      op->emitOpError("cannot be executed: ")
          << (reason == reasons.end() ? "no rule says what it computes"
                                      : reason->second);
      return WalkResult::skip();
    });
    return success(lowered);
  }
};
} // namespace
