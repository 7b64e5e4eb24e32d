//===- Roofline.cpp - Compute or memory, whichever is longer --------------===//

#include "Roofline.h"

#include <utility>

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
  double exchangeS = 0, exchangeMemoryS = 0, serialS = 0;
  bool overlaps = false;
  for (const ExchangeAmount &exchange : work.exchanges) {
    double linkS = getExchangeTime(exchange, device);
    double copyS = 2 * exchange.bytes / bandwidth;
    if (exchange.isSerial) {
      serialS += std::max(linkS, copyS) + device.launchCosts.collectiveS;
      continue;
    }
    overlaps = true;
    exchangeS += linkS;
    exchangeMemoryS += copyS;
  }
  terms.communicationS = exchangeS;

  // A kernel that computes and exchanges overlaps the two, each with its own
  // start; its traffic is that of the operands.
  double localS = std::max(terms.cubeS + terms.vectorS, terms.memoryS);
  if (!overlaps || computes) {
    if (localS != 0 && serialS == 0)
      terms.launchS =
          (anyCube ? device.launchCosts.cubeS : device.launchCosts.vectorS) *
          (1 + work.extraStarts);
    terms.totalS = localS + terms.launchS;
  }
  if (overlaps) {
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
  }
  // What is done one after the other adds up, and is compared with its starts;
  // between exchanges, the units of a kernel count as one.
  if (serialS != 0) {
    terms.totalS += serialS;
    terms.communicationS += serialS;
    terms.cubeS += std::exchange(terms.vectorS, 0);
  }
  return terms;
}
