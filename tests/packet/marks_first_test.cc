// Congestion control by marks is notified before switches drop packets or pause links, with the
// defaults, at every rate.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include "network_run.h"
#include "topology/builders/builder.h"
#include "topology/network/marking.h"
#include "topology/parameters/congestion_control.h"
#include "topology/parameters/congestion_parameters.h"

namespace npunet::packet_test::marks_first_test {
namespace {

using topology::CongestionAlgorithm;
using topology::FlowControl;
using topology::NetworkDescription;
using topology::TransportKind;

constexpr std::int64_t gigabit = 125'000'000;  // bytes/s

NetworkDescription star(int npus, Rate rate, Time latency, FlowControl flow_control) {
    NetworkDescription network = topology::make_network(
        {topology::make_dimension(topology::DimensionKind::Switch, npus, rate, latency)});
    network.packet.flow_control = flow_control;
    network.packet.transport.kind = TransportKind::SelectiveRepeat;
    network.packet.transport.window = Bytes(std::int64_t{64} << 20);
    return network;
}

/// `sources` NPUs send `bytes` to each of `hot` NPUs.
Plan incasts(int hot, int sources, Bytes bytes) {
    Plan plan;
    for (int group = 0; group < hot; ++group) {
        const int to = group * (sources + 1);
        for (int from = to + 1; from <= to + sources; ++from) {
            plan.push_back(message(from, to, bytes.value()));
        }
    }
    return plan;
}

Time finish_of(const EthernetRun& run) {
    EXPECT_TRUE(all_came_once(run.outcomes()));
    return run.finish();
}

/// Records whether a packet was marked before any was dropped or any link told to pause.
class FirstNews final : public packet::PacketObserver {
public:
    void packet_started(LinkId, const packet::ObservedPacket&, Time, Bytes) override {}
    void packet_queued(LinkId, Bytes, Time) override {}
    void credit_stalled(LinkId, Time, Time) override {}
    void packet_marked(LinkId, const packet::ObservedPacket&) override { hear(true); }
    void packet_lost(LinkId, const packet::ObservedPacket&, packet::PacketDrop) override {
        hear(false);
    }
    void link_paused(LinkId, std::uint8_t, bool) override { hear(false); }

    bool marks_first = false;

private:
    void hear(bool mark) {
        marks_first = news_ ? marks_first : mark;
        news_ = true;
    }
    bool news_ = false;
};

bool marks_come_first(const NetworkDescription& network, const Plan& plan) {
    engine::EventQueue queue;
    packet::EthernetNetwork machine(network, queue);
    FirstNews news;
    machine.set_observer(&news);
    const Traffic traffic(plan, queue, machine);
    queue.run();
    return news.marks_first;
}

// Eight NPUs send to a ninth 1.5 times what can queue for it, with a practically unlimited window.
// Without congestion control packets are dropped or links paused; with it packets are marked before
// that, and there are fewer drops or pauses. In a buffer B at most B / 2 can queue for one link
// and, with pauses, 8 B / 9 when all eight inputs are paused; the senders' links bring eight times
// what the receiver's takes away, so that 7/8 of the bytes queue in the end. Without losses the
// receiver's link is always busy; with losses, timeouts cost more than congestion control from 25
// Gb/s on. 54 incasts, each without congestion control and with two algorithms.
TEST(MarksFirst, IncastsAtEveryRateAreHeardOf) {
    for (const std::int64_t gigabits : {10, 25, 40, 50, 100, 200, 400, 800, 1600}) {
        for (const std::int64_t nanoseconds : {100, 500, 5'000}) {
            for (const FlowControl flow_control : {FlowControl::Pfc, FlowControl::None}) {
                SCOPED_TRACE(fmt::format("{} Gb/s, {} ns, {}", gigabits, nanoseconds,
                                         name_of(flow_control)));
                NetworkDescription network =
                    star(9, Rate(gigabits * gigabit), Time::ns(nanoseconds), flow_control);
                const std::int64_t queues = flow_control == FlowControl::Pfc ? 8 : 1;
                const Bytes most =
                    queues * topology::queue_limit(network.shared_buffer_of(NodeId(9)), 1, queues);
                const Plan plan = incasts(1, 8, Bytes(most.value() * 3 / 2 / 7));
                const EthernetRun without(network, plan);
                const engine::LinkUse before = without.sum();
                EXPECT_GT(before.drops + before.pauses, 0U);
                EXPECT_EQ(before.marked, 0U);
                for (const CongestionAlgorithm algorithm :
                     {CongestionAlgorithm::Dcqcn, CongestionAlgorithm::Dctcp}) {
                    SCOPED_TRACE(topology::name_of(algorithm));
                    network.packet.congestion_control = topology::standard_choice(algorithm);
                    const EthernetRun with(network, plan);
                    const engine::LinkUse after = with.sum();
                    EXPECT_GT(after.marked, 0U);
                    EXPECT_TRUE(marks_come_first(network, plan));
                    EXPECT_LE(after.drops + after.pauses, before.drops + before.pauses);
                    if (flow_control == FlowControl::None) {
                        EXPECT_LT(after.drops, before.drops);
                        EXPECT_NE(finish_of(with), finish_of(without));
                        EXPECT_TRUE(gigabits == 10 || finish_of(with) < finish_of(without));
                    }
                }
            }
        }
    }
}

// Sixteen concurrent incasts of three on a switch of 64 ports of 400 Gb/s, which share its buffer.
TEST(MarksFirst, ManyIncastsAtATimeAreHeardOf) {
    for (const FlowControl flow_control : {FlowControl::Pfc, FlowControl::None}) {
        SCOPED_TRACE(name_of(flow_control));
        NetworkDescription network = star(64, Rate(400 * gigabit), Time::ns(500), flow_control);
        network.packet.congestion_control = topology::standard_choice(CongestionAlgorithm::Dcqcn);
        const EthernetRun run(network, incasts(16, 3, Bytes(4'000'000)));
        EXPECT_GT(run.sum().marked, 0U);
        EXPECT_EQ(run.sum().drops + run.sum().retransmissions, 0U);
    }
}

// Two NPUs send 8 MB each to a third at 100 Gb/s: 1300 us with the headers. NICs keep the target
// rate during congestion and return to the rate before it; by the paper's rule every CNP also cuts
// the target, from which R_AI recovers 100 Mb/s every 55 us. Marks begin at HPCC's 400 KiB, below a
// queue that never fills its buffer.
TEST(MarksFirst, KeepingTheTargetRateFillsTheLink) {
    const auto finish = [](double clamp) {
        NetworkDescription network = star(3, Rate(100 * gigabit), Time::ns(500), FlowControl::Pfc);
        network.packet.buffer = Bytes(std::int64_t{96} << 20);
        network.packet.ecn.kmin = Bytes(100 * 1024);
        network.packet.ecn.kmax = Bytes(400 * 1024);
        network.packet.congestion_control = topology::standard_choice(CongestionAlgorithm::Dcqcn);
        network.packet.congestion_control.values[topology::DcqcnParameter::clamp_target_rate] =
            clamp;
        return finish_of(EthernetRun(network, incasts(1, 2, Bytes(8'000'000))));
    };
    const Time ideal = Time::ns(1'300'000);
    EXPECT_GT(finish(0), ideal);
    EXPECT_LT(finish(0).ps(), ideal.ps() * 6 / 5);
    EXPECT_GT(finish(1).ps(), ideal.ps() * 2);
}

}  // namespace
}  // namespace npunet::packet_test::marks_first_test
