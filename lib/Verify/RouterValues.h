//===- RouterValues.h - Choices that rounding does not change ---*- C++ -*-===//
//
// Two experts with nearly the same score are a coin toss: what one module
// rounds and the other does not decides, and the results have nothing in common
// then. Larger weights of a router do not help, as they make errors larger as
// well. So tokens carry a code, signs of a few features that are far from 0,
// and a router reads it: scores differ by steps, whatever the seed
// (docs/verify.md).
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_VERIFY_ROUTERVALUES_H
#define TENSORCAST_LIB_VERIFY_ROUTERVALUES_H

#include "FloatValues.h"

#include <optional>

namespace mlir::tensorcast {

/// How the tokens of a model tell its routers where they want to go.
class RouterCode {
public:
  /// Whether a weight of this name scores the experts.
  static bool isRouter(StringRef name, ArrayRef<int64_t> shape);

  /// Whether a weight of this name is added to the scores.
  static bool isRouterBias(StringRef name);

  /// The code for routers of experts x features; none if that has no room.
  static std::optional<RouterCode> get(ArrayRef<int64_t> shape);

  /// Whether a router of this shape reads the code.
  bool fits(ArrayRef<int64_t> shape) const {
    return shape[0] == experts && shape[1] == features;
  }

  /// Writes codes into hidden states, or a table of them; what is random about
  /// them stays. Other sizes are left alone.
  void mark(std::vector<double> &states, ArrayRef<int64_t> shape) const;

  /// Makes a matrix that ends a block, or a stack of them, add little to the
  /// code.
  void protect(std::vector<double> &weight, ArrayRef<int64_t> shape) const;

  /// The weight of a router: the score of an expert falls by one step for each
  /// number between its own and that of the token.
  std::vector<double> makeRouter(Random random) const;

  /// What is added to scores: so much that a quarter of the experts is hardly
  /// ever chosen.
  std::vector<double> makeBias(Random random, int64_t size) const;

private:
  RouterCode(int64_t experts, int64_t features)
      : experts(experts), features(features) {}

  int64_t getNumBits() const;

  int64_t experts, features;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_ROUTERVALUES_H
