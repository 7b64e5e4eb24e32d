//===- SeededInputs.cpp - Values that follow from names -------------------===//

#include "tensorcast/Verify/SeededInputs.h"

#include "FloatValues.h"

#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"
#include "tensorcast/Conversion/TransformerToLinalg/NarrowTypes.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::WorkloadAttr;

/// Where nothing was calibrated, activations are taken to stay below this; so
/// are the tokens of a cache, which are normal.
static constexpr double defaultRange = 4;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::optional<Part> Part::get(DictionaryAttr attrs) {
  if (!attrs)
    return std::nullopt;
  auto number = [&](StringRef name) -> int64_t {
    auto attr = attrs.getAs<IntegerAttr>(name);
    return attr ? attr.getInt() : 0;
  };
  Part part;
  part.rank = number("rank");
  part.dim = number("dim");
  part.offset = number("offset");
  if (auto whole = attrs.getAs<DenseI64ArrayAttr>("whole"))
    llvm::append_range(part.whole, whole.asArrayRef());
  return part;
}

DictionaryAttr Part::toAttr(MLIRContext *context) const {
  Builder builder(context);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("rank", builder.getI64IntegerAttr(rank)),
       builder.getNamedAttr("whole", builder.getDenseI64ArrayAttr(whole)),
       builder.getNamedAttr("dim", builder.getI64IntegerAttr(dim)),
       builder.getNamedAttr("offset", builder.getI64IntegerAttr(offset))});
}

SmallVector<ArgumentInfo> tensorcast::getArguments(func::FuncOp lowered) {
  SmallVector<ArgumentInfo> infos;
  for (unsigned i = 0; i < lowered.getNumArguments(); ++i) {
    ArgumentInfo &info = infos.emplace_back();
    auto getText = [&](StringRef attr) -> StringRef {
      auto text = lowered.getArgAttrOfType<StringAttr>(i, attr);
      return text ? text.getValue() : "";
    };
    auto getNumber = [&](StringRef attr) -> int64_t {
      auto number = lowered.getArgAttrOfType<IntegerAttr>(i, attr);
      return number ? number.getInt() : 0;
    };
    info.type = cast<RankedTensorType>(lowered.getArgumentTypes()[i]);
    info.kind = getText(kKindAttrName);
    info.name = getText(kNameAttrName);
    info.isDeclared = !info.name.empty();
    if (!info.isDeclared)
      info.name = ("argument " + Twine(i)).str();
    info.limit = getNumber(kLimitAttrName);
    info.groupSize = getNumber(kGroupSizeAttrName);
    if (auto names = lowered.getArgAttrOfType<ArrayAttr>(i, kJoinedAttrName))
      for (auto name : names.getAsRange<StringAttr>())
        info.joined.push_back(name.str());
    info.part =
        Part::get(lowered.getArgAttrOfType<DictionaryAttr>(i, kPartAttrName));
  }
  return infos;
}

bool tensorcast::isCalibratedScale(StringRef name) {
  return name.ends_with(".input_scale") || name.ends_with(".q_scale") ||
         name.ends_with(".k_scale") || name.ends_with(".v_scale");
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
    if (isa<FloatType>(type) && info.type.getRank() > 0)
      return makeNormal(random(info.name), size, 0, 1);
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
    ArrayRef<int64_t> shape = info.type.getShape();
    double scales[] = {getCacheScale(info.name, ".k_scale", type),
                       getCacheScale(info.name, ".v_scale", type)};
    int64_t heads = shape[3] * shape[4];
    for (auto [i, value] : llvm::enumerate(values))
      value /= scales[i / heads % 2];
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
      whole->second =
          makeFloatWeight(inputs.seed, info.name, info.getWholeShape());
    return takePart(whole->second, info);
  }

  /// What lies beyond the whole is 0: parts of equal size may cover more.
  static std::vector<double> takePart(const std::vector<double> &whole,
                                      const ArgumentInfo &info) {
    ArrayRef<int64_t> shape = info.type.getShape();
    if (!info.part || info.part->whole == shape)
      return whole;
    auto [rank, wholeShape, dim, offset] = *info.part;
    int64_t inner = 1;
    for (int64_t extent : shape.drop_front(dim + 1))
      inner *= extent;
    std::vector<double> values(info.type.getNumElements(), 0);
    for (auto [i, value] : llvm::enumerate(values)) {
      int64_t outer = static_cast<int64_t>(i) / inner / shape[dim];
      int64_t at = static_cast<int64_t>(i) / inner % shape[dim] + offset;
      if (at < wholeShape[dim])
        value = whole[(outer * wholeShape[dim] + at) * inner + i % inner];
    }
    return values;
  }

  //===--------------------------------------------------------------------===//
  // Quantized weights
  //===--------------------------------------------------------------------===//

  struct Quantized {
    std::vector<double> values, scales;
  };

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

  /// The float weight of that name, quantized: one scale for all, one per group
  /// of columns, or one per row and group of columns.
  Quantized quantize(const ArgumentInfo &info,
                     const ArgumentInfo &scale) const {
    RankedTensorType type = info.type, scaleType = scale.type;
    int64_t numScales = std::max<int64_t>(scaleType.getNumElements(), 1);
    int64_t columns = type.getRank() > 0 ? type.getShape().back() : 1;
    int64_t groups = scaleType.getRank() > 0 ? scaleType.getShape().back() : 1;
    int64_t groupSize = info.groupSize ? info.groupSize : columns;
    auto groupOf = [&](size_t index) -> size_t {
      int64_t group = static_cast<int64_t>(index) % columns / groupSize;
      if (scaleType.getRank() > 1)
        group += static_cast<int64_t>(index) / columns * groups;
      return std::min(group, numScales - 1);
    };
    std::vector<double> largest(numScales, 0);
    for (const std::string &name : getJoined(info)) {
      const ArgumentInfo *member = ofRanks.lookup(getKey(name, info.getRank()));
      if (!member)
        continue;
      for (auto [i, value] : llvm::enumerate(makeFloat(*member)))
        largest[groupOf(i)] = std::max(largest[groupOf(i)], std::abs(value));
    }
    Quantized result;
    for (double magnitude : largest)
      result.scales.push_back(getScale(magnitude, type.getElementType(),
                                       scaleType.getElementType()));
    result.values = makeFloat(info);
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

  const SeededInputs &inputs;
  /// By name, of any rank, and by name and rank.
  llvm::StringMap<const ArgumentInfo *> infos, ofRanks;
  /// Float weights made already.
  mutable llvm::StringMap<std::vector<double>> wholes;
};

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
  double scales[] = {
      getCalibratedScale((name + ".k_scale").str(), type.getElementType()),
      getCalibratedScale((name + ".v_scale").str(), type.getElementType())};
  int64_t heads = type.getDimSize(3) * type.getDimSize(4);
  for (auto [i, value] : llvm::enumerate(values))
    value *= scales[i / heads % 2];
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
