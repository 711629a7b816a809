// npunet simulate --detail: collectives.csv with a row for every rank's part in every collective.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/bad_input.h"

namespace npunet::cli {
namespace {

class Detail : public BadInput {
protected:
    [[nodiscard]] std::vector<std::vector<std::string>> rows() const {
        std::ifstream file(folder_ / "out" / "collectives.csv");
        std::vector<std::vector<std::string>> all;
        for (std::string line; std::getline(file, line);) {
            std::istringstream fields(line);
            all.emplace_back();
            for (std::string field; std::getline(fields, field, ',');) {
                all.back().push_back(field);
            }
        }
        return all;
    }
};

// Two all-reduces on 4 x 4 NPUs, and rank 3 computes for 5 us before the first: every rank has two
// rows, its first start is 0 or 5000 ns, and the parts of a collective begin and end with it.
TEST_F(Detail, HasARowForEveryPart) {
    for (std::int32_t rank = 0; rank < 16; ++rank) {
        std::vector<chakra::Node> nodes;
        if (rank == 3) {
            nodes.push_back(test::compute_node(1, 5));
        }
        nodes.push_back(test::collective_node(
            2, chakra::CollectiveType::AllReduce, 4096, "",
            rank == 3 ? std::vector<std::uint64_t>{1} : std::vector<std::uint64_t>{}));
        nodes.push_back(test::collective_node(3, chakra::CollectiveType::AllGather, 8192, "", {2}));
        trace(rank, nodes);
    }
    for (const char* fidelity : {"analytical", "congestion-aware"}) {
        const Outcome outcome = simulate("mesh.yml", {"--detail", "--fidelity", fidelity});
        ASSERT_EQ(outcome.code, 0) << outcome.log;
        const auto table = rows();
        ASSERT_EQ(table.size(), 33U);
        EXPECT_THAT(table[0], ::testing::ElementsAre("rank", "id", "node", "name", "group", "bytes",
                                                     "start_ns", "end_ns"));
        const auto json = nlohmann::json::parse(std::ifstream(folder_ / "out" / "results.json"));
        ASSERT_EQ(json["collectives"].size(), 2U);
        std::map<std::string, std::pair<double, double>> spans;
        for (std::size_t i = 1; i < table.size(); ++i) {
            const std::vector<std::string>& row = table[i];
            EXPECT_EQ(row[0], std::to_string((i - 1) / 2));
            EXPECT_EQ(row[1], row[2] == "2" ? "0" : "1");
            EXPECT_EQ(row[5], row[2] == "2" ? "4096" : "8192");
            if (row[2] == "2") {
                EXPECT_EQ(row[6], row[0] == "3" ? "5000" : "0") << "rank " << row[0];
            }
            const double start = std::stod(row[6]);
            const double end = std::stod(row[7]);
            const auto [span, is_new] = spans.try_emplace(row[1], start, end);
            span->second.first = std::min(span->second.first, start);
            span->second.second = std::max(span->second.second, end);
        }
        ASSERT_EQ(spans.size(), 2U);
        for (const auto& collective : json["collectives"]) {
            const auto& span = spans.at(std::to_string(collective["id"].get<int>()));
            EXPECT_EQ(span.first, collective["first_start_ns"].get<double>());
            EXPECT_EQ(span.second, collective["end_ns"].get<double>());
        }
    }
}

// Why an all-reduce uses its algorithm: in results.json, in what --json prints, and in the table;
// nowhere without --detail.
TEST_F(Detail, SaysWhyAlgorithmsWereChosen) {
    all_reduce_traces(16);
    const Outcome outcome = simulate("mesh.yml", {"--detail"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out,
                ::testing::AllOf(::testing::HasSubstr("algorithms chosen for collectives"),
                                 ::testing::ContainsRegex("all_reduce +4 KiB +16 +1 +[a-zA-Z+]+")));
    const auto json = nlohmann::json::parse(std::ifstream(folder_ / "out" / "results.json"));
    const auto& choices = json.at("collective_choices");
    ASSERT_EQ(choices.size(), 1U);
    const auto& choice = choices[0];
    EXPECT_EQ(choice["type"], "all_reduce");
    EXPECT_EQ(choice["bytes"], 4096);
    EXPECT_EQ(choice["groups"], 1);
    EXPECT_EQ(choice["group"].size(), 16U);
    EXPECT_EQ(choice["algorithm"], json["collectives"][0]["algorithm"]);
    EXPECT_EQ(choice["estimate_ns"], json["collectives"][0]["end_ns"]);
    ASSERT_GE(choice["others"].size(), 5U);
    for (const auto& other : choice["others"]) {
        EXPECT_NEAR(
            other["slower_percent"].get<double>(),
            100 * (other["estimate_ns"].get<double>() / choice["estimate_ns"].get<double>() - 1),
            0.1);
        EXPECT_GE(other["slower_percent"].get<double>(), -2.5);
    }
    const Outcome printed = simulate("mesh.yml", {"--detail", "--json"});
    EXPECT_EQ(nlohmann::json::parse(printed.out).at("collective_choices"), choices);
    const Outcome plain = simulate("mesh.yml");
    EXPECT_THAT(plain.out, ::testing::Not(::testing::HasSubstr("algorithms chosen")));
    EXPECT_FALSE(nlohmann::json::parse(std::ifstream(folder_ / "out" / "results.json"))
                     .contains("collective_choices"));
}

// Each job has its own.
TEST_F(Detail, SaysItOfEveryJob) {
    all_reduce_traces(4);
    write("jobs.yml",
          "- {name: left, workload: w, ranks: 0-3}\n"
          "- {name: right, workload: w, ranks: [7, 6, 5, 4]}\n");
    const Outcome outcome = run({"simulate", "--jobs-file", path("jobs.yml"), "--network",
                                 path("mesh.yml"), "--output-dir", path("out"), "--detail"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    for (const char* job : {"left", "right"}) {
        const auto json =
            nlohmann::json::parse(std::ifstream(folder_ / "out" / "jobs" / job / "results.json"));
        EXPECT_EQ(json.at("collective_choices").size(), 1U) << job;
    }
}

TEST_F(Detail, NeedsAFolder) {
    all_reduce_traces(2);
    const Outcome outcome =
        run({"simulate", "--workload", path("w"), "--network", path("ring2.yml"), "--detail"});
    expect_refused(outcome, 2);
    EXPECT_THAT(outcome.log, ::testing::HasSubstr("--output-dir"));
}

}  // namespace
}  // namespace npunet::cli
