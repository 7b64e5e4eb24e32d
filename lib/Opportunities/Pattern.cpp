//===- Pattern.cpp - A pattern file for a chain of ops --------------------===//

#include "Chains.h"
#include "tensorcast/Dialect/Ascend/IR/Ascend.h"
#include "tensorcast/Opportunities/Opportunities.h"
#include "tensorcast/Support/Numbers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tensorcast;

//===----------------------------------------------------------------------===//
// Operands as ops describe them
//===----------------------------------------------------------------------===//

static constexpr std::pair<StringLiteral, StringLiteral> operandLists[] = {
#include "Operands.inc"
};

namespace {
/// One operand of an op's description, and the values that an op has for it.
struct OperandGroup {
  StringRef name;
  bool isVariable;
  OperandRange values;
};
} // namespace

/// Pairs the operands of `op` with their description.
static SmallVector<OperandGroup> getOperandGroups(Operation *op) {
  auto *list = llvm::find_if(operandLists, [&](const auto &entry) {
    return entry.first == op->getName().getStringRef();
  });
  SmallVector<StringRef> names;
  list->second.split(names, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  auto isVariable = [](StringRef name) {
    return name.ends_with("?") || name.ends_with("*");
  };
  auto sizes = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  // Without sizes, at most one operand has another number of values than one.
  unsigned variableSize =
      op->getNumOperands() + llvm::count_if(names, isVariable) - names.size();
  SmallVector<OperandGroup> groups;
  unsigned start = 0;
  for (auto [index, name] : llvm::enumerate(names)) {
    unsigned size = sizes ? sizes[index] : isVariable(name) ? variableSize : 1;
    groups.push_back({name.rtrim("?*"), isVariable(name),
                      op->getOperands().slice(start, size)});
    start += size;
  }
  return groups;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// `linear_all_reduce` as `LinearAllReduce`.
static std::string toCamelCase(StringRef name) {
  return llvm::convertToCamelFromSnakeCase(name, /*capitalizeFirst=*/true);
}

namespace {
class PatternWriter {
public:
  PatternWriter(raw_ostream &os, const Opportunity &chain)
      : os(os), ops(chain.ops) {
    for (Operation *op : chain.kernels)
      kernelNames.push_back(getKernelName(op));
  }

  LogicalResult write() {
    std::string kernel = llvm::join(kernelNames, "_");
    os << "Pattern " << toCamelCase(kernel) << " {\n";
    for (Operation *op : ops)
      if (failed(writeOp(op)))
        return failure();
    for (const std::string &line : conditions)
      os << line;
    os << "  rewrite root with {\n    replace root with Fuse(attr<\"\\\""
       << kernel << "\\\"\">, ("
       << llvm::join(
              llvm::map_range(
                  opNames, [](const std::string &name) { return name + ".0"; }),
              ", ")
       << "));\n  };\n}\n";
    return success();
  }

private:
  LogicalResult writeOp(Operation *op) {
    std::string name = op == ops.back() ? "root" : makeName(getKernelName(op));
    os << "  let " << name << " = op<" << op->getName() << ">(";
    llvm::ListSeparator comma;
    for (const OperandGroup &group : getOperandGroups(op)) {
      os << comma;
      if (failed(writeGroup(op, group)))
        return failure();
    }
    os << ");\n";
    opNames.push_back(name);
    for (auto [index, result] : llvm::enumerate(op->getResults())) {
      values[result] = (name + "." + Twine(index)).str();
      if (op != ops.back() && result.hasOneUse() &&
          llvm::is_contained(ops, *result.getUsers().begin()))
        conditions.push_back("  HasOneUse(" + values[result] + ");\n");
    }
    return success();
  }

  LogicalResult writeGroup(Operation *op, const OperandGroup &group) {
    auto isOfChain = [&](Value value) {
      return llvm::is_contained(ops, value.getDefiningOp());
    };
    if (group.values.size() != 1) {
      if (llvm::any_of(group.values, isOfChain))
        return op->emitOpError("is in a chain that no pattern describes: it "
                               "reads one of several values as '")
               << group.name << "'";
      os << makeName(group.name) << ": ValueRange";
      return success();
    }
    Value value = group.values.front();
    std::string &known = values[value];
    if (!known.empty()) {
      os << known;
      return success();
    }
    std::string name = makeName(group.name);
    os << name << (group.isVariable ? ": ValueRange" : ": Value");
    // Only a single value can stand for an operand of another op.
    if (!group.isVariable)
      known = name;
    return success();
  }

  /// A name that the pattern does not have yet, and that means nothing in PDLL.
  std::string makeName(StringRef base) {
    std::string name = base.str();
    for (unsigned number = 2; !names.insert(name).second; ++number)
      name = (base + Twine(number)).str();
    return name;
  }

  raw_ostream &os;
  ArrayRef<Operation *> ops;
  SmallVector<std::string> kernelNames, opNames, conditions;
  llvm::DenseMap<Value, std::string> values;
  llvm::StringSet<> names{"root",    "op",    "let",   "not",
                          "type",    "attr",  "with",  "rewrite",
                          "replace", "erase", "return"};
};
} // namespace

LogicalResult mlir::tensorcast::printPattern(raw_ostream &os,
                                             const Opportunity &chain,
                                             double totalS) {
  Operation *root = chain.ops.back();
  if (isa<ascend::LaunchOp>(root))
    return root->emitOpError(
        "has no op that a pattern could match: expected a module of ops, but "
        "got one of launches; take it before convert-transformer-to-ascend "
        "(tc-opt --tensorcast-compile=lower=false)");
  std::string text;
  llvm::raw_string_ostream body(text);
  if (failed(PatternWriter(body, chain).write()))
    return failure();
  os << "// " << chain.name << ": one kernel would save at most "
     << formatTime(chain.savingS) << " of " << formatTime(totalS)
     << ".\n#include \"Transformer.pdll\"\n\n"
     << text;
  return success();
}
