//===- LengthsTest.cpp - Requests with the shares of a distribution -------===//

#include "tensorcast/Search/Lengths.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tensorcast::search;

static std::vector<int64_t> sample(std::vector<double> weights, int64_t count) {
  Lengths lengths;
  for (size_t i = 0; i < weights.size(); ++i)
    lengths.classes.push_back({static_cast<int64_t>(i) + 1, 1, weights[i]});
  std::vector<int64_t> counts(weights.size());
  for (const RequestCount &entry : lengths.sample(count))
    counts[entry.input - 1] = entry.count;
  return counts;
}

TEST(LengthsTest, WholeSharesAreKept) {
  EXPECT_EQ(sample({1, 1}, 4), std::vector<int64_t>({2, 2}));
  EXPECT_EQ(sample({0.25, 0.75}, 8), std::vector<int64_t>({2, 6}));
}

TEST(LengthsTest, TheLargestRemaindersGetWhatIsLeft) {
  // Shares 1.5, 0.9 and 0.6.
  EXPECT_EQ(sample({5, 3, 2}, 3), std::vector<int64_t>({1, 1, 1}));
  // Shares 0.5 and 0.5.
  EXPECT_EQ(sample({1, 1}, 1), std::vector<int64_t>({1, 0}));
}

TEST(LengthsTest, CountsAddUp) {
  for (int64_t count = 1; count < 200; ++count) {
    int64_t sum = 0;
    for (int64_t number : sample({0.247, 0.1, 0.3, 0.05, 0.303}, count))
      sum += number;
    EXPECT_EQ(sum, count);
  }
}

TEST(LengthsTest, MeansAreWeighted) {
  Lengths lengths;
  lengths.classes = {{100, 10, 3}, {200, 30, 1}};
  EXPECT_EQ(lengths.getMeanInput(), 125);
  EXPECT_EQ(lengths.getMeanOutput(), 15);
}

TEST(LengthsTest, QuantilesStandForAllLengths) {
  Lengths lengths;
  lengths.byQuantile = true;
  for (int64_t i = 0; i < 1000; ++i)
    lengths.classes.push_back({(i * 7) % 1000 + 1, 1, 1});
  for (int64_t count : {1, 3, 10, 500, 1000, 4000}) {
    int64_t sum = 0, requests = 0;
    for (const RequestCount &entry : lengths.sample(count)) {
      sum += entry.input * entry.count;
      requests += entry.count;
    }
    EXPECT_EQ(requests, count);
    // The mean of all is 500.5.
    EXPECT_NEAR(static_cast<double>(sum) / static_cast<double>(count), 500.5,
                1);
  }
}

TEST(LengthsTest, QuantilesAreOfWeights) {
  Lengths lengths;
  lengths.byQuantile = true;
  lengths.classes = {{10, 1, 9}, {20, 1, 1}};
  SmallVector<RequestCount> requests = lengths.sample(20);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].count, 18);
  EXPECT_EQ(requests[1].count, 2);
  EXPECT_EQ(lengths.sample(1).front().input, 10);
}
