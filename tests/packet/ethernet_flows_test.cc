// What Ethernet-like switches and their transport tell of flows and of single packets is what the
// links count.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

#include "network_run.h"
#include "plan_run.h"
#include "random_parameters.h"
#include "tests/support/random_faults.h"
#include "topology/builders/builder.h"
#include "topology/parameters/congestion_control.h"

namespace npunet::packet_test {
namespace {

using packet::PacketDrop;
using topology::CongestionAlgorithm;
using topology::NetworkDescription;
using topology::TransportKind;

// Two NPUs and one cable: what starts for the other end is all data that its link carries. Answers
// go by the link back, on which 1 sends nothing of its own. Without errors nothing comes again.
TEST(EthernetFlows, OneLinkCarriesWhatTheFlowSends) {
    for (const TransportKind kind :
         {TransportKind::None, TransportKind::GoBackN, TransportKind::SelectiveRepeat}) {
        for (const double errors : {0.0, 0.02, 0.2}) {
            if (kind == TransportKind::None && errors > 0) {
                continue;
            }
            NetworkDescription network = network_of({mesh(2)}, ethernet(kind));
            network.packet.error_rate = errors;
            const EthernetRun run(
                network, {packets(0, 1, 300), packets(0, 1, 1), message(0, 1, 0, Time::ns(777))});
            const engine::LinkUse link = run.use(0, 1);
            const std::vector<engine::FlowUse> flows = run.machine.flow_use();
            ASSERT_EQ(flows.size(), 1u);
            const engine::FlowCounts& counts = flows.front().counts;
            EXPECT_EQ(flows.front().flow, (engine::FlowKey{NodeId(0), NodeId(1), 0}));
            EXPECT_EQ(counts.packets, link.packets);
            EXPECT_EQ(counts.retransmissions, link.retransmissions);
            EXPECT_EQ(link.payload,
                      link.wire - static_cast<std::int64_t>(link.packets) * network.packet.header);
            EXPECT_EQ(link.payload > Bytes(301 * mtu), errors > 0) << "what comes again counts";
            EXPECT_EQ(counts.packets - counts.retransmissions, 302u) << "each once";
            EXPECT_EQ(counts.retransmissions > 0, errors > 0);
            EXPECT_GE(counts.retransmissions, link.drops);
            EXPECT_EQ(counts.marked + counts.notifications, 0u);
        }
    }
}

// Seven flows meet at one port of a switch that pauses, so that nothing is lost: every packet that
// is marked there arrives marked. DCQCN's receivers notify of some marks, DCTCP's of none.
TEST(EthernetFlows, MarksAreThoseOfTheLinks) {
    for (const CongestionAlgorithm algorithm :
         {CongestionAlgorithm::Dctcp, CongestionAlgorithm::Dcqcn}) {
        NetworkDescription network =
            network_of({star(8)}, ethernet(TransportKind::SelectiveRepeat));
        network.packet.congestion_control = topology::standard_choice(algorithm);
        network.packet.ecn.kmin = Bytes(5'000);
        network.packet.ecn.kmax = Bytes(20'000);
        network.packet.ecn.per = Rate(0);
        Plan plan;
        for (int npu = 1; npu < 8; ++npu) {
            plan.push_back(packets(npu, 0, 100 + npu));
        }
        const EthernetRun run(network, plan);
        engine::FlowCounts sum;
        const std::vector<engine::FlowUse> flows = run.machine.flow_use();
        ASSERT_EQ(flows.size(), 7u);
        for (const engine::FlowUse& flow : flows) {
            EXPECT_EQ(flow.counts.packets, 100 + flow.flow.source.index());
            sum.add(flow.counts);
        }
        EXPECT_GT(sum.marked, 0u);
        EXPECT_EQ(sum.marked, run.sum().marked);
        EXPECT_EQ(sum.notifications > 0, algorithm == CongestionAlgorithm::Dcqcn);
        EXPECT_LE(sum.notifications, sum.marked);
        EXPECT_EQ(sum.retransmissions + run.sum().drops, 0u);
    }
}

/// Counts what it is told, by link.
class Observer final : public packet::PacketObserver {
public:
    explicit Observer(std::size_t links)
        : started(links), drops(links), marked(links), pauses(links) {}

    void packet_started(LinkId link, const packet::ObservedPacket&, Time arrival, Bytes) override {
        ++started[link.index()];
        lost_on_links += arrival == Time::max() ? 1 : 0;
    }
    void packet_queued(LinkId, Bytes, Time) override {}
    void credit_stalled(LinkId, Time, Time) override {}
    void packet_lost(LinkId link, const packet::ObservedPacket&, PacketDrop why) override {
        ++drops[link.index()];
        ++reasons[why];
    }
    void packet_marked(LinkId link, const packet::ObservedPacket&) override {
        ++marked[link.index()];
    }
    void link_paused(LinkId link, std::uint8_t traffic_class, bool begins) override {
        const auto was = paused.find({link.index(), traffic_class});
        EXPECT_EQ(was != paused.end() && was->second, !begins) << "pauses begin and end in turn";
        paused[{link.index(), traffic_class}] = begins;
        pauses[link.index()] += begins ? 1 : 0;
    }

    std::vector<std::uint64_t> started;
    std::vector<std::uint64_t> drops;
    std::vector<std::uint64_t> marked;
    std::vector<std::uint64_t> pauses;
    std::map<PacketDrop, std::uint64_t> reasons;
    std::map<std::pair<std::size_t, std::uint8_t>, bool> paused;
    std::uint64_t lost_on_links = 0;
};

// On networks of every kind, with losses of every kind: what the observer is told of each link adds
// up to what the link counts, and who looks changes nothing.
TEST(EthernetFlows, ObserversHearOfWhatLinksCount) {
    std::mt19937_64 random(6);
    std::map<PacketDrop, std::uint64_t> reasons;
    std::uint64_t marked = 0;
    std::uint64_t pauses = 0;
    for (int round = 0; round < 20; ++round) {
        for (const test::OfferedRouting& offer : test::offered_routings) {
            NetworkDescription network = test::random_network(offer, random);
            draw_ethernet(network, true, random);
            const Plan plan = make_plan(static_cast<Pattern>(random() % 5),
                                        static_cast<int>(network.graph.npus()), 20'000,
                                        network.packet.mtu.value(), random);
            network.faults.links = test::random_outages(
                network.graph, static_cast<int>(random() % 4), Time::ns(100'000), random);
            const EthernetRun silent(network, plan);
            engine::EventQueue queue;
            packet::EthernetNetwork machine(network, queue);
            Observer observer(network.graph.links());
            machine.set_observer(&observer);
            const Traffic traffic(plan, queue, machine);
            queue.run();
            ASSERT_EQ(transcript(traffic, machine), silent.transcript());
            const std::vector<engine::LinkUse> uses = machine.link_use();
            for (std::size_t link = 0; link < uses.size(); ++link) {
                ASSERT_EQ(observer.started[link], uses[link].packets) << link;
                ASSERT_EQ(observer.drops[link], uses[link].drops) << link;
                ASSERT_EQ(observer.marked[link], uses[link].marked) << link;
                ASSERT_EQ(observer.pauses[link], uses[link].pauses) << link;
                marked += uses[link].marked;
                pauses += uses[link].pauses;
            }
            // Those that are lost waiting for a dead link are not on it; lost requests are no
            // drops.
            EXPECT_LE(observer.reasons[PacketDrop::Corrupted], observer.lost_on_links);
            for (const auto& [why, count] : observer.reasons) {
                reasons[why] += count;
            }
        }
    }
    for (const PacketDrop why :
         {PacketDrop::NoRoom, PacketDrop::Trimmed, PacketDrop::Corrupted, PacketDrop::LinkDown}) {
        EXPECT_GT(reasons[why], 0u) << static_cast<int>(why);
    }
    EXPECT_GT(marked, 0u);
    EXPECT_GT(pauses, 0u);
}

// Where links have credits there is no transport to tell of.
TEST(EthernetFlows, NetworksWithCreditsHaveNoTransport) {
    const PlanRun run({mesh(3)}, {packets(0, 2, 5)});
    EXPECT_TRUE(run.machine.flow_use().empty());
}

}  // namespace
}  // namespace npunet::packet_test
