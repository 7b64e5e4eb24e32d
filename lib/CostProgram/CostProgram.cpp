//===- CostProgram.cpp - Prices batches without running passes ------------===//

#include "Program.h"

#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Support/Numbers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;

CostProgram::CostProgram(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}
CostProgram::CostProgram(CostProgram &&) = default;
CostProgram &CostProgram::operator=(CostProgram &&) = default;
CostProgram::~CostProgram() = default;

ArrayRef<std::string> CostProgram::getFeatureNames() const {
  return implementation->featureNames;
}

ArrayRef<KernelName> CostProgram::getKernels() const {
  return implementation->kernels;
}

int64_t CostProgram::getDataParallel() const {
  return implementation->dataParallel;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static std::string describe(ModuleOp module, const DeviceProfile &device) {
  auto text = [&](StringRef name) {
    auto attr = module->getAttrOfType<StringAttr>(name);
    return attr ? attr.str() : std::string("none");
  };
  auto model = module->getAttrOfType<transformer::ModelAttr>(
      transformer::kModelAttrName);
  auto plan =
      module->getAttrOfType<transformer::PlanAttr>(transformer::kPlanAttrName);
  std::string title = model ? model.getName().str() : "a model";
  title += " on ";
  if (plan)
    title += std::to_string(plan.getDevices()) + " x ";
  return title + device.name + ", kernel set " +
         text(ascend::kKernelSetAttrName) + ", cost model " +
         text(ascend::kCostModelAttrName);
}

FailureOr<CostProgram> CostProgram::compile(ModuleOp module) {
  FeatureSet features;
  FailureOr<PriceFormulas> price = formulatePrice(module, features);
  if (failed(price))
    return failure();
  auto program = std::make_unique<Implementation>();
  auto device =
      module->getAttrOfType<ascend::DeviceAttr>(ascend::kDeviceAttrName);
  auto emitError = [&] { return mlir::emitError(module.getLoc()); };
  FailureOr<DeviceProfile> profile =
      parseDeviceProfile(device.getProfile(), emitError);
  if (failed(profile))
    return failure();
  program->title = describe(module, *profile);
  program->deviceBytes = static_cast<double>(profile->memoryBytes);
  program->reservedBytes = price->memory.reservedBytes.getConstant();
  program->dataParallel = transformer::getDataParallel(module);
  program->looksAtImages = transformer::looksAtImages(module);
  program->features = features.getFeatures().vec();
  for (const Feature &feature : program->features)
    program->featureNames.push_back(feature.text);
  program->featureCode = features.buildCode();
  program->kernels = std::move(price->kernels);

  SmallVector<Formula> checks;
  SmallVector<std::pair<Formula, double>> violations;
  for (Violation &violation : price->violations) {
    checks.push_back(violation.formula);
    violations.emplace_back(violation.formula, 1);
    program->texts.push_back(std::move(violation.text));
  }
  Formula numViolations = addUp(0, violations);
  const MemoryUseOf<Formula> &memory = price->memory;
  Formula used = addUp(0, {{memory.weightsBytes, 1},
                           {memory.kvCacheBytes, 1},
                           {memory.activationBytes, 1},
                           {memory.reservedBytes, 1}});
  const FormulaGraph &graph = features.getGraph();
  program->total =
      Code::build(graph, {price->executionTimeS, used, numViolations});
  SmallVector<Formula> outputs = {price->executionTimeS,  price->kernelTimeS,
                                  memory.weightsBytes,    memory.kvCacheBytes,
                                  memory.activationBytes, numViolations};
  program->sums = Code::build(graph, outputs);
  for (const LaunchTimeOf<Formula> &time : price->kernelTimes)
    outputs.append({time.starts, time.seconds});
  program->rows = Code::build(graph, outputs);
  program->checks = Code::build(graph, checks);
  program->assumptions = Code::build(graph, price->brokenAssumptions);
  return CostProgram(std::move(program));
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

/// Says why there is no price, and fails.
static LogicalResult reject(std::string *why, std::string text) {
  if (why)
    *why = std::move(text);
  return failure();
}

FailureOr<Features> CostProgram::getFeatures(const Workload &workload,
                                             std::string *why) const {
  std::string mistake = workload.findMistake(implementation->dataParallel);
  if (!mistake.empty())
    return reject(why, std::move(mistake));
  Batch batch = workload.getBatch(implementation->dataParallel);
  if (batch.images > 0 && !implementation->looksAtImages)
    return reject(why, "expected a vision tower, as the workload has images, "
                       "but got a model without one");
  Features features;
  for (const Feature &feature : implementation->features) {
    switch (feature.kind) {
    case FeatureKind::Sum:
      features.push_back(0);
      break;
    case FeatureKind::Max:
      features.push_back(-std::numeric_limits<double>::infinity());
      break;
    case FeatureKind::Decode:
      features.push_back(batch.decode);
      break;
    case FeatureKind::Images:
      features.push_back(batch.images);
      break;
    case FeatureKind::ImageRows:
      features.push_back(batch.imageRows);
      break;
    case FeatureKind::ImageColumns:
      features.push_back(batch.imageColumns);
      break;
    }
  }
  for (const FeatureCode &level : implementation->featureCode) {
    SmallVector<double> inputs(3), outputs(level.features.size());
    for (unsigned feature : level.inputs)
      inputs.push_back(features[feature]);
    for (const Batch::Group &group : batch.groups) {
      inputs[0] = group.newTokens;
      inputs[1] = group.totalTokens;
      inputs[2] = group.decode;
      runCode(level.code, inputs, outputs);
      for (auto [number, value] : llvm::zip_equal(level.features, outputs)) {
        double &feature = features[number];
        feature = implementation->features[number].kind == FeatureKind::Max
                      ? max(feature, value)
                      : feature + group.requests * value;
      }
    }
  }
  return features;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

SmallVector<bool>
CostProgram::checkAssumptions(ArrayRef<double> features) const {
  const Code &code = implementation->assumptions;
  SmallVector<double> isBroken(code.outputs.size());
  runCode(code, features, isBroken);
  return llvm::map_to_vector(isBroken, [](double value) { return value == 0; });
}

/// Whether a feature is what every batch has.
static bool isIn(double value, const FormulaRange &range) {
  return value >= range.least && value <= range.most;
}

FailureOr<Price> CostProgram::evaluate(ArrayRef<double> features,
                                       bool withKernels,
                                       std::string *why) const {
  const Implementation &program = *implementation;
  const Code &code = withKernels ? program.rows : program.sums;
  SmallVector<double> outputs(code.outputs.size());
  runCode(code, features, outputs);
  return finish(features, outputs, why);
}

size_t CostProgram::getNumOutputs(bool withKernels) const {
  return (withKernels ? implementation->rows : implementation->sums)
      .outputs.size();
}

FailureOr<Price> CostProgram::finish(ArrayRef<double> features,
                                     ArrayRef<double> outputs,
                                     std::string *why) const {
  const Implementation &program = *implementation;
  for (auto [value, feature] : llvm::zip_equal(features, program.features))
    if (!isIn(value, feature.range))
      return reject(why, "expected a batch whose '" + feature.text +
                             "' is from " +
                             describeNumber(feature.range.least) + " to " +
                             describeNumber(feature.range.most) + ", but got " +
                             describeNumber(value));
  Price price;
  price.executionTimeS = outputs[0];
  price.kernelTimeS = outputs[1];
  price.memory.weightsBytes = outputs[2];
  price.memory.kvCacheBytes = outputs[3];
  price.memory.activationBytes = outputs[4];
  price.memory.reservedBytes = program.reservedBytes;
  price.memory.deviceBytes = program.deviceBytes;
  price.memory.availableBytes = program.deviceBytes - outputs[2] - outputs[3] -
                                outputs[4] - program.reservedBytes;
  if (outputs[5] != 0) {
    if (!why)
      return failure();
    SmallVector<double> violations(program.texts.size());
    runCode(program.checks, features, violations);
    for (auto [violation, text] : llvm::zip_equal(violations, program.texts))
      if (violation != 0)
        return reject(why, text);
  }
  if (!std::isfinite(price.executionTimeS) ||
      !std::isfinite(price.memory.availableBytes))
    return reject(why, "expected a finite time and memory, but got " +
                           describeNumber(price.executionTimeS) + " s and " +
                           describeNumber(price.getUsedBytes()) + " bytes");
  for (size_t i = Implementation::numSums; i < outputs.size(); i += 2)
    price.kernels.push_back({outputs[i], outputs[i + 1]});
  return price;
}

std::pair<double, double>
CostProgram::evaluateTotal(ArrayRef<double> features) const {
  const Implementation &program = *implementation;
  double values[Implementation::numTotalOutputs];
  runCode(program.total, features, values);
  bool isValid =
      values[2] == 0 && std::isfinite(values[0]) && std::isfinite(values[1]);
  for (auto [value, feature] : llvm::zip_equal(features, program.features))
    isValid &= isIn(value, feature.range);
  if (isValid)
    return {values[0], values[1]};
  double none = std::numeric_limits<double>::quiet_NaN();
  return {none, none};
}

std::string CostProgram::describeSize() const {
  const Code &code = implementation->total;
  return std::to_string(code.instructions.size()) + " instructions with " +
         std::to_string(code.operands.size()) + " operands on " +
         std::to_string(code.numSlots) + " slots";
}

size_t CostProgram::evaluate(const FeatureTable &table,
                             MutableArrayRef<double> timeS,
                             MutableArrayRef<double> usedBytes) const {
  const Implementation &program = *implementation;
  SmallVector<const double *> inputs;
  std::vector<double> violations(table.size);
  SmallVector<double *> outputs = {timeS.data(), usedBytes.data(),
                                   violations.data()};
  for (const std::vector<double> &column : table.columns)
    inputs.push_back(column.data());
  runCode(program.total, inputs, table.size, outputs);
  for (auto [column, feature] :
       llvm::zip_equal(table.columns, program.features))
    for (size_t i = 0; i < table.size; ++i)
      violations[i] += isIn(column[i], feature.range) ? 0 : 1;
  size_t numRejected = 0;
  for (size_t i = 0; i < table.size; ++i) {
    // A number that is not finite makes the difference not a number.
    bool isValid = violations[i] == 0 && timeS[i] - timeS[i] == 0 &&
                   usedBytes[i] - usedBytes[i] == 0;
    double none = std::numeric_limits<double>::quiet_NaN();
    numRejected += !isValid;
    timeS[i] = isValid ? timeS[i] : none;
    usedBytes[i] = isValid ? usedBytes[i] : none;
  }
  return numRejected;
}
