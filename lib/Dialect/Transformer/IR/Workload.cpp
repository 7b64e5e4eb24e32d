//===- Workload.cpp - The requests of a step ------------------------------===//

#include "tensorcast/Dialect/Transformer/IR/Workload.h"

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Support/Numbers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tensorcast;

static constexpr int64_t maxTokens = transformer::WorkloadAttr::kMaxTokens;

int64_t RequestGroup::getRequests(int64_t dataParallel) const {
  return llvm::divideCeil(queries, dataParallel);
}

int64_t RequestGroup::getNewTokens(int64_t imageTokens) const {
  // In a decode step the cache holds all but the new tokens anyway.
  if (decode)
    return queryLength;
  int64_t length = queryLength + imageTokens;
  return length - static_cast<int64_t>(length * prefixCacheHitRate);
}

int64_t RequestGroup::getTotalTokens(int64_t imageTokens) const {
  return contextLength + queryLength + imageTokens;
}

bool Workload::isDecode() const {
  return llvm::all_of(groups,
                      [](const RequestGroup &group) { return group.decode; });
}

double Workload::countTokens() const {
  double tokens = 0;
  for (const RequestGroup &group : groups)
    tokens += static_cast<double>(group.queries) *
              static_cast<double>(group.queryLength +
                                  (group.decode ? 0 : images.tokens));
  return tokens;
}

int64_t Workload::getNumImages(int64_t dataParallel) const {
  int64_t numImages = 0;
  for (const RequestGroup &group : groups)
    if (!group.decode)
      numImages += group.getRequests(dataParallel) * images.count;
  return numImages;
}

Batch Workload::getBatch(int64_t dataParallel) const {
  Batch batch;
  for (const RequestGroup &group : groups) {
    batch.groups.push_back(
        {static_cast<double>(group.getRequests(dataParallel)),
         static_cast<double>(group.getNewTokens(images.tokens)),
         static_cast<double>(group.getTotalTokens(images.tokens)),
         group.decode});
  }
  batch.decode = isDecode();
  batch.images = static_cast<double>(getNumImages(dataParallel));
  batch.imageRows = static_cast<double>(images.rows);
  batch.imageColumns = static_cast<double>(images.columns);
  return batch;
}

std::string Workload::findMistake(int64_t dataParallel) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto check = [&](StringRef name, int64_t value, int64_t least) {
    if (value >= least && value <= maxTokens)
      return true;
    os << "expected '" << name << "' from " << least << " to " << maxTokens
       << ", but got " << value;
    return false;
  };
  int64_t left = maxTokens;
  for (const RequestGroup &group : groups) {
    if (!check("queries", group.queries, 1) ||
        !check("query_length", group.queryLength, 1) ||
        !check("context_length", group.contextLength, 0) ||
        !check("data_parallel", dataParallel, 1))
      return text;
    int64_t length = group.queryLength + images.tokens;
    if (group.queries > left / length) {
      os << "expected at most " << maxTokens
         << " new tokens in a step, but got " << group.queries
         << " requests of " << length;
      return text;
    }
    left -= group.queries * length;
    double rate = group.prefixCacheHitRate;
    if (!(rate >= 0 && rate < 1)) {
      os << "expected 'prefix_cache_hit_rate' from 0 to below 1, but got "
         << describeNumber(rate);
      return text;
    }
  }
  if (groups.empty())
    os << "expected requests, but got none";
  return text;
}

FailureOr<RequestGroup>
mlir::tensorcast::parseRequestGroup(StringRef text, std::string &mistake) {
  RequestGroup group;
  StringRef rest = text;
  group.decode = rest.consume_back(":decode");
  auto [lengths, rate] = rest.split('@');
  auto [counts, context] = lengths.split('+');
  auto [queries, length] = counts.split('x');
  bool isValid = !queries.getAsInteger(10, group.queries) &&
                 !length.getAsInteger(10, group.queryLength);
  if (lengths.contains('+'))
    isValid &= !context.getAsInteger(10, group.contextLength);
  if (rest.contains('@'))
    isValid &= !rate.getAsDouble(group.prefixCacheHitRate);
  if (isValid)
    return group;
  mistake = ("expected QUERIESxLENGTH[+CONTEXT][@RATE][:decode], such as "
             "64x1+4096:decode, but got '" +
             text + "'")
                .str();
  return failure();
}
