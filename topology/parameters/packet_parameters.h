// The parameters of the packet fidelity, the section `packet` of a network.yml.
//
//     network.packet.flow_control = FlowControl::Pfc;
//     network.packet.transport.kind = TransportKind::GoBackN;
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>

#include "base/quantities.h"
#include "topology/parameters/congestion_control.h"
#include "topology/parameters/traffic_classes.h"

namespace npunet::topology {

/// When a packet may leave a node on its way: when all of it is in, or when its header is.
enum class Switching : std::uint8_t { StoreAndForward, CutThrough };

/// Which of the packets that could leave by a port goes first.
enum class Arbitration : std::uint8_t { RoundRobin, Oldest };

/// What keeps a sender from filling a buffer that has no room.
enum class FlowControl : std::uint8_t {
    Credit,  ///< credits per virtual channel: links of scale-up fabrics, nothing is ever lost
    Pfc,     ///< priority flow control (IEEE 802.1Qbb): switches pause the link that fills them
    None     ///< nothing: switches drop packets
};

/// How queue pairs make good what the network loses.
enum class TransportKind : std::uint8_t {
    None,            ///< no acknowledgements; for networks that lose nothing
    GoBackN,         ///< the receiver takes packets in order only
    SelectiveRepeat  ///< the receiver keeps what comes out of order
};

struct TransportParameters {
    TransportKind kind = TransportKind::None;
    /// Most bytes of a queue pair under way, with headers; 0: twice the bandwidth-delay product of
    /// its path (rounded down), a byte, and ack_every + 1 full packets.
    Bytes window{0};
    /// One acknowledgement for that many packets; what completes a message or closes a gap has one,
    /// whatever comes twice or out of order, and that after which the sender's window is closed.
    std::int32_t ack_every = 1;
    /// How long a queue pair waits for progress before it sends again; 0: the larger of 500 us and
    /// 8 round trips of the idle path. Doubles from one timeout to the next without progress.
    Time rto;
    /// Timeouts in a row, without progress, after which a queue pair still sends again; the next
    /// one is a StallError. 0: any number.
    std::int32_t retries = 32;
    /// Selective repeat: a packet counts as lost when one is in whose number is higher by more than
    /// this; -1: 0 where packets of a queue pair keep their order, and never, but for timeouts,
    /// where they take several routes.
    std::int32_t reordering = -1;
    /// A queue pair that starts sending, or goes back, waits for a random time from 0 to this; 0:
    /// no wait.
    Time start_jitter;
};

/// Marks (RED with ECN: a packet that finds a queue of more than kmin bytes is marked with a
/// probability that grows to pmax at kmax, and always beyond). The defaults stay below the limit of
/// a queue in the automatic buffer of a switch whose ports have one rate, with one traffic class,
/// however many of its queues are long; where rates differ, or with several classes, the limit of a
/// queue can be lower when all queues are long (topology/network/marking.h).
struct EcnParameters {
    Bytes kmin{20'480};
    Bytes kmax{81'920};
    double pmax = 0.2;
    /// The rate for which kmin and kmax are given: on links of other rates they are in proportion.
    /// 0: for all links.
    Rate per{3'125'000'000};
};

/// The shared buffer of a switch and its pauses.
struct SharedBufferParameters {
    /// A queue may have alpha times what is free (Choudhury and Hahne, "Dynamic queue length
    /// thresholds for shared-memory packet switches", IEEE/ACM Trans. Networking 6, 1998): with
    /// pauses all that came in by one link in one class, without them all that waits for one link.
    double alpha = 1;
    /// Pauses: room for what still comes by a link after it is told to pause, per link and class;
    /// 0: as much as can come.
    Bytes headroom{0};
};

[[nodiscard]] constexpr const char* name_of(FlowControl flow_control) {
    return flow_control == FlowControl::Credit ? "credit"
           : flow_control == FlowControl::Pfc  ? "pfc"
                                               : "none";
}

[[nodiscard]] constexpr const char* name_of(TransportKind kind) {
    return kind == TransportKind::None      ? "none"
           : kind == TransportKind::GoBackN ? "go-back-n"
                                            : "selective-repeat";
}

/// All parameters of the packet fidelity (docs/inputs.md): those of networks with credits, and, at
/// the end, those of networks with Ethernet-like switches.
struct PacketParameters {
    Bytes mtu{4096};   ///< payload bytes per packet, at least 1
    Bytes header{64};  ///< bytes on the wire in addition to the payload
    /// 0 = automatic. With credits per input port and virtual channel; without them the room that
    /// all packets in a node share.
    Bytes buffer{0};
    std::uint8_t virtual_channels = 0;  ///< of each class; 0 = as many as the routing needs
    TrafficClasses classes;             ///< each with virtual channels, and buffers, of its own
    Switching switching = Switching::StoreAndForward;
    Arbitration arbitration = Arbitration::RoundRobin;
    /// Of a packet to be corrupted each time that it crosses a link; from 0 to below 1. Such links
    /// check whole packets: Switching::StoreAndForward only.
    double error_rate = 0;
    std::uint64_t seed = 1;        ///< of what is drawn, and of hashes that spread routes
    bool seed_is_given = false;    ///< by a network.yml or an option, even if it is the default
    bool queue_histogram = false;  ///< keep engine::LinkUse::queue_times
    /// How many packets at most leave one input port of a node at a time; 0: any number.
    std::uint8_t speedup = 0;
    /// Of a port of each NPU for injection and ejection, which with_injection() makes
    /// (topology/network/injection.h); 0: none.
    Rate injection;

    FlowControl flow_control = FlowControl::Credit;
    TransportParameters transport;
    EcnParameters ecn;
    SharedBufferParameters shared_buffer;
    CongestionControlChoice congestion_control;  ///< of the transport's senders
};

}  // namespace npunet::topology
