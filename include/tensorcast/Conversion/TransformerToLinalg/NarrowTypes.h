//===- NarrowTypes.h - Element types of at most 8 bits ----------*- C++ -*-===//

#ifndef TENSORCAST_CONVERSION_TRANSFORMERTOLINALG_NARROWTYPES_H
#define TENSORCAST_CONVERSION_TRANSFORMERTOLINALG_NARROWTYPES_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::tensorcast {

/// Whether `type` is a float of at most 8 bits.
bool isNarrowFloat(Type type);

/// Whether `type` is what a quantized tensor holds: an integer or a float of at
/// most 8 bits.
bool isQuantizedType(Type type);

/// The largest finite number of a quantized type: 127 of i8, 448 of f8E4M3FN.
double getLargestValue(Type type);

} // namespace mlir::tensorcast

#endif // TENSORCAST_CONVERSION_TRANSFORMERTOLINALG_NARROWTYPES_H
