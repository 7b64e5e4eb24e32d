//===- ThroughputOptimizer.cpp - tensorcast throughput-optimizer ----------===//

#include "ModelOptions.h"
#include "SearchOptions.h"
#include "Session.h"

#include "tensorcast/Import/HuggingFace/Models.h"
#include "tensorcast/Report/ReportJson.h"
#include "tensorcast/Search/Results.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

/// Set by Ctrl-C; a second one ends the process.
static std::atomic<bool> isInterrupted = false;

/// Says how far a search is, on one line of a terminal.
static std::function<void(size_t, size_t)> getProgress(CommandLine &line) {
  bool isTerminal = llvm::sys::Process::StandardErrIsDisplayed();
  if (!isTerminal && !line.hasFlag(OPT_progress))
    return nullptr;
  return [isTerminal](size_t done, size_t total) {
    // A search of a few plans is over before anyone could read.
    if (isTerminal && total < 10)
      return;
    llvm::errs() << (isTerminal ? "\r" : "") << done << " of " << total
                 << " plans" << (isTerminal && done < total ? "" : "\n");
  };
}

/// How many threads the options ask for.
static unsigned getThreads(CommandLine &line) {
  int64_t jobs = line.getInteger(OPT_jobs_eq, 0);
  if (line.getArgs().hasArg(OPT_jobs_eq) && (jobs < 1 || jobs > 4096))
    line.reportError("expected an integer from 1 to 4096 for '--jobs', but "
                     "got " +
                     Twine(jobs));
  return llvm::hardware_concurrency(static_cast<unsigned>(jobs))
      .compute_thread_count();
}

/// Says what the search did not find; returns the exit status.
static int reportOutcome(const SearchResult &result, MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  if (result.interrupted) {
    size_t done = llvm::count_if(result.outcomes,
                                 [](const Outcome &o) { return !o.skipped; });
    emitError(loc) << "interrupted after " << done << " of "
                   << result.outcomes.size() << " plans";
    return ExitFailure;
  }
  std::string failure = describeFailure(result);
  if (failure.empty())
    return ExitSuccess;
  emitError(loc) << failure;
  return ExitFailure;
}

int mlir::tensorcast::runThroughputOptimizer(CommandLine &line) {
  Session session(line, "tensorcast throughput-optimizer");
  MLIRContext *context = session.getContext();
  checkReferenceOptions(line, /*isOneRun=*/false);
  StringRef model = getModel(line);
  int64_t layers = getLayers(line);
  StringRef format = line.getChoice(OPT_format_eq, {"table", "json"}, "table");
  int64_t top = line.getInteger(OPT_top_eq, 10);
  if (top < 1)
    line.reportError("expected '--top' of at least 1, but got " + Twine(top));
  int64_t many = line.getInteger(OPT_max_search_combinations_eq, 100);
  SearchOptions options;
  options.threads = getThreads(line);
  options.stop = &isInterrupted;
  options.progress = getProgress(line);
  FailureOr<SearchRequest> request = readSearchRequest(line, context);
  if (line.hasError())
    return ExitUsage;
  if (failed(request))
    return ExitFailure;
  FailureOr<DecoderConfig> config =
      loadModel(model, context, line.getString(OPT_families_eq));
  if (failed(config))
    return ExitFailure;
  if (layers > 0)
    config->numHiddenLayers = layers;
  request->model = config->name;

  SmallVector<RejectedPlan> rejected;
  size_t candidates =
      listCandidates(*request, config->mixture.has_value(), rejected).size();
  if (candidates == 0) {
    InFlightDiagnostic diag = emitError(UnknownLoc::get(context))
                              << "expected sizes that make up "
                              << request->numDevices << " devices, but none of "
                              << rejected.size() << " combinations does";
    for (const RejectedPlan &plan : rejected)
      diag.attachNote() << plan.label << ": " << plan.why;
    return ExitFailure;
  }
  if (many > 0 && candidates > static_cast<size_t>(many))
    line.reportNote("searching " + Twine(candidates) + " plans, more than " +
                    Twine(many) + " ('--max-search-combinations')");

  llvm::sys::SetInterruptFunction([] { isInterrupted = true; });
  SearchResult result = runSearch(std::move(*request), *config, options);
  LogicalResult written = session.write([&](raw_ostream &os) {
    if (format == "json")
      writeJson(os, toJson(result));
    else
      printTable(os, result, static_cast<size_t>(top));
    return success();
  });
  if (failed(written))
    return ExitFailure;
  return reportOutcome(result, context);
}
