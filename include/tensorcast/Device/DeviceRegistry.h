//===- DeviceRegistry.h - Devices by name -----------------------*- C++ -*-===//
//
// The profiles that come with TensorCast, and the user's own.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_DEVICE_DEVICEREGISTRY_H
#define TENSORCAST_DEVICE_DEVICEREGISTRY_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

namespace mlir::tensorcast {

/// The names of all devices that `loadDevice` knows, sorted.
SmallVector<StringRef> listDevices();

/// The profile of a known device, or the one in a JSON file: whatever ends in
/// `.json` or has a directory in it is a path. The result has passed
/// `parseDeviceProfile`. Case does not count in names.
FailureOr<DictionaryAttr> loadDevice(StringRef nameOrPath, Location loc);

} // namespace mlir::tensorcast

#endif // TENSORCAST_DEVICE_DEVICEREGISTRY_H
