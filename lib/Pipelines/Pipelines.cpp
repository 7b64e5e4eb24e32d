//===- Pipelines.cpp - Named pipelines ------------------------------------===//

#include "tensorcast/Pipelines/Pipelines.h"

#include "tensorcast/Conversion/Passes.h"
#include "tensorcast/Conversion/TransformerToAscend/KernelSet.h"
#include "tensorcast/Dialect/Ascend/Transforms/Passes.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// The option's value, or what goes with the date of the reference.
static std::string getOrDefault(const std::string &value, StringRef prefix,
                                StringRef reference) {
  return value.empty() ? (prefix + reference).str() : value;
}

/// The kernel set that passes are told about; an empty one for an unknown name,
/// which `convert-transformer-to-ascend` will report.
static KernelSet findKernelSet(StringRef name) {
  if (!llvm::is_contained(KernelSet::list(), name))
    return {};
  MLIRContext context(MLIRContext::Threading::DISABLED);
  FailureOr<KernelSet> kernels =
      KernelSet::load(name, /*compiled=*/true, UnknownLoc::get(&context));
  return succeeded(kernels) ? std::move(*kernels) : KernelSet();
}

namespace {
/// Adds the passes that eager and compiled pipelines share.
template <typename OptionsT> class PriceBuilder {
public:
  PriceBuilder(OpPassManager &pm, const OptionsT &options)
      : pm(pm), options(options),
        kernelSet(
            getOrDefault(options.kernelSet, "reference-", options.reference)),
        kernels(findKernelSet(kernelSet)) {}

  /// Merges equal layers, but for those that are to be treated apart.
  void addLayers() {
    if (!options.noRepetition)
      pm.addPass(transformer::createTransformerDedupLayers());
    transformer::TransformerMarkLayersOptions mark;
    mark.training = options.preset == Preset::Training;
    if (options.disable.empty() && options.highPrecision.empty() &&
        !mark.training)
      return;
    llvm::append_range(mark.disable, options.disable);
    llvm::append_range(mark.highPrecision, options.highPrecision);
    llvm::append_range(mark.patterns, options.patterns);
    pm.addPass(transformer::createTransformerMarkLayers(mark));
  }

  /// Takes linear attention apart where what is in it is to be split and
  /// quantized, which is all but where it is launched whole.
  void addExpansion(bool compiled) {
    StringRef op = "linear_attention";
    transformer::TransformerDecomposeOptions expand;
    expand.ops.push_back(op.str());
    for (const std::string &entry : getKept(compiled))
      if (StringRef(entry).split('@').first == op)
        expand.keep.push_back(entry);
    pm.addNestedPass<func::FuncOp>(
        transformer::createTransformerDecompose(expand));
  }

  void addSharding(bool sequenceParallel = false) {
    transformer::TransformerShardOptions shard;
    shard.devices = options.devices;
    shard.tensor = options.tensor;
    shard.data = options.data;
    shard.pipeline = options.pipeline;
    shard.output = options.output;
    shard.mlp = options.mlp;
    shard.head = options.head;
    shard.wordEmbedding = options.wordEmbedding;
    shard.expert = options.expert;
    shard.expertTensor = options.expertTensor;
    shard.expertData = options.expertData;
    shard.context = options.context;
    shard.redundantExperts = options.redundantExperts;
    shard.sharedExpertTensor = options.sharedExpertTensor;
    shard.externalSharedExperts = options.externalSharedExperts;
    shard.hostSharedExperts = options.hostSharedExperts;
    shard.wholeSparseAttention =
        sequenceParallel && kernels.getSwitch("whole_sparse_attention") != 0;
    shard.vision = options.vision;
    shard.wideSharedChoice = kernels.getSwitch("wide_shared_choice") != 0;
    pm.addPass(transformer::createTransformerShard(shard));
  }

  /// Cuts the model into the stages of the plan; layers are still there.
  void addStages() {
    if (options.pipeline > 1)
      pm.addPass(transformer::createTransformerSplitStages());
  }

  void addQuantization(bool sequenceParallel = false) {
    transformer::TransformerQuantizeOptions quantize;
    bool isFloat = options.preset == Preset::Training &&
                   !options.quantizeLinearAction.hasValue();
    quantize.linearAction =
        isFloat ? "DISABLED" : getAction(options.quantizeLinearAction);
    quantize.nonExpertLinearAction =
        getAction(options.quantizeNonExpertLinearAction);
    quantize.attentionAction = options.quantizeAttentionAction;
    quantize.groupSize = options.mxfp4GroupSize;
    quantize.sharedGroupScales = kernels.getSwitch("shared_group_scales") != 0;
    quantize.floatSparseKeys =
        sequenceParallel && kernels.getSwitch("whole_sparse_attention") != 0;
    pm.addNestedPass<func::FuncOp>(
        transformer::createTransformerQuantize(quantize));
  }

  /// What the software stack takes a linear action for.
  std::string getAction(StringRef action) {
    if (action.consume_front("W8A16"))
      return ((kernels.getSwitch("weight_only_is_w8a8") ? "W8A8" : "W8A16") +
              action)
          .str();
    return action.str();
  }

  void addWorkload() {
    if (!options.queries.hasValue() && !options.queryLength.hasValue())
      return;
    transformer::TransformerBindWorkloadOptions bind;
    bind.queries = options.queries;
    bind.queryLength = options.queryLength;
    bind.contextLength = options.contextLength;
    bind.decode = options.decode;
    bind.prefixCacheHitRate = options.prefixCacheHitRate;
    llvm::append_range(bind.moreRequests, options.moreRequests);
    bind.imageBatchSize = options.imageBatchSize;
    bind.imageHeight = options.imageHeight;
    bind.imageWidth = options.imageWidth;
    pm.addPass(transformer::createTransformerBindWorkload(bind));
  }

  /// What the software stack launches whole is kept.
  void addDecomposition(bool compiled) {
    transformer::TransformerDecomposeOptions decompose;
    llvm::append_range(decompose.keep, getKept(compiled));
    decompose.eagerTowers =
        compiled && kernels.getSwitch("vision_towers_run_eagerly") != 0;
    llvm::append_range(decompose.eagerKeep, kernels.getLaunchedWhole());
    pm.addNestedPass<func::FuncOp>(
        transformer::createTransformerDecompose(decompose));
  }

  ArrayRef<std::string> getKept(bool compiled) {
    return compiled ? kernels.getCompiledWhole() : kernels.getLaunchedWhole();
  }

  /// The user's own patterns come last: they see what the others leave.
  void addPatterns() {
    if (options.patterns.empty())
      return;
    transformer::TransformerApplyPatternsOptions apply;
    apply.files.assign(options.patterns.begin(), options.patterns.end());
    pm.addNestedPass<func::FuncOp>(
        transformer::createTransformerApplyPatterns(apply));
  }

  /// The number of a named way of the kernel set.
  double getSwitch(StringRef name) { return kernels.getSwitch(name); }

  void addFusions(bool linearAllReduce, bool sequenceParallel,
                  bool dispatchFFNCombine) {
    auto add = [&](std::unique_ptr<Pass> pass) {
      pm.addNestedPass<func::FuncOp>(std::move(pass));
    };
    transformer::TransformerFuseAttentionOptions attention;
    attention.onlyFullWidth = kernels.getSwitch("full_width_rope_only") != 0;
    attention.onlyEqualTypes = kernels.getSwitch("equal_type_rope_only") != 0;
    // What is in it is quantized and fused apart.
    attention.linearAttention = false;
    transformer::TransformerFuseNormOptions norm;
    norm.linearAttention = false;
    norm.wideRMSNorm = kernels.getSwitch("no_wide_norm") == 0;
    norm.layerNorm = kernels.getSwitch("no_layer_norm") == 0;
    norm.layerNormResidual =
        kernels.getSwitch("no_layer_norm_with_residual") == 0;
    transformer::TransformerFuseFFNOptions ffn;
    ffn.gelu = kernels.getSwitch("no_gelu") == 0;
    ffn.clampedSwiGLU = kernels.getSwitch("no_clamped_swiglu") == 0;
    ffn.linearActivation = kernels.getSwitch("no_linear_activation") == 0;
    transformer::TransformerFuseQuantOptions quant;
    quant.onlyEps = kernels.getSwitch("quantized_norm_eps");
    transformer::TransformerMergeLinearsOptions merge;
    merge.onlyEqualGroups = kernels.getSwitch("equal_groups_only") != 0;
    transformer::TransformerFuseCommOptions comm;
    // Sums that leave each device its tokens are not in a layer's kernel.
    comm.linearAllReduce = linearAllReduce && !sequenceParallel;
    bool late = kernels.getSwitch("sequence_parallel_after_quantized_norms");
    add(transformer::createTransformerFuseComm(comm));
    add(transformer::createTransformerFuseNorm(norm));
    if (sequenceParallel && !late)
      addSequenceParallelism();
    add(transformer::createTransformerFuseAttention(attention));
    add(transformer::createTransformerFuseFFN(ffn));
    add(transformer::createTransformerFuseQuant(quant));
    if (sequenceParallel && late)
      addSequenceParallelism();
    if (sequenceParallel && linearAllReduce) {
      comm.linearAllReduce = true;
      add(transformer::createTransformerFuseComm(comm));
    }
    add(transformer::createTransformerMergeLinears(merge));
    transformer::TransformerFuseMoEOptions mixture;
    mixture.dispatchFFNCombine = dispatchFFNCombine;
    mixture.combine = kernels.getSwitch("no_fused_combine") == 0;
    mixture.gating = kernels.getSwitch("no_fused_gating") == 0;
    add(transformer::createTransformerFuseMoE(mixture));
  }

  void addSequenceParallelism() {
    transformer::TransformerSequenceParallelOptions split;
    split.onlyAfterSum =
        kernels.getSwitch("sequence_parallel_needs_scattered_embedding") != 0;
    split.onlyEvenTokens =
        kernels.getSwitch("sequence_parallel_needs_even_tokens") != 0;
    pm.addPass(transformer::createTransformerSequenceParallel(split));
  }

  /// Puts exchanges beside compute, as the software stack does it.
  void addStreams(bool isOn) {
    if (!options.lower || (!isOn && !kernels.hasStreamsByDefault()))
      return;
    ascend::AscendScheduleOptions schedule;
    schedule.rule = ascend::symbolizeStreamRule(kernels.getStreamRule())
                        .value_or(ascend::StreamRule::DataFlow);
    llvm::append_range(schedule.tensors, kernels.getKernelsReturning(true));
    llvm::append_range(schedule.tuples, kernels.getKernelsReturning(false));
    llvm::append_range(schedule.partReaders, kernels.getPartReaders());
    pm.addPass(ascend::createAscendSchedule(schedule));
  }

  void addLowering(bool compiled) {
    if (!options.lower)
      return;
    ConvertTransformerToAscendOptions convert;
    convert.kernelSet = kernelSet;
    convert.compiled = compiled;
    pm.addPass(createConvertTransformerToAscend(convert));
    ascend::AscendEstimateOptions estimate;
    estimate.device = options.device;
    estimate.defaultDevice = "TEST_DEVICE";
    estimate.costModel =
        getOrDefault(options.costModel, "tensorcast-", options.reference);
    estimate.reservedMemoryGB = options.reservedMemoryGB;
    estimate.kernelCoefficients = options.kernelCoefficients;
    pm.addPass(ascend::createAscendEstimate(estimate));
  }

  OpPassManager &pm;
  const OptionsT &options;

private:
  std::string kernelSet;
  KernelSet kernels;
};
} // namespace

void mlir::tensorcast::buildEagerPipeline(OpPassManager &pm,
                                          const EagerOptions &options) {
  PriceBuilder<EagerOptions> builder(pm, options);
  builder.addLayers();
  builder.addExpansion(/*compiled=*/false);
  builder.addSharding();
  builder.addQuantization();
  builder.addStages();
  builder.addWorkload();
  builder.addDecomposition(/*compiled=*/false);
  builder.addPatterns();
  builder.addLowering(/*compiled=*/false);
}

void mlir::tensorcast::buildCompilePipeline(OpPassManager &pm,
                                            const CompileOptions &options) {
  PriceBuilder<CompileOptions> builder(pm, options);
  builder.addLayers();
  auto isOn = [&](StringRef pass) {
    return llvm::is_contained(options.compilationConfig, pass);
  };
  builder.addExpansion(/*compiled=*/true);
  builder.addSharding(isOn(kSequenceParallelPass));
  builder.addQuantization(isOn(kSequenceParallelPass));
  builder.addStages();
  builder.addWorkload();
  builder.addDecomposition(/*compiled=*/true);
  // Without regions per layer, kernels reach across the edges of layers.
  if (options.noRepetition)
    pm.addPass(transformer::createTransformerInlineLayers());
  builder.addFusions(/*linearAllReduce=*/
                     builder.getSwitch("fuse_linear_all_reduce") != 0 ||
                         isOn(kMatmulAllReducePass),
                     isOn(kSequenceParallelPass),
                     isOn(kDispatchFFNCombinePass));
  builder.addPatterns();
  builder.addLowering(/*compiled=*/true);
  builder.addStreams(isOn(kMultistreamPass));
}

void mlir::tensorcast::registerPipelines() {
  PassPipelineRegistration<EagerOptions>(
      "tensorcast-eager",
      "Price a model as a framework runs it op by op: dedup, quantize, bind, "
      "decompose, lower, estimate",
      buildEagerPipeline);
  registerPassPipeline(
      "tensorcast-compile",
      "Price a compiled model: as tensorcast-eager, with fusions and streams",
      [](OpPassManager &pm, StringRef text,
         function_ref<LogicalResult(const Twine &)> reportError) {
        CompileOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        StringRef known[] = {kMatmulAllReducePass, kSequenceParallelPass,
                             kMultistreamPass, kDispatchFFNCombinePass};
        for (StringRef name : options.compilationConfig)
          if (!llvm::is_contained(known, name))
            return reportError(
                unknownName("compilation-config name", name, known));
        buildCompilePipeline(pm, options);
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)> handle) {
        handle(CompileOptions());
      });
}
