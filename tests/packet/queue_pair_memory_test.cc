// How much memory a queue pair takes, with its routes.

#include <gtest/gtest.h>
#include <malloc.h>

#include "network_run.h"
#include "plan_run.h"
#include "topology/builders/fat_tree.h"
#include "topology/parameters/congestion_control.h"

namespace npunet::packet_test {
namespace {

using topology::CongestionAlgorithm;

/// Bytes that are allocated, whatever a sanitizer says of them.
std::size_t allocated() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

// Every NPU of 128 sends to every other one, one after the other: 128 x 127 = 16256 queue pairs, of
// which 128 have packets under way at a time. What the network has taken in the end beyond what it
// took before the first message is below 1 kB for each queue pair, with each algorithm.
TEST(QueuePairMemory, IsBelowAKilobyte) {
    if (allocated() == 0) {
        GTEST_SKIP() << "this build has a memory allocator of its own";
    }
    constexpr int npus = 128;
    const topology::FatTreeShape shape{3, 8, npus, {4, 4}, {4, 4}};
    const topology::LinkSpeed speed{Rate(50'000'000'000), Time::ns(500)};
    topology::NetworkDescription network = topology::make_fat_tree(shape, {speed, speed, speed});
    network.packet.flow_control = topology::FlowControl::Pfc;
    network.packet.transport.kind = topology::TransportKind::SelectiveRepeat;
    for (const CongestionAlgorithm algorithm :
         {CongestionAlgorithm::None, CongestionAlgorithm::Dcqcn, CongestionAlgorithm::Hpcc,
          CongestionAlgorithm::Timely, CongestionAlgorithm::Swift, CongestionAlgorithm::Dctcp,
          CongestionAlgorithm::ReceiverCredit}) {
        network.packet.congestion_control = topology::standard_choice(algorithm);
        Plan plan;
        for (int step = 1; step < npus; ++step) {
            for (int npu = 0; npu < npus; ++npu) {
                plan.push_back(packets(npu, (npu + step) % npus, 4, Time::ns(20'000 * step)));
            }
        }
        engine::EventQueue queue;
        packet::EthernetNetwork machine(network, queue);
        const Traffic traffic(plan, queue, machine);
        const std::size_t before = allocated();
        queue.run();
        ASSERT_EQ(machine.pairs().size(), plan.size());
        const std::size_t after = allocated();
        const double each = static_cast<double>(after - before) / static_cast<double>(plan.size());
        RecordProperty(topology::name_of(algorithm), static_cast<int>(each));
        EXPECT_LT(each, 1000.0) << topology::name_of(algorithm);
    }
}

}  // namespace
}  // namespace npunet::packet_test
