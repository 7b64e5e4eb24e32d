//===- Chunks.h - Prompts in parts ------------------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_SEARCH_CHUNKS_H
#define TENSORCAST_LIB_SEARCH_CHUNKS_H

#include "tensorcast/Dialect/Transformer/IR/Workload.h"
#include "tensorcast/Search/Lengths.h"

#include <functional>
#include <optional>

namespace mlir::tensorcast::search {

/// Requests of one length whose prompts are cut into chunks, and which are
/// decoded as soon as they are prefilled.
class ChunkedService {
public:
  int64_t requests = 0;
  /// Of each prompt: to be computed, and found in the prefix cache.
  int64_t newTokens = 0, cachedTokens = 0;
  /// New tokens of a request in a step at most.
  int64_t chunk = 0;
  /// Tokens of a step, which prefill may exceed by 15 %.
  int64_t budget = 0;
  int64_t outputTokens = 1;
  /// Latency of a chunk of so many requests, after tokens in the cache; none if
  /// the service has to give up.
  std::function<std::optional<double>(int64_t count, int64_t query,
                                      int64_t context)>
      priceChunk;
  /// Latency of a token of so many requests.
  std::function<std::optional<double>(int64_t count)> priceDecode;

  /// How many requests may run a chunk beside `decodes` tokens.
  int64_t getChunks(int64_t chunkTokens, int64_t decodes) const;

  std::optional<struct ChunkedTimes> run() const;
};

struct ChunkedTimes {
  double meanFirstTokenMs = 0, lastFirstTokenMs = 0;
  /// Between the first and the last token of a request.
  double meanPerTokenMs = 0;
  double endMs = 0;
};

/// Prompts of several lengths in one step.
struct PackedStep {
  SmallVector<RequestGroup, 4> groups;
  /// Requests whose prompts are complete after the step.
  int64_t numFinished = 0;
};

/// Tokens of a prompt, and those that are not in the prefix cache.
struct PromptLength {
  int64_t tokens, newTokens;
};

/// Packs prompts into steps of `budget` new tokens, in order; what does not fit
/// a step any more is continued in the next.
SmallVector<PackedStep>
packPrompts(ArrayRef<RequestCount> requests, int64_t budget,
            llvm::function_ref<PromptLength(int64_t input)> getLength);

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_LIB_SEARCH_CHUNKS_H
