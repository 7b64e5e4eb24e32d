//===- Opportunities.cpp - Where a fusion would pay -----------------------===//

#include "tensorcast/Opportunities/Opportunities.h"

#include "Chains.h"
#include "Trial.h"
#include "tensorcast/Dialect/Ascend/IR/Ascend.h"
#include "tensorcast/Report/Report.h"

#include <map>

using namespace mlir;
using namespace mlir::tensorcast;

/// A chain pays for an op more if that adds this share to its saving.
static constexpr double kWorthwhileShare = 0.05;

namespace {
/// Prices chains and keeps what is worth showing.
class Finder {
public:
  Finder(ModuleOp module, const OpportunityOptions &options,
         std::optional<int64_t> bufferBytes)
      : options(options), trial(module, options.price) {
    list.bufferBytes = bufferBytes;
  }

  /// Adds the chains of a function that runs `runs` times.
  LogicalResult add(func::FuncOp function, double runs) {
    SmallVector<Operation *> ops = getKernelOps(function);
    if (ops.empty() || runs == 0)
      return success();
    std::optional<TrialPrice> before = trial.price(function, {});
    if (!before)
      return function.emitError(
          "expected ops that have kernels, but some have none; run "
          "convert-transformer-to-ascend to see which");
    list.totalS += runs * before->timeS;
    // An op is in one kernel only, so that places which share ops count once.
    std::map<std::string, llvm::SmallPtrSet<Operation *, 8>> taken;
    for (const Chain &chain : findChains(ops, options.maxOps)) {
      if (!fitsBuffer(chain, list.bufferBytes)) {
        ++list.numTooLarge;
        continue;
      }
      std::string text = Trial::describe(chain.ops);
      llvm::SmallPtrSet<Operation *, 8> &others = taken[text];
      if (llvm::any_of(chain.kernels,
                       [&](Operation *op) { return others.contains(op); }))
        continue;
      std::optional<TrialPrice> after = trial.price(function, chain.ops);
      if (!after || after->timeS >= before->timeS)
        continue;
      others.insert(chain.kernels.begin(), chain.kernels.end());
      add(found[text], function, chain, runs, *before, *after);
    }
    return success();
  }

  OpportunityList take() {
    for (auto &[text, opportunity] : found)
      if (!isNeedlesslyLong(opportunity))
        list.chains.push_back(opportunity);
    llvm::sort(list.chains, [](const Opportunity &a, const Opportunity &b) {
      return std::pair(-a.savingS, a.name) < std::pair(-b.savingS, b.name);
    });
    return std::move(list);
  }

private:
  void add(Opportunity &place, func::FuncOp function, const Chain &chain,
           double runs, const TrialPrice &before, const TrialPrice &after) {
    savings[chain.kernels] = before.timeS - after.timeS;
    if (place.runs == 0) {
      place.ops = chain.ops;
      place.kernels = chain.kernels;
      place.name =
          llvm::join(llvm::map_range(chain.kernels, getKernelName), " -> ");
    }
    place.runs += runs;
    place.savingS += runs * (before.timeS - after.timeS);
    place.launches += runs * (before.launches - after.launches);
    place.bytes += runs * (before.bytes - after.bytes);
    std::string name = getProvenance(chain.kernels.back());
    if (name.empty())
      name = function.getName().str();
    if (!llvm::is_contained(place.provenance, name))
      place.provenance.push_back(name);
  }

  /// Whether a chain saves hardly more than without its first or last op.
  bool isNeedlesslyLong(const Opportunity &chain) {
    ArrayRef<Operation *> kernels = chain.kernels;
    auto isAsGood = [&](ArrayRef<Operation *> shorter) {
      auto other = savings.find(llvm::to_vector(shorter));
      return other != savings.end() &&
             other->second >= (1 - kWorthwhileShare) * savings[chain.kernels];
    };
    return kernels.size() > 2 &&
           (isAsGood(kernels.drop_front()) || isAsGood(kernels.drop_back()));
  }

  const OpportunityOptions &options;
  Trial trial;
  OpportunityList list;
  /// By what the chains compute.
  std::map<std::string, Opportunity> found;
  /// Seconds that one run of a chain saves, by its ops.
  std::map<SmallVector<Operation *>, double> savings;
};
} // namespace

FailureOr<OpportunityList>
mlir::tensorcast::findOpportunities(ModuleOp module,
                                    OpportunityOptions options) {
  auto runs = countRuns(module);
  if (failed(runs))
    return failure();
  std::optional<int64_t> bufferBytes;
  if (auto device =
          module->getAttrOfType<ascend::DeviceAttr>(ascend::kDeviceAttrName)) {
    auto profile = parseDeviceProfile(
        device.getProfile(), [&] { return mlir::emitError(module.getLoc()); });
    if (failed(profile))
      return failure();
    bufferBytes = profile->buffers.ubBytes;
  }
  Finder finder(module, options, bufferBytes);
  for (auto [function, times] : *runs)
    if (failed(finder.add(function, times)))
      return failure();
  return finder.take();
}
