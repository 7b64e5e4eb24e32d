//===- RewriteRun.cpp - One run of patterns over a function ---------------===//

#include "RewriteRun.h"

#include "tensorcast/Patterns/FusionRegion.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::tensorcast;

static thread_local RewriteRun *current = nullptr;

RewriteRun::RewriteRun(PatternEvents &events, Location start,
                       int64_t maxRewrites)
    : events(events), outer(current), rootLoc(start), maxRewrites(maxRewrites) {
  current = this;
}

RewriteRun::~RewriteRun() { current = outer; }

RewriteRun &RewriteRun::get() { return *current; }

/// Runs `check` and returns the first error that it reports instead.
template <typename CheckT>
static std::optional<std::string> captureError(MLIRContext *context,
                                               CheckT check) {
  std::optional<std::string> error;
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
    if (llvm::get_threadid() != thread)
      return failure();
    if (diag.getSeverity() == DiagnosticSeverity::Error && !error)
      error = diag.str();
    return success();
  });
  if (failed(check()) && !error)
    error = "it is invalid";
  return error;
}

InFlightDiagnostic RewriteRun::fail(LocationAttr place) {
  failed = true;
  InFlightDiagnostic diag = emitError(place);
  diag << "pattern '" << pattern << "' ";
  diag.attachNote(rootLoc) << "the op that it rewrites is here";
  return diag;
}

void RewriteRun::begin(LocationAttr place, StringRef name, Operation *op) {
  pattern = name;
  root = op;
  rootLoc = op->getLoc();
  created.clear();
  erased.clear();
  if (failed)
    return;
  if (++numRewrites[name] > maxRewrites)
    fail(place) << "was applied " << maxRewrites
                << " times to one function and comes to no end; does it match "
                   "what it makes? If not, 'max-rewrites' allows more";
}

LogicalResult RewriteRun::checkOrder(LocationAttr place, Operation *op) {
  for (Value operand : op->getOperands()) {
    Operation *definition = operand.getDefiningOp();
    if (!definition || definition->getBlock() != op->getBlock() ||
        (definition != op && definition->isBeforeInBlock(op)))
      continue;
    fail(place) << "lets '" << op->getName() << "' read the result of '"
                << definition->getName() << "', which comes after it";
    return failure();
  }
  return success();
}

void RewriteRun::end(LocationAttr place, PatternRewriter &rewriter) {
  if (failed)
    return;
  for (auto [at, op] : created) {
    if (erased.contains(op))
      continue;
    std::optional<std::string> error =
        captureError(op->getContext(), [op = op] { return mlir::verify(op); });
    if (error) {
      fail(at) << "makes an invalid op: " << *error;
      return;
    }
    if (mlir::failed(checkOrder(at, op)))
      return;
    for (Operation *user : op->getUsers())
      if (mlir::failed(checkOrder(at, user)))
        return;
  }
  for (auto [op, at] : erased) {
    if (!at)
      continue;
    for (Operation *user : op->getUsers()) {
      if (erased.contains(user))
        continue;
      InFlightDiagnostic diag = fail(at);
      diag << "erases '" << op->getName() << "', whose result is still read";
      diag.attachNote(user->getLoc()) << "it is read here";
      return;
    }
  }
  events.applied(root, pattern);
  // Users go before what they use.
  SmallVector<Operation *> pending = llvm::map_to_vector(
      erased, [](const auto &entry) { return entry.first; });
  for (bool changed = true; changed;) {
    changed = false;
    llvm::erase_if(pending, [&](Operation *op) {
      if (!op->use_empty())
        return false;
      changed = true;
      rewriter.eraseOp(op);
      return true;
    });
  }
}

Operation *RewriteRun::create(LocationAttr place, PatternRewriter &rewriter,
                              OperationState &state) {
  // The users of a failed rewrite get an op that says nothing.
  auto giveUp = [&] {
    OperationState none(rootLoc,
                        UnrealizedConversionCastOp::getOperationName());
    return rewriter.create(none);
  };
  if (failed)
    return giveUp();
  for (Value operand : state.operands)
    if (!operand) {
      fail(place) << "makes '" << state.name
                  << "' with a result that the op before it does not have";
      return giveUp();
    }
  if (state.types.empty() && state.name.hasInterface<InferTypeOpInterface>()) {
    std::optional<std::string> error =
        captureError(rewriter.getContext(), [&]() -> LogicalResult {
          DictionaryAttr attrs =
              state.attributes.getDictionary(rewriter.getContext());
          // Properties are where inference looks for attributes.
          OwningOpRef<Operation *> probe(Operation::create(state));
          return state.name.getInterface<InferTypeOpInterface>()
              ->inferReturnTypes(rewriter.getContext(), rootLoc, state.operands,
                                 attrs, probe.get()->getPropertiesStorage(),
                                 RegionRange(), state.types);
        });
    if (error) {
      fail(place) << "makes an invalid '" << state.name << "': " << *error;
      return giveUp();
    }
  }
  Operation *op = rewriter.create(state);
  created.emplace_back(place, op);
  return op;
}

void RewriteRun::replace(LocationAttr place, PatternRewriter &rewriter,
                         Operation *op, ArrayRef<Value> values) {
  if (failed || mlir::failed(checkNotTerminator(place, op)))
    return;
  if (values.size() != op->getNumResults()) {
    fail(place) << "replaces the " << op->getNumResults() << " results of '"
                << op->getName() << "' by " << values.size() << " values";
    return;
  }
  for (auto [index, pair] :
       llvm::enumerate(llvm::zip(op->getResults(), values)))
    if (auto [result, value] = pair;
        !value || value.getType() != result.getType()) {
      InFlightDiagnostic diag = fail(place);
      diag << "replaces result " << index << " of '" << op->getName()
           << "': expected " << result.getType() << ", but got ";
      if (value)
        diag << value.getType();
      else
        diag << "no value";
      return;
    }
  for (auto [result, value] : llvm::zip(op->getResults(), values)) {
    if (result == value)
      continue;
    rewriter.replaceAllUsesWith(result, value);
    for (Operation *user : value.getUsers())
      if (!erased.contains(user) && mlir::failed(checkOrder(place, user)))
        return;
  }
  erased[op] = place;
}

void RewriteRun::erase(LocationAttr place, Operation *op) {
  if (!failed && succeeded(checkNotTerminator(place, op)))
    erased[op] = place;
}

LogicalResult RewriteRun::checkNotTerminator(LocationAttr place,
                                             Operation *op) {
  // One that the rewrite has made itself may go.
  bool isMade =
      llvm::any_of(created, [&](auto &entry) { return entry.second == op; });
  if (isMade || !op->hasTrait<OpTrait::IsTerminator>())
    return success();
  fail(place) << "takes away '" << op->getName() << "', which ends its block";
  return failure();
}

SmallVector<Value> RewriteRun::fuse(LocationAttr place,
                                    PatternRewriter &rewriter, StringRef kernel,
                                    ValueRange values) {
  SmallVector<Operation *> ops = llvm::map_to_vector(
      values, [](Value value) { return value.getDefiningOp(); });
  // The matcher has made sure of it (see SafeRewrites.cpp), but a rewrite may
  // do several things.
  FusionRegion region;
  if (std::optional<std::string> obstacle = findFusionRegion(ops, region)) {
    if (!failed)
      fail(place) << "cannot fuse: " << *obstacle;
    return ops.empty() || !ops.back()
               ? SmallVector<Value>()
               : SmallVector<Value>(ops.back()->getResults());
  }
  if (failed)
    return SmallVector<Value>(ops.back()->getResults());
  SmallVector<Value> results =
      tensorcast::fuse(rewriter, region, kernel, ops.back());
  for (Operation *op : region.ops)
    erased.insert({op, LocationAttr()});
  return results;
}
