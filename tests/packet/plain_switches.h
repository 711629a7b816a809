// The ports and links of the plain simulator's network: what a port sends next, what is on the
// links, corruption, pauses and their requests. What starts at a port they take from the NPUs, what
// is in at the end of its route they give to them (plain_npus.h); whether what passes a node finds
// room the buffers say (plain_buffers.h).
//
//     Switches switches(description, npus);
//     switches.arrive(now);
//     switches.send(now);
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "engine/network/network.h"
#include "plain_buffers.h"
#include "plain_npus.h"
#include "plain_packet.h"
#include "topology/network/network_description.h"

namespace npunet::packet_test::plain {

class Switches {
public:
    Switches(const topology::NetworkDescription& description, Npus& npus);

    /// When a packet is in or a port becomes idle next, later than `now`; Time::max(): never.
    [[nodiscard]] Time next_time(Time now) const;
    /// The packets that are in at this time.
    void arrive(Time now);
    /// Idle ports give back the room of what they sent last and choose what goes next.
    void send(Time now);

    /// By link, up to `now`.
    [[nodiscard]] std::vector<engine::LinkUse> uses(Time now) const;
    [[nodiscard]] std::uint64_t packet_hops() const { return packet_hops_; }

private:
    /// The end of a link that sends.
    struct Port {
        Time busy_until;
        std::deque<Packet> requests;
        std::deque<Packet> control;
        std::deque<Packet> passing;
        bool own_turn = false;
        bool paused = false;
        Time paused_since;
        std::deque<std::pair<Time, Packet>> flying;  ///< on the link, with when they are in
        /// What passed and was sent last, as long as it has room in the node.
        std::optional<Packet> left;
        std::uint64_t transmissions = 0;
    };

    void arrive_by(LinkId id, Packet packet, Time now);
    void free_room(LinkId id, Time now);
    void choose(LinkId id, Time now);
    void transmit(LinkId id, const Packet& packet, Time now);
    [[nodiscard]] bool is_corrupted(LinkId id, std::uint64_t transmission) const;
    void request(LinkId input, Kind kind);
    void obey(LinkId id, bool pause, Time now);

    const topology::Graph& graph_;
    const topology::PacketParameters& parameters_;
    Npus& npus_;
    std::vector<LinkId> back_;  ///< by link
    Buffers buffers_;
    std::vector<Port> ports_;
    std::vector<engine::LinkUse> uses_;
    std::uint64_t packet_hops_ = 0;
};

}  // namespace npunet::packet_test::plain
