//===- Chunks.cpp - Prompts in parts --------------------------------------===//

#include "Chunks.h"

#include <deque>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

//===----------------------------------------------------------------------===//
// Chunks beside decode
//===----------------------------------------------------------------------===//

namespace {
/// Requests that wait for the same chunk.
struct Waiting {
  int64_t chunk, count;
};

/// Requests that had their first tokens together.
struct Decoding {
  int64_t count;
  double firstTokenMs;
  int64_t tokensLeft;
};
} // namespace

int64_t ChunkedService::getChunks(int64_t chunkTokens, int64_t decodes) const {
  // In whole numbers: 1.15 is none in binary.
  int64_t room = (budget * 115 - decodes * 100) / 100;
  return std::max<int64_t>(room, 0) / chunkTokens;
}

std::optional<ChunkedTimes> ChunkedService::run() const {
  int64_t numChunks = (newTokens + chunk - 1) / chunk;
  auto getTokens = [&](int64_t index) {
    return std::min(chunk, newTokens - index * chunk);
  };
  std::deque<Waiting> waiting = {{0, requests}};
  std::deque<Decoding> decoding;
  int64_t numReady = 0;
  double nowMs = 0, sumFirstMs = 0, sumPerTokenMs = 0;
  ChunkedTimes times;
  while (!waiting.empty() || numReady > 0) {
    // Decode comes first, and takes its part of the budget.
    int64_t decodes = std::min(numReady, budget);
    int64_t prefills = 0;
    double latencyMs = 0;
    if (!waiting.empty()) {
      int64_t room = getChunks(getTokens(waiting.front().chunk), decodes);
      // Something has to go on.
      if (decodes == 0)
        room = std::max<int64_t>(room, 1);
      prefills = std::min(waiting.front().count, room);
    }
    if (prefills > 0) {
      int64_t index = waiting.front().chunk;
      std::optional<double> chunkMs =
          priceChunk(prefills, getTokens(index), cachedTokens + index * chunk);
      if (!chunkMs)
        return std::nullopt;
      latencyMs = *chunkMs;
    }
    if (decodes > 0) {
      std::optional<double> tokenMs = priceDecode(decodes);
      if (!tokenMs)
        return std::nullopt;
      latencyMs = std::max(latencyMs, *tokenMs);
    }
    nowMs += latencyMs;

    // Those that had a token go to the end, so that all have their turn.
    for (int64_t left = decodes; left > 0;) {
      Decoding group = decoding.front();
      decoding.pop_front();
      int64_t served = std::min(group.count, left);
      if (served < group.count)
        decoding.push_front(
            {group.count - served, group.firstTokenMs, group.tokensLeft});
      left -= served;
      if (group.tokensLeft > 1) {
        decoding.push_back({served, group.firstTokenMs, group.tokensLeft - 1});
        continue;
      }
      numReady -= served;
      sumPerTokenMs += static_cast<double>(served) *
                       (nowMs - group.firstTokenMs) /
                       static_cast<double>(outputTokens - 1);
    }
    if (prefills == 0)
      continue;
    int64_t next = waiting.front().chunk + 1;
    waiting.front().count -= prefills;
    if (waiting.front().count == 0)
      waiting.pop_front();
    if (next < numChunks) {
      if (!waiting.empty() && waiting.back().chunk == next)
        waiting.back().count += prefills;
      else
        waiting.push_back({next, prefills});
      continue;
    }
    sumFirstMs += static_cast<double>(prefills) * nowMs;
    times.lastFirstTokenMs = nowMs;
    if (outputTokens > 1) {
      decoding.push_back({prefills, nowMs, outputTokens - 1});
      numReady += prefills;
    }
  }
  auto count = static_cast<double>(requests);
  times.meanFirstTokenMs = sumFirstMs / count;
  times.meanPerTokenMs = sumPerTokenMs / count;
  times.endMs = nowMs;
  return times;
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Adds requests to a step, to a group of equal ones if it has one.
static void addRequests(PackedStep &step, int64_t count, int64_t query,
                        int64_t context) {
  for (RequestGroup &group : step.groups)
    if (group.queryLength == query && group.contextLength == context) {
      group.queries += count;
      return;
    }
  RequestGroup &group = step.groups.emplace_back();
  group.queries = count;
  group.queryLength = query;
  group.contextLength = context;
}

SmallVector<PackedStep> tensorcast::search::packPrompts(
    ArrayRef<RequestCount> requests, int64_t budget,
    llvm::function_ref<PromptLength(int64_t input)> getLength) {
  SmallVector<PackedStep> steps;
  int64_t room = 0;
  auto makeRoom = [&] {
    if (room > 0)
      return;
    steps.emplace_back();
    room = budget;
  };
  for (const RequestCount &entry : requests) {
    PromptLength length = getLength(entry.input);
    for (int64_t left = entry.count; left > 0;) {
      makeRoom();
      // As many as fit as a whole, at once.
      if (int64_t whole = std::min(left, room / length.newTokens)) {
        addRequests(steps.back(), whole, length.newTokens,
                    length.tokens - length.newTokens);
        steps.back().numFinished += whole;
        room -= whole * length.newTokens;
        left -= whole;
        continue;
      }
      int64_t done = 0;
      while (done < length.newTokens) {
        makeRoom();
        int64_t part = std::min(room, length.newTokens - done);
        addRequests(steps.back(), 1, part,
                    length.tokens - length.newTokens + done);
        done += part;
        room -= part;
      }
      ++steps.back().numFinished;
      --left;
    }
  }
  return steps;
}
