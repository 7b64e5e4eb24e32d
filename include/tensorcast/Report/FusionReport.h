//===- FusionReport.h - What fusions did to a module ------------*- C++ -*-===//
//
// Records the remarks of fusion passes and the kernels before and after them.
// The report does not depend on the order in which threads get on.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_REPORT_FUSIONREPORT_H
#define TENSORCAST_REPORT_FUSIONREPORT_H

#include "mlir/Pass/PassManager.h"

#include <memory>

namespace mlir::tensorcast {

/// A condition that did not hold, and where.
struct NearMiss {
  std::string reason;
  double count = 0;
  /// Parts of the model, with `*` for numbers; sorted.
  SmallVector<std::string> places;
};

/// What one fusion or user pattern did. Counts are of the whole model: an op of
/// a layer counts once for each call of the layer.
struct FusionRow {
  /// Where it comes from: `fuse-norm`, `apply-patterns`.
  std::string category;
  std::string name;
  double fused = 0;
  SmallVector<NearMiss> nearMisses;

  /// Fused ones and near misses.
  double getCandidates() const;
};

/// Kernels that a framework would start, and tensors that they write.
struct KernelCount {
  double kernels = 0, writeBacks = 0;
};

struct FusionReport {
  /// By category and name.
  SmallVector<FusionRow> fusions;
  /// Ops that are left and that no pattern looks for, by name.
  SmallVector<std::pair<std::string, double>> unknownOps;
  /// Around the fusion passes.
  KernelCount before, after;
};

/// Records while passes run.
class FusionRecorder {
public:
  ~FusionRecorder();

  /// Records what the passes of `pm` do, in place of other remarks of its
  /// context. The recorder outlives both.
  void attach(PassManager &pm);

  FusionReport getReport() const;

  class State;

private:
  std::shared_ptr<State> state = makeState();
  static std::shared_ptr<State> makeState();
};

/// For people; the fusions of one category, or of all.
void printFusions(raw_ostream &os, const FusionReport &report,
                  StringRef category = "");

/// The text of a file at `path`: for programs, `schema`
/// tensorcast-fusion-report-1, if its name ends in `.json`; else for people.
std::string formatFusionReport(StringRef path, const FusionReport &report);

} // namespace mlir::tensorcast

#endif // TENSORCAST_REPORT_FUSIONREPORT_H
