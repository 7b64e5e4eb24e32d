//===- RankingTest.cpp - Which plans are best, and why others are not -----===//

#include "tensorcast/Search/Front.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

namespace {
/// A search whose outcomes a test makes up.
class RankingTest : public ::testing::Test {
protected:
  RankingTest() {
    result.request.devices = {"here"};
    result.request.variants.emplace_back();
  }

  Outcome &addOutcome(Phase phase, int64_t tensor) {
    Outcome &outcome = result.outcomes.emplace_back();
    outcome.candidate.phase = phase;
    outcome.candidate.plan.tensor = tensor;
    return outcome;
  }

  static Point point(int64_t batch, double tokensPerS, double requestsPerS,
                     double firstTokenMs = 1, double perTokenMs = 1) {
    Point point;
    point.batch = point.concurrency = batch;
    point.tokensPerS = tokensPerS;
    point.requestsPerS = requestsPerS;
    point.firstTokenMs = firstTokenMs;
    point.perTokenMs = perTokenMs;
    return point;
  }

  static Point rejected(Verdict verdict, double availableBytes,
                        double perTokenMs = 0) {
    Point point;
    point.batch = 1;
    point.verdict = verdict;
    point.memory.availableBytes = availableBytes;
    point.perTokenMs = perTokenMs;
    return point;
  }

  std::vector<int64_t> rank(Phase phase) {
    std::vector<int64_t> tensors;
    for (const ResultRow &row : rankPlans(result, phase))
      tensors.push_back(row.outcome->candidate.plan.tensor);
    return tensors;
  }

  SearchResult result;
};
} // namespace

TEST_F(RankingTest, OfEqualBatchesTheFirstIsTheBest) {
  Outcome &outcome = addOutcome(Phase::Prefill, 1);
  // The last differs by rounding alone.
  outcome.points = {point(1, 10, 1), point(16, 30, 2), point(20, 30, 3),
                    point(24, 30 * (1 + 1e-15), 4)};
  EXPECT_EQ(outcome.getBest()->batch, 16);
  EXPECT_EQ(outcome.getBest(/*byRequests=*/true)->batch, 24);
}

TEST_F(RankingTest, PlansAreRankedByThroughputThenByTimeThenInOrder) {
  addOutcome(Phase::Aggregated, 1).points = {point(1, 10, 1)};
  addOutcome(Phase::Aggregated, 2).points = {point(1, 20, 1, 5)};
  addOutcome(Phase::Aggregated, 4).points = {point(1, 20, 1, 3)};
  addOutcome(Phase::Aggregated, 8);
  addOutcome(Phase::Decode, 16).points = {point(1, 99, 1)};
  addOutcome(Phase::Aggregated, 32).points = {point(1, 20, 1, 3)};
  EXPECT_EQ(rank(Phase::Aggregated), std::vector<int64_t>({4, 32, 2, 1}));
}

TEST_F(RankingTest, DecodePlansGetTheFastestPrefillPlan) {
  result.request.mode = Mode::Ratio;
  result.request.numDevices = 1;
  addOutcome(Phase::Prefill, 1).points = {point(1, 100, 8), point(2, 50, 9)};
  addOutcome(Phase::Prefill, 2).points = {point(1, 200, 8.5)};
  addOutcome(Phase::Decode, 4).points = {point(1, 10, 3)};
  addOutcome(Phase::Decode, 8).points = {point(1, 10, 12)};
  SmallVector<RatioRow> rows = rankRatios(result);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].decode.outcome->candidate.plan.tensor, 8);
  EXPECT_EQ(rows[0].prefill.point->batch, 2);
  EXPECT_EQ(rows[0].balancedPerS, 9);
  EXPECT_EQ(rows[0].ratio, 12.0 / 9);
  EXPECT_EQ(rows[1].balancedPerS, 3);
  EXPECT_EQ(rows[1].decodeInstances, 0);
}

TEST_F(RankingTest, InstancesComeNearestToTheRatio) {
  result.request.mode = Mode::Ratio;
  result.request.prefillDevices = 2;
  result.request.decodeDevices = 4;
  addOutcome(Phase::Prefill, 1).points = {point(1, 1, 10)};
  addOutcome(Phase::Decode, 4).points = {point(1, 1, 15)};
  auto instances = [&](int64_t devices) {
    result.request.numDevices = devices;
    RatioRow row = rankRatios(result).front();
    return std::make_pair(row.prefillInstances, row.decodeInstances);
  };
  // 3 of prefill for 2 of decode, if there are devices for it.
  EXPECT_EQ(instances(64), std::make_pair(int64_t(12), int64_t(8)));
  EXPECT_EQ(instances(14), std::make_pair(int64_t(3), int64_t(2)));
  EXPECT_EQ(instances(8), std::make_pair(int64_t(2), int64_t(1)));
  EXPECT_EQ(instances(5), std::make_pair(int64_t(0), int64_t(0)));
}

TEST_F(RankingTest, WhatIsTooSlowIsNearerThanWhatDoesNotFit) {
  result.request.perTokenLimitMs = 10;
  addOutcome(Phase::Aggregated, 1).rejected =
      rejected(Verdict::DecodeMemory, -1);
  addOutcome(Phase::Aggregated, 2).rejected =
      rejected(Verdict::PerTokenLimit, 5, 30);
  addOutcome(Phase::Aggregated, 4).rejected =
      rejected(Verdict::PerTokenLimit, 5, 20);
  EXPECT_EQ(describeFailure(result),
            "no plan meets the limits; nearest is TP=4 | PP=1 | DP=1 on here: "
            "at batch 1, TPOT is 20 ms, above the limit of 10 ms");
  result.outcomes.resize(1);
  addOutcome(Phase::Aggregated, 2).invalid = "expected more heads";
  EXPECT_EQ(StringRef(describeFailure(result)).take_front(25),
            "the model fits no plan; n");
  result.outcomes.erase(result.outcomes.begin());
  EXPECT_EQ(describeFailure(result),
            "no plan has a price; nearest is TP=2 | PP=1 | DP=1 on here: "
            "expected more heads");
  result.outcomes.front().invalid.clear();
  result.outcomes.front().points = {point(1, 1, 1)};
  EXPECT_EQ(describeFailure(result), "");
}

TEST_F(RankingTest, TheFrontHasWhatNothingBeats) {
  addOutcome(Phase::Aggregated, 1).points = {
      point(1, 10, 1, 1, 10), point(2, 15, 1, 1, 20), point(4, 14, 1, 1, 40)};
  addOutcome(Phase::Aggregated, 2).points = {point(1, 32, 1, 1, 20),
                                             point(2, 8, 1, 1, 5)};
  std::vector<std::pair<int64_t, int64_t>> front;
  for (const FrontPoint &entry : listFront(result))
    if (entry.isOnFront)
      front.emplace_back(entry.row.outcome->candidate.plan.tensor,
                         entry.row.point->batch);
  // Per device: 4, 10, 16 and 15 tokens/s.
  std::vector<std::pair<int64_t, int64_t>> expected = {{2, 2}, {1, 1}, {2, 1}};
  EXPECT_EQ(front, expected);
}
