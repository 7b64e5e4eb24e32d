//===- CostModel.cpp - Laws from work to time -----------------------------===//

#include "tensorcast/CostModel/CostModel.h"
#include "tensorcast/Support/Wording.h"

#include "Roofline.h"

using namespace mlir;
using namespace mlir::tensorcast;

std::optional<RateKey> mlir::tensorcast::getRateKey(Type elementType) {
  if (elementType.isF32())
    return RateKey::F32;
  if (elementType.isBF16())
    return RateKey::BF16;
  if (elementType.isF16())
    return RateKey::F16;
  if (!elementType.isIntOrFloat())
    return std::nullopt;
  bool isFloat = isa<FloatType>(elementType);
  switch (elementType.getIntOrFloatBitWidth()) {
  case 8:
    return isFloat ? RateKey::F8 : RateKey::I8;
  case 4:
    return RateKey::F4;
  default:
    return std::nullopt;
  }
}

StringRef mlir::tensorcast::stringifyBound(Bound bound) {
  switch (bound) {
  case Bound::Memory:
    return "memory";
  case Bound::Communication:
    return "communication";
  case Bound::Cube:
    return "cube";
  case Bound::Vector:
    break;
  }
  return "vector";
}

Bound mlir::tensorcast::getBound(const CostTerms &terms) {
  double compute = terms.cubeS + terms.vectorS;
  if (terms.memoryS >= terms.communicationS && terms.memoryS >= compute)
    return Bound::Memory;
  if (terms.communicationS >= compute)
    return Bound::Communication;
  return terms.cubeS >= terms.vectorS ? Bound::Cube : Bound::Vector;
}

CostTerms mlir::tensorcast::getTerms(ascend::CostAttr cost) {
  CostTerms terms;
  terms.cubeS = cost.getCube().getValueAsDouble();
  terms.vectorS = cost.getVector().getValueAsDouble();
  terms.memoryS = cost.getMemory().getValueAsDouble();
  terms.communicationS = cost.getCommunication().getValueAsDouble();
  terms.launchS = cost.getLaunch().getValueAsDouble();
  terms.totalS = cost.getTime().getValueAsDouble();
  return terms;
}

std::string mlir::tensorcast::describeMissingRate(Type elementType,
                                                  const DeviceProfile &device,
                                                  const CostModel &model) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "device " << device.name << " has no rate for operations of " << '\''
     << elementType << "', so " << model.getName()
     << " counts only the memory traffic of such kernels";
  return text;
}

FailureOr<const CostModel *> mlir::tensorcast::getCostModel(StringRef name,
                                                            Location loc) {
  static const Roofline roofline202606("tensorcast-2026.06",
                                       /*attributesFusedExchanges=*/false);
  static const Roofline roofline202608("tensorcast-2026.08");
  const CostModel *models[] = {&roofline202606, &roofline202608};
  SmallVector<StringRef> known;
  for (const CostModel *model : models) {
    if (model->getName() == name)
      return model;
    known.push_back(model->getName());
  }
  return emitError(loc) << unknownName("cost model", name, known);
}
