// The network of Ethernet-like switches written the plain way, as the oracle of the tests: every
// arrival and every end of a transmission is an event of its own, a port is asked anew whenever
// anything has changed for it, and packets are copied from queue to queue. Store and forward, one
// path a pair, no faults. It shares no code with packet::EthernetNetwork but the draws
// (packet::PacketErrors) and the congestion control.
//
//     NaiveEthernet network(description, queue);
//     network.set_listener(listener);
//     network.send(message);
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "engine/network/network.h"
#include "naive_transport.h"
#include "packet/base/packet_errors.h"
#include "topology/network/network_description.h"

namespace npunet::packet_test {

class NaiveEthernet final : public engine::Network,
                            private engine::EventHandler,
                            private NaiveWire {
public:
    NaiveEthernet(const topology::NetworkDescription& description, engine::EventQueue& queue);

    void send(const engine::Message& message) override;
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override;
    [[nodiscard]] std::uint64_t packet_hops() const override { return packet_hops_; }

private:
    __extension__ using Wide = __int128;
    struct Port {
        bool busy = false;
        LinkId reverse;
        std::deque<NaivePacket> requests;
        std::deque<NaivePacket> control;
        std::vector<std::deque<NaivePacket>> queues;  ///< by class: data that came by other links
        std::vector<bool> own_turn;                   ///< by class: what starts here goes next
        std::vector<bool> paused;                     ///< by class
        Time paused_since;
        std::vector<Wide> finish_tags;  ///< by class
        Wide virtual_time = 0;
        Bytes waiting;
        std::uint64_t transmissions = 0;
        std::uint64_t arrivals = 0;
        std::uint64_t in_flight = 0;  ///< numbers packets on the link
        // At the other end.
        std::vector<Bytes> shared;    ///< by class: of its packets, in the shared room
        std::vector<Bytes> headroom;  ///< by class: of its packets, in the headroom
        std::vector<bool> told;       ///< by class: it is told to pause
        Bytes most_headroom;          ///< of a class
    };
    struct Node {
        Bytes room;
        Bytes used;
    };

    void handle(std::uint64_t payload) override;
    void at(Time time, engine::Phase phase, unsigned kind, std::uint64_t content,
            std::uint64_t minor, std::function<void()> action) override;
    void send_control(const NaivePacket& packet) override;
    void ask(LinkId port) override;

    [[nodiscard]] Bytes headroom(LinkId id) const;
    void choose(LinkId id);
    [[nodiscard]] std::optional<std::size_t> choose_class(LinkId id);
    [[nodiscard]] NaivePacket take_data(LinkId id, std::size_t traffic_class);
    void transmit(LinkId id, NaivePacket packet);
    void has_left(LinkId id, const NaivePacket& packet);
    void arrive(LinkId id, NaivePacket packet);
    void enqueue(LinkId input, NaivePacket packet);
    [[nodiscard]] bool take(LinkId input, LinkId output, const NaivePacket& packet);
    [[nodiscard]] Bytes threshold(const Node& node) const;
    void leave_buffer(const NaivePacket& packet);
    void request(LinkId input, NaivePacket::Kind kind, std::size_t traffic_class);
    void pause(LinkId port, const NaivePacket& packet);
    [[nodiscard]] bool is_marked(LinkId output, Bytes queued);

    const topology::Graph& graph_;
    const topology::PacketParameters& parameters_;
    topology::CongestionNeeds needs_;
    engine::EventQueue& queue_;
    std::vector<Port> ports_;
    std::vector<Node> nodes_;
    std::vector<engine::LinkUse> uses_;
    packet::PacketErrors errors_;
    Bytes largest_;
    std::uint64_t packet_hops_ = 0;
    std::vector<std::function<void()>> actions_;
    NaiveTransport transport_;
};

}  // namespace npunet::packet_test
