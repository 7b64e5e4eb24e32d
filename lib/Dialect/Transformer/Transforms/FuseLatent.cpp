//===- FuseLatent.cpp - What comes before latent attention ----------------===//

#include "Rotation.h"

using namespace mlir;
using namespace mlir::transformer;

/// The op that alone reads `value`, if it is of this kind.
template <typename OpT> static OpT getReader(Value value) {
  return value.hasOneUse() ? dyn_cast<OpT>(*value.user_begin()) : OpT();
}

/// Whether a layer is a product and nothing else.
static bool isPlain(LinearOp linear) {
  return linear && !linear.getBias() && !linear.getAllReduce();
}

namespace {
/// Queries by way of a latent: down, norm, up, rotation of the last features.
struct LatentQuery {
  LinearOp down, up;
  RMSNormOp norm;
  ReshapeOp heads;
  /// The rotated heads.
  Value result;

  static std::optional<LatentQuery> match(LinearOp down, RopeOp key) {
    LatentQuery query;
    query.down = down;
    query.norm = getReader<RMSNormOp>(down);
    if (!isPlain(down) || !query.norm)
      return std::nullopt;
    for (Operation *user : query.norm->getUsers()) {
      query.up = dyn_cast<LinearOp>(user);
      if (!isPlain(query.up))
        continue;
      query.heads = getReader<ReshapeOp>(query.up);
      if (query.heads && query.heads.getType().getRank() == 3 &&
          query.matchRotation(key))
        return query;
    }
    return std::nullopt;
  }

private:
  bool matchRotation(RopeOp key) {
    int64_t width = key.getTable().getType().getWidth();
    int64_t rest = heads.getType().getShape().back() - width;
    if (rest == 0) {
      auto rope = getReader<RopeOp>(heads);
      result = rope;
      return rope && isLike(rope.getTable(), rope.getStyle(), key);
    }
    if (!llvm::hasNItems(heads->getUses(), 2))
      return false;
    for (Operation *user : heads->getUsers()) {
      auto concat = user->hasOneUse() ? dyn_cast<ConcatOp>(*user->user_begin())
                                      : ConcatOp();
      if (!concat || !isSlice(concat.getLhs(), heads, 0, rest))
        continue;
      result = concat;
      Value rotated = concat.getRhs();
      if (auto rope = rotated.getDefiningOp<RopeOp>())
        return isSlice(rope.getInput(), heads, rest, width) &&
               isLike(rope.getTable(), rope.getStyle(), key);
      std::optional<Rotation> rotation = Rotation::match(rotated);
      return rotation && isSlice(rotation->input, heads, rest, width) &&
             isLike(rotation->parts.getTable(), rotation->style, key);
    }
    return false;
  }

  static bool isLike(Value table, RopeStyle style, RopeOp key) {
    return table == key.getTable() && style == key.getStyle();
  }
};

/// The rotated key in its cached form, and all beside it ->
/// latent_projection.
struct FuseLatentProjection : FusionPattern<ReshapeOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(ReshapeOp flat,
                                PatternRewriter &rewriter) const override {
    auto rope = flat.getInput().getDefiningOp<RopeOp>();
    auto heads =
        rope ? rope.getInput().getDefiningOp<ReshapeOp>() : ReshapeOp();
    auto key = heads ? heads.getInput().getDefiningOp<SliceOp>() : SliceOp();
    auto both = key ? key.getInput().getDefiningOp<LinearOp>() : LinearOp();
    RMSNormOp norm = both ? findNorm(both, key.getOffset()) : RMSNormOp();
    int64_t width = key ? key.getSize() : 0;
    if (!norm || !isPlain(both) || flat.getType().getRank() != 2 ||
        rope.getTable().getType().getWidth() != width)
      return rewriter.notifyMatchFailure(flat, "not a key beside a latent");
    auto miss = [&](StringRef reason) {
      return missed(flat, rewriter, reason);
    };
    if (!rope->hasOneUse() || !heads->hasOneUse() || !key->hasOneUse() ||
        !llvm::hasNItems(both->getUses(), 2))
      return miss("what the key is made of has another reader");
    std::optional<LatentQuery> query;
    for (Operation *user : both.getInput().getUsers())
      if (auto down = dyn_cast<LinearOp>(user); down && down != both && !query)
        query = LatentQuery::match(down, rope);
    if (!query)
      return miss("no queries of the same input are rotated alike");
    if (query->norm.getEps() != norm.getEps() || query->norm.getWideWeight() ||
        norm.getWideWeight())
      return miss("the norms of queries and latents differ");
    Operation *first = query->down->getBlock() != both->getBlock() ||
                               both->isBeforeInBlock(query->down)
                           ? both
                           : query->down;
    Value operands[] = {both.getInput(),         rope.getTable(),
                        query->down.getWeight(), query->norm.getWeight(),
                        query->up.getWeight(),   both.getWeight(),
                        norm.getWeight()};
    for (Value operand : operands)
      if (Operation *op = operand.getDefiningOp();
          op && op->getBlock() == first->getBlock() &&
          !op->isBeforeInBlock(first))
        return miss("a weight is declared behind the first layer");
    if (query->down->getBlock() != both->getBlock() ||
        flat->getBlock() != both->getBlock())
      return miss("the pieces are in several blocks");
    if (failed(announce(flat, rewriter)))
      return failure();
    rewriter.setInsertionPoint(first);
    auto fused = LatentProjectionOp::create(
        rewriter, first->getLoc(), query->result.getType(), norm.getType(),
        flat.getType(), query->norm.getType(), operands[0], operands[1],
        operands[2], operands[3], operands[4], operands[5], operands[6],
        rewriter.getI64IntegerAttr(query->heads.getType().getShape().back()),
        norm.getEpsAttr(), rope.getStyle());
    rewriter.replaceAllUsesWith(query->result, fused.getQuery());
    rewriter.replaceAllUsesWith(norm, fused.getLatent());
    rewriter.replaceAllUsesWith(query->norm, fused.getQueryLatent());
    rewriter.replaceOp(flat, fused.getRopeKey());
    return success();
  }

private:
  /// The norm of the first `rank` features of `both`, and of nothing else.
  static RMSNormOp findNorm(LinearOp both, int64_t rank) {
    for (Operation *user : both->getUsers())
      if (user->getNumResults() == 1 &&
          isSlice(user->getResult(0), both, 0, rank))
        if (auto norm = getReader<RMSNormOp>(user->getResult(0)))
          return norm;
    return {};
  }
};
} // namespace

void mlir::transformer::populateFuseLatent(RewritePatternSet &patterns,
                                           FusionSwitch fusion) {
  addFusions<FuseLatentProjection>(patterns, fusion);
}
