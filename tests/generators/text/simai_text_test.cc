// HYBRID_TRANSFORMER_FWD_IN_BCKWD, the text workloads of SimAI and AICB.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "chakra/trace/node.h"
#include "tests/generators/text/texts.h"

namespace npunet::generators {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* type = "HYBRID_TRANSFORMER_FWD_IN_BCKWD";

/// As AICB writes them: gradients first, then layers; tabs.
std::string moe_text(const std::string& rest = "checkpoints: 0 checkpoint_initiates: 0") {
    return std::string(type) +
           " model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 1 ga: 1 all_gpus: 16 " + rest +
           "\n7\n"
           "grad_gather\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLGATHER\t8001\t100\n"
           "grad_param_comm\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tREDUCESCATTER\t16000\t100\n"
           "moe_grad_norm1\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLGATHER_DP_EP\t4000\t100\n"
           "embedding_layer\t-1\t622\tALLREDUCE\t4096\t1\tNONE\t0\t150\tNONE\t0\t100\n"
           "attention_column\t-1\t175\tALLGATHER\t5000\t87\tREDUCESCATTER\t0\t88\tNONE\t0\t100\n"
           "mlp_moelayer\t-1\t3\tALLTOALL_EP\t2500\t4\tALLTOALL_EP\t2600\t5\tNONE\t0\t100\n"
           "mlp_moelayer\t-1\t7\tREDUCESCATTER\t1200\t9\tALLGATHER\t1300\t11\tALLREDUCE_"
           "EP\t64\t1\n";
}

/// The micro-benchmarks: one group, nothing else in the heading; a blank at the ends of lines.
std::string micro_text() {
    return std::string(type) +
           "\tmodel_parallel_NPU_group: 8 checkpoints: 0 checkpoint_initiates: 0\n2\n"
           "micro_test\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLREDUCE\t4096\t1 \n"
           "micro_test\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLREDUCE\t8192\t1 \n";
}

/// What a file says, read word by word without the project's reader: for each kind of collective
/// and group the bytes that a rank has, by SimAI's rules.
struct Independent {
    std::int64_t tp = 0;
    std::int64_t ep = 1;
    std::int64_t pp = 1;
    std::vector<std::int64_t> begins;
    std::vector<std::int64_t> initiates;
    std::int64_t computes = 0;
    std::int64_t time = 0;
    std::multiset<std::pair<std::string, std::int64_t>> sent;  ///< kind with group, bytes

    Independent(const std::string& text, std::int64_t npus, std::int64_t passes) {
        std::istringstream in(text);
        std::string line;
        std::getline(in, line);
        std::istringstream heading(line);
        std::string word;
        heading >> word;
        while (heading >> word) {
            std::int64_t value = 0;
            heading >> value;
            if (word == "model_parallel_NPU_group:") {
                tp = value;
            } else if (word == "ep:") {
                ep = value;
            } else if (word == "pp:") {
                pp = value;
            } else if (word.rfind("checkpoint", 0) == 0) {
                for (std::int64_t i = 0; i < value; ++i) {
                    std::int64_t layer = 0;
                    heading >> layer;
                    (word == "checkpoints:" ? begins : initiates).push_back(layer);
                }
            }
        }
        std::int64_t layers = 0;
        in >> layers;
        const std::int64_t dp = npus / (tp * pp);
        for (std::int64_t i = 0; i < layers; ++i) {
            in >> word >> word;
            for (int phase = 0; phase < 3; ++phase) {
                std::int64_t t = 0;
                std::int64_t bytes = 0;
                std::string kind;
                in >> t >> kind >> bytes;
                std::int64_t times = passes;
                for (std::size_t k = 0; k < initiates.size() && phase == 0; ++k) {
                    std::int64_t from = 0;
                    for (const std::int64_t begin : begins) {
                        from = begin < initiates[k] ? begin : from;
                    }
                    times += i >= from && i < initiates[k] ? passes : 0;
                }
                computes += times;
                time += t * times;
                const bool dp_ep = kind.find("_DP_EP") != std::string::npos;
                const bool expert = !dp_ep && kind.find("_EP") != std::string::npos;
                const std::string group = dp_ep        ? "data_expert"
                                          : expert     ? "expert"
                                          : phase == 2 ? "data"
                                                       : "model";
                const std::int64_t members = dp_ep ? dp / ep : expert ? ep : phase == 2 ? dp : tp;
                kind = kind.substr(0, kind.find('_'));
                if (kind == "NONE" || bytes == 0 || members == 1) {
                    continue;
                }
                // The result of a gather is n parts.
                const std::int64_t own =
                    kind == "ALLGATHER" ? bytes / members + (bytes % members > 0 ? 1 : 0) : bytes;
                for (std::int64_t k = 0; k < times; ++k) {
                    sent.insert({kind + " " + group, own});
                }
            }
            in >> word;
        }
    }
};

std::string kind_of(const chakra::Node& node) {
    // COMM_COLL_NODE_name_KIND[_EP]: the kinds have no underscore.
    for (const char* kind : {"ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL"}) {
        if (node.name.find(std::string("_") + kind) != std::string::npos) {
            return kind;
        }
    }
    return "";
}

class SimaiText : public TextTest {
protected:
    void compare(const std::string& text, std::int32_t npus, std::int32_t passes) const {
        const Independent expected(text, npus, passes);
        const GeneratedWorkload workload = converted(text, npus, passes);
        std::map<std::string, std::string> kind_of_group;
        for (const RankGroup& group : workload.groups()) {
            kind_of_group[group.id] = group.kind;
        }
        for (const std::int32_t r : {0, npus - 1}) {
            std::multiset<std::pair<std::string, std::int64_t>> sent;
            std::int64_t computes = 0;
            std::int64_t ns = 0;
            for (const chakra::Node& node : workload.nodes(Rank(r))) {
                if (node.type == chakra::NodeType::Compute) {
                    ++computes;
                    ns += node.integer("duration_ns").value_or(0);
                } else {
                    const std::string group(node.text("pg_name").value_or("none"));
                    sent.insert({kind_of(node) + " " + kind_of_group[group],
                                 node.integer("comm_size").value_or(-1)});
                }
            }
            EXPECT_EQ(computes, expected.computes);
            EXPECT_EQ(ns, expected.time);
            EXPECT_EQ(sent, expected.sent);
        }
    }
    /// The ranks of the group of a kind that holds a rank.
    [[nodiscard]] static std::vector<int> group_of(const GeneratedWorkload& workload,
                                                   const std::string& kind, int rank) {
        for (const RankGroup& group : workload.groups()) {
            std::vector<int> ranks;
            for (const Rank member : group.ranks) {
                ranks.push_back(member.value());
            }
            if (group.kind == kind && std::find(ranks.begin(), ranks.end(), rank) != ranks.end()) {
                return ranks;
            }
        }
        return {};
    }
    [[nodiscard]] InputProblem problem_of(const std::string& text) const {
        return test::problem_of([&] { static_cast<void>(read(text)); });
    }
};

TEST_F(SimaiText, CountsTimesAndBytesAreThoseOfAnIndependentReader) {
    for (const std::int32_t passes : {1, 2}) {
        compare(moe_text(), 16, passes);
        compare(moe_text(), 4, passes);  // no replicas of experts, so their gathers send nothing
        compare(micro_text(), 32, passes);
        compare(moe_text("checkpoints: 2 3 5 checkpoint_initiates: 2 4 6"), 16, passes);
        compare(moe_text("checkpoints: 1 0 checkpoint_initiates: 1 6 pp_comm: 0"), 16, passes);
    }
}

// tp 2, ep 2, pp 2, 16 NPUs: dp 4. Rank t + 2 (d + 4 p).
TEST_F(SimaiText, GroupsAreThoseOfThePlan) {
    std::string text = moe_text();
    text.replace(text.find("pp: 1"), 5, "pp: 2");
    const GeneratedWorkload workload = converted(text, 16, 1);
    for (int rank = 0; rank < 16; ++rank) {
        std::map<std::string, std::vector<int>> expected;
        for (int other = 0; other < 16; ++other) {
            const bool stage = rank / 8 == other / 8;
            const bool part = rank % 2 == other % 2;
            const int own = rank / 2 % 4;
            const int theirs = other / 2 % 4;
            if (rank / 2 == other / 2) {
                expected["model"].push_back(other);
            }
            if (stage && part) {
                expected["data"].push_back(other);
            }
            if (stage && part && own / 2 == theirs / 2) {
                expected["expert"].push_back(other);
            }
            if (stage && part && own % 2 == theirs % 2) {
                expected["data_expert"].push_back(other);
            }
        }
        for (const auto& [kind, ranks] : expected) {
            EXPECT_EQ(group_of(workload, kind, rank), ranks) << kind << " " << rank;
        }
    }
}

// A chain of all but the sums of gradients: F f of each layer; backwards G g W, w beside what
// follows; the next pass waits for w of its layer.
TEST_F(SimaiText, OnlySumsOfGradientsAreNotWaitedFor) {
    const GeneratedWorkload workload =
        converted(std::string(type) +
                      " model_parallel_NPU_group: 2\n1\n"
                      "a -1 5 ALLREDUCE 64 6 ALLREDUCE 64 7 ALLREDUCE 64 1\n",
                  4, 2);
    const std::vector<chakra::Node> nodes = workload.nodes(Rank(0));
    ASSERT_EQ(nodes.size(), 12U);
    const std::vector<std::vector<std::uint64_t>> expected{{},     {0}, {1}, {2}, {3}, {4},
                                                           {4, 5}, {6}, {7}, {8}, {9}, {10}};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        EXPECT_EQ(nodes[i].id, i);
        EXPECT_EQ(std::vector<std::uint64_t>(nodes[i].data_deps.begin(), nodes[i].data_deps.end()),
                  expected[i])
            << i;
    }
}

TEST_F(SimaiText, RefusalsNameLineAndColumn) {
    const std::string begin = std::string(type) + " model_parallel_NPU_group: 2 ";
    const std::string layer = "\n1\na -1 5 ALLREDUCE 64 6 ALLREDUCE 64 7 ALLREDUCE 64 1\n";
    const std::vector<std::array<std::string, 4>> cases{
        {std::string(type) + layer, "line 1", "nothing", "model_parallel_NPU_group:"},
        {begin + "epp: 2" + layer, "line 1, column 61", "'epp:'", "ep, pp"},
        {begin + "ep: 2 ep: 2" + layer, "line 1, column 67", "a second time", "once"},
        {begin + "ep:" + layer, "line 1, column 61", "end of the line", "a number"},
        {begin + "ep: x" + layer, "line 1, column 65", "'x'", "from 1"},
        {begin + "ep: 1048577" + layer, "line 1, column 65", "'1048577'", "to 1048576"},
        {begin + "ep: 0" + layer, "line 1, column 65", "'0'", "from 1"},
        {begin + "checkpoints: 2 0" + layer, "line 1, checkpoints", "1 layers", "2, as"},
        {begin + "checkpoints: 1 1" + layer, "line 1, checkpoints", "layer 1", "0 to 0"},
        {begin + "checkpoint_initiates: 1 0" + layer, "line 1, checkpoint_initiates", "layer 0",
         "a checkpoint below"},
        {begin + "\n1\na -1 5 ALLREDUCE_PP 64 6 NONE 0 7 NONE 0 1\n",
         "line 3, column 4, forward collective", "'ALLREDUCE_PP'", "_DP_EP"},
        {begin + "\n1\na -1 5 BROADCAST 64 6 NONE 0 7 NONE 0 1\n", "line 3, column 4",
         "'BROADCAST'", "ALLGATHER"},
        {begin + "\n1\na -1 5 NONE 0 6 NONE x 7 NONE 0 1\n",
         "line 3, column 8, input gradient bytes", "'x'", "whole number"},
    };
    for (const auto& [text, place, found, expected] : cases) {
        SCOPED_TRACE(text);
        const InputProblem problem = problem_of(text);
        EXPECT_THAT(problem.place, HasSubstr(place));
        EXPECT_THAT(problem.found, HasSubstr(found));
        EXPECT_THAT(problem.expected, HasSubstr(expected));
    }
    EXPECT_THAT(test::message_of<InputError>([&] { return converted(moe_text(), 6, 1); }),
                AllOf(HasSubstr("--npus: found 6"), HasSubstr("a multiple of 4")));
    // Groups are written in this type alone.
    EXPECT_THAT(problem_of("DATA\n1\na -1 5 NONE 0 6 NONE 0 7 ALLREDUCE_EP 64 1\n").found,
                HasSubstr("'ALLREDUCE_EP'"));
}

}  // namespace
}  // namespace npunet::generators
