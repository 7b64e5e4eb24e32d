//===- Matching.cpp - What goes into both modules -------------------------===//

#include "Matching.h"

#include "Runner.h"

#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"
#include "tensorcast/Conversion/TransformerToLinalg/NarrowTypes.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

using namespace mlir;
using namespace mlir::tensorcast;

LogicalResult tensorcast::matchArguments(func::FuncOp function,
                                         ArrayRef<ArgumentInfo> arguments,
                                         SmallVectorImpl<ArgumentInfo> &others,
                                         SeededInputs &inputs,
                                         VerifyReport &report) {
  llvm::StringMap<RankedTensorType> types, otherTypes;
  for (const ArgumentInfo &info : arguments)
    types[info.name] = info.type;
  llvm::StringMap<ArrayRef<int64_t>> shapes;
  for (const ArgumentInfo &info : arguments)
    shapes[info.name] = info.getWholeShape();
  for (auto [index, info] : llvm::enumerate(others)) {
    if (!info.isDeclared && index < arguments.size())
      info = arguments[index];
    otherTypes[info.name] = info.type;
  }
  auto isScale = [](StringRef name) { return name.ends_with("_scale"); };
  auto note = [&](RankedTensorType type) {
    if (isQuantizedType(type.getElementType()))
      report.quantizedBits =
          std::min(report.quantizedBits.value_or(64),
                   type.getElementType().getIntOrFloatBitWidth());
  };
  inputs.addResiduals(arguments);
  inputs.addResiduals(others);
  // Weights that one side joins have one scale on both.
  for (ArrayRef<ArgumentInfo> infos : {arguments, ArrayRef(others)})
    for (const ArgumentInfo &info : infos)
      if (!info.joined.empty())
        inputs.setJoined(info.joined);
  for (const ArgumentInfo &info : others) {
    RankedTensorType type = types.lookup(info.name);
    // Parts of ranks have scales of their own.
    if (report.numRanks > 1 && !report.bothSharded && info.kind == kKindWeight)
      note(info.type);
    if (!info.isDeclared || (type && type == info.type))
      continue;
    if (!type) {
      if (!isScale(info.name) && info.kind == kKindWeight)
        report.unmatchedWeights.push_back(info.name);
      continue;
    }
    if (shapes[info.name] != info.getWholeShape() && !isScale(info.name))
      return mlir::emitError(function->getParentOp()->getLoc(), "expected ")
             << info.kind << " '" << info.name << "' of @" << function.getName()
             << " of type " << type << ", as before, but got " << info.type;
    if (isQuantizedType(type.getElementType()) !=
        isQuantizedType(info.type.getElementType())) {
      note(type);
      note(info.type);
    }
  }
  for (const ArgumentInfo &info : arguments)
    if (info.isDeclared && info.kind == kKindWeight && !isScale(info.name) &&
        !otherTypes.count(info.name))
      report.unmatchedWeights.push_back(info.name);
  return success();
}

/// Takes linear attention apart, for the inputs of the layers that are in it.
static void expandLinearAttention(ModuleOp module) {
  module.walk([](transformer::LinearAttentionOp op) {
    OpBuilder builder(op);
    op->replaceAllUsesWith(op.decompose(builder));
    op->erase();
  });
}

LogicalResult tensorcast::calibrate(ModuleOp source, StringRef function,
                                    const WholeModel &whole,
                                    const VerifyOptions &options,
                                    SeededInputs &inputs) {
  OwningOpRef<ModuleOp> apart = source.clone();
  expandLinearAttention(*apart);
  ProbeRequest request = {function, /*beforeInlining=*/false, findScaledValues};
  FailureOr<LoweredModule> lowered =
      LoweredModule::lower(*apart, whole, &request);
  if (failed(lowered) || failed(lowered->checkLimits(options)) ||
      failed(lowered->compile()))
    return failure();
  FailureOr<FunctionRun> run = lowered->run(function, inputs);
  if (failed(run))
    return failure();
  llvm::StringMap<double> ranges;
  for (const NamedTensor &probe : run->probes) {
    double largest = 0;
    for (double value : probe.tensor.getValues())
      largest = std::max(largest, std::abs(value));
    double &range = ranges[probe.names.front()];
    range = std::max(range, largest);
  }
  for (const auto &entry : ranges)
    if (entry.getValue() > 0)
      inputs.setRange(entry.getKey(), entry.getValue());
  return success();
}
