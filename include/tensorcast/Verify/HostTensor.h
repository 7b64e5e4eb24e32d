//===- HostTensor.h - Tensors in memory -------------------------*- C++ -*-===//

#ifndef TENSORCAST_VERIFY_HOSTTENSOR_H
#define TENSORCAST_VERIFY_HOSTTENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace mlir::tensorcast {

/// A dense tensor of static shape in the memory of this process. Elements of
/// any float type and of signless integers take whole bytes.
class HostTensor {
public:
  /// A tensor of zeros.
  explicit HostTensor(RankedTensorType type);

  /// Whether elements of `type` can be kept.
  static bool supports(Type elementType);

  /// Bytes that one element takes in memory.
  static unsigned getElementBytes(Type elementType);

  RankedTensorType getType() const { return type; }
  int64_t getNumElements() const { return type.getNumElements(); }
  char *data() { return bytes.data(); }
  const char *data() const { return bytes.data(); }
  size_t getNumBytes() const { return bytes.size(); }

  /// The elements in row-major order.
  std::vector<double> getValues() const;

  /// Sets all elements, in row-major order, to what `next` returns, rounded to
  /// the nearest value of the element type; integers beyond its range become
  /// the nearest of it.
  void fill(llvm::function_ref<double()> next);

private:
  RankedTensorType type;
  std::vector<char> bytes;
};

/// The largest finite value of a quantized element type: 127 for i8, 448 for
/// f8E4M3FN.
double getLargestValue(Type elementType);

} // namespace mlir::tensorcast

#endif // TENSORCAST_VERIFY_HOSTTENSOR_H
