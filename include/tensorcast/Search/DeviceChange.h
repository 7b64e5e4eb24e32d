//===- DeviceChange.h - A device that is somewhat faster --------*- C++ -*-===//

#ifndef TENSORCAST_SEARCH_DEVICECHANGE_H
#define TENSORCAST_SEARCH_DEVICECHANGE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace mlir::tensorcast::search {

/// What numbers of a profile are multiplied with.
struct DeviceChange {
  double memoryBandwidth = 1;
  double cube = 1, vector = 1;
  double linkBandwidth = 1, linkLatency = 1;
  double launchCost = 1;

  bool isNone() const {
    return memoryBandwidth == 1 && cube == 1 && vector == 1 &&
           linkBandwidth == 1 && linkLatency == 1 && launchCost == 1;
  }
};

/// The profile of a device, as `loadDevice` finds it, after a change.
FailureOr<DictionaryAttr> loadChangedDevice(StringRef nameOrPath,
                                            const DeviceChange &change,
                                            Location loc);

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_SEARCH_DEVICECHANGE_H
