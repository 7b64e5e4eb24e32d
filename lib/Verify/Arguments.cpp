//===- Arguments.cpp - What a lowered function takes ----------------------===//

#include "tensorcast/Verify/Arguments.h"

#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"

using namespace mlir;
using namespace mlir::tensorcast;

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
  part.first = number("first");
  part.stride = std::max<int64_t>(number("stride"), 1);
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
       builder.getNamedAttr("offset", builder.getI64IntegerAttr(offset)),
       builder.getNamedAttr("first", builder.getI64IntegerAttr(first)),
       builder.getNamedAttr("stride", builder.getI64IntegerAttr(stride))});
}

std::optional<int64_t> Part::locate(int64_t index,
                                    ArrayRef<int64_t> shape) const {
  bool isStack = dim > 0 && shape[0] != whole[0];
  int64_t result = 0, scale = 1;
  for (auto i = static_cast<int64_t>(shape.size()); i-- > 0;) {
    int64_t at = index % shape[i];
    index /= shape[i];
    if (i == dim)
      at += offset;
    // The matrices of a stack are outside of the dimension that is split.
    if (i == 0 && isStack)
      at = (at + first) % whole[0];
    if (i == 1)
      at = at * stride + rank % stride;
    if (at >= whole[i])
      return std::nullopt;
    result += at * scale;
    scale *= whole[i];
  }
  return result;
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
    info.isResidual = lowered.getArgAttr(i, kResidualAttrName) != nullptr;
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
         name.ends_with(".k_scale") || name.ends_with(".v_scale") ||
         name.ends_with(".kv_scale");
}
