//===- Print.cpp - Tables of chains that could be fused -------------------===//

#include "tensorcast/Opportunities/Opportunities.h"
#include "tensorcast/Report/ReportJson.h"
#include "tensorcast/Report/TextTable.h"
#include "tensorcast/Support/Numbers.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// `model.layers.*.mlp and 2 more`.
static std::string describePlaces(ArrayRef<std::string> names) {
  if (names.empty())
    return "";
  std::string text = names.front();
  if (names.size() > 1)
    text += " and " + std::to_string(names.size() - 1) + " more";
  return text;
}

void mlir::tensorcast::printOpportunities(raw_ostream &os,
                                          const OpportunityList &list,
                                          unsigned limit) {
  os << "kernel time " << formatTime(list.totalS)
     << "; one kernel for a chain of ops would save at most:\n\n";
  TextTable table(
      {"chain", "saving", "share", "runs", "launches", "bytes", "in"},
      /*numLeft=*/1);
  for (const Opportunity &chain : ArrayRef(list.chains).take_front(limit))
    table.addRow({chain.name, formatColumn(chain.savingS),
                  formatShare(chain.savingS, list.totalS),
                  formatCount(chain.runs), formatCount(chain.launches),
                  formatGigabytes(chain.bytes),
                  describePlaces(chain.provenance)});
  table.print(os);
  if (list.chains.size() > limit)
    os << list.chains.size() - limit << " more with --top\n";
  if (list.numTooLarge > 0)
    os << list.numTooLarge << " left out: a row of what their ops hand on has "
       << "more than the " << *list.bufferBytes << " bytes on the chip\n";
  os << "Chains share ops, so that savings do not add up.\n";
}

void mlir::tensorcast::printOpportunitiesJson(raw_ostream &os,
                                              const OpportunityList &list,
                                              unsigned limit) {
  Json json;
  json["schema"] = "tensorcast-opportunities-1";
  json["kernel_time_s"] = list.totalS;
  json["too_large"] = list.numTooLarge;
  json["buffer_bytes"] = list.bufferBytes ? Json(*list.bufferBytes) : Json();
  json["opportunities"] = Json::array();
  for (const Opportunity &chain : ArrayRef(list.chains).take_front(limit)) {
    Json places = Json::array();
    for (const std::string &name : chain.provenance)
      places.push_back(name);
    json["opportunities"].push_back(
        {{"chain", chain.name},
         {"saving_s", chain.savingS},
         {"runs", toIntegerJson(chain.runs)},
         {"launches", toIntegerJson(chain.launches)},
         {"bytes", toIntegerJson(chain.bytes)},
         {"provenance", places}});
  }
  writeJson(os, json);
}
