//===- SearchReader.cpp - Searches that were written before ---------------===//

#include "tensorcast/Search/Results.h"
#include "tensorcast/Support/JsonReader.h"
#include "tensorcast/Support/Wording.h"

#include <limits>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

static constexpr int64_t maxInteger = int64_t(1) << 53;
static constexpr int64_t maxShards = 1 << 20;
static constexpr double maxNumber = std::numeric_limits<double>::max();

namespace {
/// Reads the parts of a search; every mistake is reported with the pointer of
/// the value.
class SearchReader {
public:
  SearchReader(const Json &json, StringRef source, Location loc)
      : json(json), source(source), loc(loc) {}

  FailureOr<SearchResult> read() {
    JsonReader reader(json, source, loc);
    SearchResult result;
    std::string schema = reader.string("schema");
    if (failed(reader.finish()))
      return failure();
    if (schema != "tensorcast-search-1")
      return reader.emitError("schema")
             << "expected 'tensorcast-search-1', as throughput-optimizer "
                "writes it, but got "
             << quoteText(schema);
    result.interrupted = reader.boolean("interrupted");
    if (const Json *shard = reader.optionalObject("shard"))
      readShard(*shard, result.shard);
    const Json *request = reader.optionalObject("request");
    if (!request)
      return reader.emitError("request") << "expected an object";
    readRequest(*request, result.request);
    result.writtenRequest = *request;
    if (failed(reader.finish()) || hasError)
      return failure();
    forEach(reader, "plans", [&](const Json &value, const std::string &at) {
      result.outcomes.push_back(readOutcome(value, at, result.request));
    });
    forEach(reader, "no_plans", [&](const Json &value, const std::string &at) {
      JsonReader plan(value, source, loc, at);
      RejectedPlan rejected{plan.string("plan"), plan.string("why")};
      finish(plan);
      result.rejectedPlans.push_back(std::move(rejected));
    });
    if (hasError)
      return failure();
    return result;
  }

private:
  void finish(JsonReader &reader) { hasError |= failed(reader.finish()); }

  void forEach(JsonReader &reader, StringRef key,
               function_ref<void(const Json &, const std::string &)> handle) {
    const Json *array = reader.find(key);
    if (!array || !array->is_array()) {
      reader.emitError(key) << "expected an array";
      hasError = true;
      return;
    }
    for (size_t i = 0; i < array->size() && !hasError; ++i)
      handle((*array)[i], reader.pointerTo(key) + "/" + std::to_string(i));
  }

  /// The value of an enumeration by its name.
  template <typename T>
  T readName(JsonReader &reader, StringRef key, ArrayRef<T> values) {
    std::string text = reader.string(key);
    SmallVector<StringRef> names;
    for (T value : values) {
      if (stringify(value) == text)
        return value;
      names.push_back(stringify(value));
    }
    reader.emitError(key) << unknownName(key, text, names);
    reader.fail();
    return values.front();
  }

  void readShard(const Json &value, Shard &shard) {
    JsonReader reader(value, source, loc, "/shard");
    int64_t count = reader.integer("count", 1, maxShards);
    shard.count = static_cast<size_t>(count);
    shard.index = static_cast<size_t>(
                      reader.integer("index", 1, std::max<int64_t>(count, 1))) -
                  1;
    finish(reader);
  }

  void readRequest(const Json &value, SearchRequest &request) {
    JsonReader reader(value, source, loc, "/request");
    request.model = reader.string("model");
    request.mode = readName<Mode>(
        reader, "mode", {Mode::Aggregated, Mode::Disaggregated, Mode::Ratio});
    request.reference = reader.string("reference");
    request.rules = Rules::get(request.reference);
    request.numDevices = reader.integer("num_devices", 1, maxInteger);
    request.prefillDevices =
        reader.integer("prefill_devices_per_instance", 1, maxInteger);
    request.decodeDevices =
        reader.integer("decode_devices_per_instance", 1, maxInteger);
    request.lengthsText = reader.string("lengths");
    request.prefixCacheHitRate = reader.number("prefix_cache_hit_rate", 0, 1);
    request.firstTokenLimitMs =
        reader.optionalNumber("ttft_limit_ms", 0, maxNumber);
    request.perTokenLimitMs =
        reader.optionalNumber("tpot_limit_ms", 0, maxNumber);
    request.wholeFront = reader.boolean("whole_front");
    forEach(reader, "devices", [&](const Json &device, const std::string &at) {
      if (device.is_string()) {
        request.devices.push_back(device.get<std::string>());
        return;
      }
      emitError(loc) << source << ": " << at << ": expected a string, but got "
                     << describeJson(device);
      hasError = true;
    });
    forEach(reader, "device_facts",
            [&](const Json &value, const std::string &at) {
              request.deviceFacts.push_back(readFacts(value, at));
            });
    forEach(reader, "variants", [&](const Json &item, const std::string &at) {
      JsonReader variant(item, source, loc, at);
      request.variants.emplace_back().label = variant.string("label");
      finish(variant);
    });
    finish(reader);
  }

  DeviceFacts readFacts(const Json &value, const std::string &at) {
    JsonReader reader(value, source, loc, at);
    DeviceFacts facts;
    facts.cubeOpsPerS = reader.number("cube_ops_per_second", 0, maxNumber);
    facts.vectorOpsPerS = reader.number("vector_ops_per_second", 0, maxNumber);
    facts.memoryBytesPerS =
        reader.number("memory_bytes_per_second", 0, maxNumber);
    facts.memoryBytes = reader.number("memory_bytes", 0, maxNumber);
    forEach(reader, "levels", [&](const Json &item, const std::string &where) {
      JsonReader level(item, source, loc, where);
      facts.groups.push_back(level.integer("size", 1, maxInteger));
      facts.linkBytesPerS.push_back(
          level.number("bytes_per_second", 0, maxNumber));
      finish(level);
    });
    finish(reader);
    return facts;
  }

  MemoryUse readMemory(const Json &value, const std::string &at) {
    JsonReader reader(value, source, loc, at);
    MemoryUse memory;
    memory.deviceBytes = reader.number("device_bytes", 0, maxNumber);
    memory.weightsBytes = reader.number("weights_bytes", 0, maxNumber);
    memory.kvCacheBytes = reader.number("kv_cache_bytes", 0, maxNumber);
    memory.activationBytes = reader.number("activation_bytes", 0, maxNumber);
    memory.reservedBytes = reader.number("reserved_bytes", 0, maxNumber);
    memory.availableBytes =
        reader.number("available_bytes", -maxNumber, maxNumber);
    finish(reader);
    return memory;
  }

  Point readPoint(const Json &value, const std::string &at) {
    JsonReader reader(value, source, loc, at);
    Point point;
    point.batch = reader.integer("batch", 1, maxInteger);
    point.concurrency = reader.integer("concurrency", 1, maxInteger);
    point.verdict =
        readName<Verdict>(reader, "verdict",
                          {Verdict::Accepted, Verdict::Invalid,
                           Verdict::PrefillMemory, Verdict::DecodeMemory,
                           Verdict::PerTokenLimit, Verdict::FirstTokenLimit});
    point.tokensPerS = reader.number("tokens_per_second", 0, maxNumber);
    point.requestsPerS = reader.number("requests_per_second", 0, maxNumber);
    point.firstTokenMs = reader.number("ttft_ms", 0, maxNumber);
    point.perTokenMs = reader.number("tpot_ms", 0, maxNumber);
    point.prefillStepMs = reader.number("prefill_step_ms", 0, maxNumber);
    point.decodeStepMs = reader.number("decode_step_ms", 0, maxNumber);
    point.budget = reader.integer("budget", 0, maxInteger);
    point.why = reader.string("why", "");
    if (const Json *memory = reader.optionalObject("memory"))
      point.memory = readMemory(*memory, at + "/memory");
    finish(reader);
    return point;
  }

  Plan readPlan(const Json &value, const std::string &at) {
    JsonReader reader(value, source, loc, at);
    auto size = [&](StringRef key, std::optional<int64_t> fallback = {}) {
      return reader.integer(key, 1, maxInteger, fallback);
    };
    Plan plan;
    plan.tensor = size("tp");
    plan.data = size("dp");
    plan.hasExperts = reader.has("ep");
    plan.expert = size("ep", 1);
    plan.expertTensor = size("moe_tp", 1);
    plan.expertData = size("moe_dp", 1);
    plan.context = size("dcp");
    plan.draftTokens = reader.integer("mtp", 0, maxDraftTokens);
    finish(reader);
    return plan;
  }

  Outcome readOutcome(const Json &value, const std::string &at,
                      const SearchRequest &request) {
    JsonReader reader(value, source, loc, at);
    Outcome outcome;
    Candidate &candidate = outcome.candidate;
    candidate.phase = readName<Phase>(
        reader, "phase", {Phase::Aggregated, Phase::Prefill, Phase::Decode});
    auto index = [&](StringRef key, size_t size) {
      return static_cast<size_t>(
          reader.integer(key, 0, static_cast<int64_t>(size) - 1));
    };
    candidate.device = index("device", request.devices.size());
    candidate.variant = index("variant", request.variants.size());
    outcome.invalid = reader.string("invalid", "");
    outcome.skipped = reader.boolean("skipped");
    if (reader.has("warnings"))
      forEach(reader, "warnings", [&](const Json &text, const std::string &at) {
        if (text.is_string())
          outcome.warnings.push_back(text.get<std::string>());
      });
    if (const Json *sizes = reader.optionalObject("sizes"))
      candidate.plan = readPlan(*sizes, at + "/sizes");
    if (const Json *rejected = reader.optionalObject("rejected"))
      outcome.rejected = readPoint(*rejected, at + "/rejected");
    forEach(reader, "points", [&](const Json &point, const std::string &where) {
      outcome.points.push_back(readPoint(point, where));
    });
    finish(reader);
    return outcome;
  }

  const Json &json;
  StringRef source;
  Location loc;
  bool hasError = false;
};
} // namespace

FailureOr<SearchResult> tensorcast::search::readSearch(const Json &json,
                                                       StringRef source,
                                                       Location loc) {
  return SearchReader(json, source, loc).read();
}

//===----------------------------------------------------------------------===//
// Shards
//===----------------------------------------------------------------------===//

/// `2/4`.
static std::string describe(const Shard &shard) {
  return std::to_string(shard.index + 1) + "/" + std::to_string(shard.count);
}

FailureOr<SearchResult>
tensorcast::search::mergeShards(ArrayRef<std::pair<std::string, Json>> shards,
                                Location loc) {
  std::vector<SearchResult> parts;
  for (const auto &[name, json] : shards) {
    FailureOr<SearchResult> part = readSearch(json, name, loc);
    if (failed(part))
      return failure();
    if (part->interrupted)
      return emitError(loc) << name << ": expected a whole shard, but shard "
                            << describe(part->shard) << " was interrupted";
    parts.push_back(std::move(*part));
  }
  size_t count = parts.front().shard.count;
  SmallVector<const SearchResult *> byIndex(count);
  for (auto [number, part] : llvm::enumerate(parts)) {
    const auto &[name, json] = shards[number];
    if (json["request"] != shards.front().second["request"] ||
        part.shard.count != count)
      return emitError(loc)
             << "expected shards of one search, but " << name << " and "
             << shards.front().first << " are of different ones";
    const SearchResult *&place = byIndex[part.shard.index];
    if (place)
      return emitError(loc) << "expected each shard once, but " << name
                            << " and " << shards[place - parts.data()].first
                            << " both are shard " << describe(part.shard);
    place = &part;
  }
  SmallVector<std::string> missing;
  for (size_t i = 0; i < count; ++i)
    if (!byIndex[i] && missing.size() < 10)
      missing.push_back(describe({i, count}));
  if (!missing.empty()) {
    SmallVector<StringRef> names(missing.begin(), missing.end());
    bool isAll = names.size() == count - parts.size();
    return emitError(loc) << "expected all " << count
                          << " shards, but got none for "
                          << joinNames(names, ", ")
                          << (isAll ? "" : " and others");
  }

  SearchResult merged = *byIndex.front();
  merged.shard = {};
  merged.outcomes.clear();
  for (size_t i = 0, left = 1; left > 0; ++i) {
    left = 0;
    // The candidates were dealt out one after the other.
    for (const SearchResult *part : byIndex)
      if (i < part->outcomes.size()) {
        merged.outcomes.push_back(part->outcomes[i]);
        ++left;
      }
  }
  return merged;
}
