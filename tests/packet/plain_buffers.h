// The shared buffers of the plain simulator's switches: which packets find room in the node that
// they pass, and when the other end of the link by which they came has to be told to pause or to
// resume. They keep counts of bytes only; packets and requests are the ports' (plain_switches.h).
//
//     Buffers buffers(description, links_back(description.graph));
//     const Buffers::Room room = buffers.take_room(input, packet.wire, waiting_at_the_output);
//     const bool resume = buffers.give_back(input, packet.wire);
#pragma once

#include <vector>

#include "plain_packet.h"
#include "topology/network/network_description.h"

namespace npunet::packet_test::plain {

/// For each link the one back: the k-th from a to b and the k-th from b to a belong together.
[[nodiscard]] std::vector<LinkId> links_back(const topology::Graph& graph);

class Buffers {
public:
    Buffers(const topology::NetworkDescription& description, const std::vector<LinkId>& back);

    struct Room {
        bool found = false;
        bool pause = false;  ///< the other end of the link has to be told
    };
    /// For a packet that is in by `input`, while `queued` wait for its output.
    [[nodiscard]] Room take_room(LinkId input, Bytes wire, Bytes queued);
    /// Of a packet that came by `input` and has left. True: its other end may resume.
    [[nodiscard]] bool give_back(LinkId input, Bytes wire);

private:
    struct Node {
        Bytes all;
        Bytes used;
    };
    /// Packets in a node that came by one link, with pauses.
    struct Input {
        Bytes shared;
        Bytes headroom;
        Bytes most_headroom;
        bool told_to_pause = false;
    };

    [[nodiscard]] Bytes threshold(const Node& node) const;
    [[nodiscard]] Bytes headroom_of(const topology::Link& forth, const topology::Link& back) const;

    const topology::Graph& graph_;
    const topology::PacketParameters& parameters_;
    Bytes full_;
    std::vector<Node> nodes_;
    std::vector<Input> inputs_;  ///< by link
};

}  // namespace npunet::packet_test::plain
