//===- ServingTest.cpp - What users see of a batch, with scripted steps ---===//

#include "tensorcast/Search/Serving.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

namespace {
/// Steps take what a test says; all are written down.
class ScriptedPricer : public StepPricer {
public:
  using Script = std::function<double(const Workload &)>;
  explicit ScriptedPricer(Script script) : script(std::move(script)) {}

  FailureOr<StepPrice> price(const Workload &step, std::string &why) override {
    std::string text = step.groups.front().decode ? "decode" : "prefill";
    for (const RequestGroup &group : step.groups)
      text += " " + std::to_string(group.queries) + "x" +
              std::to_string(group.queryLength) + "+" +
              std::to_string(group.contextLength);
    steps.push_back(text);
    StepPrice price;
    price.latencyMs = script(step);
    price.memory.availableBytes = availableBytes;
    return price;
  }

  std::vector<std::string> steps;
  double availableBytes = 1;

private:
  Script script;
};

/// One group of devices unless a test says otherwise.
struct Case {
  Case(int64_t input, int64_t output, int64_t budget, int64_t data = 1) {
    request.lengths.classes.push_back({input, output, 1});
    request.maxBatchedTokens = budget;
    plan.data = data;
  }

  Point run(ScriptedPricer &pricer, int64_t batch,
            Phase phase = Phase::Aggregated) {
    return Serving(request, plan, pricer).evaluate(phase, batch);
  }

  SearchRequest request;
  Plan plan;
};
} // namespace

static double first(const Workload &step) {
  return static_cast<double>(step.groups.front().queries);
}

/// Prefill of two requests takes 10 ms, of one 4 ms, a token 2 ms.
static double wavesOfTwo(const Workload &step) {
  if (step.groups.front().decode)
    return 2;
  return first(step) == 1 ? 4 : 10;
}

TEST(ServingTest, RequestsAreNumberedWavesBehindEachOther) {
  Case test(10, 5, 20);
  ScriptedPricer pricer(wavesOfTwo);
  Point point = test.run(pricer, 5);
  EXPECT_DOUBLE_EQ(point.firstTokenMs, 16.8);
  EXPECT_DOUBLE_EQ(point.perTokenMs, 5.36);
  EXPECT_NEAR(point.tokensPerS, 932.8358, 1e-4);
  EXPECT_EQ(point.prefillStepMs, 10);
  EXPECT_EQ(pricer.steps,
            std::vector<std::string>(
                {"prefill 2x10+0", "prefill 1x10+0", "decode 5x1+12"}));
}

TEST(ServingTest, GroupsOfDevicesHaveBudgetsOfTheirOwn) {
  Case test(10, 5, 20, /*data=*/4);
  ScriptedPricer pricer(wavesOfTwo);
  Point point = test.run(pricer, 2);
  EXPECT_EQ(point.concurrency, 8);
  EXPECT_DOUBLE_EQ(point.firstTokenMs, 10);
  EXPECT_DOUBLE_EQ(point.perTokenMs, 4);
  EXPECT_DOUBLE_EQ(point.tokensPerS, 2000);
}

TEST(ServingTest, WavesOfManyRequestsOnThreeGroups) {
  Case test(2048, 16, 8192, /*data=*/3);
  ScriptedPricer pricer([](const Workload &) { return 7.0; });
  Point point = test.run(pricer, 12);
  EXPECT_EQ(pricer.steps.front(), "prefill 12x2048+0");
  EXPECT_DOUBLE_EQ(point.firstTokenMs, 14);
}

TEST(ServingTest, OlderRulesShareTheBudgetAndCountTheFirstTokenTwice) {
  Case test(10, 5, 20, /*data=*/4);
  test.request.rules = Rules::get("2026.06");
  ScriptedPricer pricer(wavesOfTwo);
  Point point = test.run(pricer, 1);
  // Two waves of two: 10 and 20 ms.
  EXPECT_DOUBLE_EQ(point.firstTokenMs, 15);
  EXPECT_DOUBLE_EQ(point.perTokenMs, 5);
  EXPECT_DOUBLE_EQ(point.tokensPerS, 1e3 * 5 * 4 / (15 + 5 * 5));
}

TEST(ServingTest, OlderRulesDoNotCutPrompts) {
  Case test(10, 5, 4);
  test.request.rules = Rules::get("2026.06");
  ScriptedPricer pricer(wavesOfTwo);
  Point point = test.run(pricer, 1);
  EXPECT_EQ(point.verdict, Verdict::Invalid);
  EXPECT_EQ(point.why, "expected a budget of at least 10 tokens, as prompts "
                       "are not cut, but got 4");
}

TEST(ServingTest, LongPromptsAreCutIntoChunks) {
  Case test(5, 3, 3, /*data=*/2);
  ScriptedPricer pricer([](const Workload &step) {
    const RequestGroup &group = step.groups.front();
    return group.decode ? 5.0 : group.contextLength == 0 ? 10.0 : 20.0;
  });
  Point point = test.run(pricer, 1);
  EXPECT_DOUBLE_EQ(point.firstTokenMs, 30);
  EXPECT_DOUBLE_EQ(point.perTokenMs, 5);
  EXPECT_DOUBLE_EQ(point.tokensPerS, 150);
  EXPECT_EQ(pricer.steps[0], "prefill 2x3+0");
  EXPECT_EQ(pricer.steps[1], "prefill 2x2+3");
}

TEST(ServingTest, DecodeGoesOnBesideChunks) {
  Case test(5, 2, 3);
  ScriptedPricer pricer([](const Workload &) { return 1.0; });
  Point point = test.run(pricer, 2);
  EXPECT_DOUBLE_EQ(point.firstTokenMs, 3.5);
  EXPECT_DOUBLE_EQ(point.perTokenMs, 1);
  EXPECT_DOUBLE_EQ(point.tokensPerS, 800);
}

TEST(ServingTest, PrefillAloneHasTheCostOfServing) {
  Case test(10, 5, 4, /*data=*/4);
  test.request.servingCostMs = 2;
  ScriptedPricer pricer([](const Workload &) { return 1.0; });
  Point point = test.run(pricer, 1, Phase::Prefill);
  EXPECT_DOUBLE_EQ(point.firstTokenMs, 5);
  EXPECT_DOUBLE_EQ(point.tokensPerS, 8000);
  EXPECT_EQ(pricer.steps,
            std::vector<std::string>(
                {"prefill 4x4+0", "prefill 4x4+4", "prefill 4x2+8"}));
}

TEST(ServingTest, PromptsOfSeveralLengthsArePacked) {
  Case test(50, 5, 200);
  test.request.lengths.classes = {{50, 5, 1}, {150, 5, 1}};
  ScriptedPricer pricer([](const Workload &step) {
    return step.groups.front().decode ? 2.0 : 10.0;
  });
  Point point = test.run(pricer, 4);
  EXPECT_DOUBLE_EQ(point.firstTokenMs, 15);
  EXPECT_DOUBLE_EQ(point.perTokenMs, 5);
  EXPECT_EQ(pricer.steps, std::vector<std::string>({"prefill 2x50+0 1x100+0",
                                                    "prefill 1x50+100 1x150+0",
                                                    "decode 2x1+52 2x1+152"}));
}

TEST(ServingTest, DecodeStepsAreInTheMiddleOfTheAnswer) {
  ScriptedPricer pricer([](const Workload &) { return 2.0; });
  Case test(200, 64, 4096);
  Point point = test.run(pricer, 20, Phase::Decode);
  EXPECT_EQ(pricer.steps, std::vector<std::string>({"decode 20x1+232"}));
  EXPECT_DOUBLE_EQ(point.perTokenMs, 2);
  EXPECT_DOUBLE_EQ(point.tokensPerS, 10000);
  EXPECT_DOUBLE_EQ(point.requestsPerS, 10000.0 / 64);
}

TEST(ServingTest, InBalanceTheFirstTokenIsNotOfDecode) {
  ScriptedPricer pricer([](const Workload &) { return 10.0; });
  Case test(200, 1024, 4096);
  test.request.mode = Mode::Ratio;
  EXPECT_NEAR(test.run(pricer, 8, Phase::Decode).requestsPerS, 0.78201, 1e-5);
  // All in one wave of 100 ms.
  ScriptedPricer slow([](const Workload &) { return 100.0; });
  EXPECT_DOUBLE_EQ(test.run(slow, 10, Phase::Prefill).requestsPerS, 100);
}

TEST(ServingTest, DraftedTokensShareTheTimeOfAStep) {
  ScriptedPricer pricer([](const Workload &) { return 25.0; });
  Case test(200, 64, 4096);
  test.plan.draftTokens = 2;
  test.request.acceptanceRates = {0.9, 0.6, 0.4};
  EXPECT_DOUBLE_EQ(test.run(pricer, 1, Phase::Decode).perTokenMs, 10);
  EXPECT_EQ(pricer.steps, std::vector<std::string>({"decode 1x3+232"}));
}

TEST(ServingTest, CachedPrefixesLeaveRoomInAWave) {
  Case test(10, 5, 20);
  test.request.prefixCacheHitRate = 0.55;
  ScriptedPricer pricer([](const Workload &) { return 1.0; });
  test.run(pricer, 4);
  // Five tokens are cached, so that four requests fit the budget.
  EXPECT_EQ(pricer.steps.front(), "prefill 4x10+0");
}

TEST(ServingTest, BudgetsAreMultiplesOfThePromptThatFit) {
  Case test(100, 5, 1);
  test.request.maxBatchedTokens.reset();
  ScriptedPricer pricer([](const Workload &) { return 1.0; });
  EXPECT_EQ(test.run(pricer, 9).budget, 400);
  pricer.availableBytes = -1;
  pricer.steps.clear();
  Point point = test.run(pricer, 9);
  EXPECT_EQ(point.verdict, Verdict::PrefillMemory);
  EXPECT_EQ(pricer.steps,
            std::vector<std::string>(
                {"prefill 4x100+0", "prefill 2x100+0", "prefill 1x100+0"}));
}

TEST(ServingTest, LimitsAreCheckedInOrder) {
  Case test(10, 5, 20);
  ScriptedPricer pricer(wavesOfTwo);
  test.request.firstTokenLimitMs = 16;
  EXPECT_EQ(test.run(pricer, 5).verdict, Verdict::FirstTokenLimit);
  test.request.perTokenLimitMs = 5;
  EXPECT_EQ(test.run(pricer, 5).verdict, Verdict::PerTokenLimit);
  // What is reached exactly is met.
  test.request.firstTokenLimitMs = 10;
  test.request.perTokenLimitMs = 4;
  EXPECT_EQ(test.run(pricer, 2).verdict, Verdict::Accepted);
}
