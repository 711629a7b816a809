#include "ethernet_runs.h"

#include <array>

#include "topology/parameters/congestion_control.h"

namespace npunet::packet_test {

void draw_ethernet(topology::NetworkDescription& network, bool loses, std::mt19937_64& random) {
    using topology::CongestionAlgorithm;
    using topology::FlowControl;
    using topology::TransportKind;
    topology::PacketParameters& packet = network.packet;
    packet.arbitration = topology::Arbitration::RoundRobin;
    packet.virtual_channels = 0;
    packet.speedup = 0;
    packet.flow_control = !loses || random() % 2 == 0 ? FlowControl::Pfc : FlowControl::None;
    const std::int64_t wire = (packet.mtu + packet.header).value();
    // A queue has room for one packet at least, with telemetry.
    const std::int64_t least = 4 * (wire + 512);
    packet.buffer =
        Bytes(std::array<std::int64_t, 4>{0, least, 2 * least, 40 * wire}[random() % 4]);
    packet.shared_buffer.alpha = loses ? std::array<double, 3>{0.25, 1, 8}[random() % 3] : 1;
    packet.transport.kind =
        random() % 2 == 0 ? TransportKind::GoBackN : TransportKind::SelectiveRepeat;
    packet.transport.ack_every = std::array<std::int32_t, 4>{1, 2, 7, 20}[random() % 4];
    packet.transport.window = Bytes(std::array<std::int64_t, 3>{0, wire, 12 * wire}[random() % 3]);
    packet.transport.rto = Time::ns(std::array<std::int64_t, 3>{0, 20'000, 100'000}[random() % 3]);
    packet.transport.retries = 0;
    const std::int32_t reordering = std::array<std::int32_t, 3>{-1, 0, 4}[random() % 3];
    packet.transport.reordering =
        packet.transport.kind == TransportKind::SelectiveRepeat ? reordering : -1;
    packet.congestion_control = topology::standard_choice(
        std::array{CongestionAlgorithm::None, CongestionAlgorithm::Dcqcn, CongestionAlgorithm::Hpcc,
                   CongestionAlgorithm::Timely, CongestionAlgorithm::Swift,
                   CongestionAlgorithm::Dctcp, CongestionAlgorithm::ReceiverCredit}[random() % 7]);
    if (packet.congestion_control.algorithm == CongestionAlgorithm::ReceiverCredit &&
        packet.flow_control == FlowControl::None &&
        packet.transport.kind == TransportKind::SelectiveRepeat) {
        packet.congestion_control.values.back() = static_cast<double>(random() % 2);
    }
    if (packet.congestion_control.algorithm == CongestionAlgorithm::Hpcc &&
        network.multipath != nullptr) {
        packet.congestion_control = topology::standard_choice(CongestionAlgorithm::Swift);
    }
    packet.ecn.kmin = Bytes(std::array<std::int64_t, 2>{2 * wire, 100 * 1024}[random() % 2]);
    packet.ecn.kmax = packet.ecn.kmin + packet.ecn.kmin;
    packet.seed = random() % 1000;
    if (loses) {
        packet.switching = topology::Switching::StoreAndForward;
        packet.error_rate = std::array<double, 3>{0, 0.01, 0.1}[random() % 3];
    }
    packet.transport.start_jitter =
        Time::ps(std::array<std::int64_t, 4>{0, 0, 200'000, 3'000'000}[random() % 4]);
}

}  // namespace npunet::packet_test
