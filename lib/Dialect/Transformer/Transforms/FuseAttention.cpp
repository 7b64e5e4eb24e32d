//===- FuseAttention.cpp - Rotary embeddings from their pieces ------------===//

#include "Fusion.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERFUSEATTENTION
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

/// The range of `input` that `value` sees, if it is a slice.
static bool isSlice(Value value, Value input, int64_t offset, int64_t size) {
  auto slice = value.getDefiningOp<SliceOp>();
  return slice && slice.getInput() == input &&
         static_cast<int64_t>(slice.getOffset()) == offset &&
         static_cast<int64_t>(slice.getSize()) == size;
}

namespace {
/// Two lookups that make a table -> rope_table.
struct RaiseRopeTable : FusionPattern<RopePackOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(RopePackOp pack,
                                PatternRewriter &rewriter) const override {
    auto cos = pack.getCos().getDefiningOp<GatherOp>();
    auto sin = pack.getSin().getDefiningOp<GatherOp>();
    if (!cos || !sin || cos.getIndices() != sin.getIndices() ||
        cos.getTable().getType() != sin.getTable().getType() ||
        cos.getFirstRow() || sin.getFirstRow())
      return missed(pack, rewriter, "rope-table",
                    "cosines and sines are not looked up alike");
    passed(pack, "rope-table");
    rewriter.replaceOpWithNewOp<RopeTableOp>(
        pack, pack.getType(), cos.getIndices(), cos.getTable(), sin.getTable());
    return success();
  }
};

/// What a rotation is made of.
struct Rotation {
  Value input;
  RopePartsOp parts;

  /// x * cos + concat(-x[r/2:], x[:r/2]) * sin, operands in either order.
  static std::optional<Rotation> match(AddOp add) {
    for (bool swap : {false, true}) {
      auto cosine = (swap ? add.getRhs() : add.getLhs()).getDefiningOp<MulOp>();
      auto sine = (swap ? add.getLhs() : add.getRhs()).getDefiningOp<MulOp>();
      if (!cosine || !sine)
        return std::nullopt;
      for (Value factor : {cosine.getLhs(), cosine.getRhs()}) {
        auto parts = factor.getDefiningOp<RopePartsOp>();
        if (!parts || parts.getCos() != factor)
          continue;
        Value input =
            factor == cosine.getLhs() ? cosine.getRhs() : cosine.getLhs();
        if (isRotatedHalf(sine, input, parts))
          return Rotation{input, parts};
      }
    }
    return std::nullopt;
  }

private:
  static bool isRotatedHalf(MulOp sine, Value input, RopePartsOp parts) {
    Value half =
        sine.getLhs() == parts.getSin() ? sine.getRhs() : sine.getLhs();
    if (sine.getLhs() != parts.getSin() && sine.getRhs() != parts.getSin())
      return false;
    auto concat = half.getDefiningOp<ConcatOp>();
    auto negated = concat ? concat.getLhs().getDefiningOp<NegOp>() : NegOp();
    int64_t size = parts.getTable().getType().getWidth() / 2;
    return negated && isSlice(negated.getInput(), input, size, size) &&
           isSlice(concat.getRhs(), input, 0, size);
  }
};

/// The rotation of whole heads -> rope.
struct RaiseRope : FusionPattern<AddOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(AddOp add,
                                PatternRewriter &rewriter) const override {
    std::optional<Rotation> rotation = Rotation::match(add);
    if (!rotation)
      return rewriter.notifyMatchFailure(add, "not a rotation");
    auto type = cast<RankedTensorType>(rotation->input.getType());
    if (type != add.getType() || type.getRank() != 3)
      return missed(add, rewriter, "rope", "the table is not one per token");
    if (auto slice = rotation->input.getDefiningOp<SliceOp>();
        slice && add->hasOneUse() && isa<ConcatOp>(*add->user_begin()))
      return rewriter.notifyMatchFailure(add, "part of a partial rotation");
    passed(add, "rope");
    rewriter.replaceOpWithNewOp<RopeOp>(add, type, rotation->input,
                                        rotation->parts.getTable());
    return success();
  }
};

/// A rotation of the first features of each head, and the rest -> rope.
struct RaisePartialRope : FusionPattern<ConcatOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(ConcatOp concat,
                                PatternRewriter &rewriter) const override {
    auto add = concat.getLhs().getDefiningOp<AddOp>();
    std::optional<Rotation> rotation =
        add ? Rotation::match(add) : std::nullopt;
    auto slice =
        rotation ? rotation->input.getDefiningOp<SliceOp>() : SliceOp();
    if (!slice)
      return rewriter.notifyMatchFailure(concat, "not a partial rotation");
    Value input = slice.getInput();
    int64_t width = rotation->parts.getTable().getType().getWidth();
    int64_t features =
        cast<RankedTensorType>(input.getType()).getShape().back();
    if (!isSlice(rotation->input, input, 0, width) ||
        !isSlice(concat.getRhs(), input, width, features - width))
      return missed(concat, rewriter, "rope",
                    "what passes is not the rest of the rotated heads");
    passed(concat, "rope");
    rewriter.replaceOpWithNewOp<RopeOp>(concat, concat.getType(), input,
                                        rotation->parts.getTable());
    return success();
  }
};

/// The rotations of queries and keys -> rope_pair.
struct PairRopes : FusionPattern<RopeOp> {
  PairRopes(MLIRContext *context, StringRef category, bool onlyFullWidth)
      : FusionPattern(context, category), onlyFullWidth(onlyFullWidth) {}

  LogicalResult matchAndRewrite(RopeOp key,
                                PatternRewriter &rewriter) const override {
    if (onlyFullWidth &&
        key.getType().getShape().back() != key.getTable().getType().getWidth())
      return missed(key, rewriter, "rope-pair",
                    "the kernel rotates whole heads only");
    // Queries come first.
    RopeOp query;
    for (Operation *user : key.getTable().getUsers()) {
      auto other = dyn_cast<RopeOp>(user);
      if (other && other != key && other->getBlock() == key->getBlock() &&
          other->isBeforeInBlock(key) &&
          (!query || query->isBeforeInBlock(other)))
        query = other;
    }
    if (!query)
      return rewriter.notifyMatchFailure(key, "no rotation of the same table "
                                              "before it");
    for (Operation *user : query->getUsers()) {
      Operation *ancestor = key->getBlock()->findAncestorOpInBlock(*user);
      if (!ancestor || ancestor == key || ancestor->isBeforeInBlock(key))
        return missed(key, rewriter, "rope-pair",
                      "the rotated queries are used before the keys are there");
    }
    passed(key, "rope-pair");
    auto pair = RopePairOp::create(rewriter, key.getLoc(), query.getType(),
                                   key.getType(), query.getInput(),
                                   key.getInput(), key.getTable());
    rewriter.replaceOp(query, pair.getRotatedQuery());
    rewriter.replaceOp(key, pair.getRotatedKey());
    return success();
  }

private:
  bool onlyFullWidth;
};

class TransformerFuseAttentionPass
    : public FusionPass<TransformerFuseAttentionPass,
                        transformer::impl::TransformerFuseAttentionBase<
                            TransformerFuseAttentionPass>> {
public:
  using FusionPass::FusionPass;

  void addPatterns(RewritePatternSet &set) {
    if (rope)
      set.add<RaiseRopeTable, RaiseRope>(set.getContext(), "fuse-attention");
    if (rope && !onlyFullWidth)
      set.add<RaisePartialRope>(set.getContext(), "fuse-attention");
    if (ropePair)
      set.add<PairRopes>(set.getContext(), "fuse-attention", onlyFullWidth);
  }
};
} // namespace
