// Whose turn it is at the ports of links that messages have to themselves, by what was served last
// there: the place of a link among them and its virtual channel. Links that differ by a renaming
// say it alike, whatever other inputs their switches have, which have nothing to send.
//
//     const RelativeTurns turns(description.graph, state);
//     const std::uint32_t turn = turns.turn_at(links, links[3]);
//     turns.set(other_links, other_links[3], turn);
#pragma once

#include "engine/network/idle_links.h"
#include "packet/credit/network_state.h"
#include "topology/graph/graph.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class RelativeTurns {
public:
    /// The references must outlive this.
    RelativeTurns(const topology::Graph& graph, CreditNetworkState& state);

    using Links = engine::IdleLinks::Links;
    /// At the port of one of the links, which are ascending: the first of their queues that is
    /// considered is the one behind this.
    [[nodiscard]] std::uint32_t turn_at(const Links& links, std::uint32_t link) const;
    /// The queue of that turn was served last there.
    void set(const Links& links, std::uint32_t link, std::uint32_t turn);

private:
    CreditNetworkState& state_;
    std::vector<std::uint32_t> input_of_;  ///< by link: its place among the inputs of its node
};

}  // namespace npunet::packet
