//===- ExpertRows.h - How many rows each expert gets ------------*- C++ -*-===//

#ifndef TENSORCAST_DIALECT_TRANSFORMER_IR_EXPERTROWS_H
#define TENSORCAST_DIALECT_TRANSFORMER_IR_EXPERTROWS_H

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

namespace mlir::transformer {

/// The rows of the experts of one device, if choices are spread evenly: of `n`
/// rows each of `E` experts gets `n / E`, and the first `n mod E` one more. So
/// a device has experts of two sizes, however many there are.
struct ExpertRows {
  /// Rows that the tokens of this device make, one per choice.
  ExprAttr sent;
  /// Rows that this device's experts work on, from all devices.
  ExprAttr received;
  /// What goes over the links of this device, in rows: the larger of what it
  /// sends to others and receives from them.
  ExprAttr exchanged;
  /// Experts of this device that have rows.
  ExprAttr active;
  /// Experts with one row more per device, and the rows of each.
  ExprAttr numLarge, largeRows;
  /// The other experts that have rows, and the rows of each.
  ExprAttr numSmall, smallRows;

  /// None if the number of tokens is unknown. `ids` is tokens by choices.
  static std::optional<ExpertRows> get(RankedTensorType ids,
                                       PlacementAttr placement);
};

} // namespace mlir::transformer

#endif // TENSORCAST_DIALECT_TRANSFORMER_IR_EXPERTROWS_H
