//===- GuardedFunctions.cpp - What guarded patterns call ------------------===//

#include "Natives.h"
#include "RewriteRun.h"
#include "tensorcast/Patterns/FusionRegion.h"

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

using namespace mlir;
using namespace mlir::tensorcast;

static LocationAttr getPlace(ArrayRef<PDLValue> args) {
  return cast<LocationAttr>(args.front().cast<Attribute>());
}

static StringRef getText(PDLValue value) {
  return cast<StringAttr>(value.cast<Attribute>()).getValue();
}

/// Values and ranges of values, one after the other.
static SmallVector<Value> getValues(ArrayRef<PDLValue> args) {
  SmallVector<Value> values;
  for (PDLValue arg : args) {
    if (arg.getKind() == PDLValue::Kind::ValueRange) {
      if (arg)
        llvm::append_range(values, arg.cast<ValueRange>());
    } else if (arg.getKind() == PDLValue::Kind::Operation) {
      if (arg)
        llvm::append_range(values, arg.cast<Operation *>()->getResults());
    } else {
      values.push_back(arg.cast<Value>());
    }
  }
  return values;
}

/// Arguments: place, name of the op, names of its attributes; then attributes,
/// operands and result types in any number; an op stands for its result types.
static Operation *createOp(PatternRewriter &rewriter, ArrayRef<PDLValue> args) {
  RewriteRun &run = RewriteRun::get();
  MLIRContext *context = rewriter.getContext();
  OperationState state(rewriter.getUnknownLoc(), getText(args[1]));
  if (rewriter.getInsertionPoint() != rewriter.getInsertionBlock()->end())
    state.location = rewriter.getInsertionPoint()->getLoc();
  auto names = cast<ArrayAttr>(args[2].cast<Attribute>());
  size_t numAttrs = 0;
  SmallVector<int32_t> operandSizes;
  for (PDLValue arg : args.drop_front(3)) {
    switch (arg.getKind()) {
    case PDLValue::Kind::Attribute:
      if (Attribute value = arg.cast<Attribute>())
        state.addAttribute(cast<StringAttr>(names[numAttrs]), value);
      ++numAttrs;
      break;
    case PDLValue::Kind::Value:
      state.operands.push_back(arg.cast<Value>());
      operandSizes.push_back(1);
      break;
    case PDLValue::Kind::ValueRange: {
      SmallVector<Value> values = getValues(arg);
      llvm::append_range(state.operands, values);
      operandSizes.push_back(static_cast<int32_t>(values.size()));
      break;
    }
    case PDLValue::Kind::Type:
      state.types.push_back(arg.cast<Type>());
      break;
    case PDLValue::Kind::TypeRange:
      if (arg)
        llvm::append_range(state.types, arg.cast<TypeRange>());
      break;
    case PDLValue::Kind::Operation:
      llvm::append_range(state.types,
                         arg.cast<Operation *>()->getResultTypes());
      break;
    }
  }
  if (state.name.hasTrait<OpTrait::AttrSizedOperandSegments>())
    state.addAttribute("operandSegmentSizes",
                       DenseI32ArrayAttr::get(context, operandSizes));
  return run.create(getPlace(args), rewriter, state);
}

void mlir::tensorcast::registerNatives(PDLPatternModule &patterns) {
  using Args = ArrayRef<PDLValue>;
  for (const Constraint &constraint : getConstraints())
    patterns.registerConstraintFunction(
        constraint.name, [function = constraint.function](
                             PatternRewriter &, PDLResultList &, Args args) {
          return failure(function(args).has_value());
        });
  patterns.registerConstraintFunction(guarded::kMayMatch, [](PatternRewriter &,
                                                             PDLResultList &,
                                                             Args args) {
    Operation *root = args.front().cast<Operation *>();
    const RewriteRun &run = RewriteRun::get();
    return failure(run.hasFailed() || run.isDisabled(getText(args[1])) ||
                   isa_and_nonnull<transformer::FusedOp>(root->getParentOp()));
  });
  patterns.registerConstraintFunction(
      guarded::kFusable, [](PatternRewriter &, PDLResultList &, Args args) {
        SmallVector<Operation *> ops = llvm::map_to_vector(
            args, [](PDLValue arg) { return arg.cast<Operation *>(); });
        FusionRegion region;
        return failure(findFusionRegion(ops, region).has_value());
      });

  auto add = [&](StringRef name, auto function) {
    patterns.registerRewriteFunction(name, [function](PatternRewriter &rewriter,
                                                      PDLResultList &results,
                                                      Args args) {
      function(rewriter, results, args);
      return success();
    });
  };
  add(guarded::kBegin, [](PatternRewriter &, PDLResultList &, Args args) {
    RewriteRun::get().begin(getPlace(args), getText(args[1]),
                            args[2].cast<Operation *>());
  });
  add(guarded::kEnd, [](PatternRewriter &rewriter, PDLResultList &, Args args) {
    RewriteRun::get().end(getPlace(args), rewriter);
  });
  add(guarded::kCreate,
      [](PatternRewriter &rewriter, PDLResultList &results, Args args) {
        results.push_back(createOp(rewriter, args));
      });
  add(guarded::kReplace,
      [](PatternRewriter &rewriter, PDLResultList &, Args args) {
        RewriteRun::get().replace(getPlace(args), rewriter,
                                  args[1].cast<Operation *>(),
                                  getValues(args.drop_front(2)));
      });
  add(guarded::kErase, [](PatternRewriter &, PDLResultList &, Args args) {
    RewriteRun::get().erase(getPlace(args), args[1].cast<Operation *>());
  });
  add(guarded::kFuse,
      [](PatternRewriter &rewriter, PDLResultList &results, Args args) {
        SmallVector<Value> values = RewriteRun::get().fuse(
            getPlace(args), rewriter, getText(args[1]), getValues(args[2]));
        results.push_back(ValueRange(values));
      });
}
