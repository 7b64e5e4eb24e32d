//===- Modules.cpp - Passes that make one module of the other -------------===//

#include "Modules.h"

#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Report/FusionReport.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// The passes of a list, at whose commas within brackets it is not split.
static SmallVector<StringRef> splitPasses(StringRef list) {
  SmallVector<StringRef> passes;
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    if (StringRef("{(").contains(list[i]))
      ++depth;
    else if (StringRef("})").contains(list[i]))
      --depth;
    else if (list[i] == ',' && depth == 0) {
      passes.push_back(list.slice(start, i).trim());
      start = i + 1;
    }
  }
  passes.push_back(list.drop_front(start).trim());
  return passes;
}

/// Whether `pass` is one on functions, which is named without `func.func`.
static bool isFunctionPass(StringRef pass) {
  // Its options are read only once, as mistakes in them are printed at once.
  StringRef name = pass.take_until([](char c) { return c == '{'; });
  std::string plain = ("builtin.module(" + name + ")").str();
  std::string nested = ("builtin.module(func.func(" + name + "))").str();
  std::string ignored;
  llvm::raw_string_ostream errors(ignored);
  return failed(parsePassPipeline(plain, errors)) &&
         succeeded(parsePassPipeline(nested, errors));
}

/// A module that no pattern has changed is equal to itself, which proves
/// nothing of the patterns.
static void warnIfNothingApplied(const FusionReport &report,
                                 MLIRContext *context) {
  SmallVector<StringRef> names;
  for (const FusionRow &row : report.fusions) {
    if (row.category != transformer::kPatternCategory)
      continue;
    if (row.fused > 0)
      return;
    names.push_back(row.name);
  }
  if (!names.empty())
    emitWarning(UnknownLoc::get(context), "no pattern applied, so that nothing "
                                          "is proven of ")
        << joinNames(names)
        << "; tc-opt says why with --fusion-report=- or "
           "--remarks-filter=apply-patterns";
}

LogicalResult tensorcast::runPipeline(ModuleOp module, StringRef pipeline) {
  MLIRContext *context = module.getContext();
  StringRef text = pipeline.trim();
  if (text.consume_front("builtin.module(") && !text.consume_back(")"))
    return emitError(UnknownLoc::get(context), "expected ')' at the end of '")
           << pipeline << "'";
  PassManager pm = PassManager::on<ModuleOp>(context);
  for (StringRef pass : splitPasses(text)) {
    std::string nested = ("func.func(" + pass + ")").str(), message;
    llvm::raw_string_ostream errors(message);
    if (succeeded(parsePassPipeline(isFunctionPass(pass) ? nested : pass, pm,
                                    errors)))
      continue;
    // What the parser says begins with a place in a text of its own.
    StringRef why = StringRef(message).split('\n').first;
    if (why.contains(": error: "))
      why = why.split(": error: ").second;
    return emitError(UnknownLoc::get(context), "expected a pass, but got '")
           << pass << "'" << (why.empty() ? "" : ": ") << why;
  }
  FusionRecorder recorder;
  recorder.attach(pm);
  if (failed(pm.run(module)))
    return failure();
  warnIfNothingApplied(recorder.getReport(), context);
  return success();
}
