//===- ThroughputOptimizer.cpp - tensorcast throughput-optimizer ----------===//

#include "ModelOptions.h"
#include "SearchOptions.h"
#include "Session.h"

#include "tensorcast/Import/HuggingFace/Models.h"
#include "tensorcast/Report/ReportJson.h"
#include "tensorcast/Search/Explanation.h"
#include "tensorcast/Search/Front.h"
#include "tensorcast/Support/Wording.h"

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
  for (const std::string &warning : listWarnings(result))
    emitWarning(loc) << warning;
  if (result.interrupted) {
    size_t done = llvm::count_if(result.outcomes,
                                 [](const Outcome &o) { return !o.skipped; });
    emitError(loc) << "interrupted after " << done << " of "
                   << result.outcomes.size() << " plans";
    return ExitFailure;
  }
  // A shard may well have none of the plans that serve the model.
  std::string failure = result.shard.count > 1 ? "" : describeFailure(result);
  if (failure.empty())
    return ExitSuccess;
  emitError(loc) << failure;
  return ExitFailure;
}

/// How a search is shown.
struct View {
  StringRef format;
  size_t top;
  /// Whether only the worth of changes is shown of a plan.
  bool onlyGains = false;
};

static View readView(CommandLine &line) {
  StringRef format =
      line.getChoice(OPT_format_eq, {"table", "json", "html"}, "table");
  int64_t top = line.getInteger(OPT_top_eq, 10);
  if (top < 1)
    line.reportError("expected '--top' of at least 1, but got " + Twine(top));
  return {format, static_cast<size_t>(top)};
}

static LogicalResult show(Session &session, const View &view,
                          const SearchResult &result,
                          ArrayRef<Explanation> explanations = {}) {
  return session.write([&](raw_ostream &os) {
    if (view.format == "json") {
      Json json = toJson(result);
      for (const Explanation &explanation : explanations)
        json["explanations"].push_back(toJson(result, explanation));
      writeJson(os, json);
    } else if (view.format == "html") {
      printHtml(os, result);
    } else {
      printTable(os, result, view.top);
      for (const Explanation &explanation : explanations) {
        os << '\n';
        (view.onlyGains ? printGains : printExplanation)(os, result,
                                                         explanation);
      }
    }
    return success();
  });
}

/// Explains the plans that the options ask for: one of each phase.
static FailureOr<std::vector<Explanation>> explain(CommandLine &line,
                                                   const SearchResult &result,
                                                   const DecoderConfig &config,
                                                   MLIRContext *context) {
  std::vector<Explanation> explanations;
  bool isAsked = line.getArgs().hasArg(OPT_explain_eq);
  bool hasTrace = line.getArgs().hasArg(OPT_chrome_trace_file_eq);
  if ((!isAsked && !hasTrace && !line.hasFlag(OPT_sensitivity)) ||
      result.interrupted)
    return explanations;
  StringRef text = line.getString(OPT_explain_eq, "1");
  SmallVector<const Outcome *> found = findPlans(result, text);
  SmallVector<Phase> phases;
  Location loc = UnknownLoc::get(context);
  for (const Outcome *outcome : found) {
    if (llvm::is_contained(phases, outcome->candidate.phase)) {
      InFlightDiagnostic diag = emitError(loc);
      diag << "expected '--explain' to name one plan, but " << quoteText(text)
           << " may be any of " << found.size();
      for (const Outcome *other : ArrayRef(found).take_front(10))
        diag.attachNote() << getLabel(result, *other) << " on "
                          << result.request.devices[other->candidate.device];
      return failure();
    }
    phases.push_back(outcome->candidate.phase);
    std::string why;
    FailureOr<Explanation> explanation =
        explainPlan(result, config, *outcome, hasTrace, why);
    if (failed(explanation))
      return emitError(loc)
             << getLabel(result, *outcome) << " cannot be explained: " << why;
    explanations.push_back(std::move(*explanation));
  }
  if (isAsked && explanations.empty())
    return emitError(loc)
           << "expected '--explain' with the rank of a plan that "
              "is served, or with sizes of one of the "
           << result.outcomes.size() << " plans, but got " << quoteText(text);
  return explanations;
}

/// Writes when the kernels of the last step that was explained run: decode,
/// unless there is but prefill.
static LogicalResult writeTrace(Session &session, CommandLine &line,
                                ArrayRef<Explanation> explanations) {
  StringRef path = line.getString(OPT_chrome_trace_file_eq);
  if (path.empty() || explanations.empty())
    return success();
  return session.write(path, [&](raw_ostream &os) {
    os << explanations.back().steps.back().trace;
    return success();
  });
}

/// `--shard 2/4`.
static Shard readShard(CommandLine &line, const View &view) {
  if (!line.getArgs().hasArg(OPT_shard_eq))
    return {};
  StringRef text = line.getString(OPT_shard_eq);
  auto [index, count] = text.split('/');
  constexpr size_t maxShards = 1 << 20;
  Shard shard;
  if (index.getAsInteger(10, shard.index) ||
      count.getAsInteger(10, shard.count) || shard.index < 1 ||
      shard.index > shard.count || shard.count > maxShards) {
    line.reportError("expected '--shard' as K/N with K from 1 to N, but got " +
                     quoteText(text));
    return {};
  }
  if (view.format != "json")
    line.reportError("expected '--format json' beside '--shard', but got " +
                     view.format);
  --shard.index;
  return shard;
}

/// Notes sizes that this model or search has nothing for.
static void noteUnusedSizes(CommandLine &line, const SearchRequest &request,
                            bool hasExperts) {
  auto note = [&](llvm::opt::OptSpecifier id, const Twine &why) {
    if (const llvm::opt::Arg *arg = line.getArgs().getLastArg(id))
      line.reportNote("'" + getOptionName(*arg) +
                      "' has no effect here: " + why);
  };
  if (!hasExperts) {
    note(OPT_ep_sizes_eq, "the model has no experts");
    note(OPT_moe_dp_sizes_eq, "the model has no experts");
  }
  if (request.mode == Mode::Disaggregated && !request.perTokenLimitMs &&
      request.firstTokenLimitMs)
    note(OPT_dcp_sizes_eq, "prefill alone has no cached tokens to share");
  if (request.mode == Mode::Aggregated && request.servingCostMs > 0)
    note(OPT_serving_cost_eq, "it is of prefill on devices of its own");
}

/// Reports sizes that make up no plan.
static LogicalResult checkCandidates(CommandLine &line, MLIRContext *context,
                                     const SearchRequest &request,
                                     bool hasExperts, int64_t many) {
  SmallVector<RejectedPlan> rejected;
  auto candidates = static_cast<int64_t>(
      listCandidates(request, hasExperts, rejected).size());
  if (many > 0 && candidates > many)
    line.reportNote("searching " + Twine(candidates) + " plans, more than " +
                    Twine(many) + " ('--max-search-combinations')");
  if (candidates > 0)
    return success();
  InFlightDiagnostic diag = emitError(UnknownLoc::get(context));
  diag << "expected sizes that make up " << request.numDevices
       << " devices, but none of " << rejected.size() << " combinations does";
  for (const RejectedPlan &plan : ArrayRef(rejected).take_front(10))
    diag.attachNote() << plan.label << ": " << plan.why;
  return failure();
}

/// Why no plan has a price, if it is the same for all: then it is no matter of
/// the plans, and there is nothing to show.
static std::optional<StringRef> getCommonMistake(const SearchResult &result) {
  if (result.interrupted || result.shard.count > 1 || result.outcomes.empty())
    return std::nullopt;
  StringRef why = result.outcomes.front().invalid;
  if (why.empty() ||
      !llvm::all_of(result.outcomes, [&](const Outcome &outcome) {
        return outcome.invalid == why;
      }))
    return std::nullopt;
  return why;
}

/// Refuses what an encoder, which yields no tokens, is not served for.
static LogicalResult checkEncoder(const DecoderConfig &config,
                                  const SearchRequest &request,
                                  MLIRContext *context) {
  bool decodes = request.mode != Mode::Disaggregated ||
                 request.perTokenLimitMs || !request.firstTokenLimitMs;
  if (!config.encoder || !decodes)
    return success();
  return emitError(UnknownLoc::get(context))
         << config.name
         << ": expected '--disagg' with '--ttft-limits' alone, as "
         << "an encoder yields no tokens, but got a search that decodes";
}

int mlir::tensorcast::runThroughputOptimizer(CommandLine &line) {
  Session session(line, "tensorcast throughput-optimizer");
  MLIRContext *context = session.getContext();
  checkReferenceOptions(line, /*isOneRun=*/false);
  StringRef model = getModel(line);
  int64_t layers = getLayers(line);
  View view = readView(line);
  view.onlyGains = !line.getArgs().hasArg(OPT_explain_eq);
  SearchOptions options;
  options.threads = getThreads(line);
  options.shard = readShard(line, view);
  if (view.format == "html" &&
      (line.getArgs().hasArg(OPT_explain_eq) || line.hasFlag(OPT_sensitivity)))
    line.reportError("expected '--format table' or json beside '--explain' and "
                     "'--sensitivity', but got html");
  options.stop = &isInterrupted;
  options.progress = getProgress(line);
  int64_t many = line.getInteger(OPT_max_search_combinations_eq, 100);
  if (many < 0)
    line.reportError("expected '--max-search-combinations' of at least 0, but "
                     "got " +
                     Twine(many));
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
  if (failed(checkEncoder(*config, *request, context)))
    return ExitFailure;
  noteUnusedSizes(line, *request, config->mixture.has_value());
  if (failed(checkCandidates(line, context, *request,
                             config->mixture.has_value(), many)))
    return ExitFailure;

  llvm::sys::SetInterruptFunction([] { isInterrupted = true; });
  SearchResult result = runSearch(std::move(*request), *config, options);
  if (std::optional<StringRef> why = getCommonMistake(result)) {
    emitError(UnknownLoc::get(context)) << *why;
    return ExitFailure;
  }
  FailureOr<std::vector<Explanation>> explanations =
      explain(line, result, *config, context);
  if (succeeded(explanations) &&
      failed(writeTrace(session, line, *explanations)))
    return ExitFailure;
  // A trace alone is no reason to explain anything.
  if (succeeded(explanations) && view.onlyGains &&
      !line.hasFlag(OPT_sensitivity))
    explanations->clear();
  if (failed(explanations) ||
      failed(show(session, view, result, *explanations)))
    return ExitFailure;
  return reportOutcome(result, context);
}

int mlir::tensorcast::runMerge(CommandLine &line) {
  Session session(line, "tensorcast merge");
  MLIRContext *context = session.getContext();
  View view = readView(line);
  std::vector<std::string> paths = line.getArgs().getAllArgValues(OPT_INPUT);
  if (paths.empty())
    line.reportError("expected the JSON reports of all shards, but got none; "
                     "try --help");
  if (line.hasError())
    return ExitUsage;
  SmallVector<std::pair<std::string, Json>> shards;
  for (const std::string &path : paths) {
    FailureOr<Json> json = readJsonFile(path, context);
    if (failed(json))
      return ExitFailure;
    shards.emplace_back(path, std::move(*json));
  }
  FailureOr<SearchResult> result =
      mergeShards(shards, UnknownLoc::get(context));
  if (failed(result) || failed(show(session, view, *result)))
    return ExitFailure;
  return reportOutcome(*result, context);
}
