//===- Precompiled.h - Headers that nearly every file includes --*- C++ -*-===//
//
// Compiled once and handed to every file of the project. Sources include what
// they use all the same: outside projects and builds without precompiled
// headers see no difference.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_PRECOMPILED_H
#define TENSORCAST_PRECOMPILED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#endif // TENSORCAST_PRECOMPILED_H
