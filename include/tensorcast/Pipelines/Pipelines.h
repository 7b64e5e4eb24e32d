//===- Pipelines.h - Named pipelines ----------------------------*- C++ -*-===//
//
// What a serving stack does to a model, from import to price.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_PIPELINES_PIPELINES_H
#define TENSORCAST_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::tensorcast {

/// What a model is run for.
enum class Preset { Inference, Training };

/// Options that change a price. Names and defaults are those of `tensorcast
/// text-generate`, without `--`; `queries` stands for `num-queries`.
template <typename OptionsT>
struct PriceOptions : PassPipelineOptions<OptionsT> {
  template <typename T>
  using Option = typename PassPipelineOptions<OptionsT>::template Option<T>;
  template <typename T>
  using ListOption =
      typename PassPipelineOptions<OptionsT>::template ListOption<T>;

  Option<int64_t> queries{
      *this, "queries",
      llvm::cl::desc("Requests in the step; with query-length, binds the "
                     "workload. Unbound if both are left out.")};
  Option<int64_t> queryLength{*this, "query-length",
                              llvm::cl::desc("New tokens of each request.")};
  Option<int64_t> contextLength{
      *this, "context-length",
      llvm::cl::desc("Tokens of each request that are in the cache already.")};
  Option<bool> decode{*this, "decode",
                      llvm::cl::desc("Whether every token yields logits.")};
  Option<double> prefixCacheHitRate{
      *this, "prefix-cache-hit-rate",
      llvm::cl::desc("Share of a prefill query that the prefix cache holds.")};
  ListOption<std::string> moreRequests{
      *this, "more-requests",
      llvm::cl::desc("Requests of other kinds in the same step, each as "
                     "QUERIESxLENGTH[+CONTEXT][@RATE][:decode].")};
  Option<int64_t> imageBatchSize{
      *this, "image-batch-size",
      llvm::cl::desc("Images of each request, in front of its query.")};
  Option<int64_t> imageHeight{
      *this, "image-height",
      llvm::cl::desc("Pixels from top to bottom of each image.")};
  Option<int64_t> imageWidth{
      *this, "image-width",
      llvm::cl::desc("Pixels from left to right of each image.")};
  Option<std::string> device{
      *this, "device",
      llvm::cl::desc("Name of a device profile or path of its JSON file; the "
                     "module's ascend.device if empty, else TEST_DEVICE.")};
  Option<std::string> quantizeLinearAction{
      *this, "quantize-linear-action",
      llvm::cl::desc("DISABLED, W8A16_STATIC, W8A16_DYNAMIC, W8A8_STATIC, "
                     "W8A8_DYNAMIC, W4A8_STATIC, W4A8_DYNAMIC, FP8 or MXFP4."),
      llvm::cl::init("W8A8_DYNAMIC")};
  Option<std::string> quantizeNonExpertLinearAction{
      *this, "quantize-non-expert-linear-action",
      llvm::cl::desc("Action for all linear layers but those of routed "
                     "experts; that of quantize-linear-action if empty.")};
  Option<std::string> quantizeAttentionAction{
      *this, "quantize-attention-action",
      llvm::cl::desc("DISABLED, INT8 or FP8."), llvm::cl::init("DISABLED")};
  Option<int64_t> mxfp4GroupSize{
      *this, "mxfp4-group-size",
      llvm::cl::desc("Elements that share a scale in MXFP4."),
      llvm::cl::init(32)};
  Option<int64_t> devices{*this, "devices",
                          llvm::cl::desc("Devices that run the model; tp * dp "
                                         "if left out.")};
  Option<int64_t> tensor{*this, "tp", llvm::cl::desc("Tensor-parallel size.")};
  Option<int64_t> data{*this, "dp", llvm::cl::desc("Data-parallel size.")};
  Option<int64_t> pipeline{*this, "pp",
                           llvm::cl::desc("Pipeline-parallel size: stages.")};
  Option<int64_t> output{
      *this, "o-proj-tp",
      llvm::cl::desc("Devices that share the attention output; tp if 0.")};
  Option<int64_t> mlp{*this, "mlp-tp",
                      llvm::cl::desc("Devices that share the MLP; tp if 0.")};
  Option<int64_t> head{*this, "lmhead-tp",
                       llvm::cl::desc("Devices that share the head; tp if 0.")};
  Option<std::string> wordEmbedding{
      *this, "word-embedding-tp",
      llvm::cl::desc("Split of the word embedding: none, col or row."),
      llvm::cl::init("none")};
  Option<int64_t> expert{
      *this, "ep", llvm::cl::desc("Devices that share the experts; 1 if 0.")};
  Option<int64_t> expertTensor{
      *this, "moe-tp",
      llvm::cl::desc("Devices that share the matrices of each expert; devices "
                     "/ (ep * moe-dp) if 0.")};
  Option<int64_t> expertData{
      *this, "moe-dp",
      llvm::cl::desc("Groups of devices that each have all experts; 1 if 0.")};
  Option<int64_t> context{
      *this, "dcp",
      llvm::cl::desc("Devices of a tensor-parallel group that share the cached "
                     "tokens of a decode step; 1 if 0.")};
  Option<bool> redundantExperts{
      *this, "enable-redundant-experts",
      llvm::cl::desc("Let each device hold a copy of one more expert.")};
  Option<bool> sharedExpertTensor{
      *this, "enable-shared-expert-tp",
      llvm::cl::desc("Split the shared expert as the MLP.")};
  Option<bool> externalSharedExperts{
      *this, "enable-external-shared-experts",
      llvm::cl::desc("Let devices of their own hold the shared expert.")};
  Option<bool> hostSharedExperts{
      *this, "host-external-shared-experts",
      llvm::cl::desc("Price a device that holds the shared expert.")};
  Option<int64_t> vision{
      *this, "vision-tp",
      llvm::cl::desc("Devices that share the vision tower; 1 if 0.")};
  Option<std::string> reference{
      *this, "reference",
      llvm::cl::desc("Date of the reference simulator whose kernel set and "
                     "cost model are the defaults: 2026.06 or 2026.08."),
      llvm::cl::init("2026.08")};
  Option<std::string> kernelSet{
      *this, "kernel-set",
      llvm::cl::desc(
          "Name of the kernel set; that of the reference if empty.")};
  Option<std::string> costModel{
      *this, "cost-model",
      llvm::cl::desc(
          "Name of the cost model; that of the reference if empty.")};
  Option<double> reservedMemoryGB{
      *this, "reserved-memory-gb",
      llvm::cl::desc("Device memory (GiB) kept for other uses.")};
  Option<std::string> kernelCoefficients{
      *this, "kernel-coefficients",
      llvm::cl::desc("JSON file that gives kernels an efficiency and launch "
                     "cost of their own.")};
  ListOption<std::string> patterns{
      *this, "patterns",
      llvm::cl::desc("Files with patterns of one's own, which are applied "
                     "before ops become kernels.")};
  ListOption<std::string> disable{
      *this, "disable",
      llvm::cl::desc("Fusions to switch off, such as fuse-norm.residual or the "
                     "name of a pattern of one's own; behind '@', the layers "
                     "in which they are off, as model.layers.*.")};
  ListOption<std::string> highPrecision{
      *this, "high-precision",
      llvm::cl::desc("Ops (rms_norm, layer_norm, rope, softmax, linear, "
                     "attention) and weights that stay in high precision; "
                     "behind '@', the layers in which they do.")};
  Option<Preset> preset{
      *this, "preset",
      llvm::cl::desc("What the model is run for; training quantizes nothing "
                     "unless asked to, and keeps what the gradient reads."),
      llvm::cl::init(Preset::Inference),
      llvm::cl::values(
          clEnumValN(Preset::Inference, "inference", "results only"),
          clEnumValN(Preset::Training, "training",
                     "the forward pass of a training step"))};
  Option<bool> noRepetition{*this, "no-repetition",
                            llvm::cl::desc("Do not merge equal layers.")};
  Option<bool> lower{
      *this, "lower",
      llvm::cl::desc("Make kernels of the ops, and price them; without, they "
                     "stay as patterns find them."),
      llvm::cl::init(true)};
};

/// Options of `tensorcast-eager`.
struct EagerOptions : PriceOptions<EagerOptions> {};

/// Options of `tensorcast-compile`.
struct CompileOptions : PriceOptions<CompileOptions> {
  ListOption<std::string> compilationConfig{
      *this, "compilation-config",
      llvm::cl::desc("Passes to switch on: enable-matmul-allreduce, "
                     "enable-sequence-parallel, enable-multistream, "
                     "enable-dispatch-ffn-combine.")};
};

/// The names that `compilation-config` takes.
inline constexpr StringLiteral kMatmulAllReducePass = "enable-matmul-allreduce";
inline constexpr StringLiteral kSequenceParallelPass =
    "enable-sequence-parallel";
inline constexpr StringLiteral kMultistreamPass = "enable-multistream";
inline constexpr StringLiteral kDispatchFFNCombinePass =
    "enable-dispatch-ffn-combine";

/// dedup, quantize, bind, decompose to what a framework launches, lower,
/// estimate.
void buildEagerPipeline(OpPassManager &pm, const EagerOptions &options);

/// The same, with fusions between decomposition and lowering.
void buildCompilePipeline(OpPassManager &pm, const CompileOptions &options);

void registerPipelines();

} // namespace mlir::tensorcast

#endif // TENSORCAST_PIPELINES_PIPELINES_H
