#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/flows/random_flows.h"
#include "base/flows/size_distribution.h"
#include "generators/flows/flow_traffic.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

FlowTraffic traffic_of(std::int32_t npus, const std::string& sizes, double load, Time duration) {
    FlowTraffic traffic{npus, load_sizes(sizes, "--sizes")};
    traffic.load = load;
    traffic.rate = Rate(12'500'000'000);
    traffic.duration = duration;
    return traffic;
}

TEST(FlowSizes, AreSpreadEvenlyBetweenTheLinesOfTheFile) {
    EXPECT_THAT(names_of_sizes(), ElementsAre("hadoop", "storage", "web-search"));
    const SizeDistribution sizes = load_sizes("web-search", "--sizes");
    // Sum of (share of a line) x (middle of its sizes).
    const double mean = 0.15 * 5e3 + 0.05 * 15e3 + 0.1 * 25e3 + 0.1 * 40e3 + 0.13 * 65e3 +
                        0.07 * 140e3 + 0.1 * 600e3 + 0.1 * 1.5e6 + 0.1 * 3.5e6 + 0.07 * 7.5e6 +
                        0.03 * 20e6;
    EXPECT_NEAR(sizes.mean(), mean, 1e-6 * mean);
    EXPECT_EQ(sizes.at(0), 1);
    EXPECT_EQ(sizes.at(0.075), 5'000);
    EXPECT_EQ(sizes.at(0.65), 600'000);
    EXPECT_NEAR(static_cast<double>(sizes.at(0.99)), 10e6 + 20e6 * 2 / 3, 2);
    EXPECT_LE(sizes.at(std::nextafter(1.0, 0.0)), 30'000'000);
}

TEST(FlowSizes, FilesThatDoNotAscendAreRefused) {
    const test::TemporaryFolder folder;
    const auto refusal_of = [&](const std::string& text) {
        const std::string file = folder.write("sizes.txt", text).string();
        return test::message_of<InputError>(
            [&] { static_cast<void>(load_sizes(file, "--sizes")); });
    };
    EXPECT_THAT(refusal_of("0 0\n# all\n100 x\n"), HasSubstr("line 3"));
    EXPECT_THAT(refusal_of("0 5\n100 100\n"), HasSubstr("0 % in the first line"));
    EXPECT_THAT(refusal_of("0 0\n100 50\n90 100\n"), HasSubstr("more than the 100 bytes before"));
    EXPECT_THAT(refusal_of("0 0\n100 50\n200 50\n"), HasSubstr("more than the 50 % before"));
    EXPECT_THAT(refusal_of("0 0\n100 50\n"), HasSubstr("lines up to 50 %"));
    EXPECT_THAT(refusal_of("0 0\n-1 100\n"), HasSubstr("-1 bytes"));
    EXPECT_THAT(refusal_of("0 0\nnan 100\n"), HasSubstr("line 2"));
    EXPECT_THAT(refusal_of(""), HasSubstr("no lines of numbers"));
    EXPECT_THAT(
        test::message_of<InputError>([] { static_cast<void>(load_sizes("websearch", "--sizes")); }),
        HasSubstr("web-search"));
}

// Means of random numbers, with a fixed seed: within about three standard errors.
TEST(FlowTraffic, BeginsByAPoissonProcessOfTheLoad) {
    const FlowTraffic traffic = traffic_of(32, "storage", 0.6, Time::ns(20'000'000));
    const std::vector<RandomFlow> flows = flows_of(traffic);
    const double gap = traffic.sizes.mean() / (0.6 * 12.5);
    std::int64_t bytes = 0;
    double sum = 0;
    double squares = 0;
    std::map<std::int32_t, std::int64_t> latest;
    for (const RandomFlow& flow : flows) {
        bytes += flow.bytes;
        const auto passed = static_cast<double>(flow.start_ns - latest[flow.source.value()]);
        EXPECT_GE(passed, 0);
        latest[flow.source.value()] = flow.start_ns;
        sum += passed;
        squares += passed * passed;
    }
    const auto count = static_cast<double>(flows.size());
    const double tolerance = 3 / std::sqrt(count);
    EXPECT_NEAR(count, 32 * 20e6 / gap, tolerance * count);
    EXPECT_NEAR(sum / count, gap, tolerance * gap);
    // The square of an exponential time has the mean 2, and a standard deviation of sqrt(20).
    EXPECT_NEAR(squares / count / (gap * gap), 2, 3 * std::sqrt(20 / count));
    EXPECT_NEAR(static_cast<double>(bytes) / 32 / 20e6 / 12.5, 0.6, 0.05 * 0.6);
}

TEST(FlowTraffic, GoesToOthersOrToOne) {
    FlowTraffic traffic = traffic_of(5, "hadoop", 0.5, Time::ns(10'000'000));
    std::map<std::pair<std::int32_t, std::int32_t>, double> pairs;
    const std::vector<RandomFlow> uniform = flows_of(traffic);
    for (const RandomFlow& flow : uniform) {
        pairs[{flow.source.value(), flow.destination.value()}] += 1;
    }
    ASSERT_EQ(pairs.size(), 20U);
    for (const auto& [pair, count] : pairs) {
        EXPECT_NE(pair.first, pair.second);
        const double mean = static_cast<double>(uniform.size()) / 20;
        EXPECT_NEAR(count, mean, 4 * std::sqrt(mean));
    }
    for (traffic.pattern = FlowPattern::Permutation; traffic.seed <= 20; ++traffic.seed) {
        std::map<std::int32_t, std::set<std::int32_t>> sources;
        for (const RandomFlow& flow : flows_of(traffic)) {
            EXPECT_NE(flow.source, flow.destination);
            sources[flow.destination.value()].insert(flow.source.value());
        }
        ASSERT_EQ(sources.size(), 5U);
        for (const auto& [destination, from] : sources) {
            EXPECT_EQ(from.size(), 1U);
        }
    }
}

TEST(FlowTraffic, SendsWhenFlowsBeginAndWaitsForNothing) {
    const std::vector<RandomFlow> flows{{5, Rank(0), Rank(1), 100},
                                        {5, Rank(0), Rank(2), 200},
                                        {9, Rank(0), Rank(1), 300},
                                        {0, Rank(2), Rank(0), 400}};
    const GeneratedWorkload workload = workload_of(flows, 3);
    const std::vector<chakra::Node> nodes = workload.nodes(Rank(0));
    ASSERT_EQ(nodes.size(), 6U);  // a receive, two waits, three sends
    EXPECT_EQ(nodes[0].type, chakra::NodeType::CommReceive);
    EXPECT_EQ(nodes[0].integer("comm_src"), 2);
    EXPECT_EQ(nodes[0].integer("comm_tag"), 3);
    EXPECT_TRUE(nodes[0].data_deps.empty());
    EXPECT_EQ(nodes[1].name, "until_5_ns");
    EXPECT_TRUE(nodes[1].data_deps.empty());
    EXPECT_EQ(nodes[2].name, "flow_0");
    EXPECT_EQ(nodes[2].data_deps, std::vector<std::uint64_t>{nodes[1].id});
    EXPECT_EQ(nodes[3].integer("comm_dst"), 2);
    EXPECT_EQ(nodes[3].integer("comm_size"), 200);
    EXPECT_EQ(nodes[3].data_deps, std::vector<std::uint64_t>{nodes[1].id});
    EXPECT_EQ(nodes[4].data_deps, std::vector<std::uint64_t>{nodes[1].id});
    EXPECT_EQ(nodes[5].data_deps, std::vector<std::uint64_t>{nodes[4].id});
    // One that begins at once has nothing before it.
    EXPECT_TRUE(workload.nodes(Rank(2))[1].data_deps.empty());
    EXPECT_EQ(workload.nodes(Rank(1)).size(), 2U);
}

TEST(FlowTraffic, RefusesWhatCannotBe) {
    EXPECT_THAT(test::message_of<InputError>([] {
                    static_cast<void>(flows_of(traffic_of(2, "web-search", 0.5, Time::ns(1))));
                }),
                HasSubstr("Lengthen --duration"));
    EXPECT_THAT(
        test::message_of<InputError>([] {
            static_cast<void>(flows_of(traffic_of(1024, "hadoop", 10, Time::ns(1000'000'000))));
        }),
        HasSubstr("Shorten --duration"));
    EXPECT_THAT(test::message_of<InputError>([] {
                    static_cast<void>(flows_of(traffic_of(2, "hadoop", 0, Time::ns(1'000'000))));
                }),
                HasSubstr("--load"));
}

}  // namespace
}  // namespace npunet::generators
