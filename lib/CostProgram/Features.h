//===- Features.h - What a program needs to know of a batch -----*- C++ -*-===//
//
// A feature adds up an expression over the requests of a batch, or is what is
// largest among them. Expressions over the batch become formulas of features.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_COSTPROGRAM_FEATURES_H
#define TENSORCAST_LIB_COSTPROGRAM_FEATURES_H

#include "Code.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace mlir::tensorcast {

/// What a feature is of.
enum class FeatureKind : uint8_t {
  /// The sum of an expression over the requests, or the maximum.
  Sum,
  Max,
  /// 1 in a decode step.
  Decode,
  /// Images that the step looks at, and the cells of each.
  Images,
  ImageRows,
  ImageColumns
};

struct Feature {
  FeatureKind kind;
  /// As in IR.
  std::string text;
  /// What it is for every batch.
  FormulaRange range;
};

/// Computes some features of one request, from q, kv, whether it is decoded,
/// and the features of its batch that are known before.
struct FeatureCode {
  /// The features, and those that are inputs behind the first three.
  SmallVector<unsigned> features, inputs;
  Code code;
};

/// Features, and the expressions over the batch that they are part of.
class FeatureSet {
public:
  FeatureSet();

  /// The formula of an expression over the batch.
  Formula formulate(transformer::ExprAttr expr);

  /// The graph of those formulas; its inputs are the features, in order.
  FormulaGraph &getGraph() { return *graph; }
  ArrayRef<Feature> getFeatures() const { return features; }

  /// Code for all sums and maxima, in the order in which it runs.
  std::vector<FeatureCode> buildCode() const;

private:
  using Formulas = llvm::DenseMap<transformer::ExprAttr, Formula>;

  /// The formula of an expression over the batch, or over a request.
  Formula formulate(transformer::ExprAttr expr, bool ofRequest);
  Formula compute(transformer::ExprAttr expr, bool ofRequest);
  /// A sum of terms; of those that are sums over the requests, together they
  /// are what the sum of their summands is.
  Formula computeSum(transformer::ExprAttr expr, bool ofRequest);
  /// The number of the feature that a leaf is.
  unsigned getFeature(transformer::ExprAttr leaf);
  /// Features that the summand of a feature is made of.
  SmallVector<unsigned> getNested(unsigned feature) const;

  std::unique_ptr<FormulaGraph> graph, requestGraph;
  /// q, kv, and whether a request is decoded.
  Formula newTokens, totalTokens, decode;
  SmallVector<Feature> features;
  /// By feature: its input of the graph over the batch, what it adds up, and
  /// its input of the graph over a request, which is 0 if nothing needs it
  /// there.
  SmallVector<Formula> inputs, summands, requestInputs;
  llvm::DenseMap<transformer::ExprAttr, unsigned> numbers;
  Formulas ofBatch, ofRequest;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_COSTPROGRAM_FEATURES_H
