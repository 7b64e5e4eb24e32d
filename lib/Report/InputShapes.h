//===- InputShapes.h - Operands as text -------------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_REPORT_INPUTSHAPES_H
#define TENSORCAST_LIB_REPORT_INPUTSHAPES_H

#include "tensorcast/Dialect/Ascend/IR/Ascend.h"

namespace mlir::tensorcast {

/// Data by its types: `i8[7000,5120]; f32[]`.
std::string describeTypes(TypeRange types);

/// The data that a launch uses.
std::string describeInputs(ascend::LaunchOp launch);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_REPORT_INPUTSHAPES_H
