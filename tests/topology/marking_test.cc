// Marks come before drops and pauses with the defaults on networks of every rate; where they
// cannot, there is a warning with both numbers.

#include "topology/network/marking.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/packet/random_networks.h"
#include "topology/builders/builder.h"
#include "topology/yaml/network_reader.h"

namespace npunet::topology::marking_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::int64_t gigabit = 125'000'000;  // bytes/s
constexpr std::int64_t gigabits[] = {10, 25, 40, 50, 100, 200, 400, 800, 1600};

NetworkDescription network_of(DimensionKind kind, int npus, Rate rate, Time latency) {
    return make_network({make_dimension(kind, npus, rate, latency)});
}

/// Sets the flow control, and congestion control by marks.
void control(NetworkDescription& network, FlowControl flow_control, CongestionAlgorithm algorithm) {
    network.packet.flow_control = flow_control;
    network.packet.transport.kind = TransportKind::SelectiveRepeat;
    network.packet.congestion_control = standard_choice(algorithm);
}

/// The node with the most links.
NodeId busiest(const Graph& graph) {
    NodeId most(std::size_t{0});
    for (std::size_t node = 1; node < graph.nodes(); ++node) {
        if (graph.links_to(NodeId(node)).size() > graph.links_to(most).size()) {
            most = NodeId(node);
        }
    }
    return most;
}

// In a buffer B each of h queues at their threshold has q = alpha (B - h q), so q = alpha B / (1 +
// alpha h). With p ports of rate r, B = p b, the worst case is h = p: every port is congested. 756
// networks.
TEST(Marking, DefaultsMarkWellBelowDropsAndPauses) {
    for (const std::int64_t rate : gigabits) {
        for (const std::int64_t nanoseconds : {0, 100, 500, 2'000, 10'000, 50'000}) {
            for (const auto& [kind, npus] : {std::pair{DimensionKind::Ring, 4},
                                             {DimensionKind::Switch, 2},
                                             {DimensionKind::Switch, 3},
                                             {DimensionKind::Switch, 8},
                                             {DimensionKind::Switch, 32},
                                             {DimensionKind::Switch, 64},
                                             {DimensionKind::Switch, 128}}) {
                NetworkDescription network =
                    network_of(kind, npus, Rate(rate * gigabit), Time::ns(nanoseconds));
                for (const FlowControl flow_control : {FlowControl::Pfc, FlowControl::None}) {
                    control(network, flow_control, CongestionAlgorithm::Dcqcn);
                    const NodeId node = busiest(network.graph);
                    const auto ports =
                        static_cast<std::int64_t>(network.graph.links_to(node).size());
                    const Bytes least = queue_limit(network.shared_buffer_of(node),
                                                    network.packet.shared_buffer.alpha, ports);
                    const MarkThresholds marks =
                        mark_thresholds(network.packet.ecn, Rate(rate * gigabit));
                    SCOPED_TRACE(fmt::format("{} Gb/s, {} ns, {} ports", rate, nanoseconds, ports));
                    EXPECT_LE(4 * marks.kmin, least);
                    EXPECT_LT(marks.kmax, least);
                    EXPECT_FALSE(link_without_marks(network));
                }
            }
        }
    }
}

// Networks of every kind, with rates that differ between links: marks can come on every link that
// can have a queue.
TEST(Marking, DefaultsMarkOnRandomNetworks) {
    constexpr unsigned cases = 500;
    for (unsigned seed = 0; seed < cases; ++seed) {
        std::mt19937_64 random(seed);
        NetworkDescription network = parse_network(
            packet_test::random_network_text(seed % packet_test::network_kinds, random), "net.yml");
        control(network, seed % 2 == 0 ? FlowControl::Pfc : FlowControl::None,
                seed % 3 == 0 ? CongestionAlgorithm::Dctcp : CongestionAlgorithm::Dcqcn);
        EXPECT_FALSE(link_without_marks(network)) << seed;
    }
}

TEST(Marking, ThresholdsAreInProportionToTheRate) {
    EcnParameters ecn;
    EXPECT_EQ(mark_thresholds(ecn, Rate(25 * gigabit)).kmin, Bytes(20 * 1024));
    EXPECT_EQ(mark_thresholds(ecn, Rate(400 * gigabit)).kmax, Bytes(1280 * 1024));
    ecn.per = Rate();
    EXPECT_EQ(mark_thresholds(ecn, Rate(400 * gigabit)).kmin, Bytes(20 * 1024));
}

// The marking probability is 0 up to kmin, and up to kmax if pmax is 0.
TEST(Marking, BeginsAtKminOrWithoutAProbabilityAtKmax) {
    EcnParameters ecn;
    EXPECT_EQ(marks_begin(ecn, Rate(400 * gigabit)), Bytes(320 * 1024));
    ecn.pmax = 0;
    EXPECT_EQ(marks_begin(ecn, Rate(400 * gigabit)), Bytes(1280 * 1024));
    ecn.per = Rate();
    EXPECT_EQ(marks_begin(ecn, Rate(400 * gigabit)), Bytes(80 * 1024));
}

TEST(Marking, QueuesShareWhatIsFree) {
    EXPECT_EQ(queue_limit(Bytes(1000), 1, 1), Bytes(500));
    EXPECT_EQ(queue_limit(Bytes(1000), 1, 3), Bytes(250));
    EXPECT_EQ(queue_limit(Bytes(900), 0.125, 1), Bytes(100));
}

std::vector<std::string> warnings(const std::string& entries) {
    std::vector<std::string> said;
    static_cast<void>(parse_network(
        "topology: [Switch]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\npacket: {" +
            entries + "}\n",
        "net.yml", &said));
    return said;
}

// Links of 400 Gb/s: a kmin of 100 KiB for each 25 Gb/s is 1600 KiB. In a buffer of 2 MiB one queue
// may have 1 MiB with alpha 1, and seven paused inputs together 7/8 at most.
TEST(Marking, WarnsOfConfigurationsThatNeverMark) {
    const std::string none = "flow_control: none, transport: selective-repeat, buffer: 2MiB, ";
    const std::string pfc = "flow_control: pfc, transport: go-back-n, buffer: 2MiB, ";
    const std::string late = "ecn: {kmin: 100KiB}, ";
    EXPECT_THAT(
        warnings(none + late + "congestion_control: dcqcn"),
        ElementsAre(AllOf(HasSubstr("net.yml: packet.ecn.kmin: nothing is marked on "
                                    "switch0 -> npu0 before packets are dropped"),
                          HasSubstr("marks begin beyond 1.562 MiB, and at most 1 MiB waits"),
                          HasSubstr("congestion_control: dcqcn does not hear of congestion; "
                                    "lower ecn.kmin or enlarge buffer"))));
    EXPECT_THAT(warnings(none + late + "congestion_control: dctcp"),
                ElementsAre(HasSubstr("congestion_control: dctcp")));
    EXPECT_THAT(warnings(none + late + "congestion_control: swift").size(), 1U) << "no effect";
    EXPECT_THAT(warnings(none + late + "congestion_control: dcqcn, pfc: {alpha: 8}"), IsEmpty());
    EXPECT_THAT(warnings(pfc + late + "congestion_control: dcqcn"), IsEmpty());
    EXPECT_THAT(warnings(pfc + "ecn: {kmin: 112KiB}, congestion_control: dcqcn"),
                ElementsAre(AllOf(HasSubstr("before links are told to pause"),
                                  HasSubstr("beyond 1.750 MiB, and at most 1.750 MiB waits"),
                                  HasSubstr("congestion_control: dcqcn hears of congestion only "
                                            "after links have been told to pause, if at all"),
                                  Not(HasSubstr("does not hear")))));
    EXPECT_THAT(warnings(none + "congestion_control: dcqcn"), IsEmpty());
    // With pmax 0 nothing is marked up to kmax: 16 x 64 MiB, 16 x 80 KiB, 16 x 40 KiB.
    const auto never = [&](const std::string& control, const std::string& ecn) {
        return warnings(control + "congestion_control: dcqcn, ecn: {pmax: 0" + ecn + "}");
    };
    EXPECT_THAT(
        never(none, ", kmax: 64MiB"),
        ElementsAre(AllOf(HasSubstr("net.yml: packet.ecn.kmax: nothing is marked on "
                                    "switch0 -> npu0 before packets are dropped"),
                          HasSubstr("marks begin beyond 1 GiB, and at most 1 MiB waits"),
                          HasSubstr("congestion_control: dcqcn does not hear of congestion; lower "
                                    "ecn.kmax, give ecn.pmax or enlarge buffer"))));
    EXPECT_THAT(never(none, ""), ElementsAre(HasSubstr("beyond 1.250 MiB, and at most 1 MiB")));
    EXPECT_THAT(never(none, ", kmax: 40KiB"), IsEmpty());
    EXPECT_THAT(never(pfc, ", kmax: 64MiB"),
                ElementsAre(AllOf(HasSubstr("packet.ecn.kmax: nothing is marked on"),
                                  HasSubstr("beyond 1 GiB, and at most 1.750 MiB waits"),
                                  HasSubstr("told to pause, if at all; lower ecn.kmax, give "
                                            "ecn.pmax or enlarge buffer"))));
    EXPECT_THAT(never(pfc, ""), IsEmpty());
}

}  // namespace
}  // namespace npunet::topology::marking_test
