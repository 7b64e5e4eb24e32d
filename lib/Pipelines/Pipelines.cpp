//===- Pipelines.cpp - Named pipelines ------------------------------------===//

#include "tensorcast/Pipelines/Pipelines.h"

#include "tensorcast/Conversion/Passes.h"
#include "tensorcast/Dialect/Ascend/Transforms/Passes.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// The option's value, or what goes with the date of the reference.
static std::string getOrDefault(const std::string &value, StringRef prefix,
                                StringRef reference) {
  return value.empty() ? (prefix + reference).str() : value;
}

void mlir::tensorcast::buildEagerPipeline(OpPassManager &pm,
                                          const EagerOptions &options) {
  if (!options.noRepetition)
    pm.addPass(transformer::createTransformerDedupLayers());

  transformer::TransformerQuantizeOptions quantize;
  quantize.action = options.quantizeLinearAction;
  pm.addNestedPass<func::FuncOp>(
      transformer::createTransformerQuantize(quantize));

  if (options.queries.hasValue() || options.queryLength.hasValue()) {
    transformer::TransformerBindWorkloadOptions bind;
    bind.queries = options.queries;
    bind.queryLength = options.queryLength;
    bind.contextLength = options.contextLength;
    bind.decode = options.decode;
    bind.prefixCacheHitRate = options.prefixCacheHitRate;
    pm.addPass(transformer::createTransformerBindWorkload(bind));
  }

  pm.addNestedPass<func::FuncOp>(transformer::createTransformerDecompose());

  ConvertTransformerToAscendOptions convert;
  convert.kernelSet =
      getOrDefault(options.kernelSet, "reference-", options.reference);
  pm.addPass(createConvertTransformerToAscend(convert));

  ascend::AscendEstimateOptions estimate;
  estimate.device = options.device;
  estimate.defaultDevice = "TEST_DEVICE";
  estimate.costModel =
      getOrDefault(options.costModel, "tensorcast-", options.reference);
  estimate.reservedMemoryGB = options.reservedMemoryGB;
  pm.addPass(ascend::createAscendEstimate(estimate));
}

void mlir::tensorcast::registerPipelines() {
  PassPipelineRegistration<EagerOptions>(
      "tensorcast-eager",
      "Price a model as a framework runs it op by op: dedup, quantize, bind, "
      "decompose, lower, estimate",
      buildEagerPipeline);
}
