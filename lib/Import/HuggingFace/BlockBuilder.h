//===- BlockBuilder.h - Builds the blocks of a layer ------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_IMPORT_HUGGINGFACE_BLOCKBUILDER_H
#define TENSORCAST_LIB_IMPORT_HUGGINGFACE_BLOCKBUILDER_H

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Import/HuggingFace/Config.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::tensorcast {

/// Tokens per block of a KV cache, as serving stacks on Ascend allocate it.
inline constexpr int64_t kKVCacheBlockSize = 128;

/// Builds ops of one function. Names of weights are within the function's
/// scope; names in locations are within the model.
class BlockBuilder {
public:
  BlockBuilder(const DecoderConfig &config, OpBuilder &builder, StringRef scope)
      : config(config), builder(builder), scope(scope.str()) {}

  /// `isKernel` says that the model's code calls a kernel for it.
  Value rmsNorm(StringRef name, Value input,
                transformer::ShardingAttr sharding = {},
                bool isKernel = false) {
    int64_t width = getType(input).getShape().back();
    Location loc = at(name);
    Value scale = weight(name, {width}, loc, sharding);
    if (config.zeroCenteredNorm)
      scale = transformer::AddScalarOp::create(builder, loc, widen(scale, loc),
                                               builder.getF64FloatAttr(1.0));
    bool isWide = config.wideNormWeight || config.zeroCenteredNorm;
    return transformer::RMSNormOp::create(
        builder, loc, input, scale, builder.getF64FloatAttr(config.rmsNormEps),
        isWide ? builder.getUnitAttr() : UnitAttr(),
        isKernel ? builder.getUnitAttr() : UnitAttr());
  }

  /// A linear layer whose weight may be split as `sharding` says; `given` is
  /// taken for the weight if there is one.
  Value linear(StringRef name, Value input, int64_t width, bool hasBias,
               transformer::ShardingAttr sharding, Value given = {}) {
    SmallVector<transformer::Dim> dims = transformer::getDims(getType(input));
    Location loc = at(name);
    if (!given)
      given = weight(name, {width, dims.back().size}, loc, sharding);
    Value bias;
    if (hasBias) {
      // Rows meet in a sum, to which one device adds the bias.
      bool isColumn =
          sharding && sharding.getKind() == transformer::ShardKind::Column;
      bias = declare((name + ".bias").str(), {width}, loc,
                     isColumn ? sharding : transformer::ShardingAttr());
    }
    dims.back() = transformer::Dim(width);
    return transformer::LinearOp::create(
        builder, loc, transformer::getTensorType(dims, builder.getF16Type()),
        input, given, bias, transformer::RanksAttr());
  }

  /// The cache called `name`, with room for the tokens of the next step.
  Value cache(StringRef name, transformer::KVCacheType type) {
    IntegerAttr spare;
    if (config.numDraftTokens > 0)
      spare = builder.getI64IntegerAttr(config.numDraftTokens + 1);
    return transformer::KVCacheOp::create(builder, at(name), type,
                                          builder.getStringAttr(name),
                                          /*auxiliary=*/false, spare,
                                          /*window=*/IntegerAttr(),
                                          /*ratio=*/IntegerAttr());
  }

  /// `up` gated by `gate`, both limited if there is a `limit`.
  Value gateProjection(StringRef name, Value gate, Value up,
                       std::optional<double> limit, double slope);

  /// A gated MLP whose linears are called `name`.gate_proj, and so on; `limit`
  /// limits gate and up projections.
  Value gatedMLP(StringRef name, Value hidden, int64_t width,
                 transformer::ShardGroup group,
                 std::optional<double> limit = std::nullopt);

  /// Sees `T x heads * size` as `T x heads x size`.
  Value splitHeads(StringRef name, Value input, int64_t heads) {
    SmallVector<transformer::Dim> dims = transformer::getDims(getType(input));
    int64_t size = dims.back().size / heads;
    dims.back() = transformer::Dim(heads);
    dims.push_back(transformer::Dim(size));
    return reshape(name, input, dims);
  }

  Value joinHeads(StringRef name, Value input) {
    SmallVector<transformer::Dim> dims = transformer::getDims(getType(input));
    return reshape(name, input,
                   {dims[0], transformer::Dim(dims[1].size * dims[2].size)});
  }

  Value weight(StringRef name, ArrayRef<int64_t> shape, Location loc,
               transformer::ShardingAttr sharding = {}) {
    return declare((name + ".weight").str(), shape, loc, sharding);
  }

  /// A weight, of the model's type or in f32.
  Value declare(StringRef name, ArrayRef<int64_t> shape, Location loc,
                transformer::ShardingAttr sharding = {}, bool isWide = false) {
    Type element = isWide ? Type(builder.getF32Type()) : builder.getF16Type();
    return transformer::WeightOp::create(builder, loc,
                                         RankedTensorType::get(shape, element),
                                         builder.getStringAttr(name), sharding);
  }

  /// `input` in f32.
  Value widen(Value input, Location loc) {
    auto type =
        transformer::withElementType(getType(input), builder.getF32Type());
    return transformer::CastOp::create(builder, loc, type, input);
  }

  /// How a weight may be split.
  transformer::ShardingAttr split(transformer::ShardKind kind,
                                  transformer::ShardGroup group,
                                  int64_t unit = 1) {
    return transformer::ShardingAttr::get(builder.getContext(), kind, group,
                                          unit);
  }

  /// The location of what the model calls `name`.
  Location at(StringRef name) {
    std::string full = scope.empty() ? name.str() : scope + "." + name.str();
    return NameLoc::get(builder.getStringAttr(full));
  }

  const DecoderConfig &config;
  OpBuilder &builder;

  static RankedTensorType getType(Value value) {
    return cast<RankedTensorType>(value.getType());
  }

private:
  Value reshape(StringRef name, Value input, ArrayRef<transformer::Dim> dims) {
    Type type =
        transformer::getTensorType(dims, getType(input).getElementType());
    return transformer::ReshapeOp::create(builder, at(name), type, input);
  }

  std::string scope;
};

/// Declares `name` as a function at a location called `scope`.
inline func::FuncOp declareFunction(OpBuilder &builder, StringRef name,
                                    StringRef scope, FunctionType type) {
  return func::FuncOp::create(
      builder, NameLoc::get(builder.getStringAttr(scope)), name, type);
}

/// Which blocks of tokens a token of a layer attends to, from the hidden state
/// that its queries are made of.
Value buildBlockIndices(BlockBuilder &block, Value hidden, Value rope,
                        Value batch);

/// How queries and keys are rotated.
transformer::RopeStyle getRopeStyle(const DecoderConfig &config);

/// The mixture of experts of a layer. `ids` are those of the tokens, where a
/// table says which experts they have; else null.
Value buildMixture(BlockBuilder &block, Value hidden, Value ids = {});

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_IMPORT_HUGGINGFACE_BLOCKBUILDER_H
