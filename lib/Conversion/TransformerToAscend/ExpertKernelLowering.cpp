//===- ExpertKernelLowering.cpp - Experts in one kernel -------------------===//

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/ExpertRows.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "mlir/AsmParser/AsmParser.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;
using ascend::CollectiveKind;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

std::string mlir::tensorcast::getKernelName(DispatchFFNCombineOp op) {
  Type weight = getTensor(op.getUpWeight()).getElementType();
  StringRef name = "dispatch_ffn_combine";
  if (!op.getUpScale())
    return name.str();
  if (!op.getRows())
    return ("weight_quantized_" + name).str();
  StringRef suffix;
  if (op.getGroupSize())
    suffix = "_mx";
  else if (isa<FloatType>(weight))
    suffix = "_fp8";
  else if (weight.isInteger(4))
    suffix = "_int4";
  return ("quantized_" + name + suffix).str();
}

namespace {
/// Builds the work of one start.
class CombinedWork {
public:
  CombinedWork(DispatchFFNCombineOp op, const ExpertRows &rows,
               const Kernel &kernel, OpBuilder &builder, Location loc)
      : op(op), rows(rows), kernel(kernel), builder(builder), loc(loc),
        up(getTensor(op.getUpWeight())), down(getTensor(op.getDownWeight())) {
    Type type =
        op.getRows() ? *op.getRows() : op.getInput().getType().getElementType();
    operand = kernel.operandType.empty()
                  ? type
                  : parseType(kernel.operandType, op.getContext());
    received = rows.received;
    if (kernel.getCoefficient("even_shares"))
      received =
          rows.active * call(ExprKind::Max, number(1),
                             call(ExprKind::FloorDiv, rows.sent, rows.active));
  }

  void build() {
    Type vector = op.getType().getElementType();
    addLayer(up);
    add(received * (getSize(up, 1) / 2), "swiglu_ops_per_element", vector);
    addLayer(down);
    if (op.getGroupSize() && op.getRows()) {
      ExprAttr elements = received * (getSize(up, 2) + getSize(down, 2));
      ExprAttr groups =
          received * (getGroups(getSize(up, 2)) + getGroups(getSize(down, 2)));
      add(elements, "quantize_ops_per_element", vector);
      add(groups, "quantize_ops_per_scale", vector);
    }
    addTraffic();
    addExchanges();
  }

private:
  ExprAttr number(double value) {
    return ExprAttr::constant(op.getContext(), value);
  }

  ExprAttr call(ExprKind kind, ExprAttr lhs, ExprAttr rhs) {
    return getFunctionExpr(kind, {lhs, rhs});
  }

  static double getSize(RankedTensorType type, int64_t dim) {
    return static_cast<double>(type.getDimSize(dim));
  }

  double getGroups(double elements) {
    return std::ceil(elements / static_cast<double>(*op.getGroupSize()));
  }

  void add(ExprAttr elements, StringRef coefficient, Type type) {
    if (double operations = kernel.getCoefficient(coefficient))
      ascend::ElementwiseOp::create(builder, loc, elements, number(operations),
                                    type);
  }

  void addLayer(RankedTensorType weight) {
    double n = getSize(weight, 1), k = getSize(weight, 2);
    if (weight == up || !kernel.getCoefficient("first_product_only"))
      ascend::MatmulOp::create(builder, loc, received, number(n), number(k),
                               operand);
    add(rows.active * (n * k), "dequantize_ops_per_weight",
        builder.getF32Type());
  }

  /// Matrices of the experts that have rows, and their scales.
  void addTraffic() {
    auto getBytes = [](RankedTensorType type, int64_t from) {
      double bytes = *getElementBytes(type.getElementType());
      for (int64_t size : type.getShape().drop_front(from))
        bytes *= static_cast<double>(size);
      return bytes;
    };
    double bytes = getBytes(up, 1) + getBytes(down, 1);
    for (Value scale : {op.getUpScale(), op.getDownScale()})
      if (scale)
        bytes +=
            getBytes(getTensor(scale), getTensor(scale).getRank() == 3 ? 1 : 0);
    ascend::GatherOp::create(builder, loc, rows.active, number(bytes),
                             number(0));
    if (!op.getGroupSize() || !kernel.getCoefficient("input_scales_per_expert"))
      return;
    double scales = getGroups(getSize(up, 2)) + getGroups(getSize(down, 2));
    ascend::GatherOp::create(builder, loc, rows.active, rows.received * scales,
                             number(0));
  }

  /// One exchange in front of the layers, and one behind.
  void addExchanges() {
    double width = getSize(up, 2);
    Type wide = op.getType().getElementType();
    ExprAttr bytes = kernel.getCoefficient("even_shares")
                         ? getEvenBytes(width, *getElementBytes(operand))
                         : rows.exchanged * (width * *getElementBytes(wide));
    for (int i = 0; i < 2; ++i)
      ascend::CollectiveOp::create(builder, loc, CollectiveKind::AllToAll,
                                   bytes, op.getPlacement().getRanks(),
                                   /*serial=*/true);
  }

  /// What all others get if the rows, of this device's choices, are cut into
  /// equal shares of whole rows.
  ExprAttr getEvenBytes(double width, double size) {
    ExprAttr devices =
        number(static_cast<double>(op.getPlacement().getDevices()));
    ExprAttr share = call(ExprKind::Max, number(1),
                          call(ExprKind::FloorDiv, rows.sent, devices));
    ExprAttr perShare =
        call(ExprKind::FloorDiv, rows.sent * width, share * devices);
    return share * perShare * (devices - number(1)) * size;
  }

  DispatchFFNCombineOp op;
  const ExpertRows &rows;
  const Kernel &kernel;
  OpBuilder &builder;
  Location loc;
  RankedTensorType up, down;
  /// What the products are of, and how many rows they have.
  Type operand;
  ExprAttr received;
};

struct LowerDispatchFFNCombine : LoweringPattern<DispatchFFNCombineOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(DispatchFFNCombineOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ExpertRows> rows =
        ExpertRows::get(op.getIds().getType(), op.getPlacement());
    if (!rows || !getTensor(op.getUpWeight()).hasStaticShape() ||
        !getTensor(op.getDownWeight()).hasStaticShape())
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      CombinedWork(op, *rows, kernel, builder, loc).build();
    };
    std::string name = getKernelName(op);
    LaunchParts parts = {name,
                         {op.getInput(), op.getIds()},
                         {op.getUpWeight(), op.getDownWeight()},
                         {},
                         work};
    for (Value scale : {op.getUpScale(), op.getDownScale()})
      if (scale)
        parts.resident.push_back(scale);
    for (Value scale : {op.getInputScale(), op.getInnerScale()})
      if (scale)
        parts.inputs.push_back(scale);
    return replaceWithLaunch(op, kernels, rewriter, parts);
  }
};
} // namespace

void mlir::tensorcast::populateExpertKernelLowering(RewritePatternSet &patterns,
                                                    const KernelSet &kernels) {
  patterns.add<LowerDispatchFFNCombine>(patterns.getContext(), kernels);
}
