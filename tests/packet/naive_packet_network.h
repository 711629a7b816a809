// The packet network written the plain way, as the oracle of the tests: every arrival of a packet,
// every end of a transmission and every returned credit is an event of its own, and a port is asked
// anew whenever anything has changed for it. Nothing is computed ahead but when a packet that
// starts now will have left and be in. It shares no code with the packet machine but the draw of
// errors (packet::PacketErrors) and the rates of links with faults (engine::LinkClock, which has a
// brute force of its own). naive_packet_network.cc has the messages and the ways that they choose,
// naive_ports.cc the ports, naive_links.cc the links.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/network/link_clock.h"
#include "engine/network/network.h"
#include "packet/base/packet_errors.h"
#include "topology/graph/graph.h"
#include "topology/network/network_description.h"

namespace npunet::packet_test {

using RouteFunction = std::function<std::vector<topology::Hop>(NodeId, NodeId)>;

class NaivePacketNetwork final : public engine::Network, private engine::EventHandler {
public:
    NaivePacketNetwork(const topology::NetworkDescription& description, RouteFunction route,
                       engine::EventQueue& queue);
    /// By the routes of the description.
    NaivePacketNetwork(const topology::NetworkDescription& description, engine::EventQueue& queue)
        : NaivePacketNetwork(
              description,
              [&description](NodeId from, NodeId to) { return description.route(from, to); },
              queue) {}

    void send(const engine::Message& message) override;
    [[nodiscard]] bool sends_in_order(NodeId /*from*/, NodeId /*to*/) const override {
        return false;
    }
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override;
    [[nodiscard]] std::uint64_t packet_hops() const override { return packet_hops_; }

private:
    __extension__ using Wide = __int128;
    /// What a packet has chosen on a network with several ways.
    struct Choice {
        topology::Hop hop;
        std::optional<topology::Hop> then;
        std::uint32_t memory = 0;
        bool promised = false;
    };
    /// Start and id: the order of messages.
    using TurnKey = std::pair<std::int64_t, std::uint64_t>;
    struct Flight {
        engine::Message message;
        TurnKey key;
        std::size_t traffic_class = 0;
        std::vector<topology::Hop> route;  ///< where there is one path
        Bytes unsent;
        bool started = false;
        Time first_byte_left;
        std::int64_t leaving = 0;  ///< packets that have not left the source
        std::int64_t missing = 0;  ///< packets not yet in
        // Where there are several:
        Choice next;
        std::uint64_t number = 0;
    };
    struct Packet {
        std::shared_ptr<Flight> flight;
        topology::Hop hop;                    ///< the hop that it makes or waits for
        std::optional<topology::Hop> before;  ///< the one that brought it here
        std::size_t hops = 0;                 ///< behind it
        Choice choice;
        std::uint64_t number = 0;
        Time born;  ///< when it left its source
        Bytes payload;
        Bytes wire;
        bool last = false;
    };
    struct Port {
        bool busy = false;
        std::vector<Bytes> credit;               ///< by channel, class by class
        std::vector<std::deque<Packet>> queues;  ///< by (input port, channel)
        std::vector<std::map<TurnKey, std::shared_ptr<Flight>>> starting;  ///< by channel
        std::vector<TurnKey> served;                                       ///< by channel
        std::vector<std::size_t> turns;                                    ///< by class
        std::vector<Wide> finish_tags;                                     ///< by class
        Wide virtual_time = 0;
        int reads = 0;       ///< packets that are leaving the buffer at the link's end
        LinkId last_output;  ///< where the last of them went
        Bytes waiting;
        Time waiting_since;
        std::map<int, Time> queue_times;  ///< by power of two
        bool stalled = false;
        Time stalled_since;
        Time last_arrival;
        std::uint64_t transmissions = 0;
        Bytes chosen;                 ///< bytes of packets that have chosen the link
        std::vector<Bytes> promised;  ///< by channel
    };

    void handle(std::uint64_t payload) override;
    void at(Time time, engine::Phase phase, unsigned kind, std::uint64_t content,
            std::function<void()> action);
    void ask(LinkId link);
    void arbitrate(LinkId link);
    /// Chooses; with `patient`, leaves inputs to ports that come before it and returns whether that
    /// kept it from choosing.
    bool choose(LinkId link, bool patient);
    /// The input of a slot is read by as many as may, or, with `patient`, others come first.
    bool input_is_taken(LinkId link, std::size_t slot, bool patient, bool& yielded);
    std::size_t choose_class(Port& port, const std::set<std::size_t>& open);
    [[nodiscard]] std::size_t channel_of(const Flight& flight, topology::Hop hop) const {
        return flight.traffic_class * channels_of_class_ + hop.virtual_channel;
    }
    void watch_stall(LinkId link);
    void change_waiting(Port& port, Bytes by);
    /// The packet that a slot would send, if there is one, and the channel.
    std::optional<std::pair<Packet, std::size_t>> head(LinkId link, std::size_t slot);
    bool can_go(LinkId link, std::size_t slot);
    void send_slot(LinkId link, std::size_t slot);
    void start(LinkId link, const Packet& packet);
    void attempt(LinkId link, const Packet& packet);
    void done(LinkId link, const Packet& packet);
    [[nodiscard]] Time header_in(LinkId link, Time end, Time before) const;
    [[nodiscard]] Time ready(Time header, Time in, LinkId next, Bytes wire) const;
    void go_on(LinkId link, Packet packet, Time header, Time in);
    void arrive(LinkId link, const Packet& packet);
    void deliver(const std::shared_ptr<Flight>& flight);
    void stand_in_line(LinkId link, Packet packet);
    /// Fills in the choice of a packet at a node, which it has not made by now.
    Choice choose_way(const Flight& flight, std::uint64_t number, Bytes wire, NodeId node,
                      const std::optional<topology::Hop>& before, const Choice& last);
    void start_here(const std::shared_ptr<Flight>& flight);
    void leave_choice(const Flight& flight, const Choice& choice, Bytes wire);
    [[nodiscard]] bool last_hop(const Packet& packet) const;
    void give_credit_back(LinkId link, std::size_t channel, Bytes bytes);

    const topology::Graph& graph_;
    topology::PacketParameters parameters_;
    RouteFunction route_;
    const topology::MultipathRouter* ways_;
    engine::EventQueue& queue_;
    std::size_t channels_of_class_;
    std::size_t channels_;  ///< of all classes
    std::vector<Port> ports_;
    std::vector<engine::LinkUse> uses_;
    engine::LinkClock clock_;
    packet::PacketErrors errors_;
    std::uint64_t packet_hops_ = 0;
    std::uint64_t arrivals_ = 0;
    std::uint64_t credits_returned_ = 0;
    std::vector<std::function<void()>> actions_;
    std::vector<std::size_t> free_;  ///< places of actions that are done
};

}  // namespace npunet::packet_test
