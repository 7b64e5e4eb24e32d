//===- MarkLayers.cpp - Switch fusions off in single layers ---------------===//

#include "FusionSwitch.h"

#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Patterns/PatternSet.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "llvm/ADT/MapVector.h"
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
  /// What the attribute of functions says: the name, and what names layers.
  StringAttr entry;
  /// The layers; everywhere if absent.
  std::optional<GlobPattern> layers;
  StringRef layersText;

  bool isFor(StringRef layer) const { return !layers || layers->match(layer); }
};

class TransformerMarkLayersPass
    : public transformer::impl::TransformerMarkLayersBase<
          TransformerMarkLayersPass> {
public:
  using TransformerMarkLayersBase::TransformerMarkLayersBase;

  LogicalResult initialize(MLIRContext *context) override {
    marks.clear();
    if (disable.empty())
      return success();
    SmallVector<std::string> known = listFusionNames(context);
    SmallVector<std::string> own;
    if (failed(addPatternNames(context, own)))
      return failure();
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
      std::optional<StringRef> layers;
      if (name.size() < text.size())
        layers = text.drop_front(name.size() + 1);
      if (failed(addMark(context, full, layers)))
        return failure();
    }
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (marks.empty())
      return;
    if (failed(checkLayers(module)) || failed(checkNames()))
      return signalPassFailure();
    SymbolTable symbols(module);
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      markCalls(function, symbols);
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      add(function, getMarks([](const Mark &mark) { return !mark.layers; }));
  }

private:
  /// Appends the names of the user's own patterns.
  LogicalResult addPatternNames(MLIRContext *context,
                                SmallVectorImpl<std::string> &names) {
    if (patterns.empty())
      return success();
    SmallVector<std::string> files(patterns.begin(), patterns.end());
    auto set = tensorcast::PatternSet::load(context, files, {});
    if (failed(set))
      return failure();
    for (StringRef name : (*set)->getNames())
      names.push_back(name.str());
    return success();
  }

  /// Adds what is asked for by `name` and, behind `@`, by names of layers.
  LogicalResult addMark(MLIRContext *context, StringRef name,
                        std::optional<StringRef> layers) {
    Mark &mark = marks.emplace_back();
    std::string entry = name.str();
    if (layers)
      entry += ("@" + *layers).str();
    mark.entry = StringAttr::get(context, entry);
    if (!layers)
      return success();
    mark.layersText = mark.entry.getValue().drop_front(name.size() + 1);
    llvm::Expected<GlobPattern> glob = GlobPattern::create(mark.layersText);
    if (!glob)
      return emitError(UnknownLoc::get(context))
             << "expected names of layers behind '@', but got "
             << tensorcast::quoteText(*layers) << ": "
             << llvm::toString(glob.takeError());
    mark.layers = std::move(*glob);
    return success();
  }

  /// Whether each mark is for a layer that there is.
  LogicalResult checkNames() {
    SmallVector<StringRef> names;
    getOperation().walk(
        [&](LayerOp layer) { names.push_back(layer.getName()); });
    for (const Mark &mark : marks)
      if (mark.layers && llvm::none_of(names, [&](StringRef name) {
            return mark.isFor(name);
          }))
        return mlir::emitError(getOperation().getLoc())
               << tensorcast::unknownName("layer", mark.layersText, names);
    return success();
  }

  SmallVector<Attribute> getMarks(llvm::function_ref<bool(const Mark &)> isIn) {
    SmallVector<Attribute> found;
    for (const Mark &mark : marks)
      if (isIn(mark) && !llvm::is_contained(found, mark.entry))
        found.push_back(mark.entry);
    return found;
  }

  /// Adds to the attribute of `function`.
  static void add(func::FuncOp function, ArrayRef<Attribute> entries) {
    auto old = function->getAttrOfType<ArrayAttr>(kDisabledFusionsAttrName);
    SmallVector<Attribute> all;
    if (old)
      llvm::append_range(all, old);
    for (Attribute entry : entries)
      if (!llvm::is_contained(all, entry))
        all.push_back(entry);
    if (!all.empty())
      function->setAttr(kDisabledFusionsAttrName,
                        ArrayAttr::get(function.getContext(), all));
  }

  /// Gives the calls of `callee` that are marked alike one function, marked so.
  /// Calls of it are looked for here and not before: functions in front may
  /// have been copied.
  void markCalls(func::FuncOp callee, SymbolTable &symbols) {
    llvm::MapVector<ArrayAttr, SmallVector<LayerOp>> groups;
    getOperation().walk([&](LayerOp layer) {
      if (layer.getCallee() != callee.getName())
        return;
      SmallVector<Attribute> entries = getMarks([&](const Mark &mark) {
        return mark.layers && mark.isFor(layer.getName());
      });
      groups[ArrayAttr::get(&getContext(), entries)].push_back(layer);
    });
    if (groups.empty())
      return;
    // Calls without marks keep the function; if there are none, the first do.
    auto *kept = groups.find(ArrayAttr::get(&getContext(), {}));
    if (kept == groups.end())
      kept = groups.begin();
    for (auto &group : groups) {
      if (&group == kept)
        continue;
      func::FuncOp copy = specializeLayer(group.second.front(), symbols);
      for (LayerOp call : group.second)
        call.setCalleeAttr(FlatSymbolRefAttr::get(copy));
      add(copy, group.first.getValue());
    }
    add(callee, kept->first.getValue());
  }

  SmallVector<Mark> marks;
};
} // namespace
