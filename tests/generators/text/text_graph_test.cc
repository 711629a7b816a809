// The graph of each type against its rules, written down here once more as sets of names: F, G, W
// for the forward pass and the gradients of input and weights, f, g, w for what each sends.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <set>

#include "chakra/dependencies/dependency_check.h"
#include "tests/generators/text/texts.h"

namespace npunet::generators {
namespace {

/// "F2 of pass 1" -> what it waits for.
using Graph = std::map<std::string, std::set<std::string>>;

std::string label(char kind, std::size_t layer, std::int32_t pass) {
    return fmt::format("{}{} of pass {}", kind, layer, pass);
}

/// Layers send different collectives in the three phases, so that names tell nodes apart.
char kind_of(const chakra::Node& node) {
    const std::vector<std::pair<std::string, char>> endings{
        {"_FWD", 'F'},      {"_BWD_IG", 'G'},        {"_BWD_WG", 'W'},   {"_ALLGATHER", 'f'},
        {"_ALLTOALL", 'f'}, {"_REDUCESCATTER", 'g'}, {"_ALLREDUCE", 'w'}};
    for (const auto& [ending, kind] : endings) {
        if (node.name.size() > ending.size() &&
            node.name.compare(node.name.size() - ending.size(), ending.size(), ending) == 0) {
            return kind;
        }
    }
    return '?';
}

Graph graph_of(const std::vector<chakra::Node>& nodes) {
    std::map<std::uint64_t, std::string> labels;
    std::map<std::string, std::int32_t> passes;
    for (const chakra::Node& node : nodes) {
        const std::size_t layer = std::stoul(node.name.substr(node.name.find("layer") + 5));
        const std::string first = label(kind_of(node), layer, 0);
        labels[node.id] = label(kind_of(node), layer, passes[first]++);
    }
    Graph graph;
    for (const chakra::Node& node : nodes) {
        std::set<std::string>& deps = graph[labels.at(node.id)];
        for (const std::uint64_t id : node.data_deps) {
            EXPECT_TRUE(deps.insert(labels.at(id)).second) << "twice";
        }
    }
    EXPECT_EQ(graph.size(), nodes.size());
    return graph;
}

struct Case {
    std::string heading;
    std::size_t layers = 0;
    std::int32_t passes = 0;
    std::size_t bottom = 0;  ///< DLRM
};

/// Rules of a type for layer i of pass p.
using RulesOf = std::function<void(Graph&, const Case&, std::size_t, std::int32_t)>;

void micro(Graph& graph, const Case&, std::size_t i, std::int32_t p) {
    graph[label('w', i, p)] = {};
}

void data(Graph& graph, const Case& c, std::size_t i, std::int32_t p) {
    std::set<std::string>& forward = graph[label('F', i, p)];
    if (i > 0) {
        forward.insert(label('F', i - 1, p));
        graph[label('G', i, p)] = {label('W', i, p)};
    }
    if (p > 0) {
        forward.insert(label('w', i, p - 1));
    }
    graph[label('W', i, p)] = {i + 1 == c.layers ? label('F', i, p) : label('G', i + 1, p)};
    graph[label('w', i, p)] = {label('W', i, p)};
}

void dlrm(Graph& graph, const Case& c, std::size_t i, std::int32_t p) {
    data(graph, c, i, p);
    if (i == 0) {
        graph[label('f', 0, p)] = {label('F', 0, p)};
        graph[label('g', 0, p)] = {label('G', c.bottom + 1, p)};
        graph[label('W', 0, p)].insert(label('g', 0, p));
    }
    if (i == c.bottom) {
        graph[label('F', i, p)].insert(label('f', 0, p));
    }
}

void model(Graph& graph, const Case& c, std::size_t i, std::int32_t p) {
    std::set<std::string>& forward = graph[label('F', i, p)];
    if (i > 0) {
        forward.insert(label('f', i - 1, p));
        graph[label('g', i, p)] = {label('G', i, p)};
    }
    if (p > 0) {
        forward.insert(label('W', i, p - 1));
    }
    graph[label('f', i, p)] = {label('F', i, p)};
    graph[label('G', i, p)] = {label('f', i, p)};
    if (i + 1 < c.layers) {
        graph[label('G', i, p)] = {label('W', i + 1, p), label('g', i + 1, p)};
    }
    graph[label('W', i, p)] = {label('G', i, p)};
}

void hybrid(Graph& graph, const Case& c, std::size_t i, std::int32_t p) {
    model(graph, c, i, p);
    graph[label('w', i, p)] = {label('W', i, p)};
    if (p > 0) {
        graph[label('F', i, p)].erase(label('W', i, p - 1));
        graph[label('F', i, p)].insert(label('w', i, p - 1));
    }
}

void expect_rules(const TextWorkload& workload, const Case& c, const RulesOf& rules) {
    SCOPED_TRACE(fmt::format("{}, {} layers, {} passes", c.heading, c.layers, c.passes));
    Graph expected;
    for (std::int32_t pass = 0; pass < c.passes; ++pass) {
        for (std::size_t layer = 0; layer < c.layers; ++layer) {
            rules(expected, c, layer, pass);
        }
    }
    EXPECT_EQ(graph_of(convert(workload, {4, c.passes}).nodes(Rank(0))), expected);
}

TEST_F(TextTest, DependenciesFollowTheRulesOfEachType) {
    const std::vector<std::pair<std::string, RulesOf>> types{
        {"MICRO", micro},
        {"DATA", data},
        {"MODEL", model},
        {"HYBRID_DATA_MODEL", hybrid},
        {"HYBRID_MODEL_DATA", hybrid},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 2", hybrid}};
    for (const auto& [heading, rules] : types) {
        for (const std::size_t layers : {1U, 2U, 5U}) {
            for (const std::int32_t passes : {1, 2, 4}) {
                const Case c{heading, layers, passes, 0};
                expect_rules(read(text_of(heading, layers)), c, rules);
            }
        }
    }
}

TEST_F(TextTest, DependenciesFollowTheRulesOfDlrm) {
    for (const char* type : {"HYBRID_DLRM", "HYBRID_DLRM_ENHANCED"}) {
        for (const std::size_t layers : {3U, 4U, 6U}) {
            for (std::size_t bottom = 1; bottom + 1 < layers; ++bottom) {
                const std::string heading = fmt::format("{} {}", type, bottom);
                const Case c{heading, layers, 3, bottom};
                // Only layer 0 may send in its forward pass and with ALLTOALL; others do not.
                expect_rules(read(text_of(heading, layers)), c, dlrm);
            }
        }
    }
}

// Nodes of a pass with L layers: MICRO L; DATA 4 L - 1 (no G of layer 0); MODEL 5 L - 1 (no g of
// layer 0); hybrids 6 L - 1; DLRM as DATA and the two exchanges of embeddings.
TEST_F(TextTest, NodesAreCounted) {
    const std::size_t layers = 4;
    const std::vector<std::size_t> per_pass{layers,         4 * layers - 1, 5 * layers - 1,
                                            6 * layers - 1, 6 * layers - 1, 4 * layers + 1,
                                            4 * layers + 1, 6 * layers - 1};
    for (std::size_t type = 0; type < headings().size(); ++type) {
        for (const std::int32_t passes : {1, 3}) {
            EXPECT_EQ(converted(text_of(headings()[type], layers), 4, passes).nodes(Rank(1)).size(),
                      per_pass[type] * static_cast<std::size_t>(passes))
                << headings()[type];
        }
    }
}

// Ids count from 0 and go on from rank to rank; but for ids and groups all ranks are alike.
// Dependencies are on earlier nodes of the rank, so there is no cycle.
TEST_F(TextTest, RanksAreAlikeAndIdsGoOn) {
    for (const std::string& heading : headings()) {
        const GeneratedWorkload workload = converted(text_of(heading, 4), 4, 2);
        const std::vector<chakra::Node> first = workload.nodes(Rank(0));
        for (std::int32_t rank = 0; rank < 4; ++rank) {
            const std::vector<chakra::Node> nodes = workload.nodes(Rank(rank));
            ASSERT_EQ(nodes.size(), first.size());
            const std::uint64_t shift = static_cast<std::uint64_t>(rank) * nodes.size();
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                EXPECT_EQ(nodes[i].id, i + shift);
                EXPECT_EQ(nodes[i].name, first[i].name);
                for (const std::uint64_t dep : nodes[i].data_deps) {
                    EXPECT_GE(dep, shift);
                    EXPECT_LT(dep, nodes[i].id);
                }
            }
            static_cast<void>(chakra::check_dependencies(nodes, heading));
        }
    }
}

// Cycles are microseconds, bytes are comm_size, and each phase has its own.
TEST_F(TextTest, NodesHaveTheTimesAndBytesOfTheirPhase) {
    const std::map<char, std::int64_t> parts{{'F', 1}, {'f', 1}, {'G', 2},
                                             {'g', 2}, {'W', 3}, {'w', 3}};
    const std::map<char, chakra::CollectiveType> types{{'f', chakra::CollectiveType::AllGather},
                                                       {'g', chakra::CollectiveType::ReduceScatter},
                                                       {'w', chakra::CollectiveType::AllReduce}};
    for (const chakra::Node& node :
         converted(text_of("HYBRID_MODEL_DATA", 4), 2, 2).nodes(Rank(1))) {
        const char kind = kind_of(node);
        const std::int64_t time =
            100 * std::stol(node.name.substr(node.name.find("layer") + 5)) + parts.at(kind);
        if (node.type == chakra::NodeType::Compute) {
            EXPECT_EQ(node.duration_micros, static_cast<std::uint64_t>(time));
            EXPECT_TRUE(node.attributes.empty());
        } else {
            EXPECT_EQ(node.integer("comm_size"), 1000 * time);
            EXPECT_EQ(node.integer("comm_type"), static_cast<std::int64_t>(types.at(kind)));
            EXPECT_EQ(node.attributes.size(), 2U);
        }
    }
}

std::vector<std::string> names_of(const GeneratedWorkload& workload) {
    std::vector<std::string> names;
    for (const chakra::Node& node : workload.nodes(Rank(0))) {
        names.push_back(node.name);
    }
    return names;
}

// To the converter NONE, and ALLREDUCEALLTOALL, are all-reduces of their bytes.
TEST_F(TextTest, NoneIsAnAllReduceOfItsBytes) {
    const GeneratedWorkload workload =
        converted("MODEL\n1\n" + layer_line(0, {"NONE", "NONE", "NONE"}), 2, 1);
    EXPECT_THAT(names_of(workload),
                ::testing::ElementsAre("COMP_NODE_layer0_FWD", "COMM_COLL_NODE_layer0_NONE",
                                       "COMP_NODE_layer0_BWD_IG", "COMP_NODE_layer0_BWD_WG"));
    EXPECT_EQ(workload.nodes(Rank(0))[1].integer("comm_type"), 0);
    EXPECT_EQ(workload.nodes(Rank(0))[1].integer("comm_size"), 1000);
    const auto both =
        converted("MICRO\n1\n" + layer_line(0, {"NONE", "NONE", "ALLREDUCEALLTOALL"}), 2, 1)
            .nodes(Rank(0));
    ASSERT_EQ(both.size(), 1U);
    EXPECT_EQ(both[0].name, "COMM_COLL_NODE_layer0_ALLREDUCEALLTOALL");
    EXPECT_EQ(both[0].integer("comm_type"), 0);
}

// A DLRM sends no NONE; the next pass then waits for what was computed. Other layers' ALLTOALL is
// sent, and nothing waits for it.
TEST_F(TextTest, NoneOfADlrmIsNotSent) {
    const std::string text = "HYBRID_DLRM 1\n3\n" + layer_line(0, {"ALLTOALL", "NONE", "NONE"}) +
                             layer_line(1, {"ALLTOALL", "NONE", "NONE"}) +
                             layer_line(2, {"NONE", "NONE", "ALLREDUCE"});
    const std::vector<chakra::Node> nodes = converted(text, 2, 2).nodes(Rank(0));
    std::vector<std::string> lines;
    for (const chakra::Node& node : nodes) {
        lines.push_back(node.name.substr(node.name.find("layer") + 5) + " <-");
        for (const std::uint64_t dep : node.data_deps) {
            lines.back() += fmt::format(" {}", dep);
        }
    }
    EXPECT_THAT(lines,
                ::testing::ElementsAre(
                    "0_FWD <-", "0_ALLTOALL <- 0", "1_FWD <- 0 1", "1_ALLTOALL <- 2", "2_FWD <- 2",
                    "2_BWD_WG <- 4", "2_ALLREDUCE <- 5", "2_BWD_IG <- 5", "0_NONE <- 7",
                    "1_BWD_WG <- 7", "1_BWD_IG <- 9", "0_BWD_WG <- 10 8", "0_FWD <- 11",
                    "0_ALLTOALL <- 12", "1_FWD <- 9 12 13", "1_ALLTOALL <- 14", "2_FWD <- 6 14",
                    "2_BWD_WG <- 16", "2_ALLREDUCE <- 17", "2_BWD_IG <- 17", "0_NONE <- 19",
                    "1_BWD_WG <- 19", "1_BWD_IG <- 21", "0_BWD_WG <- 22 20"));
}

// Model-parallel groups are N consecutive NPUs; data-parallel ones are those with the same place in
// them. A group of one sends nothing.
TEST_F(TextTest, TransformersHaveGroups) {
    const auto heading = [](int n) {
        return fmt::format("HYBRID_TRANSFORMER model_parallel_NPU_group: {}", n);
    };
    const GeneratedWorkload workload = converted(text_of(heading(4), 3), 12, 1);
    ASSERT_EQ(workload.groups().size(), 3U + 4U);
    for (std::int32_t rank = 0; rank < 12; ++rank) {
        for (const chakra::Node& node : workload.nodes(Rank(rank))) {
            if (node.type != chakra::NodeType::CommCollective) {
                continue;
            }
            const bool data_parallel = kind_of(node) == 'w';
            EXPECT_EQ(node.text("pg_name"),
                      std::to_string(1 + (data_parallel ? 3 + rank % 4 : rank / 4)));
        }
    }
    for (const RankGroup& group : workload.groups()) {
        const bool data_parallel = group.kind == "data";
        for (std::size_t i = 0; i < group.ranks.size(); ++i) {
            EXPECT_EQ(
                group.ranks[i].value(),
                group.ranks[0].value() + static_cast<std::int32_t>(i) * (data_parallel ? 4 : 1));
        }
        EXPECT_EQ(group.ranks.size(), data_parallel ? 3U : 4U);
    }
    for (const int n : {1, 6}) {
        const GeneratedWorkload one = converted(text_of(heading(n), 3), 6, 1);
        EXPECT_EQ(one.groups().size(), 1U);
        for (const chakra::Node& node : one.nodes(Rank(5))) {
            EXPECT_NE(kind_of(node), n == 1 ? 'f' : 'w');
            EXPECT_NE(kind_of(node), n == 1 ? 'g' : 'w');
        }
    }
}

TEST_F(TextTest, AmountsOutOfRange) {
    const TextWorkload workload =
        read(text_of("HYBRID_TRANSFORMER model_parallel_NPU_group: 4", 4));
    const auto refused = [&workload](std::int32_t npus, std::int32_t passes) {
        return test::problem_of([&] { static_cast<void>(convert(workload, {npus, passes})); });
    };
    EXPECT_EQ(refused(0, 1).file, "--npus");
    EXPECT_EQ(refused(TextConversion::most_npus + 1, 1).file, "--npus");
    EXPECT_EQ(refused(4, 0).file, "--passes");
    EXPECT_EQ(refused(4, TextConversion::most_passes + 1).file, "--passes");
    EXPECT_EQ(refused(6, 1).file, "--npus");
    // 6 x 4 - 1 nodes a pass, less the four that one copy of the model has no need to send.
    EXPECT_EQ(refused(4, 1 << 20).found, fmt::format("{} nodes a rank", 19 * (1 << 20)));
}

}  // namespace
}  // namespace npunet::generators
