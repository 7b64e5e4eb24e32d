//===- Roofline.cpp - Compute or memory, whichever is longer --------------===//

#include "Roofline.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// Seconds for operations at the device's rates. Sets `any` if some of them
/// run at all.
template <typename Number>
static Number getTime(ArrayRef<std::pair<Type, Number>> ops, const Rates &rates,
                      double efficiency, SmallVectorImpl<Type> &missing,
                      Truth<Number> &any) {
  Number seconds = 0;
  for (auto [type, count] : ops) {
    if (isKnown(count, 0))
      continue;
    std::optional<RateKey> key = getRateKey(type);
    std::optional<double> rate = key ? rates[*key] : std::nullopt;
    if (!rate) {
      missing.push_back(type);
      continue;
    }
    seconds += count / (*rate * efficiency);
    any = either(any, isNonZero(count));
  }
  return seconds;
}

template <typename Number>
static CostTermsOf<Number>
applyLaw(const WorkAmountOf<Number> &work, const DeviceProfile &device,
         bool attributesFusedExchanges, SmallVectorImpl<Type> &missing) {
  CostTermsOf<Number> terms;
  Truth<Number> anyCube = false, anyVector = false;
  terms.cubeS = getTime<Number>(work.cubeOps, device.cubeOpsPerS,
                                device.computeEfficiency, missing, anyCube);
  terms.vectorS = getTime<Number>(work.vectorOps, device.vectorOpsPerS,
                                  device.computeEfficiency, missing, anyVector);
  double bandwidth = device.memoryBandwidthBytesPerS * device.memoryEfficiency;
  terms.memoryS = (work.bytesRead + work.bytesWritten) / bandwidth;
  Truth<Number> computes = either(anyCube, anyVector);
  Number exchangeS = 0, exchangeMemoryS = 0, serialS = 0;
  bool overlaps = false;
  for (const ExchangeAmountOf<Number> &exchange : work.exchanges) {
    Number linkS = getExchangeTime(exchange, device);
    Number copyS = 2 * exchange.bytes / bandwidth;
    if (exchange.isSerial) {
      serialS += max(linkS, copyS) + device.launchCosts.collectiveS;
      continue;
    }
    overlaps = true;
    exchangeS += linkS;
    exchangeMemoryS += copyS;
  }
  terms.communicationS = exchangeS;

  // A kernel that computes and exchanges overlaps the two, each with its own
  // start; its traffic is that of the operands.
  Number localS = max(terms.cubeS + terms.vectorS, terms.memoryS);
  Truth<Number> isSerial = isNonZero(serialS);
  Number startS =
      select(anyCube, device.launchCosts.cubeS, device.launchCosts.vectorS) *
      (1 + work.extraStarts);
  startS = select(both(isNonZero(localS), negate(isSerial)), startS, 0);
  Truth<Number> isLocal = overlaps ? computes : Truth<Number>(true);
  terms.launchS = select(isLocal, startS, 0);
  terms.totalS = select(isLocal, localS + startS, 0);
  if (overlaps) {
    Number remoteS =
        max(exchangeS, select(computes, exchangeMemoryS, terms.memoryS));
    Number remoteTotalS = remoteS + device.launchCosts.collectiveS;
    terms.memoryS += select(computes, exchangeMemoryS, 0);
    Truth<Number> isLonger = isPositive(remoteTotalS - terms.totalS);
    terms.launchS =
        select(isLonger, device.launchCosts.collectiveS, terms.launchS);
    terms.totalS = max(terms.totalS, remoteTotalS);
    if (!attributesFusedExchanges)
      for (Number *term : {&terms.cubeS, &terms.vectorS, &terms.memoryS,
                           &terms.communicationS})
        *term = select(computes, 0, *term);
  }
  // What is done one after the other adds up, and is compared with its starts;
  // between exchanges, the units of a kernel count as one.
  terms.totalS += serialS;
  terms.communicationS += serialS;
  terms.cubeS += select(isSerial, terms.vectorS, 0);
  terms.vectorS = select(isSerial, 0, terms.vectorS);
  return terms;
}

CostTerms Roofline::price(const WorkAmount &work, const DeviceProfile &device,
                          SmallVectorImpl<Type> &missing) const {
  return applyLaw(work, device, attributesFusedExchanges, missing);
}

CostTermsOf<Formula> Roofline::price(const WorkAmountOf<Formula> &work,
                                     const DeviceProfile &device,
                                     SmallVectorImpl<Type> &missing) const {
  return applyLaw(work, device, attributesFusedExchanges, missing);
}
