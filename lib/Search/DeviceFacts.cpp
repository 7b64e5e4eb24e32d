//===- DeviceFacts.cpp - What programs reach of a device ------------------===//

#include "tensorcast/Report/TextTable.h"
#include "tensorcast/Search/Results.h"
#include "tensorcast/Support/Numbers.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

DeviceFacts tensorcast::search::getFacts(const DeviceProfile &device) {
  DeviceFacts facts;
  auto rate = [&](const Rates &rates) {
    return rates[RateKey::BF16].value_or(0) * device.computeEfficiency;
  };
  facts.cubeOpsPerS = rate(device.cubeOpsPerS);
  facts.vectorOpsPerS = rate(device.vectorOpsPerS);
  facts.memoryBytesPerS =
      device.memoryBandwidthBytesPerS * device.memoryEfficiency;
  facts.memoryBytes = static_cast<double>(device.memoryBytes);
  for (const InterconnectLevel &level : device.interconnect) {
    facts.groups.push_back(level.size);
    facts.linkBytesPerS.push_back(level.bandwidthBytesPerS * level.efficiency);
  }
  return facts;
}

/// Numbers of a list with something between them.
template <typename RangeT, typename FormatT>
static std::string join(const RangeT &range, StringRef separator,
                        FormatT format) {
  std::string text;
  for (auto value : range)
    text += (text.empty() ? "" : separator.str()) + format(value);
  return text;
}

void tensorcast::search::printDeviceFacts(raw_ostream &os,
                                          const SearchResult &result) {
  const SearchRequest &request = result.request;
  if (request.devices.size() < 2 ||
      request.deviceFacts.size() != request.devices.size())
    return;
  TextTable table({"device", "cube TFLOPS", "vector TFLOPS", "memory TB/s",
                   "memory", "groups", "link GB/s"},
                  /*numLeft=*/1);
  for (auto [name, facts] : llvm::zip(request.devices, request.deviceFacts))
    // Bandwidth of memory in 2^40 bytes, as its size is in 2^30.
    table.addRow({name, formatFixed(facts.cubeOpsPerS / 1e12),
                  formatFixed(facts.vectorOpsPerS / 1e12),
                  formatFixed(facts.memoryBytesPerS / 0x1p40, 3),
                  formatGigabytes(facts.memoryBytes),
                  join(facts.groups, " x ",
                       [](int64_t size) { return std::to_string(size); }),
                  join(facts.linkBytesPerS, " / ", [](double bandwidth) {
                    return formatFixed(bandwidth / 1e9, 1);
                  })});
  table.print(os);
  os << "shares of the peaks that programs reach, of bf16 elements\n\n";
}
