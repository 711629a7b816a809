#include "report/results/results_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/report/sample_results.h"

namespace npunet::report::results_json_test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

std::vector<std::string> keys_of(const Json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) {
        keys.push_back(key);
    }
    return keys;
}

std::string written(Time time) {
    JsonWriter json;
    json.value(time);
    return json.text();
}

// A time of p ps is p / 1000 ns: at most three decimals, none of them lost, up to 2^63 - 1 ps,
// where a double would already be wrong in the fourth digit before the point.
TEST(JsonWriter, TimesAreExactDecimals) {
    EXPECT_EQ(written(Time::ns(5)), "5");
    EXPECT_EQ(written(Time::ps(583'200)), "583.2");
    EXPECT_EQ(written(Time::ps(1)), "0.001");
    EXPECT_EQ(written(Time::ps((std::int64_t{1} << 53) + 1)), "9007199254740.993");
    EXPECT_EQ(written(Time::max()), "9223372036854775.807");
}

// Shortest text t with parse(t) = x.
TEST(JsonWriter, DoublesRoundTrip) {
    for (const double number : {0.1, 1.0 / 3.0, 83.794, 1e22, 2.5e-308, 0.0}) {
        JsonWriter json;
        json.value(number);
        EXPECT_EQ(std::stod(json.text()), number) << json.text();
    }
    EXPECT_EQ(shortest(0.1), "0.1");
    EXPECT_EQ(shortest(50.0), "50");
}

TEST(JsonWriter, WhatJsonCannotSayIsNull) {
    JsonWriter json;
    json.begin_array()
        .value(std::numeric_limits<double>::infinity())
        .value(std::numeric_limits<double>::quiet_NaN())
        .end_array();
    EXPECT_EQ(json.text(), "[null, null]");
}

TEST(JsonWriter, EscapesText) {
    JsonWriter json;
    json.begin_object().member("a\"b", "line\nbreak \xff").end_object();
    EXPECT_EQ(Json::parse(json.text())["a\"b"], "line\nbreak \xEF\xBF\xBD");
}

TEST(JsonWriter, LaysOutLines) {
    JsonWriter json;
    json.begin_object(JsonWriter::Layout::Lines).member("a", 1).key("b");
    json.begin_array().value(1).value(2).end_array().key("c").begin_array(
        JsonWriter::Layout::Lines);
    json.end_array().end_object();
    EXPECT_EQ(json.text(), "{\n  \"a\": 1,\n  \"b\": [1, 2],\n  \"c\": []\n}");
}

// The keys are a contract: these, in this order, and no others.
TEST(ResultsJson, HasTheDocumentedKeys) {
    const Json json = Json::parse(results_json(sample_results()));
    EXPECT_EQ(keys_of(json),
              (std::vector<std::string>{"schema", "fidelity", "dialect", "finish_ns",
                                        "link_bound_ns", "summary", "npus", "collectives",
                                        "link_classes", "links", "performance"}));
    const Json named = Json::parse(results_json(sample_results(), Bytes(1), "npunet simulate"));
    EXPECT_EQ(keys_of(named)[1], "command");
    EXPECT_EQ(named["command"], "npunet simulate");
    EXPECT_EQ(keys_of(json["npus"][0]), (std::vector<std::string>{"rank",
                                                                  "finish_ns",
                                                                  "compute_ns",
                                                                  "comm_ns",
                                                                  "exposed_comm_ns",
                                                                  "exposed_memory_ns",
                                                                  "idle_ns",
                                                                  "peak_memory_bytes",
                                                                  "compute_bound_percent",
                                                                  "compute_utilization_percent",
                                                                  "memory_utilization_percent",
                                                                  "operation_intensity",
                                                                  "memory_ns",
                                                                  "bubble_percent",
                                                                  "bubble_of_step_percent",
                                                                  "by_dimension",
                                                                  "memory_capacity_bytes",
                                                                  "peak_memory_ns",
                                                                  "alive_at_peak",
                                                                  "alive_besides"}));
    EXPECT_EQ(json["npus"][0]["by_dimension"],
              Json::parse(R"({"tp": {"comm_ns": 50, "exposed_comm_ns": 50, "waiting_ns": 0},
                              "dp": {"comm_ns": 250, "exposed_comm_ns": 250, "waiting_ns": 20}})"));
    EXPECT_EQ(json["npus"][0]["alive_at_peak"][0]["name"], "weights");
    EXPECT_EQ(json["npus"][0]["alive_besides"]["tensors"], 3);
    EXPECT_EQ(keys_of(json["collectives"][0]),
              (std::vector<std::string>{"id", "name", "type", "group", "algorithm", "bytes",
                                        "first_start_ns", "last_start_ns", "end_ns",
                                        "bandwidth_GBps", "bound_ns", "bandwidth_bound_GBps"}));
    EXPECT_EQ(keys_of(json["links"][0]),
              (std::vector<std::string>{"from", "to", "class", "payload_bytes", "wire_bytes",
                                        "utilization_percent", "max_queue_bytes", "packets",
                                        "retransmissions", "credit_stall_ns", "notifications",
                                        "classes_wire_bytes", "queue_ns"}));
    EXPECT_EQ(json["links"][2]["class"], "leaf-spine");
    EXPECT_EQ(json["link_classes"][0], Json::parse(R"({"class": "NIC", "links": 2,
                  "mean_utilization_percent": 34.99125218695326,
                  "max_utilization_percent": 49.98750312421895, "payload_bytes": 19200,
                  "wire_bytes": 19500, "max_queue_bytes": 4160, "packets": 34,
                  "retransmissions": 4, "credit_stall_ns": 6, "pauses": 0, "marked": 0, "drops": 0,
                  "notifications": 10})"));
    EXPECT_EQ(keys_of(json["performance"]),
              (std::vector<std::string>{"wall_s", "events", "packet_hops", "simulated_npus",
                                        "peak_rss_bytes"}));
}

// Of rank 0, which finishes last: 600 of 1000.25 ns compute, 250 ns are exposed for DP, of which it
// carries 230; while it is idle another rank carries DP for 40 ns.
TEST(ResultsJson, BeginsWithTheSummary) {
    const Json expected = Json::parse(R"({
        "rank": 0, "compute_ns": 600, "exposed_comm_ns": 300, "exposed_memory_ns": 0,
        "idle_ns": 100.25, "bubble_percent": 11.13888888888889,
        "by_dimension": {"tp": {"comm_ns": 50, "exposed_comm_ns": 50, "waiting_ns": 0},
                         "dp": {"comm_ns": 250, "exposed_comm_ns": 250, "waiting_ns": 20}},
        "exposed_comm_causes": {"tp_ns": 50, "dp_ns": 230, "compute_ns": 20},
        "idle_causes": {"dp_ns": 40, "compute_ns": 60.25},
        "memory_rank": 0, "peak_memory_bytes": 1073741824, "memory_capacity_bytes": 4294967296,
        "compute_limit_rank": 0, "compute_limit_ns": 600,
        "bottleneck": {"kind": "communication", "dimension": "dp", "links": "NIC", "time_ns": 250,
                       "exposed_ns": 230, "waiting_ns": 40}})");
    Json summary = Json::parse(results_json(sample_results()))["summary"];
    EXPECT_EQ(summary["bottleneck"]["sentence"],
              "the NICs carry data-parallel all_reduce and all_gather of rank 0 for 250 ns, 230 ns "
              "of it exposed (23.0% of the run); rank 0 waits another 40 ns (4.0% of the run) for "
              "ranks that do the same");
    summary["bottleneck"].erase("sentence");
    EXPECT_NEAR(summary["hfu_percent"].get<double>(), 85.661 * 0.6 / 1.00025, 1e-9);
    summary.erase("hfu_percent");
    EXPECT_NEAR(summary["bubble_of_step_percent"].get<double>(), 100 * 100.25 / 1000.25, 1e-9);
    summary.erase("bubble_of_step_percent");
    EXPECT_EQ(summary, expected);
    engine::Results nothing = sample_results();
    nothing.npus.clear();
    EXPECT_EQ(Json::parse(results_json(nothing)).count("summary"), 0U);
}

// Values taken by default: minimum and maximum where they differ.
TEST(ResultsJson, SaysWhatWasTakenByDefault) {
    engine::Results results = sample_results();
    results.resolved = sample_resolved();
    results.links[0].marked = 7;
    results.links[0].drops = 3;
    results.links[1].marked = 1;
    results.links[1].pauses = 5;
    const Json json = Json::parse(results_json(results));
    EXPECT_EQ(json["congestion"],
              Json::parse(R"({"marked": 8, "drops": 3, "pauses": 5, "retransmissions": 6,
                              "notifications": 15})"));
    EXPECT_EQ(json["resolved"], Json::parse(R"({
        "algorithms": {"all_reduce": ["ring", "direct4"], "barrier": ["dissemination"]},
        "packet": {"routing": "ecmp", "flow_control": "pfc", "buffer_bytes": [1000, 2000],
                   "queue_limit_bytes": [500, 1000], "resume_below_bytes": 8320,
                   "headroom_bytes": [100, 200], "kmin_bytes": [20, 40], "kmax_bytes": [80, 160],
                   "pmax": 0.2, "transport": "go-back-n", "window_bytes": [64, 128],
                   "rto_ns": [500.5, 1001], "congestion_control": "dcqcn"}})"));
    results.resolved->packet->virtual_channels = 2;
    const Json credits = Json::parse(results_json(results));
    EXPECT_EQ(credits.count("congestion"), 0U);
    EXPECT_EQ(credits["resolved"]["packet"],
              Json::parse(R"({"routing": "ecmp", "flow_control": "pfc", "virtual_channels": 2,
                              "buffer_bytes": [1000, 2000]})"));
}

TEST(ResultsJson, HasTheRatesOfAStep) {
    engine::Results results = sample_results();
    results.rates = sample_rates();
    const Json json = Json::parse(results_json(results));
    const std::vector<std::string> keys = keys_of(json);
    EXPECT_EQ(std::vector<std::string>(keys.begin() + 5, keys.begin() + 12),
              (std::vector<std::string>{"tokens_per_s", "samples_per_s", "model_tflops_per_npu",
                                        "mfu_percent", "mfu_palm_percent", "peak_tflops_per_npu",
                                        "peak_source"}));
    EXPECT_EQ(json["tokens_per_s"], 15083.5);
    EXPECT_EQ(json["mfu_percent"], 42.6);
    EXPECT_EQ(json["peak_source"], "bf16 of h100-sxm5-80gb");
    results.rates->peak_tflops_per_npu = 0;
    const Json without = Json::parse(results_json(results));
    EXPECT_EQ(without["model_tflops_per_npu"], 421.3);
    EXPECT_FALSE(without.contains("mfu_percent"));
}

TEST(ResultsJson, HasTheFigures) {
    const std::string text = results_json(sample_results(), Bytes(77));
    const Json json = Json::parse(text);
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["fidelity"], "packet");
    EXPECT_EQ(json["npus"].size(), 4u);
    EXPECT_EQ(json["npus"][2]["rank"], 2);
    EXPECT_TRUE(json["npus"][2]["finish_ns"].is_number_integer());
    EXPECT_EQ(json["npus"][0]["operation_intensity"], 3523.082);
    // Rank 2 of a run of 1000.25 ns is done after 800 ns, of which it waits for 50.
    EXPECT_DOUBLE_EQ(json["npus"][2]["bubble_percent"], 100 * (1000.25 - 750) / 750);
    EXPECT_DOUBLE_EQ(json["npus"][2]["bubble_of_step_percent"], 100 * (1000.25 - 750) / 1000.25);
    EXPECT_EQ(json["collectives"][1]["type"], "all_to_all");
    EXPECT_EQ(json["collectives"][0]["group"], Json({0, 1}));
    EXPECT_EQ(json["links"][1]["payload_bytes"], 12800);
    EXPECT_EQ(json["performance"]["peak_rss_bytes"], 77);
    EXPECT_THAT(text, HasSubstr("\"finish_ns\": 1000.25,"));
    EXPECT_EQ(text.back(), '\n');
}

// The flows of a run that was asked for them: all together, and the ten slowest of twelve, 11 to 2,
// where 2 took longer than 3, which is as slow.
TEST(ResultsJson, HasTheFlowsThatWereAskedFor) {
    engine::Results results = sample_results();
    results.flows = sample_flows();
    const Json json = Json::parse(results_json(results));
    EXPECT_EQ(keys_of(json),
              (std::vector<std::string>{"schema", "fidelity", "dialect", "finish_ns",
                                        "link_bound_ns", "summary", "npus", "collectives",
                                        "link_classes", "links", "flows", "performance"}));
    std::vector<std::string> of_flow{
        "messages",        "bytes",        "first_start_ns", "last_end_ns",  "total_ns",
        "min_ns",          "mean_ns",      "p50_ns",         "p99_ns",       "max_ns",
        "mean_slowdown",   "p50_slowdown", "p99_slowdown",   "max_slowdown", "packets",
        "retransmissions", "timeouts",     "marked",         "notifications"};
    std::vector<std::string> of_all = of_flow;
    of_all.insert(of_all.begin(), "flows");
    of_all.emplace_back("by_size");
    of_all.emplace_back("slowest");
    EXPECT_EQ(keys_of(json["flows"]), of_all);
    of_flow.insert(of_flow.begin(), {"from", "to", "class"});
    EXPECT_EQ(keys_of(json["flows"]["slowest"][0]), of_flow);
    EXPECT_EQ(json["flows"]["flows"], 12);
    EXPECT_EQ(json["flows"]["packets"], 12 * 257);
    EXPECT_EQ(json["flows"]["mean_ns"], 208.333);
    std::vector<std::string> slowest;
    for (const Json& flow : json["flows"]["slowest"]) {
        slowest.push_back(flow["from"]);
    }
    EXPECT_EQ(slowest, (std::vector<std::string>{"npu,11", "npu10", "npu9", "npu8", "npu7", "npu6",
                                                 "npu5", "npu4", "npu2", "npu3"}));
    EXPECT_EQ(json["flows"]["slowest"][0]["max_slowdown"], 3.75);
    EXPECT_TRUE(json["flows"]["by_size"].empty());
    engine::SizeResult size{Bytes(4096), results.flows->all};
    size.result.bytes = Bytes(5000);
    results.flows->sizes = {size};
    const Json sized = Json::parse(results_json(results))["flows"]["by_size"];
    ASSERT_EQ(sized.size(), 1U);
    EXPECT_EQ(keys_of(sized[0]),
              (std::vector<std::string>{"up_to_bytes", "messages", "bytes", "total_ns", "min_ns",
                                        "mean_ns", "p50_ns", "p99_ns", "max_ns", "mean_slowdown",
                                        "p50_slowdown", "p99_slowdown", "max_slowdown"}));
    EXPECT_EQ(sized[0]["up_to_bytes"], 4096);
    EXPECT_EQ(sized[0]["bytes"], 5000);
    results.flows->flows.clear();
    results.flows->all = {};
    const Json none = Json::parse(results_json(results));
    EXPECT_TRUE(none["flows"]["slowest"].empty());
    EXPECT_TRUE(none["flows"]["max_slowdown"].is_null());
}

TEST(ResultsJson, NotesAppearOnlyWhenThereAreAny) {
    engine::Results results = sample_results();
    results.notes = {"group 3 is no sub-grid: one ring in listed order"};
    EXPECT_EQ(Json::parse(results_json(results))["notes"], Json(results.notes));
}

// Two runs may differ in how long they took, and in nothing else.
TEST(ResultsJson, OnlyPerformanceDependsOnTheMachine) {
    engine::Results slow = sample_results();
    slow.wall_seconds = 17;
    Json one = Json::parse(results_json(sample_results(), Bytes(1)));
    Json other = Json::parse(results_json(slow, Bytes(2)));
    EXPECT_NE(one, other);
    one.erase("performance");
    other.erase("performance");
    EXPECT_EQ(one.dump(), other.dump());
}

// n > 4096 ranks of which one differs: two entries, whose ranks together are every rank once.
TEST(ResultsJson, ManyRanksBecomeClassesOfEqualNpus) {
    engine::Results results = sample_results();
    const engine::NpuResult pattern = results.npus[2];
    results.npus.assign(most_listed_npus + 1, pattern);
    for (std::size_t rank = 0; rank < results.npus.size(); ++rank) {
        results.npus[rank].rank = Rank(rank);
    }
    results.npus[7].idle += Time::ps(1);
    const Json json = Json::parse(results_json(results));
    ASSERT_EQ(json["npus"].size(), 2u);
    EXPECT_EQ(json["npus"][0]["ranks"].size(), most_listed_npus);
    EXPECT_EQ(json["npus"][1]["ranks"], Json({7}));
    EXPECT_EQ(json["npus"][0]["idle_ns"], 50);
    EXPECT_EQ(json["npus"][1]["idle_ns"], 50.001);
    EXPECT_FALSE(json["npus"][0].contains("rank"));

    results.npus.pop_back();
    EXPECT_EQ(Json::parse(results_json(results))["npus"].size(), most_listed_npus);
}

TEST(ResultsJson, KnowsThePeakOfMemory) {
    EXPECT_GT(peak_resident_memory(), Bytes(1 << 20));
}

// A job ends with its last NPU, not before its start; it lasts from the one to the other.
TEST(ResultsJson, SeveralJobs) {
    engine::JobsResults results = sample_jobs();
    results.jobs.push_back({"idle", {NodeId(8)}, Time::ns(5), engine::Results()});
    const Json json = Json::parse(results_json(results));
    const Json single = Json::parse(results_json(sample_results()));
    const double finish = single["finish_ns"].get<double>();
    ASSERT_EQ(json["jobs"].size(), 3U);
    EXPECT_EQ(json["jobs"][1], (Json{{"name", "second"},
                                     {"npus", {9, 4, 5, 6}},
                                     {"start_ns", 250},
                                     {"finish_ns", single["finish_ns"]},
                                     {"duration_ns", finish - 250}}));
    EXPECT_EQ(json["jobs"][2]["finish_ns"], 5);
    EXPECT_EQ(json["jobs"][2]["duration_ns"], 0);
    EXPECT_EQ(json["links"], single["links"]);
    std::vector<std::string> keys = keys_of(json);
    EXPECT_EQ(std::count(keys.begin(), keys.end(), "jobs"), 1);
    keys.erase(std::find(keys.begin(), keys.end(), "jobs"));
    keys.insert(std::find(keys.begin(), keys.end(), "npus"), "summary");
    EXPECT_EQ(keys, keys_of(single)) << "the rest is as of one workload";
}

}  // namespace
}  // namespace npunet::report::results_json_test
