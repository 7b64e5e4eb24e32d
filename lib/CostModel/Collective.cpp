//===- Collective.cpp - Link time of exchanges between devices ------------===//

#include "tensorcast/CostModel/CostModel.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using ascend::CollectiveKind;

namespace {
/// The links that a group of devices uses.
struct Link {
  double bandwidthBytesPerS;
  double latencyS;
};
} // namespace

/// The outermost level at which the devices of a group have different
/// coordinates; devices are numbered with the innermost level fastest.
template <typename Number>
static size_t findLevel(const ExchangeAmountOf<Number> &exchange,
                        const DeviceProfile &device) {
  int64_t first = exchange.first;
  int64_t last = first + (exchange.count - 1) * exchange.step;
  int64_t inner = device.getNumDevices();
  for (auto [index, level] : llvm::enumerate(device.interconnect)) {
    inner /= level.size;
    // What lies further out is the same for both, so a quotient tells.
    if (last / inner != first / inner)
      return index;
  }
  return device.interconnect.size() - 1;
}

template <typename Number>
static Link getLink(const ExchangeAmountOf<Number> &exchange,
                    const DeviceProfile &device) {
  size_t index = findLevel(exchange, device);
  const InterconnectLevel &level = device.interconnect[index];
  double bandwidth = level.bandwidthBytesPerS * level.efficiency;
  if (exchange.kind && level.topology == Topology::FullMesh) {
    // Each of the other devices has a link of its own; the group uses those to
    // its members.
    double reachable = 1;
    for (const InterconnectLevel &inner :
         ArrayRef(device.interconnect).drop_front(index))
      reachable *= static_cast<double>(inner.size);
    bandwidth *= (exchange.count - 1) / (reachable - 1);
  }
  return {bandwidth, level.latencyS};
}

template <typename Number>
Number
mlir::tensorcast::getWireBytes(const ExchangeAmountOf<Number> &exchange) {
  double others = static_cast<double>(exchange.count - 1);
  double share = others / exchange.count;
  if (!exchange.kind)
    return exchange.bytes;
  switch (*exchange.kind) {
  case CollectiveKind::AllReduce:
    return 2 * share * exchange.bytes;
  case CollectiveKind::AllGather:
    return others * exchange.bytes;
  case CollectiveKind::AllToAll:
    return exchange.bytes;
  case CollectiveKind::ReduceScatter:
    break;
  }
  return share * exchange.bytes;
}

template <typename Number>
Number
mlir::tensorcast::getExchangeTime(const ExchangeAmountOf<Number> &exchange,
                                  const DeviceProfile &device) {
  if (exchange.count < 2 || device.interconnect.empty())
    return 0;
  Link link = getLink(exchange, device);
  double n = static_cast<double>(exchange.count), steps = std::log2(n);
  Number wireS = getWireBytes(exchange) / link.bandwidthBytesPerS;
  if (exchange.kind != CollectiveKind::AllReduce)
    return std::min(n - 1, steps) * link.latencyS + wireS;
  Number ringS = 2 * (n - 1) * link.latencyS + wireS;
  Number treeS =
      2 * steps * link.latencyS + 2 * exchange.bytes / link.bandwidthBytesPerS;
  return min(ringS, treeS);
}

namespace mlir::tensorcast {
template double getWireBytes(const ExchangeAmountOf<double> &);
template Formula getWireBytes(const ExchangeAmountOf<Formula> &);
template double getExchangeTime(const ExchangeAmountOf<double> &,
                                const DeviceProfile &);
template Formula getExchangeTime(const ExchangeAmountOf<Formula> &,
                                 const DeviceProfile &);
} // namespace mlir::tensorcast
