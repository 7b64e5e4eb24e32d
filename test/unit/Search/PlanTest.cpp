//===- PlanTest.cpp - Which plans a search tries --------------------------===//

#include "tensorcast/Search/Plan.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tensorcast::search;

static std::vector<std::string> getLabels(const PlanSizes &sizes,
                                          int64_t devices, bool hasExperts) {
  std::vector<std::string> labels;
  for (const Plan &plan : listPlans(sizes, devices, hasExperts).plans)
    labels.push_back(plan.getLabel());
  return labels;
}

TEST(PlanTest, TensorGroupsAreSweptWhereNoSizesAreGiven) {
  EXPECT_EQ(
      getLabels({}, 4, /*hasExperts=*/false),
      std::vector<std::string>(
          {"TP=1 | PP=1 | DP=4", "TP=2 | PP=1 | DP=2", "TP=4 | PP=1 | DP=1"}));
}

TEST(PlanTest, ExpertsAreSpreadOverAllDevicesWhereNoSizesAreGiven) {
  EXPECT_EQ(getLabels({}, 2, /*hasExperts=*/true),
            std::vector<std::string>(
                {"TP=1 | PP=1 | DP=2 | EP=2 | MOE-TP=1 | MOE-DP=1",
                 "TP=2 | PP=1 | DP=1 | EP=2 | MOE-TP=1 | MOE-DP=1"}));
}

TEST(PlanTest, OneSizeIsTakenOfWhatIsNotGiven) {
  PlanSizes sizes;
  sizes.expert = SmallVector<int64_t>{2, 4};
  EXPECT_EQ(getLabels(sizes, 4, /*hasExperts=*/true),
            std::vector<std::string>(
                {"TP=4 | PP=1 | DP=1 | EP=2 | MOE-TP=2 | MOE-DP=1",
                 "TP=4 | PP=1 | DP=1 | EP=4 | MOE-TP=1 | MOE-DP=1"}));
}

TEST(PlanTest, EmptyListsAreAllPowersOfTwo) {
  PlanSizes sizes;
  sizes.tensor = SmallVector<int64_t>{4};
  sizes.context.emplace();
  EXPECT_EQ(getLabels(sizes, 4, /*hasExperts=*/false),
            std::vector<std::string>({"TP=4 | PP=1 | DP=1",
                                      "TP=4 | PP=1 | DP=1 | DCP=2",
                                      "TP=4 | PP=1 | DP=1 | DCP=4"}));
}

TEST(PlanTest, DevicesNeedNotBeAPowerOfTwo) {
  EXPECT_EQ(
      getLabels({}, 6, /*hasExperts=*/false),
      std::vector<std::string>({"TP=1 | PP=1 | DP=6", "TP=2 | PP=1 | DP=3"}));
}

TEST(PlanTest, SizesThatAreRepeatedAreTriedOnce) {
  PlanSizes sizes;
  sizes.tensor = SmallVector<int64_t>{2, 2};
  sizes.draftTokens = {1, 0, 1};
  EXPECT_EQ(getLabels(sizes, 2, /*hasExperts=*/false),
            std::vector<std::string>(
                {"TP=2 | PP=1 | DP=1 | MTP=1", "TP=2 | PP=1 | DP=1"}));
}

TEST(PlanTest, CombinationsThatAreNoPlanSayWhy) {
  PlanSizes sizes;
  sizes.tensor = SmallVector<int64_t>{3, 2};
  sizes.expert = SmallVector<int64_t>{2, 8};
  sizes.expertData = SmallVector<int64_t>{4};
  sizes.context = SmallVector<int64_t>{4};
  PlanList list = listPlans(sizes, 8, /*hasExperts=*/true);
  EXPECT_TRUE(list.plans.empty());
  ASSERT_EQ(list.rejected.size(), 4u);
  EXPECT_EQ(list.rejected[0].label, "TP=3 | EP=2 | MOE-DP=4 | DCP=4");
  EXPECT_EQ(list.rejected[0].why, "expected TP to divide 8 devices, but got 3");
  EXPECT_EQ(list.rejected[2].why, "expected DCP to divide TP 2, but got 4");
  EXPECT_EQ(list.rejected[3].why,
            "expected EP * MOE-DP to divide 8 devices, but got 32");
}
