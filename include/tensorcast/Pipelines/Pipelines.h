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

/// Options of `tensorcast-eager`. Names and defaults are those of `tensorcast
/// text-generate`, without `--`; `queries` stands for `num-queries`.
struct EagerOptions : PassPipelineOptions<EagerOptions> {
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
  Option<std::string> device{
      *this, "device",
      llvm::cl::desc("Name of a device profile or path of its JSON file; the "
                     "module's ascend.device if empty, else TEST_DEVICE.")};
  Option<std::string> quantizeLinearAction{
      *this, "quantize-linear-action",
      llvm::cl::desc("DISABLED, W8A8_DYNAMIC or W8A8_STATIC."),
      llvm::cl::init("W8A8_DYNAMIC")};
  Option<std::string> reference{
      *this, "reference",
      llvm::cl::desc("Date of the reference simulator whose kernel set and "
                     "cost model are the defaults."),
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
  Option<bool> noRepetition{
      *this, "no-repetition",
      llvm::cl::desc("Do not merge equal layers; the price is the same.")};
};

/// dedup, quantize, bind, decompose to what a framework launches, lower,
/// estimate.
void buildEagerPipeline(OpPassManager &pm, const EagerOptions &options);

void registerPipelines();

} // namespace mlir::tensorcast

#endif // TENSORCAST_PIPELINES_PIPELINES_H
