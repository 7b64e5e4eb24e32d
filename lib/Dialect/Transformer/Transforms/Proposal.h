//===- Proposal.h - Is this what an op stands for? --------------*- C++ -*-===//
//
// Composite ops of many pieces are won back by proposal: a pattern finds what
// could be the operands, builds the op aside, and compares what it decomposes
// to with what is there. So the meaning of the op is written once.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_PROPOSAL_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_PROPOSAL_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"

namespace mlir::transformer {

/// An op that may stand for ops that are there.
class Proposal {
public:
  explicit Proposal(MLIRContext *context) : builder(context) {
    builder.setInsertionPointToEnd(&scratch);
  }

  /// Proposes an op with these arguments of its `create`.
  template <typename OpT, typename... ArgTs> void set(ArgTs &&...args) {
    proposed = OpT::create(builder, builder.getUnknownLoc(),
                           std::forward<ArgTs>(args)...);
  }

  /// Whether `values` are computed as the results of the proposed op would be
  /// if it were decomposed, once or down to ops that are launched, and nothing
  /// else reads what is between. Operands of commutative ops may be in either
  /// order. Null values are not compared.
  bool makes(ValueRange values);

private:
  bool isSame(Value actual, Value expected);

  Block scratch;
  OpBuilder builder;
  Operation *proposed = nullptr;
  /// The ops found for those of the decomposition.
  DenseMap<Operation *, Operation *> found;
};

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_PROPOSAL_H
