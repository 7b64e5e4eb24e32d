//===- InitAll.h - Everything that tools register ---------------*- C++ -*-===//

#ifndef TENSORCAST_INITALL_H
#define TENSORCAST_INITALL_H

#include "tensorcast/Conversion/Passes.h"
#include "tensorcast/Dialect/Ascend/IR/Ascend.h"
#include "tensorcast/Dialect/Ascend/Transforms/Passes.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Pipelines/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::tensorcast {

/// The dialects that a model, bound, lowered or priced, is written in.
inline void registerAllDialects(DialectRegistry &registry) {
  registry.insert<ascend::AscendDialect, func::FuncDialect,
                  transformer::TransformerDialect>();
}

/// The project's passes and pipelines, and MLIR's general ones.
inline void registerAllPasses() {
  registerTransformsPasses();
  transformer::registerTransformerPasses();
  ascend::registerAscendPasses();
  registerConversionPasses();
  registerPipelines();
}

} // namespace mlir::tensorcast

#endif // TENSORCAST_INITALL_H
