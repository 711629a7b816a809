#include "report/comparison/compare_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/comparison/comparison.h"
#include "report/comparison/gap_table.h"
#include "tests/report/sample_results.h"

namespace npunet::report::compare_table_test {
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

// A note of a single fidelity matters for the comparison, such as an impossibly short estimate.
TEST(CompareTable, ShowsEachNoteOnceWithItsFidelities) {
    std::vector<engine::Results> runs = {sample_analytical(), sample_results(), sample_results()};
    runs[1].fidelity = "congestion-aware";
    runs[0].notes = {"of all", "of the estimate"};
    runs[1].notes = {"of two", "of all"};
    runs[2].notes = {"of all", "of two"};
    EXPECT_THAT(compare_table(runs, 16),
                HasSubstr("\nnote: of all\nnote (analytical): of the estimate\n"
                          "note (congestion-aware, packet): of two\n\n"));
}

TEST(CompareTable, HasTheRatesOfEachRun) {
    std::vector<engine::Results> runs = {sample_analytical(), sample_results()};
    runs[0].rates = runs[1].rates = sample_rates();
    const std::string text = compare_table(runs, 16);
    EXPECT_THAT(text, HasSubstr("\nanalytical step: 15084 tokens/s"));
    EXPECT_THAT(text, HasSubstr("\npacket step: 15084 tokens/s"));
    EXPECT_THAT(
        text,
        HasSubstr(
            "\nanalytical exposed: TP 50 ns, DP 100 ns (20 ns of it waiting for late ranks)\n"));
    EXPECT_THAT(
        text,
        HasSubstr("\npacket exposed: TP 50 ns, DP 250 ns (20 ns of it waiting for late ranks)\n"));
    EXPECT_THAT(text, HasSubstr("\npacket bottleneck: the NICs carry data-parallel "));
    EXPECT_THAT(text, testing::Not(HasSubstr("peak memory")));
}

TEST(Comparison, OrdersRunsByDetail) {
    std::vector<engine::Results> runs(4, sample_results());
    runs[0].fidelity = "fluid";
    runs[2].fidelity = "analytical";
    runs[3].fidelity = "congestion-aware";
    EXPECT_EQ(compare(runs).by_detail, (std::vector<std::size_t>{2, 3, 0, 1}));
    EXPECT_EQ(compare(runs).least_detailed, 2u);
    EXPECT_EQ(compare(runs).most_detailed, 1u);
    runs.erase(runs.begin() + 1, runs.begin() + 3);
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

/// 200.25 ns in parts, one of them negative; those of 0 are not on the line. An all-reduce of four
/// ranks, and a message that waits for it.
GapExplanation sample_explanation() {
    GapExplanation why;
    why.total.header = Time::ps(12'250);
    why.total.latency = Time::ns(-2);
    why.total.dependency = Time::ns(190);
    why.path.header = Time::ps(24'250);
    why.path.latency = Time::ns(-2);
    why.path.contention = Time::ns(180);
    why.slack = Time::ns(-2);
    CommunicationGap reduction;
    reduction.id = 0;
    reduction.name = "gradients";
    reduction.type = "all_reduce";
    reduction.ranks = {Rank(2), Rank(0), Rank(1), Rank(3)};
    reduction.end = Time::ns(700);
    reduction.gap.header = Time::ns(12);
    reduction.gap.contention = Time::ns(180);
    reduction.others.contention = Time::ns(30);
    reduction.critical = true;
    reduction.link_contention = {{"npu0", "npu1", 1, Time::ns(60)},
                                 {"npu0", "npu1", 0, Time::ns(50)}};
    CommunicationGap message;
    message.name = "activations";
    message.type = "send_recv";
    message.ranks = {Rank(3), Rank(0)};
    message.gap.header = Time::ps(250);
    message.gap.dependency = Time::ns(190);
    message.measured = false;
    why.communications = {reduction, message};
    why.links = {{"npu0", "npu1", Time::ns(110), {0, 1}}, {"npu1", "npu2", Time::ns(7), {0}}};
    why.notes = {"flow_control is part of congestion_control"};
    return why;
}

TEST(CompareTable, SaysWhatTheDifferenceConsistsOf) {
    const GapExplanation why = sample_explanation();
    EXPECT_THAT(compare_table(sample_runs(), 16, &why),
                HasSubstr("the difference, 200.25 ns: header 12.25 ns, latency -2 ns, "
                          "dependency 190 ns\n"
                          "the same along the critical path: header 24.25 ns, latency -2 ns, "
                          "contention 180 ns, slack -2 ns\n"
                          "note: flow_control is part of congestion_control\n"));
    EXPECT_THAT(compare_table(sample_runs()), Not(HasSubstr("the difference")));
}

// Sorted by what is their own: 192 ns against 0.25 ns. Columns in which nothing is are left out.
TEST(CompareTable, ShowsWhatIsDelayedMostAndWhere) {
    const std::string text = gap_tables(sample_explanation());
    EXPECT_EQ(text,
              "delayed most          type        critical      later   header  contention  "
              "dependency\n"
              "------------------------------------------------------------------------------"
              "--------\n"
              "gradients (0-3)       all_reduce  yes          192 ns    12 ns      180 ns        "
              "0 ns\n"
              "activations (3 -> 0)  send_recv             190.25 ns  0.25 ns        0 ns      "
              "190 ns\n"
              "\n"
              "contention on  between                                together\n"
              "--------------------------------------------------------------\n"
              "npu0 -> npu1   gradients (0-3), activations (3 -> 0)    110 ns\n"
              "npu1 -> npu2   gradients (0-3) with itself                7 ns\n");
    EXPECT_THAT(gap_tables(sample_explanation(), 1), Not(HasSubstr("activations (3 -> 0)  send")));
    EXPECT_EQ(gap_tables(GapExplanation()), "");
}

TEST(CompareJson, HasThePartsOfTheDifference) {
    const GapExplanation why = sample_explanation();
    const Json json = Json::parse(compare_json(sample_runs(), Bytes(1), &why));
    EXPECT_EQ(json["gap_ns"], Json({{"header", 12.25},
                                    {"latency", -2},
                                    {"contention", 0},
                                    {"flow_control", 0},
                                    {"congestion_control", 0},
                                    {"dependency", 190}}));
    EXPECT_EQ(json["path_gap_ns"]["slack"], -2);
    EXPECT_EQ(json["critical_path"], Json::array({0}));
    const Json& reduction = json["collectives"][0];
    EXPECT_EQ(reduction["id"], 0);
    EXPECT_EQ(reduction["later_ns"], 192);
    EXPECT_EQ(reduction["contention_ns"], 180);
    EXPECT_EQ(reduction["others_ns"]["contention"], 30);
    EXPECT_EQ(reduction["meetings"][0]["with"], 1);
    EXPECT_TRUE(json["collectives"][1]["id"].is_null());
    EXPECT_TRUE(json["collectives"][1]["others_ns"].is_null());
    EXPECT_EQ(json["contention_links"][0]["between"], Json({0, 1}));
    EXPECT_EQ(json["gap_notes"].size(), 1u);
    EXPECT_EQ(json["hot_links"][0]["runs"]["packet"]["credit_stall_ns"], 3);
}

/// Packets, the estimate and between them fluid, which takes 100 ns more than the estimate.
std::vector<engine::Results> three_runs() {
    std::vector<engine::Results> runs{sample_results(), sample_analytical(), sample_analytical()};
    runs[2].fidelity = "fluid";
    runs[2].finish += Time::ns(100);
    return runs;
}

GapExplanation explanation_of_three() {
    GapExplanation why = sample_explanation();
    NeighbourGap first{"analytical", "fluid", {}, {{"", Time::ns(800), Time(), Time()}}};
    first.gap.header = Time::ns(130);
    first.gap.latency = Time::ns(-30);
    first.effect_levels.push_back({"header", Time::ns(930), Time::ns(130), Time()});
    NeighbourGap second{"fluid", "packet", why.total, {}};
    second.gap -= first.gap;
    why.neighbours = {first, second};
    return why;
}

TEST(CompareJson, HasAnObjectForEachNeighbouringPair) {
    const GapExplanation why = explanation_of_three();
    const Json json = Json::parse(compare_json(three_runs(), Bytes(1), &why));
    EXPECT_EQ(json["ratio"], 1000.25 / 800);
    EXPECT_EQ(json["ratio_of"], Json({"packet", "analytical"}));
    EXPECT_EQ(json["gap_ns"]["header"], 12.25);
    ASSERT_EQ(json["gaps"].size(), 2u);
    EXPECT_EQ(
        json["gaps"][0],
        Json({{"from", "analytical"},
              {"to", "fluid"},
              {"ratio", 900.0 / 800},
              {"gap_ns",
               {{"header", 130},
                {"latency", -30},
                {"contention", 0},
                {"flow_control", 0},
                {"congestion_control", 0},
                {"dependency", 0}}},
              {"ladder",
               Json::array(
                   {{{"step", nullptr}, {"finish_ns", 800}, {"direct_ns", 0}, {"dependency_ns", 0}},
                    {{"step", "header"},
                     {"finish_ns", 930},
                     {"direct_ns", 130},
                     {"dependency_ns", 0}}})}}));
    EXPECT_EQ(json["gaps"][1]["from"], "fluid");
    EXPECT_EQ(json["gaps"][1]["to"], "packet");
    EXPECT_EQ(json["gaps"][1]["ratio"], 1000.25 / 900);
    EXPECT_EQ(json["gaps"][1]["gap_ns"]["header"], -117.75);
    EXPECT_THAT(compare_table(three_runs(), 16, &why),
                HasSubstr("\nanalytical to fluid: 800 ns to 900 ns, ratio 1.1250; 100 ns: header "
                          "130 ns, latency -30 ns\n"
                          "fluid to packet: 900 ns to 1.000 us, ratio 1.1114; 100.25 ns: header "
                          "-117.75 ns, latency 28 ns, dependency 190 ns\n"));
}

// A comparison that was stopped before its explanation has the ratios.
TEST(CompareJson, HasTheRatiosOfNeighboursWithoutAnExplanation) {
    const Json json = Json::parse(compare_json(three_runs(), Bytes(1)));
    EXPECT_EQ(json["gaps"][0],
              Json({{"from", "analytical"}, {"to", "fluid"}, {"ratio", 900.0 / 800}}));
    EXPECT_THAT(compare_table(three_runs()),
                HasSubstr("\nanalytical to fluid: 800 ns to 900 ns, ratio 1.1250\n"));
    EXPECT_FALSE(Json::parse(compare_json(sample_runs(), Bytes(1))).contains("gaps"));
    EXPECT_THAT(compare_table(sample_runs()), Not(HasSubstr("analytical to")));
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
}  // namespace npunet::report::compare_table_test
