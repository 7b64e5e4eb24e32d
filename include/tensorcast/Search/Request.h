//===- Request.h - What is searched for -------------------------*- C++ -*-===//

#ifndef TENSORCAST_SEARCH_REQUEST_H
#define TENSORCAST_SEARCH_REQUEST_H

#include "tensorcast/Device/DeviceProfile.h"
#include "tensorcast/Search/Lengths.h"
#include "tensorcast/Search/Pricer.h"

namespace mlir::tensorcast::search {

/// How prefill and decode are served.
enum class Mode {
  /// All devices do both, prefill first.
  Aggregated,
  /// Prefill or decode alone, or each for itself.
  Disaggregated,
  /// Prefill and decode on devices of their own, in balance.
  Ratio,
};

/// What the versions of the reference differ in.
struct Rules {
  /// Whether all groups of devices share the budget of tokens in a step.
  bool sharedBudget = false;
  /// Whether throughput counts the time to the first token twice.
  bool countsFirstTokenTwice = false;
  /// Whether a prompt that is longer than the budget is cut into chunks.
  bool cutsPrompts = true;
  /// The budget if none is given; 0 for the multiples of the prompt.
  int64_t defaultBudget = 0;

  static Rules get(StringRef reference);
};

/// One way to serve the model beside the plan: a precision and fusions.
struct Variant {
  /// Empty if there is but one.
  std::string label;
  ModelSettings settings;
};

/// What programs reach of the peaks of a device.
struct DeviceFacts {
  /// Operations per second on bf16 elements.
  double cubeOpsPerS = 0, vectorOpsPerS = 0;
  double memoryBytesPerS = 0, memoryBytes = 0;
  /// Members and bandwidth of each level of the interconnect, outermost first.
  SmallVector<int64_t> groups;
  SmallVector<double> linkBytesPerS;
};

struct SearchRequest {
  std::string model;
  Mode mode = Mode::Aggregated;
  /// `2026.08`, and its rules.
  std::string reference;
  Rules rules;
  /// Each device with each variant and each plan.
  SmallVector<std::string> devices;
  /// Of each device.
  std::vector<DeviceFacts> deviceFacts;
  std::vector<Variant> variants;
  PlanSizes sizes;
  int64_t numDevices = 1;
  /// Of an instance, where prefill and decode are in balance.
  int64_t prefillDevices = 1, decodeDevices = 1;

  Lengths lengths;
  /// The lengths in words: `3500 tokens in, 1500 out`.
  std::string lengthsText;
  ImageSize images;
  double prefixCacheHitRate = 0;
  /// Of each drafted token.
  SmallVector<double> acceptanceRates;

  std::optional<double> firstTokenLimitMs, perTokenLimitMs;
  /// New tokens of a prefill step, for each group of devices.
  std::optional<int64_t> maxBatchedTokens;
  /// Requests of each group of devices.
  int64_t minBatch = 1;
  std::optional<int64_t> maxBatch;
  /// What serving adds to each prefill, where it is apart from decode.
  double servingCostMs = 0;
  /// Whether batches between those of the search are priced too, for the front.
  bool wholeFront = false;
};

DeviceFacts getFacts(const DeviceProfile &device);

StringRef stringify(Mode mode);
StringRef stringify(Phase phase);

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_SEARCH_REQUEST_H
