//===- AscendDialect.cpp - The ascend dialect and its attributes ----------===//

#include "tensorcast/Device/DeviceProfile.h"
#include "tensorcast/Device/KernelCoefficients.h"
#include "tensorcast/Dialect/Ascend/IR/Ascend.h"
#include "tensorcast/Support/Numbers.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ascend;

#include "tensorcast/Dialect/Ascend/IR/AscendDialect.cpp.inc"
#include "tensorcast/Dialect/Ascend/IR/AscendEnums.cpp.inc"
#include "tensorcast/Dialect/Ascend/IR/AscendInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tensorcast/Dialect/Ascend/IR/AscendAttributes.cpp.inc"

namespace {
struct AscendAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<DeviceAttr>(attr))
      return AliasResult::NoAlias;
    os << "device";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void AscendDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tensorcast/Dialect/Ascend/IR/AscendAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tensorcast/Dialect/Ascend/IR/AscendOps.cpp.inc"
      >();
  addInterfaces<AscendAsmInterface>();
}

LogicalResult
AscendDialect::verifyOperationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  StringRef name = attribute.getName();
  // Not Operation::emitOpError, which prints the whole module.
  auto emitError = [&] {
    return mlir::emitError(op->getLoc()) << "'" << op->getName() << "' op ";
  };
  StringRef known[] = {
      kDeviceAttrName,    kCostModelAttrName,     kKernelCoefficientsAttrName,
      kKernelSetAttrName, kReservedBytesAttrName, kStreamRuleAttrName,
      kPartAttrName};
  if (!llvm::is_contained(known, name))
    return emitError() << tensorcast::unknownName("attribute", name, known);
  if (name == kPartAttrName) {
    if (!isa<WorkOpInterface>(op))
      return emitError() << "expected '" << name
                         << "' on the work of a launch, but got it on this op";
    if (!isa<StringAttr>(attribute.getValue()))
      return emitError() << "expected '" << name << "' to be a string, but got "
                         << attribute.getValue();
    return success();
  }
  if (!isa<ModuleOp>(op))
    return emitError() << "expected '" << name
                       << "' on a module, but got it on this op";
  Attribute value = attribute.getValue();
  auto fail = [&](StringRef expected) {
    return emitError() << "expected '" << name << "' to be " << expected
                       << ", but got " << value;
  };
  if (name == kDeviceAttrName && !isa<DeviceAttr>(value))
    return fail("an #ascend.device");
  if ((name == kCostModelAttrName || name == kKernelSetAttrName) &&
      !isa<StringAttr>(value))
    return fail("a string");
  if (name == kStreamRuleAttrName && !isa<StreamRuleAttr>(value))
    return fail("an #ascend.stream_rule");
  if (name == kKernelCoefficientsAttrName) {
    auto kernels = dyn_cast<DictionaryAttr>(value);
    if (!kernels)
      return fail("a dictionary");
    auto emitKernelError = [&] {
      InFlightDiagnostic diag = emitError();
      diag << "'" << name << "': ";
      return diag;
    };
    return tensorcast::KernelDevices::get({}, kernels, emitKernelError);
  }
  if (name == kReservedBytesAttrName) {
    auto bytes = dyn_cast<IntegerAttr>(value);
    if (!bytes || !bytes.getType().isSignlessInteger(64) || bytes.getInt() < 0)
      return fail("a 64-bit integer of at least 0");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult DeviceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 DictionaryAttr profile) {
  return tensorcast::parseDeviceProfile(profile, emitError);
}

Attribute DeviceAttr::parse(AsmParser &parser, Type) {
  DictionaryAttr profile;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseAttribute(profile) ||
      parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(loc); };
  return getChecked(emitError, parser.getContext(), profile);
}

/// Prints a profile's value with the numbers as people write them.
static void printProfile(AsmPrinter &printer, Attribute value) {
  auto printEntry = [&](NamedAttribute entry) {
    printer.printKeywordOrString(entry.getName());
    printer << " = ";
    printProfile(printer, entry.getValue());
  };
  auto printElement = [&](Attribute element) {
    printProfile(printer, element);
  };
  if (auto dictionary = dyn_cast<DictionaryAttr>(value)) {
    printer << '{';
    llvm::interleaveComma(dictionary, printer, printEntry);
    printer << '}';
  } else if (auto array = dyn_cast<ArrayAttr>(value)) {
    printer << '[';
    llvm::interleaveComma(array, printer, printElement);
    printer << ']';
  } else if (auto number = dyn_cast<FloatAttr>(value);
             number && number.getType().isF64()) {
    printer << tensorcast::formatDecimal(number.getValueAsDouble());
  } else if (auto integer = dyn_cast<IntegerAttr>(value);
             integer && integer.getType().isSignlessInteger(64)) {
    printer << integer.getInt();
  } else {
    printer << value;
  }
}

void DeviceAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printProfile(printer, getProfile());
  printer << '>';
}

LogicalResult SlotAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               Stream, ArrayRef<int64_t> waits) {
  int64_t last = -1;
  for (int64_t operand : waits) {
    if (operand <= last)
      return emitError() << "expected ascending numbers of operands to wait "
                            "for, but got "
                         << operand << (last < 0 ? "" : " behind a larger one");
    last = operand;
  }
  return success();
}

CostAttr CostAttr::get(MLIRContext *context, double timeS, double cubeS,
                       double vectorS, double memoryS, double communicationS,
                       double launchS) {
  auto number = [&](double value) {
    return FloatAttr::get(Float64Type::get(context), value);
  };
  return Base::get(context, number(timeS), number(cubeS), number(vectorS),
                   number(memoryS), number(communicationS), number(launchS));
}

Attribute CostAttr::parse(AsmParser &parser, Type) {
  static constexpr StringLiteral names[] = {
      "time", "cube", "vector", "memory", "communication", "launch"};
  std::array<double, 6> values = {};
  auto parseTerm = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    const auto *found = llvm::find(names, name);
    if (found == std::end(names)) {
      SmallVector<StringRef> known(std::begin(names), std::end(names));
      return parser.emitError(loc,
                              tensorcast::unknownName("term", name, known));
    }
    double &value = values[found - std::begin(names)];
    if (parser.parseEqual() || parser.getCurrentLocation(&loc) ||
        parser.parseFloat(value))
      return failure();
    if (!std::isfinite(value) || value < 0)
      return parser.emitError(loc, "expected a time of at least 0 s");
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseTerm))
    return {};
  return std::apply(
      [&](auto... terms) { return get(parser.getContext(), terms...); },
      values);
}

void CostAttr::print(AsmPrinter &printer) const {
  printer << "<time = "
          << tensorcast::formatDecimal(getTime().getValueAsDouble());
  auto term = [&](StringRef name, FloatAttr value) {
    if (value.getValueAsDouble() != 0)
      printer << ", " << name << " = "
              << tensorcast::formatDecimal(value.getValueAsDouble());
  };
  term("cube", getCube());
  term("vector", getVector());
  term("memory", getMemory());
  term("communication", getCommunication());
  term("launch", getLaunch());
  printer << '>';
}
