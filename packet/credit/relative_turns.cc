#include "packet/credit/relative_turns.h"

#include <algorithm>

namespace npunet::packet {

RelativeTurns::RelativeTurns(const topology::Graph& graph, CreditNetworkState& state)
    : state_(state), input_of_(graph.links()) {
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        std::uint32_t input = 0;
        for (const LinkId link : graph.links_to(NodeId(node))) {
            input_of_[link.index()] = input++;
        }
    }
}

std::uint32_t RelativeTurns::turn_at(const Links& links, std::uint32_t link) const {
    const CreditPort& port = state_.ports[link];
    std::uint32_t slot = port.next_queue;
    while (true) {
        slot = (slot == 0 ? port.queues : slot) - 1;
        const std::uint32_t input = state_.queues[port.first_queue + slot].upstream;
        // Messages that start here come behind all links.
        const auto place =
            input == none ? links.end() : std::lower_bound(links.begin(), links.end(), input);
        if (input == none || (place != links.end() && *place == input)) {
            return static_cast<std::uint32_t>(place - links.begin()) * state_.channels +
                   slot % state_.channels;
        }
    }
}

void RelativeTurns::set(const Links& links, std::uint32_t link, std::uint32_t turn) {
    CreditPort& port = state_.ports[link];
    const std::uint32_t place = turn / state_.channels;
    const std::uint32_t input =
        place == links.size() ? port.queues / state_.channels - 1 : input_of_[links[place]];
    const std::uint32_t slot = input * state_.channels + turn % state_.channels;
    port.next_queue = (slot + 1 == port.queues ? 0 : slot + 1) & CreditPort::most_queues;
}

}  // namespace npunet::packet
