//===- NearMiss.cpp - Why a pattern does not match ------------------------===//

#include "NearMiss.h"

#include "Natives.h"
#include "tensorcast/Patterns/FusionRegion.h"

#include "mlir/Dialect/PDL/IR/PDLTypes.h"

using namespace mlir;
using namespace mlir::tensorcast;

static std::string getOpName(Operation *op) {
  return op ? "'" + op->getName().getStringRef().str() + "'"
            : std::string("an argument of the function");
}

namespace {
/// What values of the pattern stand for, as far as they are found.
class Matcher {
public:
  using Reason = std::optional<std::string>;

  Reason run(pdl::PatternOp pattern, Operation *root, StringRef obstacle) {
    pdl::RewriteOp rewrite = pattern.getRewriter();
    auto rootPattern = rewrite.getRoot().getDefiningOp<pdl::OperationOp>();
    Reason reason = match(rootPattern, root);
    for (Operation &op : pattern.getBodyRegion().front())
      if (auto call = dyn_cast<pdl::ApplyNativeConstraintOp>(op);
          call && !reason)
        reason = check(call);
    rewrite.walk([&](pdl::ApplyNativeRewriteOp call) {
      if (!reason)
        reason = checkFused(call);
    });
    size_t numOps = llvm::range_size(
        pattern.getBodyRegion().front().getOps<pdl::OperationOp>());
    if (!reason && !obstacle.empty() && numMatched >= numOps)
      return obstacle.str();
    if (numMatched < std::min<size_t>(numOps, 2))
      return std::nullopt;
    return reason;
  }

private:
  Reason match(pdl::OperationOp pattern, Operation *op) {
    auto [bound, isNew] = ops.try_emplace(pattern.getOp(), op);
    if (!isNew)
      return bound->second == op
                 ? Reason()
                 : Reason("two ops of the pattern are one here, or one is two");
    if (std::optional<StringRef> name = pattern.getOpName();
        name && *name != op->getName().getStringRef())
      return "expected '" + name->str() + "', but got " + getOpName(op);
    ++numMatched;
    for (auto [name, value] :
         llvm::zip(pattern.getAttributeValueNames().getAsRange<StringAttr>(),
                   pattern.getAttributeValues()))
      if (Reason reason = matchAttribute(op, name, value))
        return reason;
    if (Reason reason = matchOperands(pattern, op))
      return reason;
    return matchResults(pattern, op);
  }

  Reason matchAttribute(Operation *op, StringAttr name, Value value) {
    Attribute attr = op->getAttr(name);
    if (!attr)
      return getOpName(op) + " has no attribute '" + name.str() + "'";
    auto pattern = value.getDefiningOp<pdl::AttributeOp>();
    if (pattern && pattern.getValueAttr() && pattern.getValueAttr() != attr)
      return "expected '" + name.str() + "' of " + getOpName(op) + " to be " +
             print(pattern.getValueAttr()) + ", but got " + print(attr);
    auto [bound, isNew] = attributes.try_emplace(value, attr);
    if (!isNew && bound->second != attr)
      return "'" + name.str() + "' of " + getOpName(op) +
             " is not that of the other op";
    return std::nullopt;
  }

  static bool isRange(Value value) {
    return isa<pdl::RangeType>(value.getType());
  }

  Reason matchOperands(pdl::OperationOp pattern, Operation *op) {
    OperandRange values = pattern.getOperandValues();
    // A single range is all operands.
    if (values.empty() || (values.size() == 1 && isRange(values.front()))) {
      if (values.size() == 1)
        ranges[values.front()] = SmallVector<Value>(op->getOperands());
      return std::nullopt;
    }
    size_t numRanges = llvm::count_if(values, isRange);
    size_t numSingle = values.size() - numRanges, numGot = op->getNumOperands();
    if (numGot < numSingle || (numRanges == 0 && numGot > numSingle)) {
      // Operands in front of what is too many or too few may be in place.
      for (auto [index, value] : llvm::enumerate(values)) {
        if (isRange(value) || index >= numGot || matchValue(value, op, index))
          break;
      }
      return "expected " + getOpName(op) + " with " +
             std::to_string(numSingle) + " operands, but got " +
             std::to_string(numGot);
    }
    // Single operands come in front in most ops; with several ranges, what is
    // behind the first is left to PDL.
    size_t index = 0;
    for (Value value : values) {
      if (isRange(value)) {
        if (numRanges > 1)
          return std::nullopt;
        size_t size = numGot - numSingle;
        ranges[value] =
            SmallVector<Value>(op->getOperands().slice(index, size));
        index += size;
        continue;
      }
      if (Reason reason = matchValue(value, op, index))
        return reason;
      ++index;
    }
    return std::nullopt;
  }

  Reason matchValue(Value pattern, Operation *user, size_t index) {
    Value operand = user->getOperand(index);
    std::string place =
        "operand " + std::to_string(index) + " of " + getOpName(user);
    auto [bound, isNew] = this->values.try_emplace(pattern, operand);
    if (!isNew)
      return bound->second == operand
                 ? Reason()
                 : Reason(place + " is not the value that it is elsewhere");
    Operation *definition = operand.getDefiningOp();
    if (auto result = pattern.getDefiningOp<pdl::ResultOp>()) {
      auto producer = result.getParent().getDefiningOp<pdl::OperationOp>();
      if (Reason reason = matchProducer(producer, definition, place))
        return reason;
      unsigned number = cast<OpResult>(operand).getResultNumber();
      if (number == result.getIndex())
        return std::nullopt;
      return "expected " + place + " to be result " +
             std::to_string(result.getIndex()) + " of " +
             getOpName(definition) + ", but it is result " +
             std::to_string(number);
    }
    if (auto results = pattern.getDefiningOp<pdl::ResultsOp>()) {
      auto producer = results.getParent().getDefiningOp<pdl::OperationOp>();
      return matchProducer(producer, definition, place);
    }
    if (auto plain = pattern.getDefiningOp<pdl::OperandOp>())
      if (plain.getValueType())
        return matchType(plain.getValueType(), operand.getType(), place);
    return std::nullopt;
  }

  Reason matchProducer(pdl::OperationOp producer, Operation *definition,
                       StringRef place) {
    std::optional<StringRef> name = producer.getOpName();
    if (!definition || (name && *name != definition->getName().getStringRef()))
      return "expected " + place.str() + " from '" +
             name.value_or("an op").str() + "', but it is from " +
             getOpName(definition);
    return match(producer, definition);
  }

  Reason matchType(Value pattern, Type type, StringRef place) {
    auto constant = pattern.getDefiningOp<pdl::TypeOp>();
    if (constant && constant.getConstantTypeAttr() &&
        constant.getConstantTypeAttr().getValue() != type)
      return "expected " + place.str() + " of type " +
             print(constant.getConstantTypeAttr().getValue()) + ", but got " +
             print(type);
    auto [bound, isNew] = types.try_emplace(pattern, type);
    if (!isNew && bound->second != type)
      return "expected " + place.str() + " of type " + print(bound->second) +
             ", as elsewhere, but got " + print(type);
    return std::nullopt;
  }

  Reason matchResults(pdl::OperationOp pattern, Operation *op) {
    OperandRange wanted = pattern.getTypeValues();
    if (wanted.empty() || llvm::any_of(wanted, isRange))
      return std::nullopt;
    if (wanted.size() != op->getNumResults())
      return "expected " + getOpName(op) + " with " +
             std::to_string(wanted.size()) + " results, but got " +
             std::to_string(op->getNumResults());
    for (auto [index, pair] :
         llvm::enumerate(llvm::zip(wanted, op->getResultTypes())))
      if (Reason reason = matchType(std::get<0>(pair), std::get<1>(pair),
                                    "result " + std::to_string(index) + " of " +
                                        getOpName(op)))
        return reason;
    return std::nullopt;
  }

  /// The value that `pattern` stands for; null if it is not found.
  Value lookup(Value pattern) {
    if (Value value = values.lookup(pattern))
      return value;
    auto result = pattern.getDefiningOp<pdl::ResultOp>();
    Operation *op = result ? ops.lookup(result.getParent()) : nullptr;
    if (op && result.getIndex() < op->getNumResults())
      return op->getResult(result.getIndex());
    auto results = pattern.getDefiningOp<pdl::ResultsOp>();
    op = results ? ops.lookup(results.getParent()) : nullptr;
    unsigned index = results ? results.getIndex().value_or(0) : 0;
    if (op && index < op->getNumResults())
      return op->getResult(index);
    return {};
  }

  bool lookupRange(Value pattern, SmallVectorImpl<Value> &found) {
    if (auto known = ranges.find(pattern); known != ranges.end()) {
      llvm::append_range(found, known->second);
      return true;
    }
    if (auto range = pattern.getDefiningOp<pdl::RangeOp>())
      return llvm::all_of(range.getArguments(), [&](Value argument) {
        return lookupRange(argument, found);
      });
    if (auto results = pattern.getDefiningOp<pdl::ResultsOp>();
        results && !results.getIndex()) {
      Operation *op = ops.lookup(results.getParent());
      if (op)
        llvm::append_range(found, op->getResults());
      return op;
    }
    Value value = lookup(pattern);
    if (value)
      found.push_back(value);
    return static_cast<bool>(value);
  }

  Reason check(pdl::ApplyNativeConstraintOp call) {
    const Constraint *constraint = findConstraint(call.getName());
    SmallVector<PDLValue> args;
    SmallVector<SmallVector<Value>> lists(call.getArgs().size());
    SmallVector<ValueRange> valueRanges(call.getArgs().size());
    for (auto [index, argument] : llvm::enumerate(call.getArgs())) {
      if (isa<pdl::AttributeType>(argument.getType())) {
        Attribute attr = attributes.lookup(argument);
        if (auto constant = argument.getDefiningOp<pdl::AttributeOp>();
            constant && !attr)
          attr = constant.getValueAttr();
        args.push_back(attr);
      } else if (isRange(argument)) {
        if (!lookupRange(argument, lists[index]))
          return std::nullopt;
        valueRanges[index] = lists[index];
        args.push_back(&valueRanges[index]);
      } else {
        args.push_back(lookup(argument));
      }
      if (!args.back())
        return std::nullopt;
    }
    Reason reason = constraint->function(args);
    if (call.getIsNegated())
      return reason ? Reason()
                    : Reason("not " + call.getName().str() + " does not hold");
    if (reason)
      return call.getName().str() + ": " + *reason;
    return std::nullopt;
  }

  /// Whether what the rewrite fuses may be one kernel.
  Reason checkFused(pdl::ApplyNativeRewriteOp call) {
    SmallVector<Value> found;
    if (call.getName() != kFuse || !lookupRange(call.getOperand(1), found))
      return std::nullopt;
    FusionRegion region;
    return findFusionRegion(
        llvm::map_to_vector(found,
                            [](Value value) { return value.getDefiningOp(); }),
        region);
  }

  llvm::DenseMap<Value, Operation *> ops;
  llvm::DenseMap<Value, Value> values;
  llvm::DenseMap<Value, SmallVector<Value>> ranges;
  llvm::DenseMap<Value, Attribute> attributes;
  llvm::DenseMap<Value, Type> types;
  size_t numMatched = 0;
};
} // namespace

std::optional<std::string>
mlir::tensorcast::explainNearMiss(pdl::PatternOp pattern, Operation *root,
                                  StringRef obstacle) {
  return Matcher().run(pattern, root, obstacle);
}
