//===- TokenSplit.cpp - Which tokens may be split over devices ------------===//

#include "SequenceParallel.h"
#include "Sharding.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::transformer;

/// Says why a module is left as it is.
static std::nullopt_t miss(Location loc, StringRef reason,
                           StringRef suggestion = "") {
  auto missed = remark::missed(
      loc, remark::RemarkOpts::name("split").category("sequence-parallel"));
  missed << "tokens not split" << remark::reason("{0}", reason);
  if (!suggestion.empty())
    missed << remark::suggest("{0}", suggestion);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Values and ops
//===----------------------------------------------------------------------===//

/// Hidden states are tokens by features; heads have a dimension more.
static bool isHidden(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 2;
}

RankedTensorType TokenSplit::getOwnType(RankedTensorType type) const {
  return withDim(type, 0, divideDim(getDims(type)[0], count));
}

bool TokenSplit::isRowwise(Operation *op) {
  return isa<AddLayerNormOp, AddOp, AddRMSNormOp, LayerNormOp, RMSNormOp>(op) &&
         isHidden(op->getResult(0));
}

/// Whether all readers are row-wise ops that read `value` token by token.
static bool hasRowwiseReaders(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUses(), [](OpOperand &use) {
           Operation *reader = use.getOwner();
           return TokenSplit::isRowwise(reader) &&
                  use.get().getType() == reader->getResult(0).getType();
         });
}

bool TokenSplit::isScatterable(Value value) const {
  auto sum = value.getDefiningOp<AllReduceOp>();
  if (!sum || !isGroup(sum.getRanks()) || !isHidden(value))
    return false;
  return llvm::all_of(value.getUsers(), [&](Operation *reader) {
    return isRowwise(reader) || isa<LayerOp>(reader);
  });
}

Value TokenSplit::getGatheredRows(Value value) const {
  auto gather = value.getDefiningOp<AllGatherOp>();
  if (!gather || gather.getDim() != 0 || !isGroup(gather.getRanks()) ||
      !isHidden(value) ||
      gather.getInput().getType() != getOwnType(gather.getType()))
    return {};
  return gather.getInput();
}

bool TokenSplit::hasScatterableSum(func::FuncOp function) const {
  return function
      .walk([&](Operation *op) {
        bool found =
            isRowwise(op) &&
            llvm::any_of(op->getOperands(), [&](Value operand) {
              return isScatterable(operand) || getGatheredRows(operand);
            });
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool TokenSplit::isStreamArgument(BlockArgument argument) {
  return isHidden(argument) && hasRowwiseReaders(argument);
}

bool TokenSplit::mayRetype(func::FuncOp function) const {
  if (!function.isPrivate())
    return false;
  auto uses = SymbolTable::getSymbolUses(function,
                                         function->getParentOfType<ModuleOp>());
  return uses && llvm::all_of(*uses, [](SymbolTable::SymbolUse use) {
           return isa<LayerOp>(use.getUser());
         });
}

//===----------------------------------------------------------------------===//
// What stands in the way
//===----------------------------------------------------------------------===//

namespace {
/// Looks for reasons against splitting the tokens of a module.
class ObstacleFinder {
public:
  ObstacleFinder(ModuleOp module, const TokenSplit &split)
      : module(module), split(split), symbols(module) {}

  /// An op that cannot work on a share of the tokens, and why.
  std::optional<std::pair<Operation *, StringRef>> find() {
    return find(module);
  }
  std::optional<std::pair<Operation *, StringRef>> find(Operation *root) {
    std::optional<std::pair<Operation *, StringRef>> found;
    root->walk([&](Operation *op) {
      if (StringRef reason = getReason(op); !reason.empty()) {
        found = {op, reason};
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return found;
  }

  /// The norm that runs first, and its inputs as its caller names them.
  struct FirstNorm {
    Operation *norm = nullptr;
    SmallVector<Value, 2> inputs;
  };
  FirstNorm findFirstNorm() {
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isDeclaration())
        if (FirstNorm first = findFirstNorm(function); first.norm)
          return first;
    return {};
  }

private:
  StringRef getReason(Operation *op) {
    // Nor may they call each other in a circle.
    auto calls = [&](FlatSymbolRefAttr callee, auto isCall) {
      return symbols.lookup(callee.getAttr())
          ->walk([&](Operation *inner) {
            return isCall(inner) ? WalkResult::interrupt()
                                 : WalkResult::advance();
          })
          .wasInterrupted();
    };
    if (isa<LayerOp>(op) && calls(getCallee(op), getCallee))
      return "a layer calls layers";
    if (isa<StageOp>(op) && calls(getCallee(op), llvm::IsaPred<StageOp>))
      return "a stage runs stages";
    if (isa<RMSNormQuantizeOp, AddRMSNormQuantizeOp>(op) &&
        isHidden(op->getOperand(0)))
      return "a norm is fused with a quantization, which has a scale for all "
             "tokens";
    RanksAttr summed;
    if (auto linear = dyn_cast<LinearOp>(op))
      summed = linear.getAllReduceAttr();
    if (auto linear = dyn_cast<QuantizedLinearOp>(op))
      summed = linear.getAllReduceAttr();
    if (summed && split.isGroup(summed))
      return "a sum over devices is fused into the layer in front of it";
    if (auto function = dyn_cast<func::FuncOp>(op);
        function && function.getBody().getBlocks().size() > 1)
      return "a function has more than one block";
    return "";
  }

  FirstNorm findFirstNorm(func::FuncOp function) {
    // Where there was none before, as in a circle of calls, there is none.
    if (!visited.insert(function).second)
      return {};
    for (Operation &op : function.getBody().front()) {
      if (auto norm = dyn_cast<RMSNormOp>(op);
          norm && isHidden(norm.getInput()))
        return {&op, {norm.getInput()}};
      if (auto norm = dyn_cast<AddRMSNormOp>(op);
          norm && isHidden(norm.getLhs()))
        return {&op, {norm.getLhs(), norm.getRhs()}};
      FlatSymbolRefAttr symbol = getCallee(&op);
      if (!symbol)
        continue;
      auto callee = symbols.lookup<func::FuncOp>(symbol.getAttr());
      // Patches of images are no tokens.
      if (callee.isDeclaration() || callee->hasAttr(kTowerAttrName))
        continue;
      FirstNorm first = findFirstNorm(callee);
      for (Value &input : first.inputs)
        if (auto argument = dyn_cast<BlockArgument>(input))
          input = op.getOperand(argument.getArgNumber());
      if (first.norm)
        return first;
    }
    return {};
  }

  ModuleOp module;
  const TokenSplit &split;
  SymbolTable symbols;
  llvm::SmallPtrSet<Operation *, 8> visited;
};
} // namespace

/// Splits the tokens of the first norm evenly; none if that cannot be.
static std::optional<ExprAttr> getEvenness(Value input, int64_t count) {
  Dim rows = getDims(getTensor(input))[0];
  if (rows.isStatic())
    return rows.size % count == 0 ? std::optional(ExprAttr()) : std::nullopt;
  if (!rows.expr)
    return std::nullopt;
  MLIRContext *context = rows.expr.getContext();
  ExprAttr rest = getFunctionExpr(
      ExprKind::Mod,
      {rows.expr, ExprAttr::constant(context, static_cast<double>(count))});
  return getFunctionExpr(ExprKind::Equal,
                         {rest, ExprAttr::constant(context, 0)});
}

/// Whether a sum over devices is right in front of a norm of `function`.
static bool hasSumBeforeNorm(func::FuncOp function, const TokenSplit &split) {
  return llvm::any_of(function.getOps<AddRMSNormOp>(), [&](AddRMSNormOp norm) {
    return split.isScatterable(norm.getLhs()) ||
           split.isScatterable(norm.getRhs());
  });
}

static bool routesByLogits(ModuleOp module) {
  return module
      .walk([](SelectExpertsOp op) {
        return op.getGatingKernel() ? WalkResult::interrupt()
                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

std::optional<TokenSplit> TokenSplit::find(ModuleOp module,
                                           const SplitRules &rules) {
  auto plan = module->getAttrOfType<PlanAttr>(kPlanAttrName);
  if (!plan || plan.getTensorParallel() == 1)
    return miss(module.getLoc(), "no devices share the layers",
                "transformer-shard with tp above 1");
  TokenSplit split;
  split.count = plan.getTensorParallel();
  ObstacleFinder finder(module, split);
  ObstacleFinder::FirstNorm first = finder.findFirstNorm();
  bool isAfterSum = llvm::any_of(
      first.inputs, [&](Value input) { return split.isScatterable(input); });
  bool isAfterLogits =
      rules.onlyAfterSum && !isAfterSum && routesByLogits(module);
  bool isAnySplit = !isAfterLogits;
  if (isAfterLogits) {
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.isPrivate() || function.isDeclaration())
        continue;
      if (!finder.find(function) && hasSumBeforeNorm(function, split))
        isAnySplit = true;
      else
        split.whole.insert(function);
    }
  } else if (auto obstacle = finder.find()) {
    return miss(obstacle->first->getLoc(), obstacle->second);
  }
  if (!first.norm)
    return miss(module.getLoc(), "no norm works on hidden states");
  if (rules.onlyAfterSum) {
    if ((!isAfterSum && !isAfterLogits) || !isAnySplit)
      return miss(first.norm->getLoc(),
                  "no sum over devices is in front of the first norm",
                  "word-embedding-tp=row");
    if (plan.getOutput() || plan.getMlp() || plan.getHead())
      return miss(module.getLoc(),
                  "groups of another size exchange tokens between the norms");
  }
  if (rules.onlyEvenTokens) {
    std::optional<ExprAttr> evenness =
        getEvenness(first.inputs.front(), split.count);
    // An unbound module may be for the other tokens.
    bool isUneven =
        !evenness || (*evenness && isAssumed(module, *evenness) == false);
    if (isUneven)
      return miss(
          first.norm->getLoc(),
          llvm::formatv("{0} devices do not divide {1} tokens", split.count,
                        toString(getDims(getTensor(first.inputs.front()))[0]))
              .str());
    split.assumed = *evenness;
  }
  return split;
}
