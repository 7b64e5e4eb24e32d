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
  terms.memoryS = (work.bytesRead + work.bytesWritten) /
                  (device.memoryBandwidthBytesPerS * device.memoryEfficiency);
  double busy = std::max(terms.cubeS + terms.vectorS, terms.memoryS);
  if (busy == 0)
    return terms;
  terms.launchS =
      anyCube ? device.launchCosts.cubeS : device.launchCosts.vectorS;
  terms.totalS = busy + terms.launchS;
  return terms;
}
