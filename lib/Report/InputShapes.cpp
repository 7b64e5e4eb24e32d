//===- InputShapes.cpp - Operands as text ---------------------------------===//

#include "InputShapes.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::Dim;

std::string mlir::tensorcast::describeTypes(TypeRange types) {
  std::string text;
  llvm::raw_string_ostream os(text);
  StringRef separator;
  for (Type type : types) {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      os << separator << tensor.getElementType() << '[';
      llvm::interleave(
          transformer::getDims(tensor), os,
          [&](const Dim &dim) { os << transformer::toString(dim); }, ",");
      os << ']';
    } else if (auto cache = dyn_cast<transformer::KVCacheType>(type)) {
      os << separator << "cache " << cache.getElementType() << '[';
      llvm::interleave(cache.getShape(), os, ",");
      os << ']';
    } else if (auto state = dyn_cast<transformer::StateType>(type)) {
      os << separator << "state " << state.getElementType() << '[';
      llvm::interleave(state.getShape(), os, ",");
      os << ']';
    } else {
      continue;
    }
    separator = "; ";
  }
  return text;
}

std::string mlir::tensorcast::describeInputs(ascend::LaunchOp launch) {
  return describeTypes(launch->getOperandTypes());
}
