//===- Natives.h - Functions that patterns may call -------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_PATTERNS_NATIVES_H
#define TENSORCAST_LIB_PATTERNS_NATIVES_H

#include "mlir/IR/PatternMatch.h"

#include <optional>
#include <string>

namespace mlir::tensorcast {

/// An attribute or type in the text of a reason.
template <typename T> std::string print(T thing) {
  std::string text;
  llvm::raw_string_ostream(text) << thing;
  return text;
}

/// A condition: nothing if it holds, else why it does not. Arguments have the
/// kinds that the function says.
using ConstraintFn = std::optional<std::string> (*)(ArrayRef<PDLValue>);

/// A native constraint that the user's patterns may use.
struct Constraint {
  StringRef name;
  /// Kinds and names of the arguments, as a message shows them.
  ArrayRef<PDLValue::Kind> kinds;
  StringRef signature;
  ConstraintFn function;
  /// Whether attributes are types; else they are integers.
  bool takesType = false;
};

/// All of them, sorted by name. `Transformer.pdll` declares and documents them.
ArrayRef<Constraint> getConstraints();
const Constraint *findConstraint(StringRef name);

/// The native rewrites of the user's patterns.
inline constexpr StringLiteral kFuse = "Fuse";
inline constexpr StringLiteral kFuseSignature =
    "Fuse(name: Attr, ops: ValueRange)";

/// Names of what patterns call once they are guarded (SafeRewrites.cpp); not
/// for users. Each takes the place in the pattern's file first.
namespace guarded {
inline constexpr StringLiteral kMayMatch = "tensorcast.may_match";
inline constexpr StringLiteral kFusable = "tensorcast.fusable";
inline constexpr StringLiteral kBegin = "tensorcast.begin";
inline constexpr StringLiteral kEnd = "tensorcast.end";
inline constexpr StringLiteral kCreate = "tensorcast.create";
inline constexpr StringLiteral kReplace = "tensorcast.replace";
inline constexpr StringLiteral kErase = "tensorcast.erase";
inline constexpr StringLiteral kFuse = "tensorcast.fuse";
} // namespace guarded

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_PATTERNS_NATIVES_H
