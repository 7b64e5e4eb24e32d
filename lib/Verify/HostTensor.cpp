//===- HostTensor.cpp - Tensors in memory ---------------------------------===//

#include "tensorcast/Verify/HostTensor.h"

#include "tensorcast/Conversion/TransformerToLinalg/NarrowTypes.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::tensorcast;
using llvm::APFloat;
using llvm::APInt;

bool HostTensor::supports(Type elementType) {
  return elementType.isSignlessInteger()
             ? elementType.isIntOrIndex() &&
                   elementType.getIntOrFloatBitWidth() <= 64
             : isa<FloatType>(elementType) &&
                   elementType.getIntOrFloatBitWidth() <= 64;
}

unsigned HostTensor::getElementBytes(Type elementType) {
  // As LLVM lays out types below a byte in arrays.
  return llvm::PowerOf2Ceil(
      llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8));
}

HostTensor::HostTensor(RankedTensorType type)
    : type(type),
      bytes(type.getNumElements() * getElementBytes(type.getElementType())) {}

template <typename T> static T read(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

static uint64_t readBits(const char *from, unsigned numBytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, numBytes); // little endian, as all targets here
  return bits;
}

/// What the bits of a float of at most 16 bits stand for.
static double decode(FloatType type, uint64_t bits) {
  APFloat value(type.getFloatSemantics(), APInt(type.getWidth(), bits));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

static uint64_t encode(FloatType type, double number) {
  APFloat value(number);
  bool losesInfo;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

std::vector<double> HostTensor::getValues() const {
  Type elementType = type.getElementType();
  unsigned size = getElementBytes(elementType);
  std::vector<double> values(getNumElements());
  if (auto integer = dyn_cast<IntegerType>(elementType)) {
    for (size_t i = 0; i < values.size(); ++i) {
      APInt bits(integer.getWidth(), readBits(&bytes[i * size], size),
                 /*isSigned=*/false, /*implicitTrunc=*/true);
      values[i] = static_cast<double>(bits.getSExtValue());
    }
    return values;
  }
  auto floatType = cast<FloatType>(elementType);
  if (floatType.isF32() || floatType.isF64()) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = floatType.isF32() ? read<float>(&bytes[i * size])
                                    : read<double>(&bytes[i * size]);
    return values;
  }
  // There are few narrow numbers, and each is decoded once.
  std::vector<double> table(size_t(1) << std::min(floatType.getWidth(), 16u));
  for (size_t bits = 0; bits < table.size(); ++bits)
    table[bits] = decode(floatType, bits);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = table[readBits(&bytes[i * size], size) & (table.size() - 1)];
  return values;
}

/// The bits of the nearest f16, ties to even. Models have many of them, and
/// APFloat takes its time.
static uint64_t encodeHalf(double number) {
  uint64_t sign = std::signbit(number) ? 0x8000 : 0;
  double magnitude = std::abs(number);
  if (std::isnan(number))
    return 0x7E00;
  if (magnitude >= 65520) // halfway from the largest to the next power of two
    return sign | 0x7C00;
  // Below 2^-14 numbers are multiples of 2^-24.
  int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
  auto digits = static_cast<uint64_t>(
      std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // The leading digit, if any, adds one to the exponent field.
  return sign | ((static_cast<uint64_t>(exponent + 14) << 10) + digits);
}

void HostTensor::setValues(ArrayRef<double> values) {
  Type elementType = type.getElementType();
  unsigned size = getElementBytes(elementType);
  for (auto [i, value] : llvm::enumerate(values)) {
    uint64_t bits;
    if (auto integer = dyn_cast<IntegerType>(elementType)) {
      double most = std::ldexp(1.0, integer.getWidth() - 1);
      double least = integer.getWidth() == 1 ? 0 : -most;
      // The largest double below 2^63 is far below it.
      most = integer.getWidth() == 64 ? std::nextafter(most, 0) : most - 1;
      double rounded = std::nearbyint(value);
      bits = static_cast<uint64_t>(static_cast<int64_t>(
          std::clamp(rounded, least, std::max(most, 1.0))));
      // Code that reads less than a byte takes the rest of it to be 0.
      bits &= llvm::maskTrailingOnes<uint64_t>(integer.getWidth());
    } else if (elementType.isF32()) {
      float narrow = static_cast<float>(value);
      std::memcpy(&bytes[i * size], &narrow, size);
      continue;
    } else if (elementType.isF16()) {
      bits = encodeHalf(value);
    } else {
      double most = isNarrowFloat(elementType)
                        ? getLargestValue(elementType)
                        : std::numeric_limits<double>::infinity();
      bits =
          encode(cast<FloatType>(elementType), std::clamp(value, -most, most));
    }
    std::memcpy(&bytes[i * size], &bits, size);
  }
}
