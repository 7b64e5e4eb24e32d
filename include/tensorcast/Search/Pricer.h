//===- Pricer.h - What steps of a plan cost ---------------------*- C++ -*-===//

#ifndef TENSORCAST_SEARCH_PRICER_H
#define TENSORCAST_SEARCH_PRICER_H

#include "tensorcast/CostProgram/CostProgramSet.h"
#include "tensorcast/Import/HuggingFace/Config.h"
#include "tensorcast/Pipelines/ModelSettings.h"
#include "tensorcast/Search/DeviceChange.h"
#include "tensorcast/Search/Plan.h"

#include <map>
#include <memory>

namespace mlir::tensorcast::search {

struct StepPrice {
  double latencyMs = 0;
  /// Of a device; of what is available, the reserve is taken off.
  MemoryUse memory;
};

/// Prices steps of one model under one plan. One thread at a time may use it.
class StepPricer {
public:
  virtual ~StepPricer() = default;

  /// Fails, and says why, for a step that has no price.
  virtual FailureOr<StepPrice> price(const Workload &step,
                                     std::string &why) = 0;

  /// Tokens that stand for the images of a request.
  virtual int64_t getImageTokens() const { return 0; }
};

/// Which steps a pricer will be asked for.
enum class Phase { Aggregated, Prefill, Decode };

/// The images in front of each request, in pixels.
struct ImageSize {
  int64_t count = 0, height = 0, width = 0;
};

class ProgramPricer;
class PlanSide;

/// A model under one plan: passes have made kernels of it, for any device.
class PlanModel {
public:
  /// Compiles what `phase` needs; null, with the reason in `why`, for a plan
  /// that the model cannot be served with.
  static std::unique_ptr<PlanModel> compile(const DecoderConfig &config,
                                            const ModelSettings &settings,
                                            const Plan &plan, Phase phase,
                                            ImageSize images, std::string &why);

  /// Prices steps on a device, which may be a somewhat better one. Null, with
  /// the reason in `why`, if it cannot be read. Pricers of one model may be
  /// used by one thread at a time.
  std::unique_ptr<ProgramPricer> getPricer(StringRef device, std::string &why,
                                           const DeviceChange &change = {});

private:
  PlanModel() = default;

  /// Equal where one serves both.
  std::shared_ptr<PlanSide> prefill, decode;
};

/// Prices steps by programs that are compiled once for the plan and device.
class ProgramPricer : public StepPricer {
public:
  ~ProgramPricer() override;

  FailureOr<StepPrice> price(const Workload &step, std::string &why) override;
  int64_t getImageTokens() const override;

  /// What was warned of when programs were compiled.
  ArrayRef<std::string> getWarnings() const { return warnings; }

  /// The price of a step in full, by its kernels; in `trace`, if it is not
  /// null, when each kernel runs, for the trace viewers of Chrome and Perfetto.
  FailureOr<Report> report(const Workload &step, std::string &why,
                           std::string *trace = nullptr);

private:
  friend class PlanModel;
  /// A side of the plan on the device, with its programs.
  struct DeviceSide;
  ProgramPricer();

  std::shared_ptr<DeviceSide> prefill, decode;
  std::map<std::vector<int64_t>, StepPrice> known;
  std::vector<std::string> warnings;
};

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_SEARCH_PRICER_H
