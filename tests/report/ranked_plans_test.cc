// Every output of a search says the same: costs to the last bit, stages as they are.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/figures/search_time_figure.h"
#include "report/figures/stage_figure.h"
#include "report/plans/plan_output.h"

namespace npunet::report::ranked_plans_test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

RankedPlan plan_of(double execution, double gradients) {
    RankedPlan plan;
    plan.cost_ms = execution + gradients;
    plan.parts = {{"execution", execution}, {"gradients", gradients}};
    plan.node_sequence = {"A100", "V100"};
    plan.device_groups = {16, 16, 8};
    plan.strategies = {{16, 1}, {16, 1}, {2, 4}};
    plan.batches = 4;
    plan.layer_partition = {0, 3, 6, 10};
    plan.memory_mb = {50, 75, 10};
    plan.capacity_mb = {100, 100, 100};
    return plan;
}

RankedPlans two_plans() {
    RankedPlans ranked{"metis", "headroom"};
    ranked.steps = 562;
    ranked.plans_costed = 2;
    ranked.counts = {{"plans_dropped", 3}};
    ranked.plans = {plan_of(10.1, 0.2), plan_of(9, 2)};
    ranked.plans[1].notes = {"a note."};
    ranked.notes = {"Another note."};
    ranked.trial_ms = {1, 2};
    return ranked;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

TEST(RankedPlans, RunsAreCounted) {
    EXPECT_EQ(runs_of({"a", "a", "b", "a"}), "2*a b a");
    EXPECT_EQ(runs_of({"a"}), "a");
    EXPECT_EQ(runs_of({}), "");
}

// 10.1 + 0.2 = 10.3 before 9 + 2 = 11: 0.7 ms, of which execution 1.1 more and gradients 1.8 less.
TEST(RankedPlans, TheTableSaysWhyTheFirstIsTheFirst) {
    const std::string table = plan_table(two_plans());
    EXPECT_THAT(table, AllOf(HasSubstr("2*16 8"), HasSubstr("2*16x1 2x4"), HasSubstr("2*3 4"),
                             HasSubstr("75.0%"), HasSubstr("10.3000")));
    EXPECT_THAT(table, HasSubstr("Plan 1 takes 0.7000 ms less than plan 2: execution +1.1000, "
                                 "gradients -1.8000.\n"));
    EXPECT_THAT(table, HasSubstr("Plan 2: a note.\n562 steps, 2 plans costed, 1.500 ms on average "
                                 "of 2 trials.\nAnother note.\n"));
    EXPECT_EQ(table.find("schedule"), std::string::npos);
    RankedPlans scheduled = two_plans();
    scheduled.plans[0].schedule = "interleaved";
    scheduled.plans[0].chunks = 2;
    scheduled.plans[1].schedule = "1f1b";
    EXPECT_THAT(plan_table(scheduled), AllOf(HasSubstr("interleaved x2"), HasSubstr("1f1b")));
}

PlannedStage stage_of(std::int64_t first_layer, double computing) {
    PlannedStage stage;
    stage.shares = {{0, "A100", 0, 4}, {1, "A100", 0, 4}, {2, "V100", 0, 2}};
    stage.first_layer = first_layer;
    stage.layers = 2;
    stage.dp = 10;
    stage.computing_ms = computing;
    stage.transfer_ms = 1;
    stage.memory_mb = 1024;
    stage.capacity_mb = 2048;
    return stage;
}

TEST(RankedPlans, StagesOfTheFirstPlanAndSimulatedTimesAreShownWhereKnown) {
    RankedPlans ranked = two_plans();
    EXPECT_EQ(plan_table(ranked).find("stage"), std::string::npos);
    EXPECT_EQ(plan_table(ranked).find("simulated"), std::string::npos);
    ranked.plans[0].stages = {stage_of(0, 3.5), stage_of(2, 4.25)};
    ranked.plans[0].simulated_ms = 10.5;
    ranked.plans[0].link_bound_ms = 12.25;
    EXPECT_THAT(plan_table(ranked),
                AllOf(HasSubstr("nodes 0-1: 8 A100, node 2: 2 V100"), HasSubstr("2-3"),
                      HasSubstr("4.2500"), HasSubstr("simulated (ms)"), HasSubstr("10.5000")));
    const auto json = nlohmann::json::parse(plans_json(ranked))["plans"][0];
    EXPECT_EQ(json["simulated_ms"], 10.5);
    EXPECT_EQ(json["link_bound_ms"], 12.25);
    const std::vector<std::string> rows = lines_of(plans_csv(ranked));
    EXPECT_THAT(rows[0], EndsWith(",simulated_ms,link_bound_ms"));
    EXPECT_THAT(rows[1], EndsWith(",10.5,12.25"));
    EXPECT_THAT(rows[2], EndsWith(",,"));
    EXPECT_EQ(json["stages"][1]["computing_ms"], 4.25);
    EXPECT_EQ(json["stages"][1]["devices"][2]["count"], 2);
}

TEST(RankedPlans, AFigureHasARowForEachStage) {
    const StagePlot plot{"Plan", "10 ms a step", {stage_of(0, 3.5), stage_of(2, 4.25)}};
    const Figure figure = stage_figure(plot);
    EXPECT_EQ(figure.svg, stage_figure(plot).svg);
    EXPECT_EQ(figure.svg.rfind("<?xml", 0), 0U);
    EXPECT_EQ(figure.png.substr(1, 3), "PNG");
    const StagePlot taller{"Plan", "10 ms a step", {3, stage_of(0, 3.5)}};
    EXPECT_NE(stage_figure(taller).svg, figure.svg);
}

TEST(RankedPlans, NoPlansAreNoError) {
    EXPECT_THAT(plan_table({"metis", "metis"}), HasSubstr("0 steps, 0 plans costed"));
    EXPECT_EQ(nlohmann::json::parse(plans_json({"metis", "metis"}))["plans"].size(), 0U);
    EXPECT_EQ(lines_of(plans_csv({"metis", "metis"})).size(), 1U);
}

TEST(RankedPlans, JsonKeepsEveryBit) {
    const RankedPlans ranked = two_plans();
    const auto document = nlohmann::json::parse(plans_json(ranked));
    EXPECT_EQ(document["strategy"], "headroom");
    EXPECT_EQ(document["steps"], 562);
    EXPECT_EQ(document["plans_costed"], 2);
    EXPECT_EQ(document["plans_dropped"], 3);
    EXPECT_EQ(document["performance"]["average_ms"], 1.5);
    ASSERT_EQ(document["plans"].size(), 2U);
    const auto& plan = document["plans"][0];
    EXPECT_EQ(plan["cost_ms"].get<double>(), 10.1 + 0.2);
    EXPECT_EQ(plan["node_sequence"], ranked.plans[0].node_sequence);
    EXPECT_EQ(plan["device_groups"], ranked.plans[0].device_groups);
    EXPECT_EQ(plan["strategies"], (std::vector<std::vector<int>>{{16, 1}, {16, 1}, {2, 4}}));
    EXPECT_EQ(plan["batches"], 4);
    EXPECT_EQ(plan["layer_partition"], ranked.plans[0].layer_partition);
    EXPECT_EQ(plan["memory_mb"], ranked.plans[0].memory_mb);
    EXPECT_EQ(plan["parts_ms"]["execution"], 10.1);
}

TEST(RankedPlans, CsvHasARowAPlan) {
    EXPECT_EQ(lines_of(plans_csv(two_plans())),
              (std::vector<std::string>{
                  "rank,cost_ms,node_sequence,device_groups,strategies,batches,layer_partition,"
                  "memory_mb,capacity_mb,schedule,chunks,execution_ms,gradients_ms",
                  "1,10.299999999999999,A100 V100,16 16 8,16x1 16x1 2x4,4,0 3 6 10,50 75 10,"
                  "100 100 100,,1,10.1,0.2",
                  "2,11,A100 V100,16 16 8,16x1 16x1 2x4,4,0 3 6 10,50 75 10,100 100 100,,1,9,2"}));
}

// Scripts take the steps from the second line and the best cost from the fourth.
TEST(RankedPlans, TheLogHasTheBestCostInItsFourthLine) {
    std::ostringstream out;
    PlanLog log(out, 1.5, 562);
    const RankedPlans ranked = two_plans();
    for (const RankedPlan& plan : ranked.plans) {
        log.add(plan);
    }
    const std::vector<std::string> lines = lines_of(out.str());
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_EQ(lines[0], "average time: 1.5 ms");
    EXPECT_EQ(lines[1], "count: 562");
    EXPECT_EQ(lines[2].rfind("rank, cost, ", 0), 0U);
    EXPECT_EQ(lines[3],
              "1, 10.299999999999999, (A100, V100), [16, 16, 8], [(16, 1), (16, 1), (2, 4)], 4, "
              "[0, 3, 6, 10]");
    EXPECT_EQ(lines[4].rfind("2, 11, ", 0), 0U);
}

TEST(RankedPlans, SearchTimesAreDrawn) {
    SearchTimePlot plot{"a < b", {"metis", "headroom"}, {}};
    EXPECT_NE(search_time_figure(plot).svg, "");
    plot.points = {{10, 0, 0.1, 612}, {20, 0, 17, 58078}, {10, 1, 0.09, 562}, {20, 1, 8.5, 41208}};
    const Figure figure = search_time_figure(plot);
    EXPECT_EQ(figure.svg.rfind("<?xml", 0), 0U);
    EXPECT_EQ(figure.png.substr(1, 3), "PNG");
    EXPECT_EQ(figure.svg, search_time_figure(plot).svg);
    plot.points[3].seconds = 1;
    EXPECT_NE(figure.svg, search_time_figure(plot).svg);
}

}  // namespace
}  // namespace npunet::report::ranked_plans_test
