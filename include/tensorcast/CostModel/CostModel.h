//===- CostModel.h - Laws from work to time ---------------------*- C++ -*-===//
//
// A cost model turns the operations and bytes of a launch into seconds on a
// device.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_COSTMODEL_COSTMODEL_H
#define TENSORCAST_COSTMODEL_COSTMODEL_H

#include "tensorcast/CostModel/Formula.h"
#include "tensorcast/Device/DeviceProfile.h"
#include "tensorcast/Dialect/Ascend/IR/Ascend.h"

namespace mlir::tensorcast {

/// The rate that operations of an element type run at; none for types that no
/// device computes in. All 8-bit floats share one, and all 4-bit types another.
std::optional<RateKey> getRateKey(Type elementType);

/// An exchange between devices, in numbers: doubles, or formulas where the
/// batch is not known yet.
template <typename Number> struct ExchangeAmountOf {
  /// None if one device sends to another.
  std::optional<ascend::CollectiveKind> kind;
  /// What this device has; of an all-to-all, what it sends to or receives from
  /// others.
  Number bytes;
  /// Devices first, first + step, ... of the group.
  int64_t count, step;
  /// Whether it comes before or after the other work, and not beside it.
  bool isSerial = false;
  int64_t first = 0;
};

using ExchangeAmount = ExchangeAmountOf<double>;

/// What a launch needs, in numbers.
template <typename Number> struct WorkAmountOf {
  /// Operations by element type.
  SmallVector<std::pair<Type, Number>, 2> cubeOps, vectorOps;
  Number bytesRead = 0, bytesWritten = 0;
  /// Steps that cost as much as the start, beside it.
  Number extraStarts = 0;
  SmallVector<ExchangeAmountOf<Number>, 1> exchanges;
};
using WorkAmount = WorkAmountOf<double>;

/// `total` with the numbers that `evaluate` has for its expressions.
template <typename Number>
WorkAmountOf<Number>
getWorkAmount(const ascend::WorkTotal &total,
              function_ref<Number(transformer::ExprAttr)> evaluate) {
  WorkAmountOf<Number> work;
  for (auto [type, count] : total.cubeOps)
    work.cubeOps.emplace_back(type, evaluate(count));
  for (auto [type, count] : total.vectorOps)
    work.vectorOps.emplace_back(type, evaluate(count));
  work.bytesRead = evaluate(total.bytesRead);
  work.bytesWritten = evaluate(total.bytesWritten);
  work.extraStarts = evaluate(total.extraStarts);
  for (const ascend::Exchange &exchange : total.exchanges)
    work.exchanges.push_back(
        {exchange.kind, evaluate(exchange.bytes), exchange.ranks.getCount(),
         exchange.ranks.getStep(), exchange.isSerial, exchange.first});
  return work;
}

/// The link time of an exchange on the device's interconnect, in seconds. The
/// level is the outermost one at which the ranks differ; in a full mesh, a
/// group has its share of the links. Of the known algorithms the fastest
/// counts: rings and trees for all-reduce, log2(n) steps for the others. One
/// device that sends to another has one link, whatever the topology.
template <typename Number>
Number getExchangeTime(const ExchangeAmountOf<Number> &exchange,
                       const DeviceProfile &device);

/// Bytes that this device puts on its links for an exchange.
template <typename Number>
Number getWireBytes(const ExchangeAmountOf<Number> &exchange);

/// The times of one launch, in seconds.
template <typename Number> struct CostTermsOf {
  Number cubeS = 0, vectorS = 0, memoryS = 0, communicationS = 0;
  Number launchS = 0;
  Number totalS = 0;
};
using CostTerms = CostTermsOf<double>;

/// What takes the largest share of a launch.
enum class Bound { Memory, Communication, Cube, Vector };
constexpr unsigned numBounds = 4;
StringRef stringifyBound(Bound bound);

/// Memory wins ties, then communication; a launch that computes longer is bound
/// by the unit that works longer.
Bound getBound(const CostTerms &terms);
CostTerms getTerms(ascend::CostAttr cost);

/// One set of laws, each written once for both kinds of numbers.
class CostModel {
public:
  virtual ~CostModel() = default;

  /// The time of a launch. Element types that the device has no rate for are
  /// added to `missing`; what that means for the time is the model's law.
  virtual CostTerms price(const WorkAmount &work, const DeviceProfile &device,
                          SmallVectorImpl<Type> &missing) const = 0;
  virtual CostTermsOf<Formula> price(const WorkAmountOf<Formula> &work,
                                     const DeviceProfile &device,
                                     SmallVectorImpl<Type> &missing) const = 0;

  /// One line for people: how the terms make the time.
  virtual StringRef getFormula() const = 0;

  StringRef getName() const { return name; }

protected:
  explicit CostModel(StringRef name) : name(name) {}

private:
  StringRef name;
};

/// What operations of a type that the device has no rate for mean.
std::string describeMissingRate(Type elementType, const DeviceProfile &device,
                                const CostModel &model);

/// The model called `name`; unknown names are reported with the known ones.
FailureOr<const CostModel *> getCostModel(StringRef name, Location loc);

/// The model that is used where none is named.
inline constexpr StringLiteral kDefaultCostModel = "tensorcast-2026.08";

} // namespace mlir::tensorcast

#endif // TENSORCAST_COSTMODEL_COSTMODEL_H
