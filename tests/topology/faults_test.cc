// The section `faults` of a network.yml: what is understood, and what every mistake is answered
// with.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/refusals.h"
#include "topology/yaml/network_reader.h"

namespace npunet::topology {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A mesh of 4 x 2 NPUs, or a switch of 3, with a list of faults at line 5.
class FaultsSection : public testing::Test {
protected:
    [[nodiscard]] static NetworkDescription read(const std::string& faults,
                                                 const std::string& topology = "[Mesh2D]",
                                                 const std::string& npus = "[[4, 2]]") {
        return parse_network("topology: " + topology + "\nnpus_count: " + npus +
                                 "\nbandwidth: [50]\nlatency: [500]\nfaults: " + faults + "\n",
                             "network.yml");
    }

    [[nodiscard]] static std::string refusal(const std::string& faults) {
        return test::message_of<InputError>([&] { return read(faults); });
    }
};

TEST_F(FaultsSection, LinksInBothDirections) {
    const NetworkDescription network =
        read("[{link: [1, 2], at: 2ms, until: 5ms, bandwidth_factor: 0.1, latency_add: 1us}]");
    ASSERT_EQ(network.faults.links.size(), 2U);
    EXPECT_EQ(network.faults.links[0].link, network.graph.find_link(NodeId(1), NodeId(2)));
    EXPECT_EQ(network.faults.links[1].link, network.graph.find_link(NodeId(2), NodeId(1)));
    for (const LinkFault& fault : network.faults.links) {
        EXPECT_EQ(fault.at, Time::ns(2'000'000));
        EXPECT_EQ(fault.until, Time::ns(5'000'000));
        EXPECT_EQ(fault.bandwidth.billionths, Factor::one / 10);
        EXPECT_EQ(fault.latency_add, Time::ns(1000));
    }
    EXPECT_TRUE(network.faults.npus.empty());
}

// From 0 on, for ever, at full rate; times without a unit are nanoseconds.
TEST_F(FaultsSection, Defaults) {
    const NetworkDescription network =
        read("[{link: [5, 1], direction: forward, latency_add: 70}]");
    ASSERT_EQ(network.faults.links.size(), 1U);
    const LinkFault& fault = network.faults.links[0];
    EXPECT_EQ(fault.link, network.graph.find_link(NodeId(5), NodeId(1)));
    EXPECT_EQ(fault.at, Time());
    EXPECT_EQ(fault.until, Time::max());
    EXPECT_EQ(fault.bandwidth.billionths, Factor::one);
    EXPECT_EQ(fault.latency_add, Time::ns(70));
    EXPECT_TRUE(read("[]").faults.empty());
}

// What they cost is proportional to the square of their number.
TEST_F(FaultsSection, BoundedForEachLink) {
    const auto faults = [](int count) {
        std::string list = "[";
        for (int i = 0; i < count; ++i) {
            list += "{link: [0, 1], latency_add: 1},";
        }
        return list + "]";
    };
    EXPECT_EQ(read(faults(4096)).faults.links.size(), 2U * 4096U);
    EXPECT_THAT(refusal(faults(4097)), AllOf(HasSubstr("faults[4096]"), HasSubstr("at most 4096")));
}

TEST_F(FaultsSection, SwitchesByName) {
    const NetworkDescription network =
        read("[{link: [npu2, switch0], bandwidth_factor: 0}]", "[Switch]", "[3]");
    ASSERT_EQ(network.faults.links.size(), 2U);
    EXPECT_EQ(network.faults.links[0].link, network.graph.find_link(NodeId(2), NodeId(3)));
    EXPECT_EQ(network.faults.links[0].bandwidth.billionths, 0);
}

TEST_F(FaultsSection, SlowNpus) {
    const NetworkDescription network = read("[{npu: 5, slowdown: 1.3}, {npu: 0, slowdown: 0.001}]");
    ASSERT_EQ(network.faults.npus.size(), 2U);
    EXPECT_EQ(network.faults.npus[0].npu, NodeId(5));
    EXPECT_EQ(network.faults.npus[0].slowdown.billionths, 1'300'000'000);
    EXPECT_EQ(network.faults.npus[1].slowdown.billionths, 1'000'000);
}

TEST_F(FaultsSection, RefusesWhatDoesNotExist) {
    EXPECT_THAT(refusal("[{link: [0, 2], bandwidth_factor: 0}]"),
                AllOf(HasSubstr("line 5, faults[0].link"), HasSubstr("no link from npu0 to npu2"),
                      HasSubstr("npunet topology")));
    EXPECT_THAT(refusal("[{link: [0, 0], bandwidth_factor: 0}]"), HasSubstr("no link"));
    EXPECT_THAT(refusal("[{link: [0, 8], bandwidth_factor: 0}]"),
                AllOf(HasSubstr("faults[0].link[1]"), HasSubstr("'8'"), HasSubstr("0 to 7")));
    EXPECT_THAT(refusal("[{link: [0, switch0], bandwidth_factor: 0}]"), HasSubstr("'switch0'"));
    EXPECT_THAT(refusal("[{link: [0, -1], bandwidth_factor: 0}]"), HasSubstr("'-1'"));
    EXPECT_THAT(refusal("[{link: [0, 1.5], bandwidth_factor: 0}]"), HasSubstr("'1.5'"));
    EXPECT_THAT(refusal("[{npu: 8, slowdown: 2}]"), HasSubstr("from 0 to 7"));
    EXPECT_THAT(refusal("[{npu: npu5, slowdown: 2}]"), HasSubstr("'npu5'"));
}

TEST_F(FaultsSection, RefusesWhatMakesNoSense) {
    for (const char* link : {"3", "[3]", "[3, 2, 1]", "{from: 3}"}) {
        EXPECT_THAT(refusal(std::string("[{link: ") + link + ", bandwidth_factor: 0}]"),
                    HasSubstr("the two nodes that the link joins"))
            << link;
    }
    const auto link = [&](const std::string& rest) {
        return refusal("[{link: [0, 1], " + rest + "}]");
    };
    EXPECT_THAT(link("at: 1us"), HasSubstr("without effect"));
    EXPECT_THAT(link("bandwidth_factor: 0, at: 5us, until: 5us"),
                AllOf(HasSubstr("until"), HasSubstr("a time after 'at', 5")));
    EXPECT_THAT(link("bandwidth_factor: 0, until: 0"), HasSubstr("a time after 'at'"));
    EXPECT_THAT(link("bandwidth_factor: 0, at: -1"), HasSubstr("'-1'"));
    EXPECT_THAT(link("bandwidth_factor: 0, at: soon"), HasSubstr("'soon'"));
    EXPECT_THAT(link("bandwidth_factor: 0, at: 9223372s"), HasSubstr("9223372s"));
    EXPECT_THAT(link("latency_add: 2000s"), HasSubstr("'2000s'"));
    for (const char* factor : {"-0.1", "1000.1", "half", "nan", "[0.5]"}) {
        EXPECT_THAT(link(std::string("bandwidth_factor: ") + factor),
                    HasSubstr("a factor from 0 (the link is down) to 1000"))
            << factor;
    }
    EXPECT_THAT(link("bandwidth_factor: 1e-10"), HasSubstr("at least 1e-9"));
    EXPECT_THAT(link("bandwidth_factor: 0, direction: backward"),
                HasSubstr("one of both, forward"));
    EXPECT_THAT(link("bandwith_factor: 0"), HasSubstr("Did you mean bandwidth_factor?"));
    for (const char* slowdown : {"0", "-1", "0.0001", "2000000", "slow"}) {
        EXPECT_THAT(refusal(std::string("[{npu: 1, slowdown: ") + slowdown + "}]"),
                    HasSubstr("a factor of compute times"))
            << slowdown;
    }
    EXPECT_THAT(refusal("[{npu: 1}]"), HasSubstr("slowdown"));
    EXPECT_THAT(refusal("[{npu: 1, slowdown: 2}, {npu: 1, slowdown: 3}]"),
                AllOf(HasSubstr("faults[1].npu"), HasSubstr("a second time")));
    EXPECT_THAT(refusal("[{npu: 1, slowdown: 2, at: 1ms}]"),
                HasSubstr("'at', not offered by this version"));
    EXPECT_THAT(refusal("[{bandwidth_factor: 0.1}]"), HasSubstr("a fault of nothing"));
    EXPECT_THAT(refusal("[3]"), HasSubstr("{link: [A, B], ...}"));
    EXPECT_THAT(refusal("{link: [0, 1], bandwidth_factor: 0}"), HasSubstr("a list of faults"));
}

}  // namespace
}  // namespace npunet::topology
