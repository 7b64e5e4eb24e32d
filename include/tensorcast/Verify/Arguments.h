//===- Arguments.h - What a lowered function takes --------------*- C++ -*-===//

#ifndef TENSORCAST_VERIFY_ARGUMENTS_H
#define TENSORCAST_VERIFY_ARGUMENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace mlir::tensorcast {

/// What one of several ranks has of a weight or cache.
struct Part {
  int64_t rank = 0;
  /// The sizes of the whole, of the type that functions declare.
  SmallVector<int64_t> whole;
  /// Where the part begins; a rank that has all of it begins at 0.
  int64_t dim = 0, offset = 0;
  /// The first matrix of a stack of experts; behind the last one comes the
  /// first one again.
  int64_t first = 0;
  /// Of a cache, how many ranks take turns to keep its tokens.
  int64_t stride = 1;

  /// Where element `index` of a part of sizes `shape` is in the whole; none if
  /// it lies beyond.
  std::optional<int64_t> locate(int64_t index, ArrayRef<int64_t> shape) const;

  static std::optional<Part> get(DictionaryAttr attrs);
  DictionaryAttr toAttr(MLIRContext *context) const;
};

/// An argument of a lowered function, as its attributes describe it.
struct ArgumentInfo {
  std::string kind, name;
  RankedTensorType type;
  /// Whether it is a weight or cache that the function declares inside.
  bool isDeclared = false;
  /// Whether it is the weight whose products are added to what went into its
  /// block.
  bool isResidual = false;
  /// Values of indices are below it.
  int64_t limit = 0;
  /// Elements that share a scale; 0 if it has one scale.
  int64_t groupSize = 0;
  /// Weights that have one scale together, this one among them.
  SmallVector<std::string> joined;
  std::optional<Part> part;

  int64_t getRank() const { return part ? part->rank : 0; }

  /// The sizes of what the ranks have together.
  ArrayRef<int64_t> getWholeShape() const {
    return part ? ArrayRef<int64_t>(part->whole) : type.getShape();
  }
};

/// The arguments of `lowered`; those without a name are called by position.
SmallVector<ArgumentInfo> getArguments(func::FuncOp lowered);

/// Whether a weight of this name is a scale that calibration finds:
/// `X.input_scale` of a linear layer, `X.q_scale`, `X.k_scale` and `X.v_scale`
/// of the attention over cache `X`.
bool isCalibratedScale(StringRef name);

} // namespace mlir::tensorcast

#endif // TENSORCAST_VERIFY_ARGUMENTS_H
