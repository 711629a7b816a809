// Topology files of HPCC, ASTRA-sim's ns-3 backend and SimAI.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "networks.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"
#include "topology/yaml/physical_file.h"

namespace npunet::topology {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Reads the words of a file one after the other, as the simulators do, whatever the lines. Nodes
/// keep the numbers of the file; a pair has the sums of rates (GB/s) and the latency (ns).
struct Independent {
    std::int64_t nodes = 0;
    std::int64_t switches = 0;
    std::map<std::pair<int, int>, std::pair<double, double>> links;

    Independent(const std::string& text, bool simai) {
        std::istringstream in(text);
        std::int64_t nv_switches = 0;
        std::int64_t count = 0;
        std::string word;
        in >> nodes;
        if (simai) {
            in >> count >> nv_switches;
        }
        in >> switches >> count;
        if (simai) {
            in >> word;
        }
        switches += nv_switches;
        for (std::int64_t i = 0; i < switches; ++i) {
            in >> word;
        }
        for (std::int64_t i = 0; i < count; ++i) {
            int from = 0;
            int to = 0;
            std::string rate;
            std::string delay;
            std::string error;
            in >> from >> to >> rate >> delay >> error;
            const double gb_s = std::stod(rate) / 8;  // Gbps
            const double ns = std::stod(delay) *
                              (delay.back() == 's' && delay[delay.size() - 2] == 'm' ? 1e6 : 1e3);
            for (const auto& pair : {std::pair{from, to}, std::pair{to, from}}) {
                links[pair].first += gb_s;
                links[pair].second = ns;
            }
        }
    }
};

/// Two servers of four GPUs: an NVSwitch each (8, 9), leaves 10 and 11, a spine 12.
const char* const simai_text =
    "13 4 2 3 18 H100\n"
    "8 9 10 11 12 \n"
    "0 8 2880Gbps 0.000025ms 0\n1 8 2880Gbps 0.000025ms 0\n2 8 2880Gbps 0.000025ms 0\n"
    "3 8 2880Gbps 0.000025ms 0\n4 9 2880Gbps 0.000025ms 0\n5 9 2880Gbps 0.000025ms 0\n"
    "6 9 2880Gbps 0.000025ms 0\n7 9 2880Gbps 0.000025ms 0\n"
    "0 10 200Gbps 0.0005ms 0\n1 11 200Gbps 0.0005ms 0\n2 10 200Gbps 0.0005ms 0\n"
    "3 11 200Gbps 0.0005ms 0\n4 10 200Gbps 0.0005ms 0\n5 11 200Gbps 0.0005ms 0\n"
    "6 10 200Gbps 0.0005ms 0\n7 11 200Gbps 0.0005ms 0\n"
    "10 12 400Gbps 0.0005ms 0\n11 12 400Gbps 0.0005ms 0\n";

/// Four hosts at one switch, as the files of HPCC end: with notes.
const char* const hpcc_text =
    "5 1 4\n4\n0 4 100Gbps 1us 0.000000\n1 4 100Gbps 1us 0.000000\n2 4 100Gbps 1us 0\n"
    "3 4 25Gbps 0.002ms 0\n\nFirst line: total node #, switch node #, link #\n";

class PhysicalFileTest : public ::testing::Test {
protected:
    [[nodiscard]] NetworkDescription read(const std::string& text) const {
        return read_network(folder_.write("topology.txt", text).string(), GigaByte::Decimal);
    }
    [[nodiscard]] std::string error_of(const std::string& text) const {
        return test::message_of<InputError>([&] { return read(text); });
    }

    test::TemporaryFolder folder_;
};

TEST_F(PhysicalFileTest, LinksAreThoseOfAnIndependentReader) {
    for (const auto& [text, simai] :
         {std::pair{std::string(simai_text), true}, std::pair{std::string(hpcc_text), false}}) {
        const NetworkDescription network = read(text);
        const Independent expected(text, simai);
        const auto npus = static_cast<std::size_t>(expected.nodes - expected.switches);
        ASSERT_EQ(network.graph.npus(), npus);
        ASSERT_EQ(network.graph.nodes(), static_cast<std::size_t>(expected.nodes));
        std::map<std::pair<int, int>, std::pair<double, double>> found;
        for (std::size_t i = 0; i < network.graph.links(); ++i) {
            const Link& link = network.graph.link(LinkId(i));
            auto& entry = found[{link.from.value(), link.to.value()}];
            entry.first += static_cast<double>(link.rate.bytes_per_second()) * 1e-9;
            entry.second = static_cast<double>(link.latency.ps()) * 1e-3;
        }
        // Hosts have the lowest numbers in both files, so the graph's are the file's.
        ASSERT_EQ(found.size(), expected.links.size());
        for (const auto& [ends, link] : expected.links) {
            ASSERT_TRUE(found.count(ends)) << ends.first << " " << ends.second;
            EXPECT_NEAR(found[ends].first, link.first, 1e-6);
            EXPECT_NEAR(found[ends].second, link.second, 1e-6);
        }
    }
}

TEST_F(PhysicalFileTest, NodesHaveNamesAndServersAreATier) {
    const NetworkDescription network = read(simai_text);
    EXPECT_EQ(network.graph.name(NodeId(7)), "npu7");
    EXPECT_EQ(network.graph.name(NodeId(8)), "nvswitch8");
    EXPECT_EQ(network.graph.name(NodeId(12)), "switch12");
    ASSERT_FALSE(network.tiers.empty());
    EXPECT_EQ(network.tiers.front().block_of_npu,
              (std::vector<std::int32_t>{0, 0, 0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(nodes_of(network, 0, 1), (std::vector<int>{0, 8, 1}));
}

// Hosts 1 and 2 beside switch 0: NPU 0 is node 1.
TEST_F(PhysicalFileTest, SwitchesMayHaveAnyNumber) {
    const NetworkDescription network = read("3 1 2\n0\n0 1 100Gbps 1us 0\n2 0 50Gbps 1us 0\n");
    EXPECT_EQ(network.graph.npus(), 2U);
    EXPECT_EQ(network.graph.name(NodeId(2)), "switch0");
    EXPECT_EQ(network.graph.link(LinkId(2)).from, NodeId(1));
    EXPECT_EQ(network.graph.link(LinkId(2)).rate, Rate(6'250'000'000));
}

// Tier k: NPUs that differ in the first k logical dimensions only.
TEST_F(PhysicalFileTest, LogicalDimensionsAreTiers) {
    folder_.write("topology.txt", simai_text);
    folder_.write("logical.json", "{\"logical-dims\": [\"2\", \"4\"]}");
    const auto tiers_of = [this](const std::string& logical) {
        return read_network(
                   folder_
                       .write("net.yml", "Custom: {file: topology.txt, logical: " + logical + "}\n")
                       .string(),
                   GigaByte::Decimal)
            .tiers;
    };
    for (const std::string logical : {"[2, 4]", "logical.json"}) {
        const std::vector<Tier> tiers = tiers_of(logical);
        ASSERT_EQ(tiers.size(), 2U) << logical;
        EXPECT_EQ(tiers[0].block_of_npu, (std::vector<std::int32_t>{0, 0, 1, 1, 2, 2, 3, 3}));
        EXPECT_EQ(tiers[1].block_of_npu, (std::vector<std::int32_t>(8, 0)));
    }
    EXPECT_EQ(tiers_of("[8]").size(), 1U);
    EXPECT_THAT(test::message_of<InputError>([&] { return tiers_of("[3, 4]"); }),
                AllOf(HasSubstr("3 x 4"), HasSubstr("product is 8")));
    EXPECT_THAT(test::message_of<InputError>([&] { return tiers_of("absent.json"); }),
                HasSubstr("absent.json"));
}

TEST_F(PhysicalFileTest, RefusalsNameLineAndColumn) {
    const std::string begin = "5 1 4\n4\n";
    const std::string link = "0 4 100Gbps 1us 0\n";
    EXPECT_THAT(error_of(begin + link), HasSubstr("line 4, column 1: found the end of the file; "
                                                  "expected link 2 of 4"));
    EXPECT_THAT(error_of("5 1 1\n4\n" + link + link), HasSubstr("line 4, column 1"));
    EXPECT_THAT(error_of("5 1 4\n5\n"), AllOf(HasSubstr("line 2, column 1"), HasSubstr("0 to 4")));
    EXPECT_THAT(error_of("5 2 4\n4 4\n"), HasSubstr("line 2, column 3: found 4 a second time"));
    EXPECT_THAT(error_of("5 6 4\n4\n"), HasSubstr("line 1, column 3"));
    EXPECT_THAT(error_of(begin + "0 9 100Gbps 1us 0\n"), HasSubstr("line 3, column 3: found '9'"));
    EXPECT_THAT(error_of(begin + "0 4 100 1us 0\n"),
                AllOf(HasSubstr("line 3, column 5: found '100'"), HasSubstr("400Gbps")));
    EXPECT_THAT(error_of(begin + "0 4 100Gbps 5 0\n"), HasSubstr("line 3, column 13: found '5'"));
    EXPECT_THAT(error_of(begin + "0 4 fast 1us 0\n"), HasSubstr("line 3, column 5"));
    EXPECT_THAT(error_of(begin + "0 4 100Gbps 1us 0.1\n"),
                AllOf(HasSubstr("line 3, column 17"), HasSubstr("error_rate")));
    EXPECT_THAT(error_of(begin + "0 0 100Gbps 1us 0\n0 4 1Gbps 1us 0\n1 4 1Gbps 1us 0\n"
                                 "2 4 1Gbps 1us 0\n"),
                HasSubstr("line 3, column 1"));
    EXPECT_THAT(error_of(begin + link + link + "1 4 1Gbps 1us 0\n2 4 1Gbps 1us 0\n"),
                HasSubstr("no route from npu0 to npu3"));
    EXPECT_THAT(error_of("4000000 0 0\n"),
                AllOf(HasSubstr("line 1"), HasSubstr("at most 1, which 0 links can join")));
}

}  // namespace
}  // namespace npunet::topology
