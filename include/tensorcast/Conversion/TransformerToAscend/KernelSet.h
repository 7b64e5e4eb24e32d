//===- KernelSet.h - What a software stack launches -------------*- C++ -*-===//
//
// A kernel set says which kernels a software stack has and what they do per
// element. It is data: a JSON file per set.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_CONVERSION_TRANSFORMERTOASCEND_KERNELSET_H
#define TENSORCAST_CONVERSION_TRANSFORMERTOASCEND_KERNELSET_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tensorcast {

/// A kernel that a set has.
struct Kernel {
  /// What the reference simulator calls the operator; may be empty.
  std::string referenceName;
  /// Numbers by name, such as vector operations per element.
  llvm::StringMap<double> coefficients;
  /// The element type at whose rate the cube unit works, if it is another than
  /// that of the operands: `i8`, ...; else empty.
  std::string operandType;

  double getCoefficient(StringRef name) const {
    auto found = coefficients.find(name);
    return found == coefficients.end() ? 0 : found->second;
  }
};

class KernelSet {
public:
  /// The set called `name`; unknown names are reported with the known ones. A
  /// `compiled` graph has kernels of its own for some ops.
  static FailureOr<KernelSet> load(StringRef name, bool compiled, Location loc);

  /// The names of all sets, sorted.
  static SmallVector<StringRef> list();

  StringRef getName() const { return name; }
  /// Whether it is that of a compiled graph.
  bool isCompiled() const { return compiled; }

  /// The kernel, or null if the set has none of this name.
  const Kernel *lookup(StringRef kernel) const;

  /// The value of a named way of the software stack; 0 if it has none.
  double getSwitch(StringRef name) const { return switches.lookup(name); }

  /// Whether the software stack treats models of a family in a named way.
  bool hasFamilyWay(StringRef family, StringRef way) const {
    auto found = familyWays.find(family);
    return found != familyWays.end() && llvm::is_contained(found->second, way);
  }

  /// How a compiled graph uses streams: the rule of `ascend-schedule` (an
  /// ascend::StreamRule), and whether it does so unless told otherwise.
  StringRef getStreamRule() const { return streamRule; }
  bool hasStreamsByDefault() const { return streamsByDefault; }

  /// Kernels that are said to return one tensor (or if not `one`, several),
  /// where their number of results says another thing. Sorted.
  SmallVector<StringRef> getKernelsReturning(bool one) const;

  /// Kernels that are said to read parts of tensors (`reads_parts`). Sorted.
  SmallVector<StringRef> getPartReaders() const;

  /// The composite ops that the eager form does not take apart, beside those
  /// that every framework launches whole; `op@family` is one of the models of a
  /// family.
  ArrayRef<std::string> getLaunchedWhole() const { return launchedWhole; }

  /// Those that the compiled form does not take apart: no fusion would win them
  /// back.
  ArrayRef<std::string> getCompiledWhole() const { return compiledWhole; }

private:
  std::string name;
  std::string streamRule = "data_flow";
  bool streamsByDefault = false, compiled = false;
  SmallVector<std::string> launchedWhole, compiledWhole;
  llvm::StringMap<Kernel> kernels;
  llvm::StringMap<double> switches;
  llvm::StringMap<SmallVector<std::string>> familyWays;
};

/// The set that is used where none is named.
inline constexpr StringLiteral kDefaultKernelSet = "reference-2026.08";

} // namespace mlir::tensorcast

#endif // TENSORCAST_CONVERSION_TRANSFORMERTOASCEND_KERNELSET_H
