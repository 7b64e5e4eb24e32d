//===- CompressedWays.cpp - Compressed attention as the reference has it --===//

#include "ReferenceWays.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// The first feature of each token of `value`, times zero.
static Value buildZero(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Dim> dims = getDims(type);
  if (dims.size() == 3) {
    auto flat = getTensorType({dims[0], Dim(dims[1].size * dims[2].size)},
                              type.getElementType());
    value = ReshapeOp::create(builder, loc, flat, value);
  }
  Value first = SliceOp::create(builder, loc, value, 0, 1);
  return MulScalarOp::create(builder, loc, first, builder.getF64FloatAttr(0));
}

/// Ties values by adding zero times the other one; a compiled graph computes
/// equal zeros once.
static void addTies(ModuleOp module, bool sharesZeros) {
  llvm::DenseMap<Value, Value> zeros;
  module.walk([&](TieOp tie) {
    OpBuilder builder(tie);
    Value &zero = zeros[tie.getOther()];
    if (!zero || !sharesZeros)
      zero = buildZero(builder, tie.getLoc(), tie.getOther());
    Value sum = AddOp::create(builder, tie.getLoc(), tie.getInput(), zero);
    tie.replaceAllUsesWith(sum);
    tie.erase();
  });
}

/// Makes the tables as wide as the rows of attention, though rotations read a
/// part of them only.
static void widenTables(ModuleOp module) {
  int64_t size = 0;
  module.walk([&](WindowAttentionOp op) {
    size = std::max(size, op.getType().getDimSize(2));
  });
  if (size == 0)
    return;
  auto widen = [size](Value value) {
    if (!isa_and_nonnull<GatherOp, WeightOp>(value.getDefiningOp()))
      return;
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<Dim> dims = getDims(type);
    dims.back() = Dim(size);
    value.setType(getTensorType(dims, type.getElementType()));
  };
  module.walk([&](RopeTableOp table) {
    for (Value part : {table.getCos(), table.getSin()})
      widen(part);
  });
  // Tables that are looked up already.
  module.walk([&](RopePackOp pack) {
    for (Value part : {pack.getCos(), pack.getSin()}) {
      widen(part);
      if (auto gather = part.getDefiningOp<GatherOp>())
        widen(gather.getTable());
    }
  });
  AttrTypeReplacer replacer;
  replacer.addReplacement([size](RopeTableType type) -> Type {
    return RopeTableType::get(type.getContext(), size, type.getElementType());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// Takes what makes compressed rows out of the weights, as memory that is there
/// but not counted.
static void hideCompressors(ModuleOp module) {
  module.walk([](CompressOp compress) {
    for (Value operand :
         {compress.getValueProjection(), compress.getGateProjection(),
          compress.getPositions(), compress.getNorm()})
      if (auto weight = operand.getDefiningOp<WeightOp>()) {
        OpBuilder builder(weight);
        auto hidden =
            ascend::ViewOp::create(builder, weight.getLoc(),
                                   TypeRange{operand.getType()}, ValueRange{});
        weight->replaceAllUsesWith(hidden);
        weight.erase();
      }
  });
}

void mlir::tensorcast::applyCompressedWays(ModuleOp module,
                                           const KernelSet &kernels) {
  // 1: each tie for itself; 2: equal zeros once.
  if (double way = kernels.getSwitch("adds_ties"))
    addTies(module, way == 2);
  if (kernels.getSwitch("tables_as_wide_as_heads"))
    widenTables(module);
  if (kernels.getSwitch("compressors_are_no_weights"))
    hideCompressors(module);
}
