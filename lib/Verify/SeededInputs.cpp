//===- SeededInputs.cpp - Values that follow from names -------------------===//

#include "tensorcast/Verify/SeededInputs.h"

#include "FloatValues.h"
#include "QuantizedWeight.h"
#include "RouterValues.h"

#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"
#include "tensorcast/Conversion/TransformerToLinalg/NarrowTypes.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::WorkloadAttr;

/// Where nothing was calibrated, activations are taken to stay below this; so
/// are the tokens of a cache, which are normal.
static constexpr double defaultRange = 4;

/// The scales of what a cache has of a token, and the elements of each: keys
/// and values, or a row that heads share.
static ArrayRef<StringLiteral> getCacheSuffixes(RankedTensorType cache) {
  static constexpr StringLiteral ofHeads[] = {".k_scale", ".v_scale"};
  static constexpr StringLiteral shared[] = {".kv_scale"};
  return cache.getRank() == 5 ? ArrayRef(ofHeads) : ArrayRef(shared);
}
static int64_t getRowSize(RankedTensorType cache) {
  return cache.getRank() == 5 ? cache.getDimSize(3) * cache.getDimSize(4)
                              : cache.getDimSize(2);
}

//===----------------------------------------------------------------------===//
// Values of one function
//===----------------------------------------------------------------------===//

class SeededInputs::Filler {
public:
  Filler(const SeededInputs &inputs, ArrayRef<ArgumentInfo> arguments)
      : inputs(inputs) {
    for (const ArgumentInfo &argument : arguments) {
      infos.try_emplace(argument.name, &argument);
      ofRanks.try_emplace(getKey(argument.name, argument.getRank()), &argument);
      if (!code &&
          RouterCode::isRouter(argument.name, argument.getWholeShape()))
        code = RouterCode::get(argument.getWholeShape());
    }
  }

  HostTensor make(const ArgumentInfo &info) const {
    HostTensor tensor(info.type);
    if (info.kind == kKindIndices)
      tensor.setValues(makeIndices(info));
    else if (info.kind == kKindPositions)
      tensor.setValues(makePositions(info));
    else if (info.kind == kKindWeight)
      tensor.setValues(makeWeight(info));
    else if (info.kind == kKindCache)
      tensor.setValues(makeCache(info));
    else
      tensor.setValues(makeInput(info));
    return tensor;
  }

private:
  static std::string getKey(StringRef name, int64_t rank) {
    return (name + "@" + Twine(rank)).str();
  }

  Random random(StringRef name) const { return {inputs.seed, name}; }

  std::vector<double> makeIndices(const ArgumentInfo &info) const {
    Random source = random(info.name);
    std::vector<double> values(info.type.getNumElements());
    for (double &value : values)
      value = std::floor(source.uniform() *
                         static_cast<double>(std::max<int64_t>(info.limit, 1)));
    return values;
  }

  std::vector<double> makePositions(const ArgumentInfo &info) const {
    WorkloadAttr workload = inputs.workload;
    int64_t step =
        workload ? workload.getNewTokens() : info.type.getNumElements();
    int64_t first = workload ? workload.getTotalTokens() - step : 0;
    int64_t last = std::max<int64_t>(info.limit, 1) - 1;
    std::vector<double> values;
    for (int64_t token = 0; token < info.type.getNumElements(); ++token)
      values.push_back(
          static_cast<double>(std::min(first + token % step, last)));
    return values;
  }

  /// What is no weight, cache or index: hidden states, scalars.
  std::vector<double> makeInput(const ArgumentInfo &info) const {
    int64_t size = info.type.getNumElements();
    Type type = info.type.getElementType();
    if (isa<FloatType>(type) && info.type.getRank() > 0) {
      std::vector<double> values = makeNormal(random(info.name), size, 0, 1);
      if (code)
        code->mark(values, info.type.getShape());
      return values;
    }
    Random source = random(info.name);
    std::vector<double> values(size);
    double most = isa<FloatType>(type) ? 1 : getLargestValue(type);
    // A scalar is a scale, and above 0.
    for (double &value : values)
      value = isa<FloatType>(type) ? 0.01 + 0.02 * source.uniform()
                                   : most * (2 * source.uniform() - 1);
    return values;
  }

  //===--------------------------------------------------------------------===//
  // Caches
  //===--------------------------------------------------------------------===//

  std::vector<double> makeCache(const ArgumentInfo &info) const {
    ArrayRef<int64_t> whole = info.getWholeShape();
    int64_t size = 1;
    for (int64_t extent : whole)
      size *= extent;
    std::vector<double> values =
        takePart(makeNormal(random(info.name), size, 0, 1), info);
    Type type = info.type.getElementType();
    if (!isQuantizedType(type))
      return values;
    SmallVector<double> scales =
        llvm::map_to_vector(getCacheSuffixes(info.type), [&](StringRef suffix) {
          return getCacheScale(info.name, suffix, type);
        });
    int64_t row = getRowSize(info.type);
    for (auto [i, value] : llvm::enumerate(values))
      value /= scales[i / row % scales.size()];
    return values;
  }

  double getCacheScale(StringRef cache, StringRef suffix, Type type) const {
    std::string name = (cache + suffix).str();
    // A cache that nothing scales holds what is stored, as it is.
    return infos.count(name) ? inputs.getCalibratedScale(name, type) : 1;
  }

  //===--------------------------------------------------------------------===//
  // Weights
  //===--------------------------------------------------------------------===//

  std::vector<double> makeWeight(const ArgumentInfo &info) const {
    StringRef name = info.name;
    if (isCalibratedScale(name))
      return std::vector<double>(info.type.getNumElements(),
                                 getActivationScale(info));
    if (name.consume_back(".narrow_scale"))
      return {getNarrowScale(info, name)};
    if (name.consume_back(".weight_scale")) {
      const ArgumentInfo *weight =
          ofRanks.lookup(getKey((name + ".weight").str(), info.getRank()));
      if (!weight || !isQuantizedType(weight->type.getElementType()))
        return std::vector<double>(info.type.getNumElements(), 1);
      return quantize(*weight, info).scales;
    }
    if (const ArgumentInfo *scale = findScale(info))
      return quantize(info, *scale).values;
    return makeFloat(info);
  }

  /// The scale of a weight that kernels read in the type of the cache.
  double getNarrowScale(const ArgumentInfo &info, StringRef layer) const {
    const ArgumentInfo *weight =
        ofRanks.lookup(getKey((layer + ".weight").str(), info.getRank()));
    const ArgumentInfo *cache = infos.lookup(layer.rsplit('.').first);
    if (!weight || !cache)
      return 1;
    double largest = 0;
    for (double value : makeFloat(*weight))
      largest = std::max(largest, std::abs(value));
    return static_cast<float>(largest /
                              getLargestValue(cache->type.getElementType()));
  }

  /// Attention has the type of its cache; inputs of linear layers have 8 bits.
  double getActivationScale(const ArgumentInfo &info) const {
    StringRef name = info.name;
    Type type = IntegerType::get(info.type.getContext(), 8);
    if (const ArgumentInfo *cache = infos.lookup(name.rsplit('.').first))
      type = cache->type.getElementType();
    return inputs.getCalibratedScale(name, type);
  }

  /// The part of the whole float weight that `info` is.
  std::vector<double> makeFloat(const ArgumentInfo &info) const {
    // Ranks have parts of one whole, and scales are of what they scale.
    auto [whole, isNew] = wholes.try_emplace(info.name);
    if (isNew)
      whole->second = makeWhole(info);
    return takePart(whole->second, info);
  }

  std::vector<double> makeWhole(const ArgumentInfo &info) const {
    StringRef name = info.name;
    ArrayRef<int64_t> shape = info.getWholeShape();
    if (info.type.getElementType().isInteger(32))
      return makeChoices(info, shape);
    if (code && RouterCode::isRouter(name, shape) && code->fits(shape))
      return code->makeRouter(random(name));
    if (code && RouterCode::isRouterBias(name))
      return code->makeBias(random(name), shape[0]);
    std::vector<double> values =
        makeFloatWeight(inputs.seed, name, shape, inputs.getGain(name));
    if (code && name.contains("embed"))
      code->mark(values, shape);
    else if (code && inputs.residuals.contains(name))
      code->protect(values, shape);
    return values;
  }

  /// A table of which experts a token has: different ones in each row.
  std::vector<double> makeChoices(const ArgumentInfo &info,
                                  ArrayRef<int64_t> shape) const {
    Random source = random(info.name);
    double limit = static_cast<double>(std::max<int64_t>(info.limit, 1));
    std::vector<double> values;
    for (int64_t row = 0; row < shape[0]; ++row) {
      double first = std::floor(source.uniform() * limit);
      for (int64_t i = 0; i < shape.back(); ++i)
        values.push_back(std::fmod(first + static_cast<double>(i), limit));
    }
    return values;
  }

  /// What lies beyond the whole is 0: parts of equal size may cover more.
  static std::vector<double> takePart(const std::vector<double> &whole,
                                      const ArgumentInfo &info) {
    ArrayRef<int64_t> shape = info.type.getShape();
    if (!info.part || info.part->whole == shape)
      return whole;
    std::vector<double> values(info.type.getNumElements(), 0);
    for (auto [i, value] : llvm::enumerate(values))
      if (auto at = info.part->locate(static_cast<int64_t>(i), shape))
        value = whole[*at];
    return values;
  }

  //===--------------------------------------------------------------------===//
  // Quantized weights
  //===--------------------------------------------------------------------===//

  /// The names of the weights that share the scale of `info`.
  SmallVector<std::string> getJoined(const ArgumentInfo &info) const {
    if (!info.joined.empty())
      return info.joined;
    auto given = inputs.joined.find(info.name);
    if (given != inputs.joined.end())
      return given->second;
    return {info.name};
  }

  /// The scale of a quantized weight: its own, or that of one it is joined
  /// with.
  const ArgumentInfo *findScale(const ArgumentInfo &info) const {
    if (!isQuantizedType(info.type.getElementType()))
      return nullptr;
    SmallVector<std::string> owners = getJoined(info);
    owners.insert(owners.begin(), info.name);
    for (StringRef owner : owners) {
      owner.consume_back(".weight");
      if (const ArgumentInfo *scale = ofRanks.lookup(
              getKey((owner + ".weight_scale").str(), info.getRank())))
        return scale;
    }
    return nullptr;
  }

  /// The float weight of that name, quantized.
  QuantizedWeight quantize(const ArgumentInfo &info,
                           const ArgumentInfo &scale) const {
    std::vector<std::vector<double>> joined;
    for (const std::string &name : getJoined(info))
      if (const ArgumentInfo *member =
              ofRanks.lookup(getKey(name, info.getRank())))
        joined.push_back(makeFloat(*member));
    return quantizeWeight(makeFloat(info), info.type, scale.type,
                          info.groupSize, joined);
  }

  const SeededInputs &inputs;
  /// By name, of any rank, and by name and rank.
  llvm::StringMap<const ArgumentInfo *> infos, ofRanks;
  /// Float weights made already.
  mutable llvm::StringMap<std::vector<double>> wholes;
  /// Of the routers of the function, if it has some.
  std::optional<RouterCode> code;
};

void SeededInputs::addResiduals(ArrayRef<ArgumentInfo> arguments) {
  for (const ArgumentInfo &info : arguments)
    if (info.isResidual)
      residuals.insert(info.name);
}

double SeededInputs::getGain(StringRef name) const {
  return residuals.contains(name)
             ? 1 / std::sqrt(static_cast<double>(residuals.size()))
             : 1;
}

double SeededInputs::getCalibratedScale(StringRef name, Type type) const {
  auto range = ranges.find(name);
  double largest = range == ranges.end() ? defaultRange : range->second;
  // What the cache holds already counts as well.
  if (!name.ends_with(".input_scale"))
    largest = std::max(largest, defaultRange);
  return static_cast<float>(largest / getLargestValue(type));
}

HostTensor SeededInputs::dequantizeCache(StringRef name,
                                         const HostTensor &cache) const {
  RankedTensorType type = cache.getType();
  std::vector<double> values = cache.getValues();
  SmallVector<double> scales =
      llvm::map_to_vector(getCacheSuffixes(type), [&](StringRef suffix) {
        return getCalibratedScale((name + suffix).str(), type.getElementType());
      });
  int64_t row = getRowSize(type);
  for (auto [i, value] : llvm::enumerate(values))
    value *= scales[i / row % scales.size()];
  HostTensor result(RankedTensorType::get(type.getShape(),
                                          Float32Type::get(type.getContext())));
  result.setValues(values);
  return result;
}

std::vector<HostTensor>
SeededInputs::makeAll(ArrayRef<ArgumentInfo> arguments) const {
  Filler filler(*this, arguments);
  std::vector<HostTensor> tensors;
  for (const ArgumentInfo &argument : arguments)
    tensors.push_back(filler.make(argument));
  return tensors;
}
