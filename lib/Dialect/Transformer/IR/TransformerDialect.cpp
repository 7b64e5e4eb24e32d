//===- TransformerDialect.cpp - The transformer dialect -------------------===//

#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Support/Numbers.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::transformer;

#include "tensorcast/Dialect/Transformer/IR/TransformerDialect.cpp.inc"
#include "tensorcast/Dialect/Transformer/IR/TransformerEnums.cpp.inc"
#include "tensorcast/Dialect/Transformer/IR/TransformerInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerTypes.cpp.inc"

namespace {
/// Names for what would clutter every line of a module.
struct TransformerAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (auto dims = dyn_cast<DimsAttr>(attr)) {
      bool isTokens =
          dims.getExprs().size() == 1 &&
          dims.getExprs().front() == getTokensExpr(attr.getContext());
      os << (isTokens ? "tokens" : "dims");
      return AliasResult::FinalAlias;
    }
    if (isa<WorkloadAttr>(attr)) {
      os << "workload";
      return AliasResult::FinalAlias;
    }
    return AliasResult::NoAlias;
  }
};
} // namespace

void TransformerDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsStructure.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsFused.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsNorm.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsLinear.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsAttention.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsLatent.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsContext.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsCompressed.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsHyper.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsFFN.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsDistribution.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsPipeline.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsPrimitive.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsRouting.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsExperts.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsExpertKernels.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsSampling.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsSparse.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsLinearAttention.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsVision.cpp.inc"
      ,
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsEncoder.cpp.inc"
      >();
  addInterfaces<TransformerAsmInterface>();
}

LogicalResult
TransformerDialect::verifyOperationAttribute(Operation *op,
                                             NamedAttribute attribute) {
  StringRef name = attribute.getName();
  // Not Operation::emitOpError, which prints the whole module.
  auto emitError = [&] {
    return mlir::emitError(op->getLoc()) << "'" << op->getName() << "' op ";
  };
  StringRef known[] = {kAssumesAttrName,  kDisabledFusionsAttrName,
                       kEagerAttrName,    kHighPrecisionAttrName,
                       kImagesAttrName,   kModelAttrName,
                       kPlanAttrName,     kTowerAttrName,
                       kTrainingAttrName, kWorkloadAttrName};
  if (!llvm::is_contained(known, name))
    return emitError() << tensorcast::unknownName("attribute", name, known);
  if (name == kTowerAttrName || name == kEagerAttrName ||
      name == kTrainingAttrName) {
    if (isa<func::FuncOp>(op) && isa<UnitAttr>(attribute.getValue()))
      return success();
    return emitError() << "expected '" << name
                       << "', without a value, on a function";
  }
  if (name == kDisabledFusionsAttrName || name == kHighPrecisionAttrName) {
    auto list = dyn_cast<ArrayAttr>(attribute.getValue());
    if (isa<func::FuncOp>(op) && list &&
        llvm::all_of(list, llvm::IsaPred<StringAttr>))
      return success();
    return emitError() << "expected '" << name
                       << "', an array of names, on a function";
  }
  if (!isa<ModuleOp>(op))
    return emitError() << "expected '" << name
                       << "' on a module, but got it on this op";
  Attribute value = attribute.getValue();
  if (name == kAssumesAttrName) {
    auto list = dyn_cast<ArrayAttr>(value);
    if (list && llvm::all_of(list, llvm::IsaPred<ExprAttr>))
      return success();
    return emitError() << "expected '" << name
                       << "' to be an array of #transformer.expr, but got "
                       << value;
  }
  if (name == kImagesAttrName) {
    if (isa<ImageRuleAttr>(value))
      return success();
    return emitError() << "expected '" << name
                       << "' to be a #transformer.image_rule, but got "
                       << value;
  }
  if ((name == kModelAttrName && isa<ModelAttr>(value)) ||
      (name == kPlanAttrName && isa<PlanAttr>(value)) ||
      (name == kWorkloadAttrName && isa<WorkloadAttr>(value)))
    return success();
  return emitError() << "expected '" << name << "' to be a #" << name
                     << ", but got " << value;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult
DimsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                         function_ref<InFlightDiagnostic()> emitError) const {
  size_t numDynamic = llvm::count(shape, ShapedType::kDynamic);
  if (numDynamic != getExprs().size())
    return emitError() << "expected one expression per dynamic dimension ("
                       << numDynamic << "), but got " << getExprs().size();
  if (numDynamic == 0)
    return emitError() << "expected a dynamic dimension, but got none to say "
                          "the size of";
  // The number of elements is the product of all sizes.
  size_t numTerms = 1;
  static constexpr size_t maxTerms = 256;
  for (ExprAttr expr : getExprs()) {
    numTerms *= getNumTerms(expr);
    if (numTerms > maxTerms)
      return emitError() << "expected sizes whose product has at most "
                         << maxTerms << " terms";
  }
  return success();
}

static double getRate(FloatAttr rate) {
  return rate ? rate.getValueAsDouble() : 0;
}

static FloatAttr getRateAttr(MLIRContext *context, double rate) {
  return rate != 0 ? FloatAttr::get(Float64Type::get(context), rate)
                   : FloatAttr();
}

/// A workload without an attribute.
static tensorcast::Workload toWorkload(const tensorcast::RequestGroup &group,
                                       ImagesAttr images, ArrayAttr others) {
  tensorcast::Workload workload;
  workload.groups.push_back(group);
  if (others)
    for (auto requests : others.getAsRange<RequestsAttr>())
      workload.groups.push_back(requests.getGroup());
  if (images)
    workload.images = images.getImages();
  return workload;
}

LogicalResult RequestsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t queries, int64_t queryLength,
                                   int64_t contextLength, bool decode,
                                   FloatAttr hitRate) {
  std::string mistake = toWorkload({queries, queryLength, contextLength, decode,
                                    getRate(hitRate)},
                                   {}, {})
                            .findMistake(/*dataParallel=*/1);
  return mistake.empty() ? success() : emitError() << mistake;
}

LogicalResult WorkloadAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t queries, int64_t queryLength,
                                   int64_t contextLength, bool decode,
                                   int64_t dataParallel, FloatAttr hitRate,
                                   ImagesAttr images, ArrayAttr others) {
  if (others &&
      (others.empty() || !llvm::all_of(others, llvm::IsaPred<RequestsAttr>)))
    return emitError() << "expected 'others' to be an array of "
                          "#transformer.requests, but got "
                       << others;
  std::string mistake = toWorkload({queries, queryLength, contextLength, decode,
                                    getRate(hitRate)},
                                   images, others)
                            .findMistake(dataParallel);
  return mistake.empty() ? success() : emitError() << mistake;
}

LogicalResult ShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ShardKind, ShardGroup, int64_t unit) {
  if (unit < 1)
    return emitError() << "expected 'unit' of at least 1, but got " << unit;
  return success();
}

LogicalResult RanksAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t count, int64_t step) {
  for (int64_t value : {count, step})
    if (value < 1 || value > WorkloadAttr::kMaxTokens)
      return emitError() << "expected 'count' and 'step' from 1 to "
                         << WorkloadAttr::kMaxTokens << ", but got " << value;
  return success();
}

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t devices, int64_t dataParallel,
                               int64_t output, int64_t mlp, int64_t head,
                               int64_t expertParallel, int64_t expertTensor,
                               int64_t sharedExpert, int64_t pipelineParallel,
                               int64_t vision) {
  if (devices < 1 || devices > WorkloadAttr::kMaxTokens)
    return emitError() << "expected 'devices' from 1 to "
                       << WorkloadAttr::kMaxTokens << ", but got " << devices;
  if (pipelineParallel < 1 || devices % pipelineParallel != 0)
    return emitError() << "expected 'pipeline_parallel' to divide " << devices
                       << " devices, but got " << pipelineParallel;
  // Groups are of devices of one stage.
  devices /= pipelineParallel;
  if (dataParallel < 1 || devices % dataParallel != 0)
    return emitError() << "expected 'data_parallel' to divide " << devices
                       << " devices, but got " << dataParallel;
  std::pair<StringRef, int64_t> groups[] = {
      {"output", output}, {"mlp", mlp}, {"head", head}};
  for (auto [name, size] : groups)
    if (size < 0 || (size > 0 && devices % size != 0))
      return emitError() << "expected '" << name << "' to divide " << devices
                         << " devices, but got " << size;
  std::pair<StringRef, int64_t> experts[] = {
      {"expert_parallel", expertParallel},
      {"expert_tensor", expertTensor},
      {"shared_expert", sharedExpert},
      {"vision", vision}};
  for (auto [name, size] : experts)
    if (size < 1 || devices % size != 0)
      return emitError() << "expected '" << name << "' to divide " << devices
                         << " devices, but got " << size;
  return success();
}

int64_t PlanAttr::getGroupSize(ShardGroup group) const {
  int64_t own = 0;
  switch (group) {
  case ShardGroup::Expert:
    return getExpertTensor();
  case ShardGroup::SharedExpert:
    return getSharedExpert();
  case ShardGroup::Vision:
    return getVision();
  case ShardGroup::Output:
    own = getOutput();
    break;
  case ShardGroup::MLP:
    own = getMlp();
    break;
  case ShardGroup::Head:
    own = getHead();
    break;
  case ShardGroup::Tensor:
  case ShardGroup::Embedding:
    break;
  }
  return own ? own : getTensorParallel();
}

tensorcast::RequestGroup RequestsAttr::getGroup() const {
  return {getQueries(), getQueryLength(), getContextLength(), getDecode(),
          getRate(getPrefixCacheHitRate())};
}

RequestsAttr RequestsAttr::get(MLIRContext *context,
                               const tensorcast::RequestGroup &group) {
  return get(context, group.queries, group.queryLength, group.contextLength,
             group.decode, getRateAttr(context, group.prefixCacheHitRate));
}

tensorcast::Workload WorkloadAttr::getWorkload() const {
  return toWorkload({getQueries(), getQueryLength(), getContextLength(),
                     getDecode(), getHitRate()},
                    getImages(), getOthers());
}

WorkloadAttr WorkloadAttr::getChecked(
    function_ref<InFlightDiagnostic()> emitError, MLIRContext *context,
    const tensorcast::Workload &workload, int64_t dataParallel) {
  // What is wrong is said before requests become attributes, which are checked
  // one by one.
  std::string mistake = workload.findMistake(dataParallel);
  if (!mistake.empty()) {
    emitError() << mistake;
    return {};
  }
  ImagesAttr images;
  if (const tensorcast::RequestImages &cut = workload.images; cut.count != 0) {
    images = ImagesAttr::getChecked(emitError, context, cut.count, cut.rows,
                                    cut.columns, cut.tokens);
    if (!images)
      return {};
  }
  SmallVector<Attribute> others;
  for (const auto &group : ArrayRef(workload.groups).drop_front())
    others.push_back(RequestsAttr::get(context, group));
  const tensorcast::RequestGroup &first = workload.groups.front();
  return get(context, first.queries, first.queryLength, first.contextLength,
             first.decode, dataParallel,
             getRateAttr(context, first.prefixCacheHitRate), images,
             others.empty() ? ArrayAttr() : ArrayAttr::get(context, others));
}

double WorkloadAttr::getHitRate() const {
  return getRate(getPrefixCacheHitRate());
}

int64_t WorkloadAttr::getImageTokens() const {
  return getImages() ? getImages().getTokens() : 0;
}

int64_t WorkloadAttr::getRequests() const {
  return getWorkload().groups.front().getRequests(getDataParallel());
}

int64_t WorkloadAttr::getNumImages() const {
  return getWorkload().getNumImages(getDataParallel());
}

int64_t WorkloadAttr::getNewTokens() const {
  return getWorkload().groups.front().getNewTokens(getImageTokens());
}

int64_t WorkloadAttr::getTotalTokens() const {
  return getWorkload().groups.front().getTotalTokens(getImageTokens());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Parses `, name = value` pairs behind the block size, in this order.
static ParseResult parseCacheOptions(AsmParser &parser, int64_t &valueSize,
                                     int64_t &window, int64_t &share,
                                     int64_t &first) {
  struct Option {
    StringLiteral name;
    int64_t &value;
    int64_t least;
  };
  Option options[] = {{"value_size", valueSize, 1},
                      {"window", window, 1},
                      {"share", share, INT64_MIN},
                      {"first", first, INT64_MIN}};
  ArrayRef<Option> left = options;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    while (!left.empty() &&
           failed(parser.parseOptionalKeyword(left.front().name)))
      left = left.drop_front();
    if (left.empty())
      return parser.emitError(loc, "expected one of 'value_size', 'window', "
                                   "'share' and 'first', in this order");
    const Option &option = left.front();
    if (parser.parseEqual() || parser.parseInteger(option.value))
      return failure();
    if (option.value < option.least)
      return parser.emitError(loc, "expected '")
             << option.name << "' of at least " << option.least << ", but got "
             << option.value;
    left = left.drop_front();
  }
  return success();
}

Type KVCacheType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  int64_t blockSize, valueSize = 0, window = 0, share = 1, first = 0;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() ||
      parser.parseKeyword("block_size") || parser.parseEqual() ||
      parser.parseInteger(blockSize) ||
      parseCacheOptions(parser, valueSize, window, share, first) ||
      parser.parseGreater())
    return {};
  if (valueSize == shape.back())
    valueSize = 0;
  return parser.getChecked<KVCacheType>(parser.getContext(), shape, elementType,
                                        blockSize, valueSize, window, share,
                                        first);
}

void KVCacheType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << ", block_size = " << getBlockSize();
  if (getOwnValueSize())
    printer << ", value_size = " << getOwnValueSize();
  if (hasWindow())
    printer << ", window = " << getWindow();
  if (getShare() != 1)
    printer << ", share = " << getShare();
  if (getFirst() != 0)
    printer << ", first = " << getFirst();
  printer << '>';
}

int64_t KVCacheType::getNumKept(int64_t tokens) const {
  return llvm::divideCeil(tokens, getShare());
}

/// Sizes beyond this are mistakes, and their products could overflow.
static constexpr int64_t kMaxSize = int64_t(1) << 31;

LogicalResult KVCacheType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type elementType,
                                  int64_t blockSize, int64_t ownValueSize,
                                  int64_t window, int64_t share,
                                  int64_t first) {
  bool hasHeads = shape.size() == 3 && shape[0] == 2;
  if (!hasHeads && shape.size() != 1)
    return emitError()
           << "expected a cache of 2 x heads x head size, or of one "
              "size, per token, but got "
           << shape.size() << " dimensions"
           << (shape.empty() || shape[0] == 2 ? ""
                                              : " of which the first is not 2");
  for (int64_t size : shape)
    if (size < 1 || size > kMaxSize)
      return emitError() << "expected sizes from 1 to " << kMaxSize
                         << ", but got " << size;
  if (!elementType.isIntOrFloat())
    return emitError() << "expected an integer or float element type, but got "
                       << elementType;
  if (blockSize < 1 || blockSize > kMaxSize)
    return emitError() << "expected 'block_size' from 1 to " << kMaxSize
                       << ", but got " << blockSize;
  if (ownValueSize < 0 || ownValueSize > kMaxSize)
    return emitError() << "expected 'value_size' from 1 to " << kMaxSize
                       << ", but got " << ownValueSize;
  if (ownValueSize && !hasHeads)
    return emitError() << "expected no 'value_size' where heads share a row, "
                          "but got "
                       << ownValueSize;
  if (window < 0 || window > kMaxSize)
    return emitError() << "expected a 'window' from 1 to " << kMaxSize
                       << " tokens, but got " << window;
  if (share < 1 || share > kMaxSize)
    return emitError() << "expected 'share' from 1 to " << kMaxSize
                       << ", but got " << share;
  if (first < 0 || first >= share)
    return emitError() << "expected 'first' from 0 to " << share - 1
                       << ", below 'share', but got " << first;
  return success();
}

int64_t KVCacheType::getTokenSize() const {
  if (isShared())
    return getShape()[0];
  return getNumHeads() * (getHeadSize() + getValueSize());
}

SmallVector<int64_t> KVCacheType::getStoredShape() const {
  SmallVector<int64_t> shape(getShape());
  if (!isShared())
    shape.back() = std::max(getHeadSize(), getValueSize());
  return shape;
}

KVCacheType KVCacheType::withHeads(int64_t heads) const {
  return get(getContext(), {getShape()[0], heads, getHeadSize()},
             getElementType(), getBlockSize(), getOwnValueSize(), getWindow(),
             getShare(), getFirst());
}

KVCacheType KVCacheType::withElementType(Type type) const {
  return get(getContext(), getShape(), type, getBlockSize(), getOwnValueSize(),
             getWindow(), getShare(), getFirst());
}

KVCacheType KVCacheType::withWindow(int64_t tokens) const {
  return get(getContext(), getShape(), getElementType(), getBlockSize(),
             getOwnValueSize(), tokens, getShare(), getFirst());
}

KVCacheType KVCacheType::withShare(int64_t share, int64_t first) const {
  return get(getContext(), getShape(), getElementType(), getBlockSize(),
             getOwnValueSize(), getWindow(), share, first);
}

Type RopeTableType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc loc;
  int64_t patches = 0;
  if (parser.parseLess() || parser.getCurrentLocation(&loc) ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) ||
      (succeeded(parser.parseOptionalComma()) &&
       (parser.parseKeyword("patches") || parser.parseEqual() ||
        parser.parseInteger(patches))) ||
      parser.parseGreater())
    return {};
  if (shape.size() != 1) {
    parser.emitError(loc, "expected one dimension, the width, but got ")
        << shape.size();
    return {};
  }
  return parser.getChecked<RopeTableType>(parser.getContext(), shape.front(),
                                          elementType, patches);
}

void RopeTableType::print(AsmPrinter &printer) const {
  printer << '<' << getWidth() << 'x' << getElementType();
  if (getPatches() != 0)
    printer << ", patches = " << getPatches();
  printer << '>';
}

LogicalResult
RopeTableType::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t width, Type elementType, int64_t patches) {
  if (patches < 0 || patches > kMaxSize)
    return emitError() << "expected 'patches' from 0 to " << kMaxSize
                       << ", but got " << patches;
  if (width < 2 || width % 2 != 0 || width > kMaxSize)
    return emitError() << "expected an even width from 2 to " << kMaxSize
                       << ", but got " << width;
  if (!isa<FloatType>(elementType))
    return emitError() << "expected a float element type, but got "
                       << elementType;
  return success();
}

Type StateType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  return parser.getChecked<StateType>(parser.getContext(), shape, elementType);
}

void StateType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << '>';
}

LogicalResult StateType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> shape, Type elementType) {
  if (shape.empty())
    return emitError() << "expected at least one dimension per request, but "
                          "got none";
  for (int64_t size : shape)
    if (size < 1 || size > kMaxSize)
      return emitError() << "expected sizes from 1 to " << kMaxSize
                         << ", but got " << size;
  if (!isa<FloatType>(elementType))
    return emitError() << "expected a float element type, but got "
                       << elementType;
  return success();
}

int64_t StateType::getRequestSize() const {
  int64_t elements = 1;
  for (int64_t size : getShape())
    elements *= size;
  return elements;
}

StateType StateType::withFirst(int64_t size) const {
  SmallVector<int64_t> shape(getShape());
  shape.front() = size;
  return get(getContext(), shape, getElementType());
}
