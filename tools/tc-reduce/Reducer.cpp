//===- Reducer.cpp - Looks for a smaller module that still fails ----------===//

#include "Reducer.h"

#include "Edits.h"

#include "tensorcast/CommandLine/OutputFile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"

#include <optional>

using namespace mlir;
using namespace mlir::tensorcast;

static int64_t countOps(ModuleOp module) {
  int64_t count = -1; // the module itself
  module.walk([&](Operation *) { ++count; });
  return count;
}

/// What gets smaller: ops count first, then what they use and are given.
static std::pair<int64_t, int64_t> getSize(ModuleOp module) {
  int64_t operands = 0;
  module.walk([&](Operation *op) { operands += op->getNumOperands(); });
  module.walk([&](Block *block) { operands += block->getNumArguments(); });
  return {countOps(module), operands};
}

static bool verifies(ModuleOp module) {
  // What is wrong with a candidate is nobody's mistake.
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  return succeeded(verify(module));
}

namespace {
class Reducer {
public:
  Reducer(OwningOpRef<ModuleOp> &module, const ReducerOptions &options)
      : module(module), options(options) {}

  LogicalResult run();

private:
  /// Runs the test; its exit status, or nothing if it could not be run, after
  /// an error.
  std::optional<int> runTest(ModuleOp candidate);
  /// Takes the candidate if it is smaller and shows the problem.
  FailureOr<bool> tryCandidate(OwningOpRef<ModuleOp> candidate);
  FailureOr<bool> tryKind(const EditKind &kind);
  void printProgress(const EditKind &kind) const;
  bool mayTest() const { return numTests < options.maxTests; }

  OwningOpRef<ModuleOp> &module;
  const ReducerOptions &options;
  std::string shell;
  SmallString<128> file;
  int64_t numTests = 0;
};
} // namespace

std::optional<int> Reducer::runTest(ModuleOp candidate) {
  ++numTests;
  std::string text;
  llvm::raw_string_ostream os(text);
  candidate->print(os);
  if (failed(writeFile(file, text, candidate.getContext())))
    return std::nullopt;
  std::string command = options.test + " '" + file.str().str() + "'";
  // What the test prints is about candidates that nobody will see.
  StringRef nowhere[] = {"", "", ""};
  std::optional<StringRef> redirects[] = {nowhere[0], nowhere[1], nowhere[2]};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(shell, {shell, "-c", command},
                                         /*Env=*/std::nullopt, redirects,
                                         /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  if (status == -1) {
    emitError(candidate.getLoc())
        << "cannot run '" << options.test << "': " << message;
    return std::nullopt;
  }
  return status;
}

FailureOr<bool> Reducer::tryCandidate(OwningOpRef<ModuleOp> candidate) {
  eraseUnused(*candidate);
  if (getSize(*candidate) >= getSize(*module) || !verifies(*candidate))
    return false;
  std::optional<int> status = runTest(*candidate);
  if (!status)
    return failure();
  if (*status != 0)
    return false;
  module = std::move(candidate);
  return true;
}

void Reducer::printProgress(const EditKind &kind) const {
  if (options.progress)
    *options.progress << "tc-reduce: " << countOps(*module) << " ops after "
                      << numTests << " tests (" << kind.name << ")\n";
}

FailureOr<bool> Reducer::tryKind(const EditKind &kind) {
  bool changed = false;
  for (int64_t size = kind.countPlaces(*module); size > 0; size /= 2) {
    // From the end: what is later depends on what is earlier.
    int64_t end = kind.countPlaces(*module);
    while (end > 0 && mayTest()) {
      int64_t begin = std::max<int64_t>(end - size, 0);
      OwningOpRef<ModuleOp> candidate(module->clone());
      kind.apply(*candidate, begin, end);
      FailureOr<bool> taken = tryCandidate(std::move(candidate));
      if (failed(taken))
        return failure();
      changed |= *taken;
      if (*taken)
        printProgress(kind);
      // Places behind `begin` may have gone with these.
      end = *taken ? std::min(begin, kind.countPlaces(*module)) : begin;
    }
  }
  return changed;
}

LogicalResult Reducer::run() {
  Location loc = module->getLoc();
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("sh");
  if (!found)
    return emitError(loc) << "cannot find 'sh' to run the test with";
  shell = *found;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("tc-reduce", "mlir", file))
    return emitError(loc) << "cannot make a temporary file: "
                          << error.message();
  llvm::FileRemover remover(file);
  std::optional<int> status = runTest(*module);
  if (!status)
    return failure();
  if (*status != 0)
    return emitError(loc) << "expected the test to succeed for the whole "
                             "module, but its exit status is "
                          << *status;
  bool changed = true;
  while (changed && mayTest()) {
    changed = false;
    for (const EditKind &kind : getEditKinds()) {
      FailureOr<bool> result = tryKind(kind);
      if (failed(result))
        return failure();
      changed |= *result;
    }
  }
  return success();
}

LogicalResult tensorcast::reduce(OwningOpRef<ModuleOp> &module,
                                 const ReducerOptions &options) {
  return Reducer(module, options).run();
}
