//===- DeviceChange.cpp - A device that is somewhat faster ----------------===//

#include "tensorcast/Search/DeviceChange.h"

#include "tensorcast/Device/DeviceRegistry.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

/// `attr` with all numbers in it multiplied.
static Attribute scale(Attribute attr, double factor) {
  MLIRContext *context = attr.getContext();
  auto number = [&](double value) {
    return FloatAttr::get(Float64Type::get(context), value * factor);
  };
  if (auto value = dyn_cast<FloatAttr>(attr))
    return number(value.getValueAsDouble());
  if (auto value = dyn_cast<IntegerAttr>(attr))
    return number(static_cast<double>(value.getInt()));
  auto dictionary = dyn_cast<DictionaryAttr>(attr);
  if (!dictionary)
    return attr;
  NamedAttrList list;
  for (NamedAttribute entry : dictionary)
    list.set(entry.getName(), scale(entry.getValue(), factor));
  return list.getDictionary(context);
}

static void scaleMember(NamedAttrList &list, StringRef key, double factor) {
  if (Attribute value = list.get(key); value && factor != 1)
    list.set(key, scale(value, factor));
}

FailureOr<DictionaryAttr> tensorcast::search::loadChangedDevice(
    StringRef nameOrPath, const DeviceChange &change, Location loc) {
  FailureOr<DictionaryAttr> profile = loadDevice(nameOrPath, loc);
  if (failed(profile))
    return failure();
  MLIRContext *context = loc.getContext();
  NamedAttrList list(*profile);
  scaleMember(list, "memory_bandwidth_bytes_per_s", change.memoryBandwidth);
  scaleMember(list, "cube_ops_per_s", change.cube);
  scaleMember(list, "vector_ops_per_s", change.vector);
  scaleMember(list, "launch_cost_s", change.launchCost);
  if (auto levels = dyn_cast_or_null<ArrayAttr>(list.get("interconnect"))) {
    SmallVector<Attribute> changed;
    for (Attribute level : levels) {
      NamedAttrList members(cast<DictionaryAttr>(level));
      scaleMember(members, "bandwidth_bytes_per_s", change.linkBandwidth);
      scaleMember(members, "latency_s", change.linkLatency);
      changed.push_back(members.getDictionary(context));
    }
    list.set("interconnect", ArrayAttr::get(context, changed));
  }
  return list.getDictionary(context);
}
