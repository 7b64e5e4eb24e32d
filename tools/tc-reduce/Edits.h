//===- Edits.h - Steps that make a module smaller ---------------*- C++ -*-===//

#ifndef TENSORCAST_TOOLS_TC_REDUCE_EDITS_H
#define TENSORCAST_TOOLS_TC_REDUCE_EDITS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tensorcast {

/// A kind of step. Its places are numbered from 0 in the order of the text; a
/// module and its clone have the same places.
struct EditKind {
  /// What messages call the places: `layers`.
  StringRef name;
  int64_t (*countPlaces)(ModuleOp module);
  /// Does it at the places `begin` to `end`; those where it cannot be done, as
  /// one before made the op vanish, are left alone.
  void (*apply)(ModuleOp module, int64_t begin, int64_t end);
};

/// All kinds; those that take most away come first.
ArrayRef<EditKind> getEditKinds();

/// Erases what nothing uses: ops without effects on what is computed, and
/// private functions.
void eraseUnused(ModuleOp module);

} // namespace mlir::tensorcast

#endif // TENSORCAST_TOOLS_TC_REDUCE_EDITS_H
