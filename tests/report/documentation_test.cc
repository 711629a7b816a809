// docs/results.md explains every key that a program can meet.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "report/comparison/compare_table.h"
#include "report/results/csv.h"
#include "report/results/flow_csv.h"
#include "report/results/results_json.h"
#include "report/results/what_if.h"
#include "tests/report/sample_results.h"
#include "tests/support/temporary_folder.h"

namespace npunet::report::documentation_test {
namespace {

using Json = nlohmann::ordered_json;

std::string documentation() {
    return test::bytes_of(NPUNET_SOURCE_DIR "/docs/results.md");
}

void collect_keys(const Json& value, std::set<std::string>& keys) {
    for (const auto& [key, member] : value.items()) {
        if (value.is_object()) {
            keys.insert(key);
        }
        if (member.is_structured()) {
            collect_keys(member, keys);
        }
    }
}

void expect_documented(const std::set<std::string>& names) {
    const std::string text = documentation();
    ASSERT_FALSE(text.empty());
    for (const std::string& name : names) {
        EXPECT_NE(text.find('`' + name + '`'), std::string::npos) << name << " is not explained";
    }
}

TEST(Documentation, ExplainsEveryKeyOfResultsJson) {
    engine::Results results = sample_results();
    results.notes = {"a note"};
    results.flows = sample_flows();
    results.rates = sample_rates();
    results.resolved = sample_resolved();
    std::set<std::string> keys;
    collect_keys(Json::parse(results_json(results)), keys);
    CollectiveDetail detail;
    detail.choices.resize(1);
    detail.choices[0].chosen.time = Time::ns(2);
    detail.choices[0].others.push_back({"ring", 1, 1, Time::ns(3)});
    collect_keys(Json::parse(results_json(results, Bytes(1), "", {&detail})), keys);
    EXPECT_EQ(keys.count("slower_percent"), 1u);
    results.npus.assign(most_listed_npus + 1, results.npus.front());
    collect_keys(Json::parse(results_json(results)), keys);
    EXPECT_EQ(keys.count("ranks"), 1u);
    collect_keys(Json::parse(results_json(sample_jobs(), Bytes(1), "npunet simulate")), keys);
    EXPECT_EQ(keys.count("command"), 1u);
    EXPECT_EQ(keys.count("duration_ns"), 1u);
    results.resolved->packet->scale_up.push_back(*results.resolved->packet);
    collect_keys(Json::parse(results_json(results)), keys);
    EXPECT_EQ(keys.count("scale_up"), 1u);
    results.resolved->packet->virtual_channels = 2;
    collect_keys(Json::parse(results_json(results)), keys);
    EXPECT_EQ(keys.count("virtual_channels"), 1u);
    WhatIf answers;
    answers.lines.push_back({"latency", "latencies / 2", 0.5, {"NIC"}, Time::ns(1), {}, ""});
    answers.lines.push_back({"compute", "compute x 2", 2, {}, {}, {}, "the run stalls"});
    answers.finish = Time::ns(2);
    collect_keys(Json::parse(results_json(results, Bytes(1), "", {nullptr, &answers})), keys);
    EXPECT_EQ(keys.count("change_percent"), 1u);
    expect_documented(keys);
}

TEST(Documentation, ExplainsEveryKeyOfAComparison) {
    std::set<std::string> keys;
    GapExplanation why;
    why.communications.resize(1);
    why.communications[0].link_contention.resize(1);
    why.links.resize(1);
    why.neighbours.resize(2);
    engine::Results fluid = sample_results();
    fluid.fidelity = "fluid";
    collect_keys(Json::parse(compare_json({sample_analytical(), fluid, sample_results()}, Bytes(1),
                                          &why, "npunet compare")),
                 keys);
    EXPECT_EQ(keys.count("collective_ratio"), 1u);
    EXPECT_EQ(keys.count("gaps"), 1u);
    expect_documented(keys);
}

TEST(Documentation, ExplainsEveryColumn) {
    std::set<std::string> columns;
    std::ostringstream flows;
    write_flows_csv(flows, sample_flows());
    for (const std::string& csv :
         {npus_csv(sample_results()), collectives_csv(sample_results()),
          links_csv(sample_results()), flows.str(), messages_csv_heading()}) {
        std::istringstream heading(csv.substr(0, csv.find('\n')));
        for (std::string column; std::getline(heading, column, ',');) {
            columns.insert(column);
        }
    }
    expect_documented(columns);
}

}  // namespace
}  // namespace npunet::report::documentation_test
