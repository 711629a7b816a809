// The validation against brute force on random traces, and on traces of other producers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "chakra/dependencies/trace_order.h"
#include "chakra/files/trace_writer.h"
#include "chakra/validation/workload_validation.h"
#include "test_files.h"
#include "tests/support/counted_cases.h"
#include "tests/support/shared_data.h"

namespace npunet::chakra {
namespace {

class ValidationOracle : public ::testing::Test {
protected:
    test::TemporaryFolder folder_;
};

/// How often each code was found.
std::map<std::string, std::uint64_t> codes_of(const ValidationResult& result) {
    std::map<std::string, std::uint64_t> codes;
    for (const Finding& finding : result.findings.findings()) {
        ++codes[std::string(name_of(finding.code))];
    }
    return codes;
}

/// Repeatedly the lowest id of those whose dependencies are all done, by trying every node.
std::vector<std::uint64_t> slow_order(const std::vector<Node>& nodes) {
    std::set<std::uint64_t> done;
    std::vector<std::uint64_t> order;
    while (order.size() < nodes.size()) {
        const Node* lowest = nullptr;
        for (const Node& node : nodes) {
            const bool ready = std::all_of(node.data_deps.begin(), node.data_deps.end(),
                                           [&](auto dep) { return done.count(dep) > 0; });
            if (ready && done.count(node.id) == 0 && (lowest == nullptr || node.id < lowest->id)) {
                lowest = &node;
            }
        }
        if (lowest == nullptr) {
            return order;
        }
        done.insert(lowest->id);
        order.push_back(lowest->id);
    }
    return order;
}

/// Nodes in random order in the file, each waiting for some that come before it in another order.
std::vector<Node> random_nodes(std::mt19937& random, std::size_t count) {
    std::vector<Node> nodes(count);
    for (std::size_t i = 0; i < count; ++i) {
        nodes[i].id = 10 * i + random() % 10;
        nodes[i].type = NodeType::Compute;
    }
    std::shuffle(nodes.begin(), nodes.end(), random);
    for (std::size_t i = 1; i < count; ++i) {
        if (random() % 2 == 0) {
            nodes[i].data_deps.push_back(nodes[random() % i].id);
        }
    }
    std::shuffle(nodes.begin(), nodes.end(), random);
    return nodes;
}

TEST(TraceOrder, AgreesWithBruteForce) {
    std::mt19937 random(5);
    for (int round = 0; round < 500; ++round) {
        const std::vector<Node> nodes = random_nodes(random, 1 + random() % 12);
        DependencyGraph graph;
        for (const Node& node : nodes) {
            graph.add(node);
        }
        graph.resolve();
        std::vector<std::uint64_t> order;
        for (const auto place : trace_order(graph, FollowedDeps::Data)) {
            order.push_back(graph.id_of(place));
        }
        ASSERT_EQ(order, slow_order(nodes)) << "round " << round;
    }
}

using Channel = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  // source, destination, tag

/// Makes random traffic between three ranks and what the findings about it must be: per channel,
/// the k-th send in trace order against the k-th receive.
struct Traffic {
    std::vector<std::vector<Node>> ranks;
    std::map<std::string, std::uint64_t> expected;

    explicit Traffic(std::mt19937& random) {
        std::map<Channel, std::vector<std::int64_t>> sends;
        std::map<Channel, std::vector<std::int64_t>> receives;
        for (std::int32_t rank = 0; rank < 3; ++rank) {
            ranks.push_back(random_nodes(random, 4 + random() % 6));
            std::map<std::uint64_t, std::pair<bool, std::pair<Channel, std::int64_t>>> made;
            for (Node& node : ranks.back()) {
                const bool send = random() % 2 == 0;
                const auto peer = static_cast<std::int32_t>(
                    (rank + 1 + static_cast<std::int32_t>(random() % 2)) % 3);
                const auto tag = static_cast<std::int32_t>(random() % 2);
                const std::int64_t bytes = random() % 4 == 0 ? 16 : 8;
                node.type = send ? NodeType::CommSend : NodeType::CommReceive;
                node.set_int32(send ? "comm_dst" : "comm_src", peer);
                if (tag != 0) {
                    node.set_int32("comm_tag", tag);
                }
                node.set_integer("comm_size", bytes);
                made[node.id] = {
                    send, {send ? Channel{rank, peer, tag} : Channel{peer, rank, tag}, bytes}};
            }
            for (const std::uint64_t id : slow_order(ranks.back())) {
                const auto& [send, what] = made[id];
                (send ? sends : receives)[what.first].push_back(what.second);
            }
        }
        std::set<Channel> channels;
        for (const auto* side : {&sends, &receives}) {
            for (const auto& entry : *side) {
                channels.insert(entry.first);
            }
        }
        for (const Channel& channel : channels) {
            expect(sends[channel], receives[channel]);
        }
    }

    void expect(const std::vector<std::int64_t>& sent, const std::vector<std::int64_t>& awaited) {
        for (std::size_t i = 0; i < std::max(sent.size(), awaited.size()); ++i) {
            if (i >= awaited.size()) {
                ++expected["unmatched-send"];
            } else if (i >= sent.size()) {
                ++expected["unmatched-receive"];
            } else if (sent[i] != awaited[i]) {
                ++expected["message-size-mismatch"];
            }
        }
    }
};

TEST_F(ValidationOracle, MessagesAgreeWithBruteForce) {
    std::mt19937 random(17);
    std::map<std::string, std::uint64_t> seen;
    for (int round = 0; round < 300; ++round) {
        const Traffic traffic(random);
        ValidationInput input;
        input.whole_workload = true;
        for (std::size_t rank = 0; rank < traffic.ranks.size(); ++rank) {
            const auto path = folder_ / fmt::format("w{}.{}.et", round, rank);
            write_trace(path, traffic.ranks[rank], TraceMetadata{});
            input.traces.push_back({path, Rank(rank)});
        }
        const auto codes = codes_of(validate_traces(input));
        ASSERT_EQ(codes, traffic.expected) << "round " << round;
        for (const auto& [code, count] : codes) {
            seen[code] += count;
        }
    }
    EXPECT_EQ(seen.size(), 3U);
}

class ValidationOfRealTraces : public ::testing::Test {
protected:
    void SetUp() override {
        folder_of_traces_ = std::filesystem::path(NPUNET_SHARED_DIR) / "data/chakra";
        NPUNET_SKIP_WITHOUT_SHARED_DATA();
        expected_ = nlohmann::json::parse(bytes_of(folder_of_traces_ / "expected.json"));
    }

    [[nodiscard]] ValidationResult validate(const std::string& name) const {
        ValidationInput input;
        input.traces.push_back({folder_of_traces_ / name, Rank()});
        input.followed = FollowedDeps::Data;
        return validate_traces(input);
    }

    std::filesystem::path folder_of_traces_;
    nlohmann::json expected_;
    test::TemporaryFolder folder_;
};

TEST_F(ValidationOfRealTraces, MadeOnesHaveTheirCodes) {
    using Codes = std::map<std::string, std::uint64_t>;
    const std::map<std::string, Codes> made{{"ctrl_only", {}},
                                            {"cycle", {{"cyclic-dependency", 1}}},
                                            {"dangling", {{"dangling-dependency", 1}}},
                                            {"default_node_zero_length", {{"invalid-node", 1}}},
                                            {"dup_dep", {{"duplicate-dependency", 1}}},
                                            {"dup_id", {{"duplicate-id", 1}}},
                                            {"empty_file", {{"empty-trace", 1}}},
                                            {"empty_metadata", {}},
                                            {"gzipped", {}},
                                            {"late_child_of_first", {}},
                                            {"no_metadata", {}},
                                            {"self_dep", {{"self-dependency", 1}}},
                                            {"truncated", {{"malformed-trace", 1}}}};
    for (const auto& [name, codes] : made) {
        EXPECT_EQ(codes_of(validate("made/" + name + ".et")), codes) << name;
    }
}

std::int64_t errors(const ValidationResult& result, FindingCode code) {
    const auto& findings = result.findings.findings();
    return std::count_if(findings.begin(), findings.end(), [&](const Finding& finding) {
        return finding.code == code && finding.severity == Severity::Error;
    });
}

// What an independent reader counted is what is found.
TEST_F(ValidationOfRealTraces, CountsAgree) {
    int files = 0;
    for (const auto& [name, file] : expected_.items()) {
        SCOPED_TRACE(name);
        const ValidationResult result = validate(name);
        const auto count = [&](FindingCode code) { return result.findings.count(0, code); };
        if (!file.at("frame_error").is_null()) {
            EXPECT_EQ(count(FindingCode::MalformedTrace), 1U);
            continue;
        }
        ++files;
        EXPECT_EQ(count(FindingCode::MalformedTrace), 0U);
        EXPECT_EQ(result.nodes, file.at("nodes"));
        EXPECT_EQ(count(FindingCode::DanglingDependency), file.at("dangling_deps"));
        EXPECT_EQ(count(FindingCode::DanglingControlDependency), file.at("dangling_ctrl_deps"));
        EXPECT_EQ(result.nodes - count(FindingCode::DuplicateId), file.at("unique_ids"));
        // The counts are of data dependencies: errors. A real trace has 383 nodes that are their
        // own callers.
        EXPECT_EQ(errors(result, FindingCode::SelfDependency), file.at("self_deps"));
        EXPECT_EQ(errors(result, FindingCode::SelfDependency) +
                          errors(result, FindingCode::CyclicDependency) ==
                      0,
                  file.at("acyclic").get<bool>());
    }
    EXPECT_GT(files, 300);
    test::count_cases(expected_.size());
}

}  // namespace
}  // namespace npunet::chakra
