//===- SharedCaches.cpp - Shared caches as the reference has them ---------===//
//
// The reference exchanges queries and results as devices that share a cache
// would, but runs attention by kernels that know nothing of it. Scalars that
// are multiplied by 0 and added tie the exchanges to what they are for.
//
//===----------------------------------------------------------------------===//

#include "../LatentWork.h"
#include "ReferenceWays.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/ExpertRows.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// Launches around one attention.
class SharedAttention {
public:
  SharedAttention(Operation *partial, const KernelSet &kernels)
      : partial(partial), kernels(kernels), rewriter(partial->getContext()),
        f32(rewriter.getF32Type()) {
    rewriter.setInsertionPoint(partial);
  }

  /// Of grouped queries: the kernel has the own heads and all tokens.
  void run(PartialAttentionOp op);

  /// Of latents: the kernel has the heads of all devices, the weight of the own
  /// ones, and `lengths` of the tokens that are kept, if they are found here.
  void run(PartialLatentAttentionOp op, bool findsLengths);

private:
  Value launch(StringRef kernel, Type type, ValueRange inputs) {
    FailureOr<ascend::LaunchOp> built =
        createLaunch(partial, type, kernels, rewriter,
                     {kernel, llvm::to_vector(inputs), {}, {}, {}});
    return succeeded(built) ? built->getResult(0) : inputs.front();
  }

  Value view(Value value, Type type) {
    return ascend::ViewOp::create(rewriter, value.getLoc(), TypeRange{type},
                                  value)
        .getResult(0);
  }

  /// `value` and a scalar of its type, which is what `scalar` was, times 0.
  Value tie(Value value, Value scalar) {
    Value zero = launch("mul_scalar", scalar.getType(), scalar);
    return launch("add", value.getType(), {value, zero});
  }

  RankedTensorType scalar(Type type) { return RankedTensorType::get({}, type); }

  /// The exchange of f32 results and weights of `heads` with `features` each,
  /// behind `value`.
  Value exchange(Value value, int64_t heads, int64_t features,
                 ExchangeHeadsOp op) {
    auto type = cast<RankedTensorType>(value.getType());
    Dim tokens = getDims(type)[0];
    Dim row = tokens.isStatic()
                  ? Dim(tokens.size * (features + 1))
                  : Dim(tokens.expr * static_cast<double>(features + 1));
    RankedTensorType buffer = getTensorType({Dim(heads), row}, f32);
    Value first = view(value, scalar(type.getElementType()));
    Value wide = launch("cast", scalar(f32), first);
    Value filled = view(wide, buffer);
    if (kernels.lookup("empty"))
      filled = launch("empty", buffer, {});
    filled = tie(filled, wide);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      ascend::CollectiveOp::create(
          builder, loc, ascend::CollectiveKind::AllToAll,
          getSentBytes(buffer, op.getRanks()), op.getRanks());
    };
    FailureOr<ascend::LaunchOp> sent =
        createLaunch(partial, buffer, kernels, rewriter,
                     {"exchange_heads", {filled}, {}, {}, work});
    return succeeded(sent) ? sent->getResult(0) : filled;
  }

  /// A scalar of `type` of what was exchanged.
  Value narrow(Value exchanged, Type type) {
    return launch("cast", scalar(type), view(exchanged, scalar(f32)));
  }

  Operation *partial;
  const KernelSet &kernels;
  PatternRewriter rewriter;
  Type f32;
};
} // namespace

/// The only reader of `value`, which is an `OpT`.
template <typename OpT> static OpT getReader(Value value) {
  return value.hasOneUse() ? dyn_cast<OpT>(*value.user_begin()) : OpT();
}

/// Lets a cache hold the own key heads only, and as many fewer tokens as it had
/// more of them.
static void keepOwnHeads(AppendCacheOp append) {
  auto key = append.getKey().getDefiningOp<AllGatherOp>();
  auto value = append.getValue().getDefiningOp<AllGatherOp>();
  auto cache = append.getCache().getDefiningOp<KVCacheOp>();
  if (!key || !value || !cache)
    return;
  KVCacheType type = cache.getType();
  int64_t heads = key.getInput().getType().getDimSize(1);
  int64_t share = type.getShare() * heads / type.getNumHeads();
  KVCacheType own = type.withHeads(heads).withShare(share, /*first=*/0);
  cache.getResult().setType(own);
  append.getResult().setType(own);
  append.getKeyMutable().assign(key.getInput());
  append.getValueMutable().assign(value.getInput());
  for (Operation *gather : {key.getOperation(), value.getOperation()})
    if (gather->use_empty())
      gather->erase();
}

void SharedAttention::run(PartialAttentionOp op) {
  Value query = op.getQuery();
  auto quantize = query.getDefiningOp<QuantizeOp>();
  auto gather =
      (quantize ? quantize.getInput() : query).getDefiningOp<AllGatherOp>();
  auto exchanged = getReader<ExchangeHeadsOp>(op.getResult());
  auto merge = exchanged ? getReader<MergeAttentionOp>(exchanged.getResult())
                         : MergeAttentionOp();
  if (!gather || !merge)
    return;
  RankedTensorType result = merge.getType();
  Type element = result.getElementType();
  Value own = gather.getInput();
  // What is gathered is not read.
  Value all = AllGatherOp::create(rewriter, op.getLoc(), gather.getType(), own,
                                  gather.getRanks(), gather.getDim());
  own = tie(own, view(all, scalar(element)));
  Value attention;
  if (quantize) {
    Type narrowType = withElementType(
        cast<RankedTensorType>(own.getType()),
        cast<RankedTensorType>(query.getType()).getElementType());
    own = QuantizeOp::create(rewriter, op.getLoc(), narrowType, own,
                             quantize.getScale());
    attention = QuantizedAttentionOp::create(
        rewriter, op.getLoc(), result, own, op.getCache(), op.getBatch(),
        op.getQueryScale(), op.getKeyScale(), op.getValueScale(),
        /*sink=*/Value(), /*blocks=*/Value(), op.getScaleAttr(),
        /*window=*/IntegerAttr(), /*block_size=*/IntegerAttr());
  } else {
    attention = AttentionOp::create(rewriter, op.getLoc(), own, op.getCache(),
                                    op.getBatch(), op.getScaleAttr());
  }
  int64_t heads = op.getType().getDimSize(1), size = result.getDimSize(2);
  Value sent = exchange(attention, heads, size, exchanged);
  Value tied = tie(attention, narrow(sent, element));
  merge.getResult().replaceAllUsesWith(tied);
  for (Operation *old :
       {merge.getOperation(), exchanged.getOperation(), op.getOperation(),
        quantize.getOperation(), gather.getOperation()})
    if (old && old->use_empty())
      old->erase();
}

void SharedAttention::run(PartialLatentAttentionOp op, bool findsLengths) {
  auto gather = op.getQuery().getDefiningOp<AllGatherOp>();
  auto absorb = gather ? gather.getInput().getDefiningOp<AbsorbQueryOp>()
                       : AbsorbQueryOp();
  auto exchanged = getReader<ExchangeHeadsOp>(op.getResult());
  auto merge = exchanged ? getReader<MergeAttentionOp>(exchanged.getResult())
                         : MergeAttentionOp();
  auto expand =
      merge ? getReader<ExpandValuesOp>(merge.getResult()) : ExpandValuesOp();
  if (!absorb || !expand)
    return;
  RankedTensorType own = absorb.getQuery().getType(), result = expand.getType();
  Type element = result.getElementType();
  int64_t heads = op.getType().getDimSize(1), size = result.getDimSize(2);
  auto withHeads = [&](RankedTensorType type) {
    SmallVector<Dim> dims = getDims(type);
    dims[1] = Dim(heads);
    return getTensorType(dims, type.getElementType());
  };
  Value all =
      AllGatherOp::create(rewriter, op.getLoc(), withHeads(own),
                          absorb.getQuery(), gather.getRanks(), /*dim=*/1);
  if (findsLengths) {
    ExprAttr requests =
        bind(getSequencesExpr(op.getContext()), getWorkload(op.getBatch()));
    Type lengths = getTensorType({getDim(requests)}, rewriter.getI64Type());
    Value value = view(all, lengths);
    for (StringRef kernel : {"add_scalar", "div_floor", "max_scalar"})
      value = launch(kernel, lengths, value);
  }
  Value attention = LatentAttentionOp::create(
      rewriter, op.getLoc(), withHeads(result), all, op.getCache(),
      op.getBatch(), absorb.getWeight(), /*indices=*/Value(),
      op.getScaleAttr());
  Value sent = exchange(attention, heads, size, exchanged);
  Value copy = launch("clone", result, view(attention, result));
  Value tied = tie(copy, narrow(sent, element));
  expand.getResult().replaceAllUsesWith(tied);
  for (Operation *old :
       {expand.getOperation(), merge.getOperation(), exchanged.getOperation(),
        op.getOperation(), gather.getOperation(), absorb.getOperation()})
    if (old->use_empty())
      old->erase();
}

/// The attention whose lengths serve all others: the first one of the function
/// that runs first.
static PartialLatentAttentionOp findFirstAttention(ModuleOp module) {
  SymbolTable symbols(module);
  PartialLatentAttentionOp first;
  llvm::SmallPtrSet<Operation *, 16> visited;
  auto find = [&](auto &self, func::FuncOp function) -> void {
    if (!visited.insert(function).second)
      return;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (FlatSymbolRefAttr callee = getCallee(op))
        self(self, symbols.lookup<func::FuncOp>(callee.getAttr()));
      else if (auto attention = dyn_cast<PartialLatentAttentionOp>(op))
        first = attention;
      return first ? WalkResult::interrupt() : WalkResult::advance();
    });
  };
  for (auto function : module.getOps<func::FuncOp>())
    if (!first && function.isPublic() && !function.isDeclaration())
      find(find, function);
  return first;
}

void mlir::tensorcast::exchangeInFull(ModuleOp module,
                                      const KernelSet &kernels) {
  if (!kernels.getSwitch("exchanges_beside_whole_attention"))
    return;
  module.walk([](AppendCacheOp append) { keepOwnHeads(append); });
  SmallVector<PartialAttentionOp> grouped;
  SmallVector<PartialLatentAttentionOp> latent;
  module.walk([&](PartialAttentionOp op) { grouped.push_back(op); });
  module.walk([&](PartialLatentAttentionOp op) { latent.push_back(op); });
  for (PartialAttentionOp op : grouped)
    SharedAttention(op, kernels).run(op);
  PartialLatentAttentionOp first;
  if (kernels.getSwitch("finds_lengths_once"))
    first = findFirstAttention(module);
  for (PartialLatentAttentionOp op : latent)
    SharedAttention(op, kernels).run(op, !first || op == first);
}
