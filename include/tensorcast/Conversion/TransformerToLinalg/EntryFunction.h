//===- EntryFunction.h - What a lowered function takes ----------*- C++ -*-===//
//
// A function in the transformer dialect declares its weights and caches inside;
// lowered to linalg it takes them as arguments and returns the caches as the
// step leaves them. Attributes of arguments and results say which is which.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_CONVERSION_TRANSFORMERTOLINALG_ENTRYFUNCTION_H
#define TENSORCAST_CONVERSION_TRANSFORMERTOLINALG_ENTRYFUNCTION_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::tensorcast {

/// The argument or result attribute that says what a value is: one of the
/// `kKind` constants.
inline constexpr StringLiteral kKindAttrName = "transformer.kind";

/// The argument or result attribute with the full name of a weight or cache.
inline constexpr StringLiteral kNameAttrName = "transformer.name";

/// On arguments of kind `indices` or `positions`: the number of rows of the
/// smallest table that they select from.
inline constexpr StringLiteral kLimitAttrName = "transformer.limit";

/// On weights that are quantized in groups, and on their scales: the number of
/// elements that share a scale.
inline constexpr StringLiteral kGroupSizeAttrName = "transformer.group_size";

/// On weights that are joined and share a scale: the names of all of them.
inline constexpr StringLiteral kJoinedAttrName = "transformer.joined";

/// On weights that end a block: their products are added to what went into it.
inline constexpr StringLiteral kResidualAttrName = "transformer.residual";

/// On what one of several ranks has, as argument or result; on a declaration it
/// is called `part`. A dictionary of
///
/// - `rank`: the number of the rank;
/// - `whole`: the sizes of the weight or cache of all ranks together;
/// - `dim`, `offset`: where the rank's part begins, if it has not all of it;
/// - `first`: the first matrix of a stack that it has a part of.
inline constexpr StringLiteral kPartAttrName = "transformer.part";
inline constexpr StringLiteral kDeclaredPartAttrName = "part";

/// On the layers of experts of one of several ranks: the first expert that it
/// has, and how many all ranks have together, as an array. Its stack of
/// matrices begins with the first one; behind the last comes the first again.
/// Rows of experts that it does not have are 0.
inline constexpr StringLiteral kOwnedExpertsAttrName = "owned_experts";

inline constexpr StringLiteral kKindInput = "input";
inline constexpr StringLiteral kKindIndices = "indices";
inline constexpr StringLiteral kKindPositions = "positions";
inline constexpr StringLiteral kKindWeight = "weight";
/// Argument: the cache before the step. Result: after it.
inline constexpr StringLiteral kKindCache = "cache";

} // namespace mlir::tensorcast

#endif // TENSORCAST_CONVERSION_TRANSFORMERTOLINALG_ENTRYFUNCTION_H
