//===- FusionRecorder.cpp - Records what fusions do -----------------------===//

#include "tensorcast/Report/FusionReport.h"

#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Report/Report.h"

#include "mlir/IR/Action.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <map>
#include <mutex>
#include <set>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// What passes that fuse are called.
static bool isFusionPass(const Pass &pass) {
  StringRef name = pass.getArgument();
  return name.starts_with("transformer-fuse-") ||
         name == "transformer-merge-linears" ||
         name == "transformer-apply-patterns" ||
         name == "transformer-sequence-parallel";
}

/// The kernels that a framework starts for an op.
static unsigned getNumKernels(Operation *op) {
  if (!isa_and_nonnull<TransformerDialect>(op->getDialect()) ||
      op->hasTrait<MovesNothing>() ||
      isa<KVCacheOp, LayerOp, StageOp, StateOp, WeightOp>(op))
    return 0;
  // Cosines and sines are looked up one by one.
  return isa<RopeTableOp>(op) ? 2 : 1;
}

/// The part of the model that an op is from.
static std::string getPlace(Location loc) {
  if (auto fused = dyn_cast<FusedLoc>(loc))
    if (!fused.getLocations().empty())
      loc = fused.getLocations().front();
  if (StringRef name = transformer::getName(loc); !name.empty())
    return generalizeName(name);
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  return "unknown place";
}

//===----------------------------------------------------------------------===//
// What is recorded
//===----------------------------------------------------------------------===//

namespace {
/// Kernels and ops of one function.
struct FunctionCount {
  KernelCount count;
  std::map<std::string, double> ops;
};

struct MissCount {
  double count = 0;
  std::set<std::string> places;
};

struct Tally {
  double fused = 0;
  std::map<std::string, MissCount> misses;
};
} // namespace

class FusionRecorder::State {
public:
  /// Remembers how often functions run; called while no pass runs.
  void countRunsOf(ModuleOp module) {
    // What cannot be counted counts once; who prices it will hear why.
    ScopedDiagnosticHandler quiet(module.getContext(),
                                  [](Diagnostic &) { return success(); });
    auto counted = countRuns(module);
    std::lock_guard<std::mutex> guard(mutex);
    runs.clear();
    if (succeeded(counted))
      for (auto [function, times] : *counted)
        runs[function.getName().str()] = times;
  }

  void add(const remark::detail::Remark &remark) {
    std::lock_guard<std::mutex> guard(mutex);
    double times = getRuns(remark.getFunction());
    if (remark.getCategoryName() == kFusionCoverageCategory) {
      // A pattern of the user's that is never near is reported, too.
      bool arePatterns = remark.getRemarkName() == kKnownPatterns;
      for (const auto &arg : remark.getArgs())
        if (arePatterns)
          tallies[{kPatternCategory.str(), arg.val}];
        else
          known.insert(arg.val);
      return;
    }
    // Layers that merge are no kernels that do.
    if (remark.getCategoryName() == "dedup")
      return;
    bool isPassed = remark.getRemarkType() == llvm::remarks::Type::Passed;
    if (!isPassed && remark.getRemarkType() != llvm::remarks::Type::Missed)
      return;
    Tally &tally =
        tallies[{remark.getCategoryName().str(), remark.getRemarkName().str()}];
    if (isPassed) {
      tally.fused += times;
      return;
    }
    for (const auto &arg : remark.getArgs())
      if (arg.key == "Reason") {
        MissCount &miss = tally.misses[arg.val];
        miss.count += times;
        miss.places.insert(getPlace(remark.getLocation()));
      }
  }

  void count(func::FuncOp function, bool isAfter) {
    FunctionCount result;
    std::lock_guard<std::mutex> guard(mutex);
    if (!isAfter && before.count(function.getName().str()))
      return;
    double times = getRuns(function.getName());
    for (Block &block : function.getBody())
      for (Operation &op : block) {
        unsigned kernels = getNumKernels(&op);
        if (kernels == 0)
          continue;
        result.count.kernels += kernels * times;
        // The table's two parts are tensors of their own.
        unsigned writes = isa<RopeTableOp>(op) ? kernels : 0;
        for (Value value : op.getResults())
          writes +=
              isa<RankedTensorType>(value.getType()) && !value.use_empty();
        result.count.writeBacks += writes * times;
        result.ops[op.getName().getStringRef().str()] += times;
      }
    (isAfter ? after : before)[function.getName().str()] = result;
  }

  FusionReport getReport() {
    FusionReport report;
    std::lock_guard<std::mutex> guard(mutex);
    for (const auto &[key, tally] : tallies) {
      FusionRow &row = report.fusions.emplace_back();
      std::tie(row.category, row.name) = key;
      row.fused = tally.fused;
      for (const auto &[reason, miss] : tally.misses)
        row.nearMisses.push_back(
            {reason, miss.count,
             SmallVector<std::string>(miss.places.begin(), miss.places.end())});
    }
    std::map<std::string, double> left;
    auto add = [](const FunctionCount &function, KernelCount &sum) {
      sum.kernels += function.count.kernels;
      sum.writeBacks += function.count.writeBacks;
    };
    for (const auto &[name, function] : before)
      add(function, report.before);
    for (const auto &[name, function] : after) {
      add(function, report.after);
      for (const auto &[op, number] : function.ops)
        if (!known.count(op))
          left[op] += number;
    }
    report.unknownOps.assign(left.begin(), left.end());
    return report;
  }

private:
  double getRuns(StringRef function) {
    auto found = runs.find(function.str());
    return found == runs.end() ? 1 : found->second;
  }

  std::mutex mutex;
  std::map<std::string, double> runs;
  std::map<std::pair<std::string, std::string>, Tally> tallies;
  std::set<std::string> known;
  std::map<std::string, FunctionCount> before, after;
};

//===----------------------------------------------------------------------===//
// Where it is recorded
//===----------------------------------------------------------------------===//

namespace {
class Streamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Streamer(std::shared_ptr<FusionRecorder::State> state)
      : state(std::move(state)) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    state->add(remark);
  }

private:
  std::shared_ptr<FusionRecorder::State> state;
};

/// Counts around passes, of whatever pass manager.
class PassObserver {
public:
  explicit PassObserver(std::shared_ptr<FusionRecorder::State> state)
      : state(std::move(state)) {}

  void before(const Pass &pass, Operation *op) {
    // A pass of the module, or what runs passes of its functions.
    if (auto module = dyn_cast<ModuleOp>(op))
      state->countRunsOf(module);
    else if (auto function = dyn_cast<func::FuncOp>(op);
             function && isFusionPass(pass))
      state->count(function, /*isAfter=*/false);
  }

  void after(const Pass &pass, Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op);
        function && isFusionPass(pass))
      state->count(function, /*isAfter=*/true);
  }

  /// Runs an action of the context. Passes that other passes run, as a schedule
  /// does, are seen only so.
  void operator()(function_ref<void()> run, const tracing::Action &action) {
    auto *execution = dyn_cast<PassExecutionAction>(&action);
    if (!execution)
      return run();
    Operation *op = execution->getOp();
    const Pass *outer = std::exchange(current, &execution->getPass());
    // A pass with a name is of a module that nobody else works on.
    if (outer && !outer->getArgument().empty())
      if (auto module = op->getParentOfType<ModuleOp>())
        state->countRunsOf(module);
    before(execution->getPass(), op);
    run();
    after(execution->getPass(), op);
    current = outer;
  }

private:
  std::shared_ptr<FusionRecorder::State> state;
  /// The innermost pass that the thread runs.
  static thread_local const Pass *current;
};

thread_local const Pass *PassObserver::current = nullptr;

class Instrumentation : public PassInstrumentation {
public:
  explicit Instrumentation(PassObserver observer)
      : observer(std::move(observer)) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    observer.before(*pass, op);
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    observer.after(*pass, op);
  }

private:
  PassObserver observer;
};
} // namespace

FusionRecorder::~FusionRecorder() = default;

std::shared_ptr<FusionRecorder::State> FusionRecorder::makeState() {
  return std::make_shared<State>();
}

void FusionRecorder::attach(PassManager &pm) {
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis = ".*";
  (void)remark::enableOptimizationRemarks(
      *pm.getContext(), std::make_unique<Streamer>(state),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
  // Who logs actions of the context sees them alone.
  if (pm.getContext()->hasActionHandler())
    pm.addInstrumentation(
        std::make_unique<Instrumentation>(PassObserver(state)));
  else
    pm.getContext()->registerActionHandler(PassObserver(state));
}

FusionReport FusionRecorder::getReport() const { return state->getReport(); }
