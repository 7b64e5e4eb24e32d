//===- PatternSet.cpp - Rewrite patterns loaded at run time ---------------===//

#include "tensorcast/Patterns/PatternSet.h"

#include "NearMiss.h"
#include "PatternFile.h"
#include "RewriteRun.h"
#include "SafeRewrites.h"

#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// Reports have only the name of a pattern to say which it is. One that several
/// files include is kept once.
static LogicalResult checkNames(ModuleOp patterns) {
  llvm::StringMap<pdl::PatternOp> known;
  bool valid = true;
  for (auto pattern :
       llvm::make_early_inc_range(patterns.getOps<pdl::PatternOp>())) {
    auto [other, isNew] = known.try_emplace(*pattern.getSymName(), pattern);
    if (isNew)
      continue;
    if (other->second.getLoc() == pattern.getLoc()) {
      pattern.erase();
      continue;
    }
    InFlightDiagnostic diag = emitError(pattern.getLoc());
    diag << "expected patterns with different names, but got another '"
         << *pattern.getSymName() << "'";
    diag.attachNote(other->second.getLoc()) << "the first is here";
    valid = false;
  }
  return success(valid);
}

FailureOr<std::shared_ptr<const PatternSet>>
PatternSet::load(MLIRContext *context, ArrayRef<std::string> files,
                 const PatternOptions &options) {
  auto set = std::make_shared<PatternSet>();
  set->maxRewrites = options.maxRewrites;
  set->source = ModuleOp::create(UnknownLoc::get(context));
  bool valid = true;
  for (const std::string &file : files) {
    OwningOpRef<ModuleOp> module = readPatternFile(context, file, options);
    if (!module || failed(checkPatterns(*module))) {
      valid = false;
      continue;
    }
    set->source->getBody()->getOperations().splice(
        set->source->getBody()->end(), module->getBody()->getOperations());
  }
  if (!valid || failed(checkNames(*set->source)))
    return failure();

  llvm::SmallSetVector<StringAttr, 8> names;
  set->source->walk([&](pdl::OperationOp op) {
    if (op.getOpNameAttr() && isa<pdl::PatternOp>(op->getParentOp()))
      names.insert(op.getOpNameAttr());
  });
  set->knownOps = names.takeVector();

  OwningOpRef<ModuleOp> guarded(set->source->clone());
  guardRewrites(*guarded);
  PDLPatternModule patterns(std::move(guarded));
  registerNatives(patterns);
  set->frozen = RewritePatternSet(std::move(patterns));
  return std::shared_ptr<const PatternSet>(std::move(set));
}

SmallVector<StringRef> PatternSet::getNames() const {
  return llvm::map_to_vector(
      source.get().getOps<pdl::PatternOp>(),
      [](pdl::PatternOp pattern) { return *pattern.getSymName(); });
}

LogicalResult PatternSet::apply(func::FuncOp function,
                                PatternEvents &events) const {
  if (function.getBody().empty())
    return success();
  RewriteRun run(events, function.getLoc(), maxRewrites);
  llvm::StringMap<std::string> obstacles;
  for (StringRef name : getNames()) {
    obstacles[name] = events.getObstacle(function, name);
    if (!obstacles[name].empty())
      run.disable(name);
  }
  SmallVector<Operation *> ops;
  for (Block &block : function.getBody())
    for (Operation &op : block)
      ops.push_back(&op);
  // The run counts rewrites: beyond `maxRewrites` of a pattern none matches.
  GreedyRewriteConfig config;
  config.enableFolding(false)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(ops, frozen, config);
  if (run.hasFailed())
    return failure();

  for (auto pattern : source.get().getOps<pdl::PatternOp>()) {
    auto root =
        pattern.getRewriter().getRoot().getDefiningOp<pdl::OperationOp>();
    for (Block &block : function.getBody())
      for (Operation &op : block)
        if (op.getName().getStringRef() == root.getOpName())
          if (std::optional<std::string> reason = explainNearMiss(
                  pattern, &op, obstacles[*pattern.getSymName()]))
            events.nearMiss(&op, *pattern.getSymName(), *reason);
  }
  return success();
}
