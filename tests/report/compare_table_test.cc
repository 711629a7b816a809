#include "report/compare_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/comparison.h"
#include "tests/report/sample_results.h"

namespace npunet::report {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

std::vector<engine::Results> sample_runs() {
    return {sample_analytical(), sample_results()};
}

// packet / analytical = 1000.25 ns / 800 ns, in whichever order the runs are given.
TEST(Comparison, DividesTheMostDetailedRunByTheLeast) {
    EXPECT_DOUBLE_EQ(compare(sample_runs()).ratio, 1000.25 / 800);
    EXPECT_DOUBLE_EQ(compare({sample_results(), sample_analytical()}).ratio, 1000.25 / 800);
}

TEST(Comparison, PutsCongestionAwareBetween) {
    std::vector<engine::Results> runs = {sample_results(), sample_analytical(), sample_results()};
    runs[0].fidelity = "congestion-aware";
    EXPECT_EQ(compare(runs).least_detailed, 1u);
    EXPECT_EQ(compare(runs).most_detailed, 2u);
    runs.pop_back();
    EXPECT_EQ(compare(runs).most_detailed, 0u);
}

// Class 1 holds ranks 2 and 3: analytically 750 and 780 ns, so 780; with packets 800 both.
TEST(Comparison, ShowsAClassByItsSlowestNpuInEachRun) {
    const std::vector<engine::Results> runs = sample_runs();
    const Comparison comparison = compare(runs);
    ASSERT_EQ(comparison.classes.size(), 2u);
    const ClassComparison& second = comparison.classes[1];
    EXPECT_EQ(second.slowest[0]->rank, Rank(3));
    EXPECT_EQ(second.slowest[1]->rank, Rank(2));
    EXPECT_DOUBLE_EQ(second.ratio, 800.0 / 780);
}

// Sum of end - first_start. all_reduce: 200 ns against 300.5 ns; all_to_all: 200 against 400.
TEST(Comparison, DividesSumsOverCollectivesOfAType) {
    const std::vector<engine::Results> runs = sample_runs();
    const Comparison comparison = compare(runs);
    ASSERT_EQ(comparison.collectives.size(), 2u);
    EXPECT_EQ(comparison.collectives[0].type, "all_reduce");
    EXPECT_DOUBLE_EQ(comparison.collectives[0].ratio, 300.5 / 200);
    EXPECT_EQ(comparison.collectives[1].type, "all_to_all");
    EXPECT_DOUBLE_EQ(comparison.collectives[1].ratio, 2);
}

// 20 collectives of 2^62 ps each are beyond 64 bits.
TEST(Comparison, SumsBeyond64Bits) {
    std::vector<engine::Results> runs = sample_runs();
    engine::CollectiveResult endless = runs[1].collectives[0];
    endless.first_start = Time();
    endless.end = Time::ps(std::int64_t{1} << 62);
    runs[1].collectives.assign(20, endless);
    const Comparison comparison = compare(runs);
    EXPECT_DOUBLE_EQ(comparison.collectives[0].runs[1].total_ps, 20 * std::ldexp(1.0, 62));
}

TEST(Comparison, HasNoRatioOfNothing) {
    std::vector<engine::Results> runs = sample_runs();
    runs[0].finish = Time();
    EXPECT_TRUE(std::isnan(compare(runs).ratio));
    EXPECT_TRUE(Json::parse(compare_json(runs))["ratio"].is_null());
}

TEST(Comparison, LeavesOutLinksThatAnotherRunDoesNotHave) {
    std::vector<engine::Results> runs = sample_runs();
    runs[0].links.clear();
    const Comparison comparison = compare(runs);
    EXPECT_EQ(comparison.hot_links[0].runs[0], nullptr);
    EXPECT_FALSE(Json::parse(compare_json(runs))["hot_links"][0]["runs"].contains("analytical"));
}

TEST(CompareTable, ShowsClassesCollectivesAndLinks) {
    const std::string text = compare_table(sample_runs());
    EXPECT_THAT(text, HasSubstr("analytical: 800 ns, packet: 1.000 us, ratio 1.2503\n"
                                "every ratio is packet / analytical\n"));
    EXPECT_THAT(text, HasSubstr("0-1    analytical    800 ns"));
    EXPECT_THAT(text, HasSubstr("       packet      1.000 us"));
    EXPECT_THAT(text, HasSubstr("all_reduce       1            200 ns      300.5 ns  1.5025\n"));
    EXPECT_THAT(text, HasSubstr("npu1 -> npu2                     12.50 KiB            12.70 KiB"));
    EXPECT_THAT(text, Not(HasSubstr("npu2 -> npu0")));
}

TEST(CompareTable, KeepsTheClassesThatFinishLast) {
    const std::string text = compare_table(sample_runs(), 1);
    EXPECT_THAT(text, HasSubstr("\n0-1 "));
    EXPECT_THAT(text, Not(HasSubstr("\n2-3 ")));
    EXPECT_THAT(text, HasSubstr("(classes of NPUs that finish earlier: 1)"));
}

// 200.25 ns in parts, one of them negative; those of 0 are not on the line.
Gap sample_gap() {
    Gap gap;
    gap.header = Time::ps(12'250);
    gap.latency = Time::ns(-2);
    gap.contention = Time::ns(190);
    return gap;
}

TEST(CompareTable, SaysWhatTheDifferenceConsistsOf) {
    const Gap gap = sample_gap();
    EXPECT_THAT(compare_table(sample_runs(), 16, &gap),
                HasSubstr("the difference, 200.25 ns: header 12.25 ns, latency -2 ns, "
                          "contention 190 ns\n"));
    EXPECT_THAT(compare_table(sample_runs()), Not(HasSubstr("the difference")));
}

TEST(CompareJson, HasThePartsOfTheDifference) {
    const Gap gap = sample_gap();
    const Json json = Json::parse(compare_json(sample_runs(), Bytes(1), &gap));
    EXPECT_EQ(json["gap_ns"], Json({{"header", 12.25},
                                    {"latency", -2},
                                    {"contention", 190},
                                    {"flow_control", 0},
                                    {"congestion_control", 0},
                                    {"dependency", 0}}));
    EXPECT_EQ(json["hot_links"][0]["runs"]["packet"]["credit_stall_ns"], 3);
}

TEST(CompareJson, HasTheDocumentedKeys) {
    const Json json = Json::parse(compare_json(sample_runs(), Bytes(1)));
    std::vector<std::string> keys;
    for (const auto& [key, value] : json.items()) {
        keys.push_back(key);
    }
    EXPECT_EQ(keys, (std::vector<std::string>{"runs", "ratio", "ratio_of", "by_class",
                                              "collective_ratio", "hot_links"}));
    EXPECT_EQ(json["runs"]["packet"], Json::parse(results_json(sample_results(), Bytes(1))));
    EXPECT_EQ(json["ratio_of"], Json({"packet", "analytical"}));
    EXPECT_EQ(json["by_class"][0]["ranks"], Json({0, 1}));
    EXPECT_EQ(json["by_class"][0]["runs"]["packet"]["finish_ns"], 1000.25);
    EXPECT_EQ(json["collective_ratio"]["all_to_all"], 2.0);
    EXPECT_EQ(json["hot_links"].size(), 2u);
    EXPECT_EQ(json["hot_links"][0]["from"], "npu1");
    EXPECT_EQ(json["hot_links"][0]["runs"]["analytical"]["wire_bytes"], 12800);
    EXPECT_EQ(json["hot_links"][0]["runs"]["packet"]["wire_bytes"], 13000);
}

}  // namespace
}  // namespace npunet::report
