//===- KernelSet.cpp - What a software stack launches ---------------------===//

#include "tensorcast/Conversion/TransformerToAscend/KernelSet.h"
#include "tensorcast/Support/Json.h"
#include "tensorcast/Support/Wording.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {
struct EmbeddedFile {
  StringLiteral name, text;
};
} // namespace

/// The sets that are compiled in, sorted by name.
static constexpr EmbeddedFile embeddedSets[] = {
#include "tensorcast/Data/KernelSets.inc"
};

SmallVector<StringRef> KernelSet::list() {
  SmallVector<StringRef> names;
  for (const EmbeddedFile &file : embeddedSets)
    names.push_back(file.name);
  return names;
}

const Kernel *KernelSet::lookup(StringRef kernel) const {
  auto found = kernels.find(kernel);
  return found == kernels.end() ? nullptr : &found->second;
}

/// The names of kernels for which `accept` holds, sorted.
static SmallVector<StringRef>
filterNames(const llvm::StringMap<Kernel> &kernels,
            function_ref<bool(const Kernel &)> accept) {
  SmallVector<StringRef> names;
  for (const auto &entry : kernels)
    if (accept(entry.second))
      names.push_back(entry.first());
  llvm::sort(names);
  return names;
}

SmallVector<StringRef> KernelSet::getKernelsReturning(bool one) const {
  return filterNames(kernels, [&](const Kernel &kernel) {
    double tensors = kernel.getCoefficient("returned_tensors");
    return tensors != 0 && (tensors == 1) == one;
  });
}

SmallVector<StringRef> KernelSet::getPartReaders() const {
  return filterNames(kernels, [](const Kernel &kernel) {
    return kernel.getCoefficient("reads_parts") != 0;
  });
}

/// Reads a kernel's name and numbers. The files are the project's own and
/// checked by its tests, so what has another type is passed over.
static Kernel readKernel(const Json &json) {
  Kernel kernel;
  for (const auto &[key, value] : json.items()) {
    if (key == "reference_name" && value.is_string())
      kernel.referenceName = value.get_ref<const std::string &>();
    else if (key == "operand_type" && value.is_string())
      kernel.operandType = value.get_ref<const std::string &>();
    else if (value.is_number())
      kernel.coefficients[key] = value.get<double>();
  }
  return kernel;
}

FailureOr<KernelSet> KernelSet::load(StringRef name, bool compiled,
                                     Location loc) {
  const auto *file =
      llvm::find_if(embeddedSets, [&](const EmbeddedFile &candidate) {
        return candidate.name == name;
      });
  if (file == std::end(embeddedSets))
    return emitError(loc) << unknownName("kernel set", name, list());
  FailureOr<Json> json = parseJson(file->text, file->name, loc.getContext());
  if (failed(json))
    return failure();

  KernelSet set;
  set.name = name.str();
  set.compiled = compiled;
  for (const char *part : {"kernels", "compiled"}) {
    auto kernels = json->find(part);
    if (kernels == json->end() || (part == StringRef("compiled") && !compiled))
      continue;
    // A compiled graph may lack a kernel that an eager one has: null.
    for (const auto &[key, value] : kernels->items())
      if (value.is_null())
        set.kernels.erase(key);
      else
        set.kernels[key] = readKernel(value);
  }
  for (auto [part, names] : {std::pair("launched_whole", &set.launchedWhole),
                             {"compiled_whole", &set.compiledWhole}})
    if (auto whole = json->find(part); whole != json->end())
      for (const auto &[key, why] : whole->items())
        names->push_back(key);
  if (auto families = json->find("families"); families != json->end())
    for (const auto &[family, ways] : families->items())
      for (const auto &[way, why] : ways.items())
        set.familyWays[family].push_back(way);
  if (auto streams = json->find("streams"); streams != json->end()) {
    set.streamRule = streams->value("rule", set.streamRule);
    set.streamsByDefault = streams->value("by_default", false);
  }
  if (auto switches = json->find("switches"); switches != json->end())
    for (const auto &[key, value] : switches->items())
      set.switches[key] = value.value(
          compiled && value.contains("compiled_value") ? "compiled_value"
                                                       : "value",
          0.0);
  return set;
}
