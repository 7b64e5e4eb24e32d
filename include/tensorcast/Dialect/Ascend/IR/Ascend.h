//===- Ascend.h - The ascend dialect ----------------------------*- C++ -*-===//
//
// Declares the dialect, its attributes, interfaces and ops.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_DIALECT_ASCEND_IR_ASCEND_H
#define TENSORCAST_DIALECT_ASCEND_IR_ASCEND_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "llvm/ADT/MapVector.h"

#include "tensorcast/Dialect/Ascend/IR/AscendEnums.h.inc"

namespace mlir::ascend {

/// An exchange that is part of a kernel.
struct Exchange {
  CollectiveKind kind;
  /// What this device sends.
  transformer::ExprAttr bytes;
  transformer::RanksAttr ranks;
  /// Whether it comes before or after the other work, and not beside it.
  bool isSerial = false;
};

/// Operations and bytes of a kernel, as expressions over the batch. A null
/// expression stands for a size that is not known.
struct WorkTotal {
  explicit WorkTotal(MLIRContext *context);

  void addCubeOps(Type elementType, transformer::ExprAttr ops);
  void addVectorOps(Type elementType, transformer::ExprAttr ops);

  /// Operations by element type; a multiply-add counts two.
  llvm::MapVector<Type, transformer::ExprAttr> cubeOps, vectorOps;
  /// Traffic to and from device memory.
  transformer::ExprAttr bytesRead, bytesWritten;
  /// Steps that cost as much as the start, beside it.
  transformer::ExprAttr extraStarts;
  /// Exchanges with other devices.
  SmallVector<Exchange, 1> exchanges;
};

} // namespace mlir::ascend

#include "tensorcast/Dialect/Ascend/IR/AscendDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tensorcast/Dialect/Ascend/IR/AscendAttributes.h.inc"

#include "tensorcast/Dialect/Ascend/IR/AscendInterfaces.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Ascend/IR/AscendOps.h.inc"

namespace mlir::ascend {

/// The module attribute with the device (a DeviceAttr).
inline constexpr StringLiteral kDeviceAttrName = "ascend.device";
/// The module attribute with the name of the cost model (a StringAttr).
inline constexpr StringLiteral kCostModelAttrName = "ascend.cost_model";
/// What single kernels reach (a dictionary, see Device/KernelCoefficients.h).
inline constexpr StringLiteral kKernelCoefficientsAttrName =
    "ascend.kernel_coefficients";
/// The module attribute with the name of the kernel set (a StringAttr).
inline constexpr StringLiteral kKernelSetAttrName = "ascend.kernel_set";
/// The module attribute with device memory kept for other uses, in bytes (an
/// integer).
inline constexpr StringLiteral kReservedBytesAttrName = "ascend.reserved_bytes";
/// The module attribute with the rule by which launches have slots (a
/// StreamRuleAttr); a module without it has one stream.
inline constexpr StringLiteral kStreamRuleAttrName = "ascend.stream_rule";
/// On the work of a fused kernel: the kernel that it would have been in.
inline constexpr StringLiteral kPartAttrName = "ascend.part";

/// The slot of a launch or view, or null.
SlotAttr getSlot(Operation *op);

/// Whether a kernel does nothing but exchange data with other devices.
bool isExchange(LaunchOp launch);

} // namespace mlir::ascend

#endif // TENSORCAST_DIALECT_ASCEND_IR_ASCEND_H
