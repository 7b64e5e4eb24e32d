//===- IndexMath.h - Arithmetic on loop indices -----------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_CONVERSION_TRANSFORMERTOLINALG_INDEXMATH_H
#define TENSORCAST_LIB_CONVERSION_TRANSFORMERTOLINALG_INDEXMATH_H

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::tensorcast {

/// Builds index arithmetic, and reads of tensors, at one place.
struct IndexMath {
  IndexMath(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  }
  Value sub(Value lhs, Value rhs) {
    return arith::SubIOp::create(builder, loc, lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  }
  /// Of indices from 0 on.
  Value div(Value lhs, Value rhs) {
    return arith::DivUIOp::create(builder, loc, lhs, rhs);
  }
  Value rem(Value lhs, Value rhs) {
    return arith::RemUIOp::create(builder, loc, lhs, rhs);
  }
  Value max(Value lhs, Value rhs) {
    return arith::MaxSIOp::create(builder, loc, lhs, rhs);
  }

  Value isAtLeast(Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, lhs,
                                 rhs);
  }
  Value isEqual(Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lhs,
                                 rhs);
  }
  Value both(Value lhs, Value rhs) {
    return arith::AndIOp::create(builder, loc, lhs, rhs);
  }

  Value read(Value tensor, ValueRange indices) {
    return tensor::ExtractOp::create(builder, loc, tensor, indices);
  }

  Value number(double value) {
    return makeScalar(builder, loc, builder.getF32Type(), value);
  }
  Value toF32(Value value) {
    return convertTo(builder, loc, value, builder.getF32Type());
  }

  OpBuilder &builder;
  Location loc;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_CONVERSION_TRANSFORMERTOLINALG_INDEXMATH_H
