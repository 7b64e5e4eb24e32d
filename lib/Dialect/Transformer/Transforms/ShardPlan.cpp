//===- ShardPlan.cpp - Sizes of the groups of devices ---------------------===//

#include "ShardPlan.h"

#include "tensorcast/Support/Wording.h"

using namespace mlir;
using namespace mlir::transformer;

int64_t ShardPlan::getSize(ShardGroup group) const {
  switch (group) {
  case ShardGroup::Tensor:
    return heads;
  case ShardGroup::Output:
    return output;
  case ShardGroup::MLP:
    return mlp;
  case ShardGroup::Head:
    return head;
  case ShardGroup::Expert:
    return expertTensor;
  case ShardGroup::SharedExpert:
    return sharedExpert;
  case ShardGroup::Vision:
    return vision;
  case ShardGroup::Embedding:
    break;
  }
  return 1;
}

PlanAttr ShardPlan::toAttr(MLIRContext *context, bool hasExperts) const {
  auto other = [&](int64_t size) { return size == tensor ? 0 : size; };
  return PlanAttr::get(context, devices * pipeline, data, other(output),
                       other(mlp), other(head), hasExperts ? expert : 1,
                       hasExperts ? expertTensor : 1,
                       hasExperts ? sharedExpert : 1, pipeline, vision);
}

std::string ShardPlan::describeDevices() const {
  return std::to_string(devices) +
         (pipeline > 1 ? " devices of a stage" : " devices");
}

LogicalResult ShardPlan::setExperts(const ShardOptions &options, Location loc) {
  auto atLeastOne = [](int64_t size) { return std::max<int64_t>(size, 1); };
  expert = atLeastOne(options.expert);
  int64_t expertData = atLeastOne(options.expertData);
  if (devices % expert != 0)
    return emitError(loc) << "expected 'ep' to divide " << describeDevices()
                          << ", but got " << expert;
  if (devices / expert % expertData != 0)
    return emitError(loc) << "expected 'ep' * 'moe-dp' to divide "
                          << describeDevices() << ", but got " << expert
                          << " * " << expertData;
  int64_t rest = devices / expert / expertData;
  expertTensor = options.expertTensor ? options.expertTensor : rest;
  if (expertTensor != rest)
    return emitError(loc) << "expected 'ep' * 'moe-tp' * 'moe-dp' to be "
                          << describeDevices() << ", but got " << expert
                          << " * " << expertTensor << " * " << expertData;
  redundantExperts = options.redundantExperts;
  externalSharedExperts = options.externalSharedExperts;
  hostSharedExperts = options.hostSharedExperts;
  wideSharedChoice = options.wideSharedChoice;
  std::pair<StringRef, bool> spread[] = {
      {"redundant-experts", redundantExperts},
      {"external-shared-experts", externalSharedExperts},
      {"shared-expert-tp", options.sharedExpertTensor}};
  for (auto [name, isOn] : spread)
    if (isOn && expert < 2)
      return emitError(loc) << "expected 'ep' of at least 2 with '" << name
                            << "', but got " << expert;
  if (hostSharedExperts && !externalSharedExperts)
    return emitError(loc) << "expected 'external-shared-experts' with "
                             "'host-external-shared-experts', but it is off";
  if (options.sharedExpertTensor && externalSharedExperts)
    return emitError(loc) << "expected 'shared-expert-tp' or "
                             "'external-shared-experts', but got both";
  if (options.sharedExpertTensor)
    sharedExpert = mlp;
  return success();
}

FailureOr<ShardPlan> ShardPlan::get(const ShardOptions &options, Location loc) {
  ShardPlan plan;
  std::pair<StringRef, int64_t> sizes[] = {{"devices", options.devices},
                                           {"tp", options.tensor},
                                           {"dp", options.data},
                                           {"pp", options.pipeline},
                                           {"o-proj-tp", options.output},
                                           {"mlp-tp", options.mlp},
                                           {"lmhead-tp", options.head},
                                           {"ep", options.expert},
                                           {"moe-tp", options.expertTensor},
                                           {"moe-dp", options.expertData},
                                           {"dcp", options.context},
                                           {"vision-tp", options.vision}};
  // Beyond this, products of sizes could overflow.
  constexpr int64_t most = 1 << 20;
  for (auto [name, size] : sizes)
    if (size < 0 || size > most)
      return emitError(loc) << "expected '" << name << "' from 1 to " << most
                            << ", but got " << size;
  plan.tensor = std::max<int64_t>(options.tensor, 1);
  plan.pipeline = std::max<int64_t>(options.pipeline, 1);
  plan.devices = plan.tensor * std::max<int64_t>(options.data, 1);
  if (options.devices) {
    if (options.devices % plan.pipeline != 0)
      return emitError(loc) << "expected 'pp' to divide " << options.devices
                            << " devices, but got " << plan.pipeline;
    plan.devices = options.devices / plan.pipeline;
  }
  if (plan.devices * plan.pipeline > WorkloadAttr::kMaxTokens)
    return emitError(loc) << "expected at most " << WorkloadAttr::kMaxTokens
                          << " devices, but got "
                          << plan.devices * plan.pipeline;
  if (plan.devices % plan.tensor != 0)
    return emitError(loc) << "expected 'tp' to divide "
                          << plan.describeDevices() << ", but got "
                          << plan.tensor;
  plan.data = options.data ? options.data : plan.devices / plan.tensor;
  if (plan.tensor * plan.data != plan.devices)
    return emitError(loc) << "expected 'tp' * 'dp' to be "
                          << plan.describeDevices() << ", but got "
                          << plan.tensor << " * " << plan.data;
  std::tuple<StringRef, int64_t, int64_t *> groups[] = {
      {"o-proj-tp", options.output, &plan.output},
      {"mlp-tp", options.mlp, &plan.mlp},
      {"lmhead-tp", options.head, &plan.head}};
  for (auto [name, size, group] : groups) {
    *group = size ? size : plan.tensor;
    if (plan.devices % *group != 0)
      return emitError(loc) << "expected '" << name << "' to divide "
                            << plan.describeDevices() << ", but got " << *group;
    // Members of a group that is neither part of a tensor-parallel one nor made
    // of such would hold different tokens for different layers.
    if (*group % plan.tensor != 0 && plan.tensor % *group != 0)
      return emitError(loc)
             << "expected groups that nest: '" << name
             << "' to divide 'tp' or to be a multiple of it, but got " << *group
             << " and " << plan.tensor;
  }
  plan.heads = plan.tensor;
  plan.wholeSparseAttention = options.wholeSparseAttention;
  plan.context = std::max<int64_t>(options.context, 1);
  if (plan.tensor % plan.context != 0)
    return emitError(loc) << "expected 'dcp' to divide 'tp' " << plan.tensor
                          << ", whose devices share the cached tokens, but got "
                          << plan.context;
  if (failed(plan.setExperts(options, loc)))
    return failure();
  // Others have other requests, and with them other images.
  plan.vision = std::max<int64_t>(options.vision, 1);
  if (plan.tensor % plan.vision != 0)
    return emitError(loc) << "expected 'vision-tp' to divide 'tp' of "
                          << plan.tensor << ", but got " << plan.vision;
  if (options.wordEmbedding == "col")
    plan.embedding = EmbeddingSplit::Column;
  else if (options.wordEmbedding == "row")
    plan.embedding = EmbeddingSplit::Row;
  else if (options.wordEmbedding != "none")
    return emitError(loc) << tensorcast::unknownName("word-embedding-tp",
                                                     options.wordEmbedding,
                                                     {"col", "none", "row"});
  return plan;
}
