//===- Roofline.cpp - Compute or memory, whichever is longer --------------===//

#include "Roofline.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// Seconds for operations at the device's rates. Sets `any` if some of them
/// run at all.
static double getTime(ArrayRef<std::pair<Type, double>> ops, const Rates &rates,
                      double efficiency, SmallVectorImpl<Type> &missing,
                      bool &any) {
  double seconds = 0;
  for (auto [type, count] : ops) {
    if (count == 0)
      continue;
    std::optional<RateKey> key = getRateKey(type);
    std::optional<double> rate = key ? rates[*key] : std::nullopt;
    if (!rate) {
      missing.push_back(type);
      continue;
    }
    seconds += count / (*rate * efficiency);
    any = true;
  }
  return seconds;
}

CostTerms Roofline::price(const WorkAmount &work, const DeviceProfile &device,
                          SmallVectorImpl<Type> &missing) const {
  CostTerms terms;
  bool anyCube = false, anyVector = false;
  terms.cubeS = getTime(work.cubeOps, device.cubeOpsPerS,
                        device.computeEfficiency, missing, anyCube);
  terms.vectorS = getTime(work.vectorOps, device.vectorOpsPerS,
                          device.computeEfficiency, missing, anyVector);
  double bandwidth = device.memoryBandwidthBytesPerS * device.memoryEfficiency;
  terms.memoryS = (work.bytesRead + work.bytesWritten) / bandwidth;
  bool computes = anyCube || anyVector;
  double exchangeS = 0, exchangeMemoryS = 0;
  for (const ExchangeAmount &exchange : work.exchanges) {
    exchangeS += getExchangeTime(exchange, device);
    exchangeMemoryS += 2 * exchange.bytes / bandwidth;
  }
  terms.communicationS = exchangeS;

  // A kernel that computes and exchanges overlaps the two, each with its own
  // start; its traffic is that of the operands.
  double localS = std::max(terms.cubeS + terms.vectorS, terms.memoryS);
  if (work.exchanges.empty() || computes) {
    if (localS == 0)
      return terms;
    terms.launchS =
        (anyCube ? device.launchCosts.cubeS : device.launchCosts.vectorS) *
        (1 + work.extraStarts);
    terms.totalS = localS + terms.launchS;
  }
  if (work.exchanges.empty())
    return terms;
  double remoteS =
      std::max(exchangeS, computes ? exchangeMemoryS : terms.memoryS);
  double remoteTotalS = remoteS + device.launchCosts.collectiveS;
  if (computes)
    terms.memoryS += exchangeMemoryS;
  if (remoteTotalS > terms.totalS) {
    terms.launchS = device.launchCosts.collectiveS;
    terms.totalS = remoteTotalS;
  }
  if (computes && !attributesFusedExchanges)
    terms.cubeS = terms.vectorS = terms.memoryS = terms.communicationS = 0;
  return terms;
}
