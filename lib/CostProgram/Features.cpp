//===- Features.cpp - What a program needs to know of a batch -------------===//

#include "Features.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::ExprAttr;
using transformer::ExprKind;

/// What a step may have, as `#transformer.workload` checks it.
static constexpr double maxTokens = transformer::WorkloadAttr::kMaxTokens;
static constexpr FormulaRange newTokensRange = {1, maxTokens, true};
/// Of the query, of the context and of images.
static constexpr FormulaRange totalTokensRange = {1, 3 * maxTokens, true};
static constexpr FormulaRange truthRange = {0, 1, true};
static constexpr FormulaRange countRange = {0, maxTokens, true};

FeatureSet::FeatureSet()
    : graph(std::make_unique<FormulaGraph>()),
      requestGraph(std::make_unique<FormulaGraph>()) {
  newTokens = requestGraph->addInput(newTokensRange);
  totalTokens = requestGraph->addInput(totalTokensRange);
  decode = requestGraph->addInput(truthRange);
}

/// What is known of a sum or maximum of a value over at least one request.
static FormulaRange getFeatureRange(FeatureKind kind, FormulaRange range) {
  if (kind == FeatureKind::Max)
    return range;
  // At most as many requests as tokens.
  return {range.least < 0 ? range.least * maxTokens : range.least,
          range.most > 0 ? range.most * maxTokens : range.most, range.isWhole};
}

unsigned FeatureSet::getFeature(ExprAttr leaf) {
  auto found = numbers.find(leaf);
  if (found != numbers.end())
    return found->second;
  Feature feature{FeatureKind::Sum, "", countRange};
  Formula summand = 0;
  switch (leaf.getKind()) {
  case ExprKind::Decode:
    feature = {FeatureKind::Decode, "", truthRange};
    break;
  case ExprKind::Images:
    feature.kind = FeatureKind::Images;
    break;
  case ExprKind::ImageRows:
    feature.kind = FeatureKind::ImageRows;
    break;
  case ExprKind::ImageColumns:
    feature.kind = FeatureKind::ImageColumns;
    break;
  default:
    if (leaf.getKind() == ExprKind::MaxOverRequests)
      feature.kind = FeatureKind::Max;
    // Features in it get their numbers first.
    summand = formulate(leaf.getOperands().front(), /*ofRequest=*/true);
    feature.range = getFeatureRange(feature.kind, getRange(summand));
  }
  llvm::raw_string_ostream os(feature.text);
  transformer::printExprText(os, leaf);
  unsigned number = features.size();
  inputs.push_back(graph->addInput(feature.range));
  features.push_back(std::move(feature));
  summands.push_back(summand);
  requestInputs.push_back(0);
  return numbers[leaf] = number;
}

Formula FeatureSet::formulate(ExprAttr expr) {
  return formulate(expr, /*ofRequest=*/false);
}

Formula FeatureSet::formulate(ExprAttr expr, bool isOfRequest) {
  Formulas &known = isOfRequest ? ofRequest : ofBatch;
  auto found = known.find(expr);
  if (found != known.end())
    return found->second;
  Formula formula = compute(expr, isOfRequest);
  known[expr] = formula;
  return formula;
}

Formula FeatureSet::compute(ExprAttr expr, bool isOfRequest) {
  auto operand = [&](unsigned i) {
    return formulate(expr.getOperands()[i], isOfRequest);
  };
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return expr.getValue();
  case ExprKind::NewTokens:
    return newTokens;
  case ExprKind::TotalTokens:
    return totalTokens;
  case ExprKind::Decode:
  case ExprKind::SumOverRequests:
  case ExprKind::MaxOverRequests:
  case ExprKind::Images:
  case ExprKind::ImageRows:
  case ExprKind::ImageColumns: {
    if (isOfRequest && expr.getKind() == ExprKind::Decode)
      return decode;
    unsigned number = getFeature(expr);
    if (!isOfRequest)
      return inputs[number];
    if (requestInputs[number].isConstant())
      requestInputs[number] = requestGraph->addInput(features[number].range);
    return requestInputs[number];
  }
  case ExprKind::Sum:
    return computeSum(expr, isOfRequest);
  case ExprKind::Product: {
    Formula product = expr.getValue();
    for (unsigned i = 0; i < expr.getOperands().size(); ++i)
      product = product * operand(i);
    return product;
  }
  case ExprKind::CeilDiv:
    return ceil(divideExactly(operand(0), operand(1)));
  case ExprKind::FloorDiv:
    return floor(divideExactly(operand(0), operand(1)));
  case ExprKind::Mod:
    return operand(0) -
           operand(1) * floor(divideExactly(operand(0), operand(1)));
  case ExprKind::Min:
    return min(operand(0), operand(1));
  case ExprKind::Max:
    return max(operand(0), operand(1));
  case ExprKind::Log2:
    return log2(operand(0));
  case ExprKind::Equal:
    return isZero(operand(0) - operand(1));
  case ExprKind::NotEqual:
    return isNonZero(operand(0) - operand(1));
  case ExprKind::Less:
    return isPositive(operand(1) - operand(0));
  case ExprKind::LessOrEqual:
    return negate(isPositive(operand(0) - operand(1)));
  case ExprKind::Divide:
    return operand(0) / operand(1);
  }
  return 0;
}

Formula FeatureSet::computeSum(ExprAttr expr, bool isOfRequest) {
  SmallVector<std::pair<Formula, double>> terms, others, summands;
  for (ExprAttr term : expr.getOperands()) {
    Formula formula = formulate(term, isOfRequest);
    terms.emplace_back(formula, 1);
    ExprAttr atom = term;
    double coefficient = 1;
    if (term.getKind() == ExprKind::Product && term.getOperands().size() == 1) {
      atom = term.getOperands().front();
      coefficient = term.getValue();
    }
    if (atom.getKind() == ExprKind::SumOverRequests)
      summands.emplace_back(
          formulate(atom.getOperands().front(), /*ofRequest=*/true),
          coefficient);
    else
      others.emplace_back(formula, 1);
  }
  Formula sum = addUp(0, terms);
  if (isOfRequest || sum.isConstant() || summands.empty())
    return sum;
  FormulaRange range =
      getFeatureRange(FeatureKind::Sum, getRange(addUp(0, summands)));
  range.least += getRange(addUp(0, others)).least;
  graph->narrow(sum.getNode(),
                {range.least, getRange(sum).most, /*isWhole=*/false});
  return sum;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

SmallVector<unsigned> FeatureSet::getNested(unsigned feature) const {
  if (summands[feature].isConstant())
    return {};
  llvm::DenseMap<unsigned, unsigned> featureOf;
  for (auto [number, input] : llvm::enumerate(requestInputs))
    if (!input.isConstant())
      featureOf[input.getNode()] = number;
  SmallVector<unsigned> nested;
  llvm::SetVector<unsigned> nodes;
  nodes.insert(summands[feature].getNode());
  for (size_t i = 0; i < nodes.size(); ++i) {
    auto found = featureOf.find(nodes[i]);
    if (found != featureOf.end())
      nested.push_back(found->second);
    for (unsigned operand : (*requestGraph)[nodes[i]].operands)
      nodes.insert(operand);
  }
  return nested;
}

std::vector<FeatureCode> FeatureSet::buildCode() const {
  // The inputs of the graph over a request that are features.
  SmallVector<unsigned> inputFeatures;
  for (unsigned input : requestGraph->getInputs().drop_front(3))
    for (auto [number, formula] : llvm::enumerate(requestInputs))
      if (!formula.isConstant() && formula.getNode() == input)
        inputFeatures.push_back(number);
  std::vector<FeatureCode> result;
  SmallVector<unsigned> levels;
  for (unsigned number = 0; number < features.size(); ++number) {
    unsigned level = 0;
    for (unsigned nested : getNested(number))
      level = std::max(level, levels[nested] + 1);
    levels.push_back(level);
    if (features[number].kind != FeatureKind::Sum &&
        features[number].kind != FeatureKind::Max)
      continue;
    if (result.size() <= level)
      result.resize(level + 1);
    result[level].features.push_back(number);
  }
  for (FeatureCode &level : result) {
    level.inputs = inputFeatures;
    SmallVector<Formula> outputs;
    for (unsigned number : level.features)
      outputs.push_back(summands[number]);
    level.code = Code::build(*requestGraph, outputs);
  }
  return result;
}
