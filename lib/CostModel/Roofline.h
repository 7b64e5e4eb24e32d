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
/// type without a rate are dropped. An exchange between devices takes the
/// longer of its link time and its memory traffic, plus the launch cost of
/// collectives; a kernel that computes and exchanges takes the longer of the
/// two. Serial exchanges are added to the rest, each with the launch cost of
/// collectives, which is then the only one. Williams et al., 2009; the launch
/// cost is that of the reference simulator at the model's date.
class Roofline : public CostModel {
public:
  /// In June 2026 the reference counted kernels that compute and exchange under
  /// no resource.
  explicit Roofline(StringRef name, bool attributesFusedExchanges = true)
      : CostModel(name), attributesFusedExchanges(attributesFusedExchanges) {}

  CostTerms price(const WorkAmount &work, const DeviceProfile &device,
                  SmallVectorImpl<Type> &missing) const override;
  CostTermsOf<Formula> price(const WorkAmountOf<Formula> &work,
                             const DeviceProfile &device,
                             SmallVectorImpl<Type> &missing) const override;

  StringRef getFormula() const override {
    return "time = max(cube + vector, memory, communication) + launch";
  }

private:
  bool attributesFusedExchanges;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_COSTMODEL_ROOFLINE_H
