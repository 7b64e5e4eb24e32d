//===- FuseAttention.cpp - Attention from its pieces ----------------------===//

#include "DotProduct.h"
#include "LinearAttentionPatterns.h"
#include "Proposal.h"
#include "Rotation.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERFUSEATTENTION
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

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
      return missed(pack, rewriter,
                    "cosines and sines are not looked up alike");
    if (failed(announce(pack, rewriter)))
      return failure();
    rewriter.replaceOpWithNewOp<RopeTableOp>(
        pack, pack.getType(), cos.getIndices(), cos.getTable(), sin.getTable());
    return success();
  }
};

/// Why a rotation stays if only kernels in the type of the heads are there.
constexpr StringLiteral kIsWide =
    "the kernel rotates in the type of the heads only";

/// The rotation of whole heads -> rope.
template <typename RootOp> struct RaiseRope : FusionPattern<RootOp> {
  RaiseRope(MLIRContext *context, bool onlyEqualTypes)
      : FusionPattern<RootOp>(context), onlyEqualTypes(onlyEqualTypes) {}

  LogicalResult matchAndRewrite(RootOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Rotation> rotation = Rotation::match(op);
    if (!rotation)
      return rewriter.notifyMatchFailure(op, "not a rotation");
    auto type = cast<RankedTensorType>(rotation->input.getType());
    if (type != op.getType() || type.getRank() != 3)
      return this->missed(op, rewriter, "the table is not one per token");
    if (rotation->input.template getDefiningOp<SliceOp>() && op->hasOneUse() &&
        isa<ConcatOp>(*op->user_begin()))
      return rewriter.notifyMatchFailure(op, "part of a partial rotation");
    if (onlyEqualTypes && rotation->isWide())
      return this->missed(op, rewriter, kIsWide);
    if (failed(this->announce(op, rewriter)))
      return failure();
    rewriter.replaceOpWithNewOp<RopeOp>(
        op, type, rotation->input, rotation->parts.getTable(), rotation->style);
    return success();
  }

private:
  bool onlyEqualTypes;
};

/// A rotation between conversions to the type of its table and back -> rope.
struct FuseRopeCasts : FusionPattern<CastOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto rope = op.getInput().getDefiningOp<RopeOp>();
    auto widened = rope ? rope.getInput().getDefiningOp<CastOp>() : CastOp();
    if (!widened || widened.getInput().getType() != op.getType() ||
        op.getType().getElementTypeBitWidth() != 16 ||
        !rope.getTable().getType().getElementType().isF32())
      return rewriter.notifyMatchFailure(
          op, "no rotation in f32 between conversions");
    if (!rope->hasOneUse())
      return missed(op, rewriter, "the rotation is read in f32 as well");
    if (failed(announce(op, rewriter)))
      return failure();
    rewriter.replaceOpWithNewOp<RopeOp>(op, op.getType(), widened.getInput(),
                                        rope.getTable(), rope.getStyle());
    return success();
  }
};

/// A rotation of the first features of each head, and the rest -> rope.
struct RaisePartialRope : FusionPattern<ConcatOp> {
  RaisePartialRope(MLIRContext *context, bool onlyEqualTypes)
      : FusionPattern(context), onlyEqualTypes(onlyEqualTypes) {}

  LogicalResult matchAndRewrite(ConcatOp concat,
                                PatternRewriter &rewriter) const override {
    std::optional<Rotation> rotation = Rotation::match(concat.getLhs());
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
      return missed(concat, rewriter,
                    "what passes is not the rest of the rotated heads");
    if (onlyEqualTypes && rotation->isWide())
      return missed(concat, rewriter, kIsWide);
    if (failed(announce(concat, rewriter)))
      return failure();
    rewriter.replaceOpWithNewOp<RopeOp>(concat, concat.getType(), input,
                                        rotation->parts.getTable(),
                                        rotation->style);
    return success();
  }

private:
  bool onlyEqualTypes;
};

/// The rotation of both halves of each head by one table of half the width ->
/// rope.
template <typename RootOp> struct RaiseHalfTableRope : FusionPattern<RootOp> {
  using FusionPattern<RootOp>::FusionPattern;

  LogicalResult matchAndRewrite(RootOp root,
                                PatternRewriter &rewriter) const override {
    ConcatOp concat = getConcat(root);
    auto first =
        concat ? concat.getLhs().template getDefiningOp<SubOp>() : SubOp();
    auto product =
        first ? first.getLhs().template getDefiningOp<MulOp>() : MulOp();
    if (!product)
      return rewriter.notifyMatchFailure(root, "no difference of products");
    for (bool swap : {false, true}) {
      Value half = swap ? product.getRhs() : product.getLhs();
      Value factor = swap ? product.getLhs() : product.getRhs();
      auto parts = factor.getDefiningOp<RopePartsOp>();
      if (auto widen = half.getDefiningOp<CastOp>())
        half = widen.getInput();
      auto slice = half.getDefiningOp<SliceOp>();
      if (!parts || !slice || slice.getInput().getType() != root.getType())
        continue;
      Proposal proposal(rewriter.getContext());
      proposal.set<RopeOp>(root.getType(), slice.getInput(), parts.getTable(),
                           RopeStyle::HalfTable);
      if (!proposal.makes(root.getResult()))
        continue;
      if (failed(this->announce(root, rewriter)))
        return failure();
      rewriter.replaceOpWithNewOp<RopeOp>(root, root.getType(),
                                          slice.getInput(), parts.getTable(),
                                          RopeStyle::HalfTable);
      return success();
    }
    return rewriter.notifyMatchFailure(root, "not a rotation of both halves");
  }

private:
  static ConcatOp getConcat(ConcatOp root) { return root; }
  static ConcatOp getConcat(CastOp root) {
    return root.getInput().getDefiningOp<ConcatOp>();
  }
};

/// The rotations of queries and keys -> rope_pair.
struct PairRopes : FusionPattern<RopeOp> {
  PairRopes(MLIRContext *context, bool onlyFullWidth, bool onlyEqualTypes)
      : FusionPattern(context), onlyFullWidth(onlyFullWidth),
        onlyEqualTypes(onlyEqualTypes) {}

  LogicalResult matchAndRewrite(RopeOp key,
                                PatternRewriter &rewriter) const override {
    if (onlyFullWidth &&
        key.getType().getShape().back() != key.getTable().getType().getWidth())
      return missed(key, rewriter, "the kernel rotates whole heads only");
    if (onlyEqualTypes && key.getType().getElementType() !=
                              key.getTable().getType().getElementType())
      return missed(key, rewriter, kIsWide);
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
    if (query.getStyle() != key.getStyle())
      return missed(key, rewriter,
                    "queries and keys rotate other features together");
    if (query.getType().getElementType() != key.getType().getElementType())
      return missed(key, rewriter, "queries and keys are not of one type");
    for (Operation *user : query->getUsers()) {
      Operation *ancestor = key->getBlock()->findAncestorOpInBlock(*user);
      if (!ancestor || ancestor == key || ancestor->isBeforeInBlock(key))
        return missed(key, rewriter,
                      "the rotated queries are used before the keys are there");
    }
    if (failed(announce(key, rewriter)))
      return failure();
    auto pair = RopePairOp::create(
        rewriter, key.getLoc(), query.getType(), key.getType(),
        query.getInput(), key.getInput(), key.getTable(), key.getStyle());
    rewriter.replaceOp(query, pair.getRotatedQuery());
    rewriter.replaceOp(key, pair.getRotatedKey());
    return success();
  }

private:
  bool onlyFullWidth, onlyEqualTypes;
};

class TransformerFuseAttentionPass
    : public FusionPass<TransformerFuseAttentionPass,
                        transformer::impl::TransformerFuseAttentionBase<
                            TransformerFuseAttentionPass>> {
public:
  using FusionPass::FusionPass;

  void addPatterns(RewritePatternSet &set) {
    add<RaiseRopeTable>(set, ropeTable);
    add<RaiseRope<AddOp>, RaiseRope<CastOp>>(set, rope, onlyEqualTypes);
    if (!onlyFullWidth) {
      add<RaisePartialRope>(set, rope, onlyEqualTypes);
      add<RaiseHalfTableRope<ConcatOp>, RaiseHalfTableRope<CastOp>>(set, rope);
    }
    if (!onlyEqualTypes)
      add<FuseRopeCasts>(set, ropeCasts);
    if (latentProjection)
      populateFuseLatent(set, getSwitch(latentProjection));
    if (deltaGating)
      populateFuseDeltaGating(set, getSwitch(deltaGating));
    if (linearAttention)
      populateFuseLinearAttention(set, getSwitch(linearAttention));
    if (softmax)
      populateRaiseSoftmax(set, getSwitch(softmax));
    if (attention)
      populateFuseDotProduct(set, getSwitch(attention));
    add<PairRopes>(set, ropePair, onlyFullWidth, onlyEqualTypes);
  }
};
} // namespace

void mlir::transformer::listFuseAttention(
    MLIRContext *context, SmallVectorImpl<FusionSwitch> &found) {
  TransformerFuseAttentionPass::list(context, found);
}
