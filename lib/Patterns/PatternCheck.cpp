//===- PatternCheck.cpp - Refuses patterns that would not work ------------===//

#include "Natives.h"
#include "PatternFile.h"

#include "tensorcast/Support/Wording.h"

#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Dialect/PDL/IR/PDLTypes.h"
#include "mlir/IR/ExtensibleDialect.h"

using namespace mlir;
using namespace mlir::tensorcast;
using Kind = PDLValue::Kind;

/// What a value of a pattern stands for.
static Kind getKind(Type type) {
  if (auto range = dyn_cast<pdl::RangeType>(type))
    return isa<pdl::TypeType>(range.getElementType()) ? Kind::TypeRange
                                                      : Kind::ValueRange;
  if (isa<pdl::AttributeType>(type))
    return Kind::Attribute;
  if (isa<pdl::OperationType>(type))
    return Kind::Operation;
  return isa<pdl::TypeType>(type) ? Kind::Type : Kind::Value;
}

/// The kind as PDLL writes it.
static StringRef getName(Kind kind) {
  static constexpr StringLiteral names[] = {"Attr",      "Op",    "Type",
                                            "TypeRange", "Value", "ValueRange"};
  static constexpr Kind kinds[] = {Kind::Attribute, Kind::Operation,
                                   Kind::Type,      Kind::TypeRange,
                                   Kind::Value,     Kind::ValueRange};
  return names[llvm::find(kinds, kind) - std::begin(kinds)];
}

/// Whether an argument of kind `got` will do for `wanted`. PDLL passes a value
/// where a range is declared.
static bool isConvertible(Kind got, Kind wanted) {
  return got == wanted || (got == Kind::Value && wanted == Kind::ValueRange);
}

/// How many operands or results an op has, as far as its traits say.
struct Count {
  unsigned least = 0;
  bool isExact = false;
  bool isKnown = false;
};

template <template <unsigned> class ExactT, template <unsigned> class AtLeastT,
          unsigned... numbers>
static Count findCount(OperationName op,
                       std::integer_sequence<unsigned, numbers...>) {
  Count count;
  // Traits start at 2; 0 and 1 have their own.
  ((op.hasTrait<ExactT<numbers + 2>::template Impl>()
        ? void(count = {numbers + 2, true, true})
        : void()),
   ...);
  ((op.hasTrait<AtLeastT<numbers + 1>::template Impl>()
        ? void(count = {numbers + 1, false, true})
        : void()),
   ...);
  return count;
}

static Count countOperands(OperationName op) {
  if (op.hasTrait<OpTrait::ZeroOperands>())
    return {0, true, true};
  if (op.hasTrait<OpTrait::OneOperand>())
    return {1, true, true};
  return findCount<OpTrait::NOperands, OpTrait::AtLeastNOperands>(
      op, std::make_integer_sequence<unsigned, 8>());
}

static Count countResults(OperationName op) {
  if (op.hasTrait<OpTrait::ZeroResults>())
    return {0, true, true};
  if (op.hasTrait<OpTrait::OneResult>())
    return {1, true, true};
  return findCount<OpTrait::NResults, OpTrait::AtLeastNResults>(
      op, std::make_integer_sequence<unsigned, 8>());
}

namespace {
/// Checks one file, and goes on after a mistake.
class Checker {
public:
  LogicalResult run(ModuleOp module) {
    unsigned numPatterns = 0;
    for (Operation &op : module.getOps()) {
      if (auto pattern = dyn_cast<pdl::PatternOp>(op)) {
        check(pattern);
        ++numPatterns;
      } else {
        fail(&op) << "expected only patterns in the file, but got '"
                  << op.getName() << "'";
      }
    }
    if (numPatterns == 0 && valid)
      fail(module) << "expected at least one pattern in the file, but got none";
    return success(valid);
  }

private:
  InFlightDiagnostic fail(Operation *op) {
    valid = false;
    return emitError(op->getLoc());
  }

  void check(pdl::PatternOp pattern) {
    if (!pattern.getSymName())
      fail(pattern) << "expected a pattern with a name, which reports can say";
    pdl::RewriteOp rewrite = pattern.getRewriter();
    if (!rewrite.getRoot())
      fail(rewrite) << "expected the rewrite to say which op it is of, as in "
                       "'rewrite root with'";
    if (rewrite.getNameAttr())
      fail(rewrite) << "expected a rewrite of ops and of " << kFuseSignature
                    << ", but got the function "
                    << quoteText(rewrite.getName().value_or(""));
    pattern.walk([&](Operation *op) {
      if (auto operation = dyn_cast<pdl::OperationOp>(op))
        check(operation, operation->getParentOp() != pattern);
      else if (auto constraint = dyn_cast<pdl::ApplyNativeConstraintOp>(op))
        checkCall(constraint);
      else if (auto rewriteCall = dyn_cast<pdl::ApplyNativeRewriteOp>(op))
        checkCall(rewriteCall);
    });
    auto root = rewrite.getRoot()
                    ? rewrite.getRoot().getDefiningOp<pdl::OperationOp>()
                    : pdl::OperationOp();
    if (root && !root.getOpNameAttr())
      fail(root) << "expected the root of a pattern to have a name";
  }

  void check(pdl::OperationOp operation, bool isCreated) {
    std::optional<StringRef> name = operation.getOpName();
    if (!name) {
      if (isCreated)
        fail(operation) << "expected the name of the op to make, but got none";
      return;
    }
    MLIRContext *context = operation.getContext();
    StringRef dialect = name->split('.').first;
    // One that the module has no op of is there, but not loaded.
    (void)context->getOrLoadDialect(dialect);
    if (auto op = RegisteredOperationName::lookup(*name, context)) {
      checkAttributes(operation, *op);
      if (!isCreated) {
        checkCount(operation, "operands", countOperands(*op),
                   operation.getOperandValues());
        checkCount(operation, "results", countResults(*op),
                   operation.getTypeValues());
      }
      return;
    }
    SmallVector<StringRef> known;
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (op.getDialectNamespace() == dialect)
        known.push_back(op.getStringRef());
    if (known.empty()) {
      SmallVector<StringRef> dialects;
      for (StringRef available : context->getAvailableDialects())
        dialects.push_back(available);
      llvm::sort(dialects);
      fail(operation) << unknownName("dialect", dialect, dialects)
                      << "; ops of your own are declared with --irdl-file";
      return;
    }
    llvm::sort(known);
    fail(operation) << unknownName("op", *name, known);
  }

  void checkAttributes(pdl::OperationOp operation, OperationName op) {
    // IRDL declares attributes where they cannot be listed.
    if (isa<ExtensibleDialect>(op.getDialect()))
      return;
    SmallVector<StringRef> known;
    for (StringAttr name : op.getAttributeNames())
      known.push_back(name.getValue());
    for (auto name :
         operation.getAttributeValueNames().getAsRange<StringAttr>())
      // Other dialects' attributes have a prefix.
      if (!name.getValue().contains('.') && !llvm::is_contained(known, name)) {
        InFlightDiagnostic diag = fail(operation);
        if (known.empty())
          diag << "expected no attributes of '" << op.getStringRef()
               << "', but got '" << name.getValue() << "'";
        else
          diag << "'" << op.getStringRef()
               << "': " << unknownName("attribute", name, known);
      }
  }

  /// PDL takes values for all there are, and none where nothing is said.
  void checkCount(pdl::OperationOp operation, StringRef what, Count wanted,
                  OperandRange values) {
    auto isRange = llvm::IsaPred<pdl::RangeType>;
    if (!wanted.isKnown || llvm::any_of(values.getTypes(), isRange) ||
        (values.empty() && what == "operands"))
      return;
    size_t got = values.size();
    if (got < wanted.least || (wanted.isExact && got > wanted.least))
      fail(operation) << "expected '" << *operation.getOpName() << "' with "
                      << (wanted.isExact ? "" : "at least ") << wanted.least
                      << " " << what << ", but got " << got;
  }

  /// A constraint is asked when all that it is asked about is known.
  void checkKnown(pdl::ApplyNativeConstraintOp call, pdl::AttributeOp attr) {
    if (!attr.getValueAttr() &&
        llvm::none_of(attr->getUsers(), llvm::IsaPred<pdl::OperationOp>))
      fail(call) << "expected '" << call.getName()
                 << "' of attributes that are given or belong to an op, but "
                    "got one without a value";
  }

  void checkCall(pdl::ApplyNativeConstraintOp call) {
    const Constraint *constraint = findConstraint(call.getName());
    if (!constraint) {
      SmallVector<StringRef> known;
      for (const Constraint &each : getConstraints())
        known.push_back(each.name);
      fail(call) << unknownName("native constraint", call.getName(), known);
      return;
    }
    checkArguments(call, constraint->kinds, constraint->signature);
    for (Value argument : call.getArgs()) {
      auto attr = argument.getDefiningOp<pdl::AttributeOp>();
      if (attr)
        checkKnown(call, attr);
      if (!attr || !attr.getValueAttr() ||
          (constraint->takesType ? isa<TypeAttr>(attr.getValueAttr())
                                 : isa<IntegerAttr>(attr.getValueAttr())))
        continue;
      fail(call) << "expected "
                 << (constraint->takesType ? "a type, as in attr<\"f16\">"
                                           : "an integer, as in attr<\"128\">")
                 << " for " << constraint->signature << ", but got "
                 << attr.getValueAttr();
    }
    if (call.getNumResults() != 0)
      fail(call) << "expected '" << constraint->name
                 << "' to have no results, but got " << call.getNumResults();
  }

  void checkCall(pdl::ApplyNativeRewriteOp call) {
    if (call.getName() != kFuse) {
      StringRef known[] = {kFuse};
      fail(call) << unknownName("native rewrite", call.getName(), known);
      return;
    }
    static constexpr Kind kinds[] = {Kind::Attribute, Kind::ValueRange};
    checkArguments(call, kinds, kFuseSignature);
    if (call.getNumResults() != 1 ||
        getKind(call.getResult(0).getType()) != Kind::ValueRange) {
      fail(call) << "expected 'Fuse' to have one result, a ValueRange";
      return;
    }
    if (call.getNumOperands() != 2)
      return;
    auto name = call.getOperand(0).getDefiningOp<pdl::AttributeOp>();
    auto text =
        name ? dyn_cast_or_null<StringAttr>(name.getValueAttr()) : StringAttr();
    if (!text || text.getValue().empty())
      fail(call) << "expected 'Fuse' with the name of a kernel, as in "
                    "attr<\"\\\"my_kernel\\\"\">";
    checkFused(call);
  }

  /// What is fused must be there before the rewrite.
  void checkFused(pdl::ApplyNativeRewriteOp call) {
    SmallVector<Value> values = {call.getOperand(1)};
    if (auto range = values.front().getDefiningOp<pdl::RangeOp>())
      values = llvm::to_vector(range.getArguments());
    if (values.empty())
      fail(call) << "expected at least one value to fuse, but got none";
    for (Value value : values) {
      Operation *definition = value.getDefiningOp();
      Value parent;
      if (auto result = dyn_cast_or_null<pdl::ResultOp>(definition))
        parent = result.getParent();
      else if (auto results = dyn_cast_or_null<pdl::ResultsOp>(definition))
        parent = results.getParent();
      auto op = parent ? parent.getDefiningOp<pdl::OperationOp>()
                       : pdl::OperationOp();
      if (op && isa<pdl::PatternOp>(op->getParentOp()))
        continue;
      fail(call) << "expected 'Fuse' with results of ops that the pattern "
                    "matches, as in (norm.0, root.0)";
      return;
    }
  }

  void checkArguments(Operation *call, ArrayRef<Kind> kinds,
                      StringRef signature) {
    bool same =
        call->getNumOperands() == kinds.size() &&
        llvm::all_of(llvm::zip(call->getOperandTypes(), kinds), [](auto pair) {
          return isConvertible(getKind(std::get<0>(pair)), std::get<1>(pair));
        });
    if (same)
      return;
    InFlightDiagnostic diag = fail(call);
    diag << "expected " << signature << ", but got arguments (";
    llvm::interleaveComma(call->getOperandTypes(), diag,
                          [&](Type type) { diag << getName(getKind(type)); });
    diag << ")";
  }

  bool valid = true;
};
} // namespace

LogicalResult mlir::tensorcast::checkPatterns(ModuleOp patterns) {
  return Checker().run(patterns);
}
