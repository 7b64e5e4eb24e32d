//===- SeededInputs.cpp - Values that follow from names -------------------===//

#include "tensorcast/Verify/SeededInputs.h"

#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"

#include "llvm/Support/xxhash.h"

#include <cmath>
#include <functional>

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::WorkloadAttr;

/// Where nothing was calibrated, activations are taken to stay below this.
static constexpr double defaultInputRange = 4;

/// The base of the angles that rotary position embeddings commonly have.
static constexpr double ropeBase = 10000;

SmallVector<ArgumentInfo> tensorcast::getArguments(func::FuncOp lowered) {
  SmallVector<ArgumentInfo> infos;
  for (unsigned i = 0; i < lowered.getNumArguments(); ++i) {
    ArgumentInfo &info = infos.emplace_back();
    auto getText = [&](StringRef attr) -> StringRef {
      auto text = lowered.getArgAttrOfType<StringAttr>(i, attr);
      return text ? text.getValue() : "";
    };
    info.type = cast<RankedTensorType>(lowered.getArgumentTypes()[i]);
    info.kind = getText(kKindAttrName);
    info.name = getText(kNameAttrName);
    info.isDeclared = !info.name.empty();
    if (!info.isDeclared)
      info.name = ("argument " + Twine(i)).str();
    if (auto limit = lowered.getArgAttrOfType<IntegerAttr>(i, kLimitAttrName))
      info.limit = limit.getInt();
  }
  return infos;
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

namespace {
/// Numbers that are the same on every machine: splitmix64 (Steele, Lea and
/// Flood, 2014), started from a name.
class Random {
public:
  Random(uint64_t seed, StringRef name)
      : state(llvm::xxh3_64bits(name) ^ (seed * 0x9e3779b97f4a7c15)) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// From 0 to below 1.
  double uniform() {
    return std::ldexp(static_cast<double>(next() >> 11), -53);
  }

  /// Of mean 0 and variance 1, nearly normal: a sum of four uniform numbers.
  double normal() {
    uint64_t bits = next();
    double sum = 0;
    for (int i = 0; i < 4; ++i, bits >>= 16)
      sum += static_cast<double>(bits & 0xffff) - 32767.5;
    return sum * (std::sqrt(3.0) / 65536);
  }

private:
  uint64_t state;
};
} // namespace

/// Where the elements of a tensor come from, one after another.
using Source = std::function<double()>;

static Source makeNormal(Random random, double mean, double deviation) {
  return [random, mean, deviation]() mutable {
    return mean + deviation * random.normal();
  };
}

//===----------------------------------------------------------------------===//
// Values of one function
//===----------------------------------------------------------------------===//

class SeededInputs::Filler {
public:
  Filler(const SeededInputs &inputs, ArrayRef<ArgumentInfo> arguments)
      : inputs(inputs) {
    for (const ArgumentInfo &argument : arguments)
      types.try_emplace(argument.name, argument.type);
  }

  HostTensor make(const ArgumentInfo &info) const {
    HostTensor tensor(info.type);
    tensor.fill(getSource(info));
    return tensor;
  }

private:
  Random random(StringRef name) const { return {inputs.seed, name}; }

  Source getSource(const ArgumentInfo &info) const {
    if (info.kind == kKindIndices)
      return makeIndices(info);
    if (info.kind == kKindPositions)
      return makePositions(info);
    if (info.kind == kKindWeight)
      return makeWeight(info);
    return makeInput(info);
  }

  Source makeIndices(const ArgumentInfo &info) const {
    auto limit = static_cast<double>(std::max<int64_t>(info.limit, 1));
    return [source = random(info.name), limit]() mutable {
      return std::floor(source.uniform() * limit);
    };
  }

  Source makePositions(const ArgumentInfo &info) const {
    WorkloadAttr workload = inputs.workload;
    int64_t step = workload ? workload.getNewTokens()
                            : std::max<int64_t>(info.type.getNumElements(), 1);
    int64_t first = workload ? workload.getTotalTokens() - step : 0;
    int64_t last = std::max<int64_t>(info.limit, 1) - 1;
    return [=, token = int64_t(0)]() mutable {
      return static_cast<double>(std::min(first + token++ % step, last));
    };
  }

  /// What is no weight and no index: hidden states, caches, scalars.
  Source makeInput(const ArgumentInfo &info) const {
    Type type = info.type.getElementType();
    bool isFloat = isa<FloatType>(type);
    if (isFloat && info.type.getRank() > 0)
      return makeNormal(random(info.name), 0, 1);
    double most = isFloat ? 1 : getLargestValue(type);
    return [source = random(info.name), isFloat, most]() mutable {
      // A scalar is a scale, and above 0.
      return isFloat ? 0.01 + 0.02 * source.uniform()
                     : most * (2 * source.uniform() - 1);
    };
  }

  Source makeWeight(const ArgumentInfo &info) const {
    StringRef name = info.name, layer = name;
    if (layer.consume_back(".input_scale"))
      return [scale = getInputScale(layer)] { return scale; };
    if (layer.consume_back(".weight_scale"))
      return makeSequence(quantize(layer.str() + ".weight", info.type).scales);
    layer.consume_back(".weight");
    RankedTensorType scales = types.lookup((layer + ".weight_scale").str());
    if (scales && name.ends_with(".weight"))
      return makeSequence(quantize(name, scales).values);
    return makeFloatWeight(name, info.type);
  }

  static Source makeSequence(std::vector<double> values) {
    return [values = std::move(values), next = size_t(0)]() mutable {
      return values[next++];
    };
  }

  Source makeFloatWeight(StringRef name, RankedTensorType type) const {
    bool isSine = name.ends_with(".sin");
    if ((isSine || name.ends_with(".cos")) && type.getRank() == 2)
      return makeRotary(type.getDimSize(1), isSine);
    if (name.ends_with("bias"))
      return makeNormal(random(name), 0, 0.1);
    if (type.getRank() < 2)
      return makeNormal(random(name), 1, 0.1);
    auto columns =
        static_cast<double>(std::max<int64_t>(type.getShape().back(), 1));
    double deviation = name.contains("embed") ? 1 : 1 / std::sqrt(columns);
    return makeNormal(random(name), 0, deviation);
  }

  static Source makeRotary(int64_t width, bool isSine) {
    int64_t half = std::max<int64_t>(width / 2, 1);
    return [=, next = int64_t(0)]() mutable {
      int64_t position = next / width, column = next % width;
      ++next;
      double exponent = static_cast<double>(column % half) / half;
      double angle =
          static_cast<double>(position) / std::pow(ropeBase, exponent);
      return isSine ? std::sin(angle) : std::cos(angle);
    };
  }

  struct Quantized {
    std::vector<double> values, scales;
  };

  /// The float weight called `name`, in rows of groups that share a scale: one
  /// scale for all, one per row, or one per group of columns.
  Quantized quantize(StringRef name, RankedTensorType scaleType) const {
    RankedTensorType type = types.lookup(name);
    if (!type)
      return {{}, std::vector<double>(scaleType.getNumElements(), 1)};
    Quantized result;
    Source source = makeFloatWeight(name, type);
    result.values.resize(type.getNumElements());
    for (double &value : result.values)
      value = source();
    int64_t numScales = std::max<int64_t>(scaleType.getNumElements(), 1);
    int64_t columns = type.getRank() > 0 ? type.getShape().back() : 1;
    int64_t groups = scaleType.getRank() == 2 ? scaleType.getShape().back() : 1;
    int64_t groupSize = llvm::divideCeil(columns, std::max<int64_t>(groups, 1));
    auto groupOf = [&](size_t index) -> size_t {
      if (numScales == 1)
        return 0;
      return index / columns * groups + index % columns / groupSize;
    };
    std::vector<double> largest(numScales, 0);
    for (auto [i, value] : llvm::enumerate(result.values))
      largest[groupOf(i)] = std::max(largest[groupOf(i)], std::abs(value));
    for (double magnitude : largest)
      result.scales.push_back(getScale(magnitude, type.getElementType(),
                                       scaleType.getElementType()));
    for (auto [i, value] : llvm::enumerate(result.values))
      value /= result.scales[groupOf(i)];
    return result;
  }

  /// The scale by which `largest` fits `type`: the quotient, or for scales that
  /// are powers of two the one of the OCP Microscaling Formats 1.0.
  static double getScale(double largest, Type type, Type scaleType) {
    if (largest == 0)
      return 1;
    double most = getLargestValue(type);
    if (!isa<Float8E8M0FNUType>(scaleType))
      return static_cast<float>(largest / most);
    return std::exp2(std::floor(std::log2(largest)) -
                     std::floor(std::log2(most)));
  }

  double getInputScale(StringRef layer) const {
    auto range = inputs.inputRanges.find(layer);
    double largest =
        range == inputs.inputRanges.end() ? defaultInputRange : range->second;
    RankedTensorType weight = types.lookup((layer + ".weight").str());
    Type type = weight ? weight.getElementType() : Type();
    // Inputs of 4-bit weights have 8 bits.
    double most =
        type && type.getIntOrFloatBitWidth() == 8 ? getLargestValue(type) : 127;
    return largest / most;
  }

  const SeededInputs &inputs;
  llvm::StringMap<RankedTensorType> types;
};

std::vector<HostTensor>
SeededInputs::makeAll(ArrayRef<ArgumentInfo> arguments) const {
  Filler filler(*this, arguments);
  std::vector<HostTensor> tensors;
  for (const ArgumentInfo &argument : arguments)
    tensors.push_back(filler.make(argument));
  return tensors;
}
