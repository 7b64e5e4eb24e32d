//===- DotProduct.cpp - What attention without a cache is made of ---------===//

#include "DotProduct.h"

using namespace mlir;
using namespace mlir::transformer;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Orders of copies, of rank 4 or 3: tokens and heads change places; the same
/// with features in front of tokens; and features and tokens change places.
static ArrayRef<int64_t> getTokensAndHeads(int64_t rank) {
  static constexpr int64_t wide[] = {0, 2, 1, 3}, narrow[] = {1, 0, 2};
  return rank == 4 ? ArrayRef(wide) : ArrayRef(narrow);
}
static ArrayRef<int64_t> getFeaturesOfHeads(int64_t rank) {
  static constexpr int64_t wide[] = {0, 2, 3, 1}, narrow[] = {1, 2, 0};
  return rank == 4 ? ArrayRef(wide) : ArrayRef(narrow);
}
static ArrayRef<int64_t> getTokensAndFeatures(int64_t rank) {
  static constexpr int64_t wide[] = {0, 1, 3, 2}, narrow[] = {0, 2, 1};
  return rank == 4 ? ArrayRef(wide) : ArrayRef(narrow);
}

std::optional<AttentionFactor> AttentionFactor::match(Value value,
                                                      bool isTransposed) {
  int64_t rank = getTensor(value).getRank();
  auto permute = value.getDefiningOp<PermuteOp>();
  ArrayRef<int64_t> order = permute ? permute.getOrder() : ArrayRef<int64_t>();
  AttentionFactor factor;
  if (!isTransposed) {
    factor.byHead = value;
    if (permute && order == getTokensAndHeads(rank))
      factor.byToken = permute.getInput();
    return factor;
  }
  if (!permute)
    return std::nullopt;
  if (order == getFeaturesOfHeads(rank))
    factor.byToken = permute.getInput();
  else if (order == getTokensAndFeatures(rank))
    return match(permute.getInput(), /*isTransposed=*/false);
  else
    return std::nullopt;
  return factor;
}

//===----------------------------------------------------------------------===//
// From the softmax back to the first product
//===----------------------------------------------------------------------===//

/// Whether elementwise ops and copies make `value` of a product of matrices.
static bool comesFromProduct(Value value, int depth = 8) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (isa<BatchedMatmulOp>(op))
    return true;
  return isa<AddOp, AddScalarOp, CastOp, ConcatOp, DivOp, ExpandOp, MaxScalarOp,
             MinScalarOp, MulOp, MulScalarOp, NegOp, PermuteOp, ReshapeOp,
             SliceOp, SoftmaxOp, SubOp, TanhOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return comesFromProduct(operand, depth - 1);
         });
}

static std::string quote(Operation *op) {
  return ("'" + op->getName().stripDialect() + "'").str();
}

/// A conversion from a type of 16 bits to f32, or back.
static bool isConversion(CastOp cast, bool isWidening) {
  RankedTensorType from = getTensor(cast.getInput()),
                   to = getTensor(cast.getResult());
  if (!isWidening)
    std::swap(from, to);
  return from.getElementTypeBitWidth() == 16 && to.getElementType().isF32();
}

LogicalResult DotProduct::matchSink(ConcatOp concat, std::string &reason) {
  reason = "what joins the scores is not one number per head";
  Value rest = concat.getRhs();
  if (auto cast = rest.getDefiningOp<CastOp>())
    rest = cast.getInput();
  auto expand = rest.getDefiningOp<ExpandOp>();
  if (!expand)
    return failure();
  SmallVector<Dim> from = getDims(expand.getInput().getType()),
                   all = getDims(getTensor(concat.getLhs()));
  if (from.size() != all.size() || all.size() < 3)
    return failure();
  size_t heads = from.size() - 3;
  if (!mayBeEqual(from[heads], all[heads]) ||
      !getDims(getTensor(rest)).back().isOne())
    return failure();
  for (auto [index, dim] : llvm::enumerate(from))
    if (index != heads && !dim.isOne())
      return failure();
  sink = expand.getInput();
  return success();
}

LogicalResult DotProduct::matchScores(Value value, std::string &reason) {
  // Of all that is met further back.
  double outer = 1;
  while (true) {
    Operation *op = value.getDefiningOp();
    if (!value.hasOneUse()) {
      reason = "the scores are read elsewhere";
      return failure();
    }
    if (auto product = dyn_cast<BatchedMatmulOp>(op)) {
      scale *= outer;
      scores = product;
      return success();
    }
    if (auto cast = dyn_cast<CastOp>(op); cast && isConversion(cast, true)) {
      value = cast.getInput();
      continue;
    }
    if (auto scaled = dyn_cast<MulScalarOp>(op)) {
      // Factors behind the last addition belong to the product alone.
      double factor = scaled.getValue().convertToDouble();
      (added.empty() ? outer : scale) *= factor;
      value = scaled.getInput();
      continue;
    }
    if (auto add = dyn_cast<AddOp>(op)) {
      bool left = comesFromProduct(add.getLhs()),
           right = comesFromProduct(add.getRhs());
      if (left && right) {
        reason = "the scores are a sum of two products";
        return failure();
      }
      if (outer != 1) {
        reason = "what is added to the scores is scaled with them";
        return failure();
      }
      added.push_back(left ? add.getRhs() : add.getLhs());
      value = left ? add.getLhs() : add.getRhs();
      if (getTensor(value).getShape() != getTensor(add).getShape()) {
        reason = "what is added to the scores makes more of them";
        return failure();
      }
      continue;
    }
    reason = "the scores are changed by " + quote(op);
    return failure();
  }
}

//===----------------------------------------------------------------------===//
// From the softmax on to the second product
//===----------------------------------------------------------------------===//

LogicalResult DotProduct::matchProbabilities(Value value, std::string &reason) {
  bool isSliced = !sink;
  while (true) {
    if (!value.hasOneUse()) {
      reason = "the probabilities are read elsewhere";
      return failure();
    }
    Operation *user = *value.user_begin();
    if (auto slice = dyn_cast<SliceOp>(user);
        slice && !isSliced && slice.getOffset() == 0 &&
        static_cast<int64_t>(slice.getSize()) + 1 ==
            getTensor(value).getShape().back()) {
      isSliced = true;
      value = slice;
      continue;
    }
    if (auto cast = dyn_cast<CastOp>(user); cast && isConversion(cast, false)) {
      value = cast;
      continue;
    }
    product = dyn_cast<BatchedMatmulOp>(user);
    if (!product) {
      reason = "the probabilities are changed by " + quote(user);
      return failure();
    }
    if (product.getLhs() != value) {
      reason = "the probabilities are not the left factor of the product";
      return failure();
    }
    if (!isSliced) {
      reason = "values are mixed by the probabilities of sinks as well";
      return failure();
    }
    return success();
  }
}

LogicalResult DotProduct::matchFactors(std::string &reason) {
  int64_t rank = getTensor(product).getRank();
  if (scores.getJoined() || rank < 3 || rank > 4) {
    reason = "the products are not of sequences and heads";
    return failure();
  }
  // A factor of queries or keys is one of the scores.
  auto skipScale = [&](Value value) {
    while (auto scaled = value.getDefiningOp<MulScalarOp>()) {
      scale *= scaled.getValue().convertToDouble();
      value = scaled.getInput();
    }
    return value;
  };
  auto find = [&](Value value, bool isTransposed, bool isScaled,
                  StringRef name) -> FailureOr<AttentionFactor> {
    if (isScaled)
      value = skipScale(value);
    std::optional<AttentionFactor> factor =
        AttentionFactor::match(value, isTransposed);
    if (!factor) {
      reason = (name + " are not laid out by heads and tokens").str();
      return failure();
    }
    if (isScaled && factor->byToken) {
      Value plain = skipScale(factor->byToken);
      // The copy is of what is scaled.
      if (plain != factor->byToken)
        *factor = {Value(), plain};
    }
    return *factor;
  };
  FailureOr<AttentionFactor> found[] = {
      find(scores.getLhs(), /*isTransposed=*/false, /*isScaled=*/true,
           "queries"),
      find(scores.getRhs(), !scores.getTransposed(), /*isScaled=*/true, "keys"),
      find(product.getRhs(), product.getTransposed(), /*isScaled=*/false,
           "values")};
  for (const FailureOr<AttentionFactor> &factor : found)
    if (failed(factor))
      return failure();
  query = *found[0];
  key = *found[1];
  value = *found[2];
  if (getTensor(scores).getElementType() !=
      getTensor(product).getElementType()) {
    reason = "queries and values are not of one type";
    return failure();
  }
  if (sink &&
      getTensor(sink).getElementType() != getTensor(product).getElementType()) {
    reason = "sinks are of another type than the values";
    return failure();
  }
  if (!product.getJoined() && product->hasOneUse())
    if (auto reader = dyn_cast<PermuteOp>(*product->user_begin());
        reader && reader.getOrder() == getTokensAndHeads(rank))
      copy = reader;
  return success();
}

FailureOr<DotProduct> DotProduct::match(SoftmaxOp softmax,
                                        std::string &reason) {
  if (!comesFromProduct(softmax.getInput()))
    return failure();
  DotProduct found;
  Value value = softmax.getInput();
  if (auto concat = value.getDefiningOp<ConcatOp>()) {
    if (!value.hasOneUse())
      reason = "the scores are read elsewhere";
    if (!value.hasOneUse() || failed(found.matchSink(concat, reason)))
      return failure();
    value = concat.getLhs();
  }
  if (failed(found.matchScores(value, reason)) ||
      failed(found.matchProbabilities(softmax, reason)) ||
      failed(found.matchFactors(reason)))
    return failure();
  return found;
}
