//===- Roofline.h - Compute or memory, whichever is longer ------*- C++ -*-===//

#ifndef TENSORCAST_LIB_COSTMODEL_ROOFLINE_H
#define TENSORCAST_LIB_COSTMODEL_ROOFLINE_H

#include "tensorcast/CostModel/CostModel.h"

namespace mlir::tensorcast {

/// `time = max(cube + vector, memory) + launch`: cube and vector units do not
/// overlap, both overlap with memory. Peaks and bandwidth are scaled by the
/// device's efficiencies. The launch cost is that of cube kernels if there are
/// cube operations of a type that the device has a rate for, else that of
/// vector kernels; a kernel with nothing to do costs nothing. Operations of a
/// type without a rate are dropped. Williams et al., 2009; the launch cost is
/// that of the reference simulator at the model's date.
class Roofline : public CostModel {
public:
  explicit Roofline(StringRef name) : CostModel(name) {}

  CostTerms price(const WorkAmount &work, const DeviceProfile &device,
                  SmallVectorImpl<Type> &missing) const override;

  StringRef getFormula() const override {
    return "time = max(cube + vector, memory) + launch";
  }
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_COSTMODEL_ROOFLINE_H
