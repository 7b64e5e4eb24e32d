//===- NarrowFloats.cpp - Floats of at most 8 bits by integer arithmetic --===//
//
// Machines have no conversions from and to these types, so rules spell them
// out. Numbers that are too large saturate, as quantization wants it; none of
// the types is ever given what is no number.
//
//===----------------------------------------------------------------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using llvm::APFloat;

/// Bits of the mantissa and bias of the exponent of f32.
static constexpr int wideMantissa = 23, wideBias = 127;

bool tensorcast::isNarrowFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 8;
}

bool tensorcast::isQuantizedType(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 8;
}

double tensorcast::getLargestValue(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return std::ldexp(1.0, static_cast<int>(integer.getWidth()) - 1) - 1;
  APFloat largest =
      APFloat::getLargest(cast<FloatType>(type).getFloatSemantics());
  bool losesInfo;
  largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return largest.convertToDouble();
}

namespace {
/// Builds scalars, in f32 and i32 unless they say otherwise.
class NarrowBuilder {
public:
  NarrowBuilder(OpBuilder &builder, Location loc, FloatType type)
      : builder(builder), loc(loc), type(type), i32(builder.getI32Type()),
        f32(builder.getF32Type()) {
    if (isScale())
      return;
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    // LLVM counts the leading bit, which is not stored.
    mantissa = static_cast<int>(APFloat::semanticsPrecision(semantics)) - 1;
    bias = 1 - APFloat::semanticsMinExponent(semantics);
  }

  /// The bits in the place that they have in f32, times the power of two that
  /// makes up for the other bias: right for numbers of all magnitudes.
  Value decode(Value value) {
    Value bits = arith::ExtUIOp::create(
        builder, loc, i32,
        arith::BitcastOp::create(builder, loc, getStorage(), value));
    if (isScale())
      return decodeScale(bits);
    Value magnitude = shiftLeft(mask(bits, (1 << (getWidth() - 1)) - 1),
                                wideMantissa - mantissa);
    Value sign = shiftLeft(mask(bits, 1 << (getWidth() - 1)), 32 - getWidth());
    magnitude = arith::MulFOp::create(
        builder, loc, toFloat(magnitude),
        makeScalar(builder, loc, f32, std::ldexp(1.0, wideBias - bias)));
    return toFloat(arith::OrIOp::create(builder, loc, toBits(magnitude), sign));
  }

  Value encode(Value value) {
    if (isScale())
      return store(shiftRight(toBits(value), wideMantissa));
    Value sign =
        mask(shiftRight(toBits(value), 32 - getWidth()), 1 << (getWidth() - 1));
    Value magnitude = roundMagnitude(value);
    magnitude = arith::MulFOp::create(
        builder, loc, magnitude,
        makeScalar(builder, loc, f32, std::ldexp(1.0, bias - wideBias)));
    Value bits = shiftRight(toBits(magnitude), wideMantissa - mantissa);
    return store(arith::OrIOp::create(builder, loc, bits, sign));
  }

private:
  /// f8E8M0FNU holds an exponent and nothing else.
  bool isScale() const { return isa<Float8E8M0FNUType>(type); }
  int getWidth() { return static_cast<int>(type.getWidth()); }
  Type getStorage() { return builder.getIntegerType(type.getWidth()); }

  /// The exponent 0 stands for 2^-127, which f32 has below its least normal.
  Value decodeScale(Value bits) {
    Value least = makeScalar(builder, loc, i32, 1 << (wideMantissa - 1));
    Value normal = shiftLeft(bits, wideMantissa);
    return toFloat(arith::MaxSIOp::create(builder, loc, least, normal));
  }

  /// |value| rounded to a multiple of the distance of the numbers around it,
  /// ties to even, at most the largest number.
  Value roundMagnitude(Value value) {
    Value magnitude = math::AbsFOp::create(builder, loc, value);
    // This one takes the bound for what is no number.
    magnitude = arith::MinNumFOp::create(
        builder, loc, magnitude,
        makeScalar(builder, loc, f32, getLargestValue(type)));
    Value exponent = arith::MaxSIOp::create(
        builder, loc, shiftRight(toBits(magnitude), wideMantissa),
        makeScalar(builder, loc, i32, wideBias + 1 - bias));
    Value distance = toFloat(shiftLeft(
        arith::SubIOp::create(builder, loc, exponent,
                              makeScalar(builder, loc, i32, mantissa)),
        wideMantissa));
    Value count = arith::DivFOp::create(builder, loc, magnitude, distance);
    count = math::RoundEvenOp::create(builder, loc, count);
    return arith::MulFOp::create(builder, loc, count, distance);
  }

  Value toBits(Value value) {
    return arith::BitcastOp::create(builder, loc, i32, value);
  }
  Value toFloat(Value bits) {
    return arith::BitcastOp::create(builder, loc, f32, bits);
  }
  Value store(Value bits) {
    Value narrow = arith::TruncIOp::create(builder, loc, getStorage(), bits);
    return arith::BitcastOp::create(builder, loc, type, narrow);
  }
  Value mask(Value bits, int64_t ones) {
    return arith::AndIOp::create(builder, loc, bits,
                                 makeScalar(builder, loc, i32, ones));
  }
  Value shiftLeft(Value bits, int count) {
    return arith::ShLIOp::create(builder, loc, bits,
                                 makeScalar(builder, loc, i32, count));
  }
  Value shiftRight(Value bits, int count) {
    return arith::ShRUIOp::create(builder, loc, bits,
                                  makeScalar(builder, loc, i32, count));
  }

  OpBuilder &builder;
  Location loc;
  FloatType type;
  Type i32, f32;
  int mantissa = 0, bias = 0;
};
} // namespace

Value tensorcast::decodeNarrow(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<FloatType>(value.getType());
  return NarrowBuilder(builder, loc, type).decode(value);
}

Value tensorcast::encodeNarrow(OpBuilder &builder, Location loc, Value value,
                               FloatType type) {
  return NarrowBuilder(builder, loc, type).encode(value);
}
