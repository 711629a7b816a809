#include "random_parameters.h"

#include "tests/support/draw.h"
#include "topology/parameters/congestion_control.h"
#include "topology/parameters/congestion_parameters.h"

namespace npunet::packet_test {

using test::DrawFrom;
using topology::Arbitration;
using topology::CongestionAlgorithm;
using topology::FlowControl;
using topology::Switching;
using topology::TransportKind;

void draw_sizes(topology::PacketParameters& packet, std::mt19937_64& random) {
    DrawFrom draw(random);
    packet.mtu = Bytes(draw.any_of<std::int64_t>({4096, 256, 1000, 1}));
    packet.header = Bytes(draw.any_of<std::int64_t>({64, 0, 16}));
    packet.buffer = draw.any_of<std::int64_t>({1, 2, 5, 0}) * (packet.mtu + packet.header);
}

void draw_switches(topology::PacketParameters& packet, std::mt19937_64& random) {
    DrawFrom draw(random);
    packet.arbitration = draw.any_of({Arbitration::Oldest, Arbitration::RoundRobin});
    packet.switching = draw.any_of({Switching::CutThrough, Switching::StoreAndForward});
    packet.speedup = static_cast<std::uint8_t>(draw.below(3));
}

void draw_ethernet(topology::NetworkDescription& network, bool loses, std::mt19937_64& random) {
    DrawFrom draw(random);
    topology::PacketParameters& packet = network.packet;
    packet.arbitration = Arbitration::RoundRobin;
    packet.virtual_channels = 0;
    packet.speedup = 0;
    packet.flow_control = !loses || draw.one_in(2) ? FlowControl::Pfc : FlowControl::None;
    const std::int64_t wire = (packet.mtu + packet.header).value();
    // A queue has room for one packet at least, with telemetry.
    const std::int64_t least = 4 * (wire + 512);
    packet.buffer = Bytes(draw.any_of({std::int64_t{0}, least, 2 * least, 40 * wire}));
    packet.shared_buffer.alpha = loses ? draw.any_of<double>({0.25, 1, 8}) : 1;
    packet.transport.kind = draw.any_of({TransportKind::GoBackN, TransportKind::SelectiveRepeat});
    packet.transport.ack_every = draw.any_of({1, 2, 7, 20});
    packet.transport.window = Bytes(draw.any_of({std::int64_t{0}, wire, 12 * wire}));
    packet.transport.rto = Time::ns(draw.any_of({0, 20'000, 100'000}));
    packet.transport.retries = 0;
    const std::int32_t reordering = draw.any_of({-1, 0, 4});
    packet.transport.reordering =
        packet.transport.kind == TransportKind::SelectiveRepeat ? reordering : -1;
    packet.congestion_control = topology::standard_choice(draw.any_of(
        {CongestionAlgorithm::None, CongestionAlgorithm::Dcqcn, CongestionAlgorithm::Hpcc,
         CongestionAlgorithm::Timely, CongestionAlgorithm::Swift, CongestionAlgorithm::Dctcp,
         CongestionAlgorithm::ReceiverCredit}));
    if (packet.congestion_control.algorithm == CongestionAlgorithm::ReceiverCredit &&
        packet.flow_control == FlowControl::None &&
        packet.transport.kind == TransportKind::SelectiveRepeat) {
        packet.congestion_control.values.back() = draw.any_of<double>({0, 1});
    }
    if (packet.congestion_control.algorithm == CongestionAlgorithm::Hpcc &&
        network.multipath != nullptr) {
        packet.congestion_control = topology::standard_choice(CongestionAlgorithm::Swift);
    }
    packet.ecn.kmin = Bytes(draw.any_of<std::int64_t>({2 * wire, 100 * 1024}));
    packet.ecn.kmax = packet.ecn.kmin + packet.ecn.kmin;
    packet.seed = random() % 1000;
    if (loses) {
        packet.switching = Switching::StoreAndForward;
        packet.error_rate = draw.any_of<double>({0, 0.01, 0.1});
    }
    packet.transport.start_jitter = Time::ps(draw.any_of({0, 0, 200'000, 3'000'000}));
}

void take_transport_away(topology::PacketParameters& packet) {
    packet.transport = {};
    packet.flow_control = FlowControl::Pfc;
    packet.error_rate = 0;
    packet.congestion_control = {};
}

void notify_every(topology::NetworkDescription& network, std::int64_t times) {
    topology::PacketParameters& packet = network.packet;
    const Time sending =
        transfer_time(packet.mtu + packet.header, network.graph.link(LinkId(0)).rate);
    packet.congestion_control.values[topology::DcqcnParameter::cnp_interval] =
        static_cast<double>(times * sending.ps());
}

topology::LinkFault draw_slowdown(const topology::Graph& graph, Time horizon,
                                  std::initializer_list<std::int64_t> billionths,
                                  std::mt19937_64& random) {
    DrawFrom draw(random);
    topology::LinkFault fault;
    fault.link = LinkId(std::size_t{random() % graph.links()});
    fault.at = Time::ps(draw.below(horizon.ps()));
    fault.until = fault.at + Time::ps(1 + draw.below(10'000'000));
    fault.bandwidth.billionths = draw.any_of(billionths);
    return fault;
}

}  // namespace npunet::packet_test
