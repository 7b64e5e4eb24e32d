//===- FusionLimits.cpp - What fusions must not lose ----------------------===//

#include "FusionLimits.h"

#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// A fusion, and what is lost by it.
struct Loss {
  StringLiteral category, name, what;

  bool isOf(FusionSwitch fusion) const {
    return fusion.category == category && fusion.name == name;
  }
};
} // namespace

/// Fusions that compute in the type of their tensors what a framework computes
/// in f32 between two conversions, and the op that it is.
static constexpr Loss kNarrowed[] = {
    {"fuse-norm", "rms-norm", "rms_norm"},
    {"fuse-norm", "wide-rms-norm", "rms_norm"},
    {"fuse-norm", "layer-norm", "layer_norm"},
    {"fuse-attention", "rope", "rope"},
    {"fuse-attention", "rope-casts", "rope"},
    {"fuse-attention", "latent-projection", "rope"},
    {"fuse-attention", "attention", "softmax"},
};

/// Fusions that do not write what the gradient reads. Those that can write it
/// are not here: the patterns ask.
static constexpr Loss kReadByGradient[] = {
    {"fuse-attention", "attention",
     "the gradient of the softmax reads its result"},
    {"fuse-attention", "latent-projection",
     "the gradients of its norms read what they are of"},
    {"fuse-attention", "linear-attention",
     "the gradients of its layers read what is between them"},
    {"fuse-ffn", "linear-activation",
     "the gradient of the activation reads what it is of"},
    {"fuse-moe", "grouped-swiglu",
     "the gradient of the activation reads gate and up"},
    {"fuse-moe", "grouped-quantize",
     "the gradient of the next layer reads the activation"},
    {"fuse-moe", "dispatch-ffn-combine",
     "the gradients of its layers read what is between them"},
    {"fuse-moe", "gating", "the gradient of the scores reads all of them"},
    {"fuse-quant", "norm", "the gradient of the next layer reads the norm"},
};

SmallVector<StringRef> mlir::transformer::listPreciseOps() {
  SmallVector<StringRef> names = {kAttentionOps, kLinearOps};
  for (const Loss &loss : kNarrowed)
    names.push_back(loss.what);
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

StringRef mlir::transformer::findHighPrecision(func::FuncOp function,
                                               StringRef name) {
  auto entries =
      function ? function->getAttrOfType<ArrayAttr>(kHighPrecisionAttrName)
               : ArrayAttr();
  if (!entries)
    return {};
  for (StringRef entry : entries.getAsValueRange<StringAttr>()) {
    StringRef wanted = getFusionName(entry);
    if (wanted == name)
      return entry;
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(wanted);
    if (!glob)
      llvm::consumeError(glob.takeError());
    else if (glob->match(name))
      return entry;
  }
  return {};
}

bool mlir::transformer::isTraining(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return function && function->hasAttr(kTrainingAttrName);
}

std::string mlir::transformer::findObstacle(func::FuncOp function,
                                            FusionSwitch fusion) {
  if (!function)
    return {};
  if (StringRef entry = findSwitchOff(function, fusion); !entry.empty())
    return ("switched off by '" + entry + "'").str();
  for (const Loss &loss : kNarrowed)
    if (loss.isOf(fusion))
      if (StringRef entry = findHighPrecision(function, loss.what);
          !entry.empty())
        return ("kept in high precision by '" + entry + "'").str();
  if (function->hasAttr(kTrainingAttrName))
    for (const Loss &loss : kReadByGradient)
      if (loss.isOf(fusion))
        return loss.what.str();
  return {};
}
