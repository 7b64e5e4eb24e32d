//===- Names.cpp - What searches call things ------------------------------===//

#include "tensorcast/Search/Serving.h"

using namespace mlir;
using namespace mlir::tensorcast::search;

StringRef tensorcast::search::stringify(Mode mode) {
  switch (mode) {
  case Mode::Aggregated:
    return "aggregated";
  case Mode::Disaggregated:
    return "disaggregated";
  case Mode::Ratio:
    return "ratio";
  }
  return "";
}

StringRef tensorcast::search::stringify(Phase phase) {
  switch (phase) {
  case Phase::Aggregated:
    return "aggregated";
  case Phase::Prefill:
    return "prefill";
  case Phase::Decode:
    return "decode";
  }
  return "";
}

StringRef tensorcast::search::stringify(Verdict verdict) {
  switch (verdict) {
  case Verdict::Accepted:
    return "accepted";
  case Verdict::Invalid:
    return "invalid";
  case Verdict::PrefillMemory:
    return "prefill memory";
  case Verdict::DecodeMemory:
    return "decode memory";
  case Verdict::PerTokenLimit:
    return "tpot limit";
  case Verdict::FirstTokenLimit:
    return "ttft limit";
  }
  return "";
}
