//===- Plan.cpp - How devices may share a model ---------------------------===//

#include "tensorcast/Search/Plan.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace mlir::tensorcast::search;

/// `TP=8` and what else is chosen freely, for plans that are none.
static void appendSize(std::string &text, llvm::StringRef name, int64_t size) {
  text += (text.empty() ? "" : " | ") + name.str() + "=" + std::to_string(size);
}

std::string Plan::getLabel() const {
  std::string text;
  appendSize(text, "TP", tensor);
  appendSize(text, "PP", 1);
  appendSize(text, "DP", data);
  if (hasExperts) {
    appendSize(text, "EP", expert);
    appendSize(text, "MOE-TP", expertTensor);
    appendSize(text, "MOE-DP", expertData);
  }
  if (draftTokens > 0)
    appendSize(text, "MTP", draftTokens);
  if (context > 1)
    appendSize(text, "DCP", context);
  return text;
}

/// The sizes of a list: `fallback` if there is none, all powers of two up to
/// the devices if it is empty, each size once.
static SmallVector<int64_t> getSizes(const PlanSizes::List &list,
                                     int64_t fallback, int64_t devices) {
  llvm::SetVector<int64_t> sizes;
  if (!list)
    sizes.insert(fallback);
  else
    sizes.insert(list->begin(), list->end());
  if (list && list->empty())
    for (int64_t size = 1; size <= devices; size *= 2)
      sizes.insert(size);
  return sizes.takeVector();
}

/// Why a combination of sizes is no plan; empty if it is one.
static std::string findMistake(const Plan &plan, int64_t devices) {
  auto divides = [&](const char *what, int64_t size) {
    return "expected " + std::string(what) + " to divide " +
           std::to_string(devices) + " devices, but got " +
           std::to_string(size);
  };
  if (devices % plan.tensor != 0)
    return divides("TP", plan.tensor);
  if (plan.hasExperts && devices % plan.expert != 0)
    return divides("EP", plan.expert);
  if (plan.hasExperts && devices % (plan.expert * plan.expertData) != 0)
    return divides("EP * MOE-DP", plan.expert * plan.expertData);
  if (plan.tensor % plan.context != 0)
    return "expected DCP to divide TP " + std::to_string(plan.tensor) +
           ", but got " + std::to_string(plan.context);
  return "";
}

PlanList tensorcast::search::listPlans(const PlanSizes &sizes, int64_t devices,
                                       bool hasExperts) {
  PlanSizes::List tensor = sizes.tensor;
  if (!tensor && !sizes.expert && !sizes.expertData)
    tensor.emplace();
  SmallVector<int64_t> one = {1};
  SmallVector<int64_t> experts = getSizes(sizes.expert, devices, devices);
  SmallVector<int64_t> replicas = getSizes(sizes.expertData, 1, devices);
  llvm::SetVector<int64_t> drafts(sizes.draftTokens.begin(),
                                  sizes.draftTokens.end());
  PlanList list;
  for (int64_t tp : getSizes(tensor, devices, devices))
    for (int64_t ep : hasExperts ? experts : one)
      for (int64_t moeDp : hasExperts ? replicas : one)
        for (int64_t context : getSizes(sizes.context, 1, devices))
          for (int64_t draftTokens : drafts) {
            Plan plan;
            plan.tensor = tp;
            plan.expert = ep;
            plan.expertData = moeDp;
            plan.context = context;
            plan.draftTokens = draftTokens;
            plan.hasExperts = hasExperts;
            std::string why = findMistake(plan, devices);
            if (why.empty()) {
              plan.data = devices / tp;
              plan.expertTensor = hasExperts ? devices / (ep * moeDp) : 1;
              list.plans.push_back(plan);
              continue;
            }
            std::string label;
            appendSize(label, "TP", tp);
            if (hasExperts) {
              appendSize(label, "EP", ep);
              appendSize(label, "MOE-DP", moeDp);
            }
            if (context > 1)
              appendSize(label, "DCP", context);
            list.rejected.push_back({label, why});
          }
  return list;
}
