//===- FusionSwitch.cpp - Which fusions there are, and where --------------===//

#include "FusionSwitch.h"

#include "tensorcast/Support/Wording.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::transformer;

SmallVector<std::string>
mlir::transformer::listFusionNames(MLIRContext *context) {
  SmallVector<FusionSwitch> fusions;
  for (auto list : {listFuseNorm, listFuseQuant, listFuseAttention, listFuseFFN,
                    listFuseMoE, listFuseComm, listMergeLinears})
    list(context, fusions);
  SmallVector<std::string> names;
  for (FusionSwitch fusion : fusions) {
    names.push_back(fusion.category.str());
    names.push_back(fusion.getText());
  }
  names.push_back(kPatternCategory.str());
  // Several patterns may be one fusion.
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

StringRef mlir::transformer::getFusionName(StringRef entry) {
  return entry.split('@').first;
}

std::string mlir::transformer::unknownFusion(StringRef name,
                                             ArrayRef<std::string> known) {
  SmallVector<StringRef> names(known.begin(), known.end());
  std::optional<StringRef> nearest = tensorcast::nearestName(name, names);
  if (!nearest) {
    // Someone may know the option and not its pass.
    SmallVector<StringRef> parts = llvm::map_to_vector(
        names, [](StringRef full) { return full.split('.').second; });
    if (std::optional<StringRef> part = tensorcast::nearestName(name, parts))
      nearest = names[llvm::find(parts, *part) - parts.begin()];
  }
  return tensorcast::unknownName("fusion", name, names, nearest);
}

static ArrayAttr getEntries(func::FuncOp function) {
  return function ? function->getAttrOfType<ArrayAttr>(kDisabledFusionsAttrName)
                  : ArrayAttr();
}

StringRef mlir::transformer::findSwitchOff(func::FuncOp function,
                                           FusionSwitch fusion) {
  ArrayAttr entries = getEntries(function);
  if (!entries)
    return {};
  for (StringRef entry : entries.getAsValueRange<StringAttr>()) {
    StringRef name = getFusionName(entry);
    if (name.consume_front(fusion.category) &&
        (name.empty() || (name.consume_front(".") && name == fusion.name)))
      return entry;
  }
  return {};
}

LogicalResult mlir::transformer::checkDisabledFusions(func::FuncOp function) {
  ArrayAttr entries = getEntries(function);
  if (!entries)
    return success();
  SmallVector<std::string> known = listFusionNames(function.getContext());
  for (StringRef entry : entries.getAsValueRange<StringAttr>()) {
    StringRef name = getFusionName(entry);
    if (!name.starts_with((kPatternCategory + ".").str()) &&
        !llvm::is_contained(known, name))
      return mlir::emitError(function.getLoc())
             << "'" << kDisabledFusionsAttrName << "' has an "
             << unknownFusion(name, known);
  }
  return success();
}
