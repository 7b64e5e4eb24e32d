//===- MarkLayers.cpp - Say how to treat functions and layers -------------===//

#include "FusionLimits.h"
#include "Quantization.h"

#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Patterns/PatternSet.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/GlobPattern.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERMARKLAYERS
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;
using llvm::GlobPattern;

namespace {
/// One thing that is asked for, and where.
struct Mark {
  /// The attribute of functions that says it.
  StringRef attrName;
  /// What it says: a name, and behind `@` what names layers.
  StringAttr entry;
  /// The layers; everywhere if absent.
  std::optional<GlobPattern> layers;

  StringRef getName() const { return getFusionName(entry.getValue()); }
  StringRef getLayers() const { return entry.getValue().split('@').second; }
  bool isFor(StringRef layer) const { return !layers || layers->match(layer); }
};

class TransformerMarkLayersPass
    : public transformer::impl::TransformerMarkLayersBase<
          TransformerMarkLayersPass> {
public:
  using TransformerMarkLayersBase::TransformerMarkLayersBase;

  LogicalResult initialize(MLIRContext *context) override {
    marks.clear();
    SmallVector<std::string> own;
    if (failed(addPatternNames(context, own)))
      return failure();
    SmallVector<std::string> known;
    if (!disable.empty())
      known = listFusionNames(context);
    for (const std::string &name : own)
      known.push_back((kPatternCategory + "." + name).str());
    llvm::sort(known);
    for (StringRef text : disable) {
      StringRef name = getFusionName(text);
      std::string full = name.str();
      if (llvm::is_contained(own, full))
        full = (kPatternCategory + "." + name).str();
      if (!llvm::is_contained(known, full))
        return emitError(UnknownLoc::get(context))
               << unknownFusion(name, known);
      if (failed(addMark(context, kDisabledFusionsAttrName,
                         full + text.drop_front(name.size()).str())))
        return failure();
    }
    for (StringRef text : highPrecision)
      if (failed(addMark(context, kHighPrecisionAttrName, text)))
        return failure();
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkLayers(module)) || failed(checkNames()))
      return signalPassFailure();
    if (training)
      for (auto function : module.getOps<func::FuncOp>())
        function->setAttr(kTrainingAttrName, UnitAttr::get(&getContext()));
    if (marks.empty())
      return;
    SymbolTable symbols(module);
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      markCalls(function, symbols);
    DictionaryAttr everywhere =
        getMarks([](const Mark &mark) { return !mark.layers; });
    for (auto function : module.getOps<func::FuncOp>())
      add(function, everywhere);
  }

private:
  //===--------------------------------------------------------------------===//
  // What is asked for
  //===--------------------------------------------------------------------===//

  /// Appends the names of the user's own patterns.
  LogicalResult addPatternNames(MLIRContext *context,
                                SmallVectorImpl<std::string> &names) {
    if (patterns.empty() || disable.empty())
      return success();
    SmallVector<std::string> files(patterns.begin(), patterns.end());
    auto set = tensorcast::PatternSet::load(context, files, {});
    if (failed(set))
      return failure();
    for (StringRef name : (*set)->getNames())
      names.push_back(name.str());
    return success();
  }

  /// Adds what is asked for by NAME or NAME@LAYERS.
  LogicalResult addMark(MLIRContext *context, StringRef attrName,
                        StringRef text) {
    Mark &mark = marks.emplace_back();
    mark.attrName = attrName;
    mark.entry = StringAttr::get(context, text);
    if (!text.contains('@'))
      return success();
    llvm::Expected<GlobPattern> glob = GlobPattern::create(mark.getLayers());
    if (!glob)
      return emitError(UnknownLoc::get(context))
             << "expected names of layers behind '@', but got "
             << tensorcast::quoteText(mark.getLayers()) << ": "
             << llvm::toString(glob.takeError());
    mark.layers = std::move(*glob);
    return success();
  }

  /// Whether each mark is for layers, and for ops or weights, that there are.
  LogicalResult checkNames() {
    SmallVector<StringRef> layers;
    getOperation().walk(
        [&](LayerOp layer) { layers.push_back(layer.getName()); });
    for (const Mark &mark : marks)
      if (mark.layers && llvm::none_of(layers, [&](StringRef name) {
            return mark.isFor(name);
          }))
        return mlir::emitError(getOperation().getLoc())
               << tensorcast::unknownName("layer", mark.getLayers(), layers);
    if (highPrecision.empty())
      return success();
    llvm::SetVector<StringRef> precise;
    precise.insert_range(listPreciseOps());
    getOperation().walk([&](WeightOp weight) {
      StringRef name = weight.getName();
      if (weight.getType().getRank() > 1 && name.consume_back(kWeightSuffix))
        precise.insert(name);
    });
    for (const Mark &mark : marks) {
      if (mark.attrName != kHighPrecisionAttrName)
        continue;
      llvm::Expected<GlobPattern> glob = GlobPattern::create(mark.getName());
      if (!glob)
        return mlir::emitError(getOperation().getLoc())
               << "expected an op or the name of a weight, but got "
               << tensorcast::quoteText(mark.getName()) << ": "
               << llvm::toString(glob.takeError());
      if (llvm::none_of(precise,
                        [&](StringRef name) { return glob->match(name); }))
        return mlir::emitError(getOperation().getLoc())
               << tensorcast::unknownName("name", mark.getName(),
                                          precise.getArrayRef());
    }
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Marking
  //===--------------------------------------------------------------------===//

  /// The attributes that say what the marks of a kind ask for.
  DictionaryAttr getMarks(llvm::function_ref<bool(const Mark &)> isIn) {
    NamedAttrList attrs;
    for (StringRef name : {kDisabledFusionsAttrName, kHighPrecisionAttrName}) {
      SmallVector<Attribute> entries;
      for (const Mark &mark : marks)
        if (mark.attrName == name && isIn(mark))
          entries.push_back(mark.entry);
      if (!entries.empty())
        attrs.set(name, ArrayAttr::get(&getContext(), entries));
    }
    return attrs.getDictionary(&getContext());
  }

  /// Adds to the attributes of `function`.
  static void add(func::FuncOp function, DictionaryAttr attrs) {
    for (NamedAttribute attr : attrs) {
      llvm::SetVector<Attribute> entries;
      if (auto old = function->getAttrOfType<ArrayAttr>(attr.getName()))
        entries.insert_range(old);
      entries.insert_range(cast<ArrayAttr>(attr.getValue()));
      function->setAttr(attr.getName(), ArrayAttr::get(function.getContext(),
                                                       entries.getArrayRef()));
    }
  }

  /// Gives the calls of `callee` that are marked alike one function, marked so.
  /// Calls of it are looked for here and not before: functions in front may
  /// have been copied.
  void markCalls(func::FuncOp callee, SymbolTable &symbols) {
    llvm::MapVector<DictionaryAttr, SmallVector<LayerOp>> groups;
    getOperation().walk([&](LayerOp layer) {
      if (layer.getCallee() != callee.getName())
        return;
      groups[getMarks([&](const Mark &mark) {
        return mark.layers && mark.isFor(layer.getName());
      })].push_back(layer);
    });
    if (groups.empty())
      return;
    // Calls without marks keep the function; if there are none, the first do.
    auto *kept = groups.find(DictionaryAttr::get(&getContext()));
    if (kept == groups.end())
      kept = groups.begin();
    for (auto &group : groups) {
      if (&group == kept)
        continue;
      func::FuncOp copy = specializeLayer(group.second.front(), symbols);
      for (LayerOp call : group.second)
        call.setCalleeAttr(FlatSymbolRefAttr::get(copy));
      add(copy, group.first);
    }
    add(callee, kept->first);
  }

  SmallVector<Mark> marks;
};
} // namespace
