//===- CostModel.h - Laws from work to time ---------------------*- C++ -*-===//
//
// A cost model turns the operations and bytes of a launch into seconds on a
// device.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_COSTMODEL_COSTMODEL_H
#define TENSORCAST_COSTMODEL_COSTMODEL_H

#include "tensorcast/Device/DeviceProfile.h"
#include "tensorcast/Dialect/Ascend/IR/Ascend.h"

namespace mlir::tensorcast {

/// The rate that operations of an element type run at; none for types that no
/// device computes in. All 8-bit floats share one, and all 4-bit types another.
std::optional<RateKey> getRateKey(Type elementType);

/// An exchange between devices, in numbers.
struct ExchangeAmount {
  /// None if one device sends to another.
  std::optional<ascend::CollectiveKind> kind;
  /// What this device has; of an all-to-all, what it sends to or receives from
  /// others.
  double bytes;
  /// Devices first, first + step, ... of the group.
  int64_t count, step;
  /// Whether it comes before or after the other work, and not beside it.
  bool isSerial = false;
  int64_t first = 0;
};

/// What a launch needs, in numbers.
struct WorkAmount {
  /// Operations by element type.
  SmallVector<std::pair<Type, double>, 2> cubeOps, vectorOps;
  double bytesRead = 0, bytesWritten = 0;
  /// Steps that cost as much as the start, beside it.
  double extraStarts = 0;
  SmallVector<ExchangeAmount, 1> exchanges;
};

/// The link time of an exchange on the device's interconnect, in seconds. The
/// level is the outermost one at which the ranks differ; in a full mesh, a
/// group has its share of the links. Of the known algorithms the fastest
/// counts: rings and trees for all-reduce, log2(n) steps for the others. One
/// device that sends to another has one link, whatever the topology.
double getExchangeTime(const ExchangeAmount &exchange,
                       const DeviceProfile &device);

/// Bytes that this device puts on its links for an exchange.
double getWireBytes(const ExchangeAmount &exchange);

/// The times of one launch, in seconds.
struct CostTerms {
  double cubeS = 0, vectorS = 0, memoryS = 0, communicationS = 0;
  double launchS = 0;
  double totalS = 0;
};

/// What takes the largest share of a launch.
enum class Bound { Memory, Communication, Cube, Vector };
constexpr unsigned numBounds = 4;
StringRef stringifyBound(Bound bound);

/// Memory wins ties, then communication; a launch that computes longer is bound
/// by the unit that works longer.
Bound getBound(const CostTerms &terms);
CostTerms getTerms(ascend::CostAttr cost);

/// One set of laws.
class CostModel {
public:
  virtual ~CostModel() = default;

  /// The time of a launch. Element types that the device has no rate for are
  /// added to `missing`; what that means for the time is the model's law.
  virtual CostTerms price(const WorkAmount &work, const DeviceProfile &device,
                          SmallVectorImpl<Type> &missing) const = 0;

  /// One line for people: how the terms make the time.
  virtual StringRef getFormula() const = 0;

  StringRef getName() const { return name; }

protected:
  explicit CostModel(StringRef name) : name(name) {}

private:
  StringRef name;
};

/// The model called `name`; unknown names are reported with the known ones.
FailureOr<const CostModel *> getCostModel(StringRef name, Location loc);

/// The model that is used where none is named.
inline constexpr StringLiteral kDefaultCostModel = "tensorcast-2026.08";

} // namespace mlir::tensorcast

#endif // TENSORCAST_COSTMODEL_COSTMODEL_H
