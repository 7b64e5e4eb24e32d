//===- PrecompiledDialects.h - The same with the dialects -------*- C++ -*-===//
//
// Most files work on ops, and most of the time to compile one went into their
// classes: those of the project, and of linalg where ops are run. Compiled
// again after each change to a dialect, as all of those files are.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_PRECOMPILEDDIALECTS_H
#define TENSORCAST_PRECOMPILEDDIALECTS_H

#include "Precompiled.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "tensorcast/Dialect/Ascend/IR/Ascend.h"
#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#endif // TENSORCAST_PRECOMPILEDDIALECTS_H
