#include "packet/ethernet/idle_links.h"

#include "topology/network/headroom.h"

#include <algorithm>
#include <numeric>

namespace npunet::packet {

EthernetIdleLinks::EthernetIdleLinks(const topology::NetworkDescription& description,
                                     EthernetNetworkState& state, PriorityFlowControl& flow_control,
                                     const EcnMarks& marks, const QueuePairs& pairs,
                                     EthernetFastForward& fast_forward)
    : possible_(
          description.packet.classes.count == 1 &&
          description.packet.transport.start_jitter == Time() &&
          (description.packet.congestion_control.algorithm == topology::CongestionAlgorithm::None ||
           description.packet.congestion_control.algorithm ==
               topology::CongestionAlgorithm::Dcqcn)),
      answers_(description.packet.transport.kind != topology::TransportKind::None),
      nodes_(description.graph.nodes()),
      shown_(description.graph.shown_links()),
      largest_(topology::largest_packet(description.packet).value()),
      state_(state),
      flow_control_(flow_control),
      marks_(marks),
      pairs_(pairs),
      fast_forward_(fast_forward) {}

bool EthernetIdleLinks::is_idle(std::uint32_t link) const {
    const EthernetPort& port = state_.ports[link];
    const std::int64_t now = state_.clock.now();
    const bool sends = port.busy_until > now || flow_control_.is_leaving(port) ||
                       port.flight.head != none || port.requests.head != none ||
                       port.control.head != none || port.filled != 0 || port.paused != 0;
    return !sends && (!flow_control_.pauses() || has_brought_nothing(link)) &&
           (!port.starts_here || pairs_.have_no_past(port.node, link, now));
}

bool EthernetIdleLinks::has_brought_nothing(std::uint32_t link) const {
    release_past(link);
    return flow_control_.buffer().has_nothing_of(link);
}

void EthernetIdleLinks::release_past(std::uint32_t link) const {
    const std::uint32_t back = state_.ports[link].reverse;
    flow_control_.release_past(state_.ports[back].node, state_.clock.now());
}

bool EthernetIdleLinks::idle_state(const Links& links, State& state) {
    if (!possible_ || !fast_forward_.is_on()) {
        return false;
    }
    fast_forward_.settle();
    for (const std::uint32_t link : links) {
        if (!is_idle(link)) {
            return false;
        }
        state.push_back(state_.ports[link].own_next);
    }
    return true;
}

bool EthernetIdleLinks::is_quiet(NodeId from, NodeId to, const Links& links) {
    const std::int64_t now = state_.clock.now();
    const std::vector<std::uint32_t>& numbers =
        pairs_.of_source(static_cast<std::uint32_t>(from.index()));
    // What was sent again may be answered again, after the answer to the last of it.
    const bool told = answers_ && std::all_of(numbers.begin(), numbers.end(), [&](auto number) {
                          return state_.ports[pairs_.pairs()[number].port].repeated == 0;
                      });
    if (!told) {
        State state;
        return idle_state(links, state);
    }
    return std::all_of(numbers.begin(), numbers.end(), [&](std::uint32_t number) {
        const QueuePair& pair = pairs_.pairs()[number];
        return pair.destination != to.index() || pair.has_no_past(now);
    });
}

bool EthernetIdleLinks::has_no_data(std::uint32_t link) const {
    const EthernetPort& port = state_.ports[link];
    return port.requests.head == none && port.filled == 0 && port.paused == 0;
}

bool EthernetIdleLinks::rest_state(const Links& links, State& state) {
    if (!possible_ || !fast_forward_.is_on()) {
        return false;
    }
    fast_forward_.settle();
    return std::all_of(links.begin(), links.end(), [&](std::uint32_t link) {
        const EthernetPort& port = state_.ports[link];
        if (!has_no_data(link)) {
            return false;
        }
        describe_port(link, state);
        return describe_queue(port.flight, state) && describe_queue(port.control, state) &&
               (!port.starts_here || describe_pairs(link, state));
    });
}

void EthernetIdleLinks::describe_port(std::uint32_t link, State& state) const {
    const EthernetPort& port = state_.ports[link];
    const std::int64_t now = state_.clock.now();
    state.push_back(port.own_next);
    state.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(port.busy_until - now, 0)));
    // What has left gives its room back when the port decides again, in this instant perhaps.
    const bool leaves = flow_control_.is_leaving(port);
    state.push_back(leaves ? port.leaving_input : none);
    state.push_back(static_cast<std::uint64_t>(leaves ? port.leaving_bytes : 0));
    if (flow_control_.pauses()) {
        release_past(link);
        flow_control_.buffer().describe(link, state);
    }
    for (const std::int64_t event : {port.wake, port.due}) {
        state.push_back(static_cast<std::uint64_t>(event == never ? never : event - now));
    }
}

bool EthernetIdleLinks::describe_queue(const PacketQueue& queue, State& state) const {
    const std::int64_t now = state_.clock.now();
    std::int64_t ready = queue.first_ready;
    for (std::uint32_t place = queue.head; place != none; place = state_.packets[place].next) {
        const EthernetPacket& packet = state_.packets[place];
        if (packet.kind != PacketKind::Acknowledgement || packet.marked != 0) {
            return false;
        }
        const QueuePair& pair = pairs_.pairs()[packet.pair];
        state.push_back(pair.key);
        state.push_back(pair.end - packet.sequence);
        state.push_back(pair.end - packet.subject);
        state.push_back(std::uint64_t{packet.hop} << 32 | packet.input);
        state.push_back(packet.wire);
        for (const std::int64_t time : {ready, packet.arrival}) {
            state.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(time - now, 0)));
        }
        ready = packet.next_ready;
    }
    state.push_back(~std::uint64_t{0});
    return true;
}

bool EthernetIdleLinks::describe_pairs(std::uint32_t link, State& state) const {
    const std::int64_t now = state_.clock.now();
    for (const std::uint32_t number : pairs_.of_source(state_.ports[link].node)) {
        const QueuePair& pair = pairs_.pairs()[number];
        if (pair.port != link || pair.has_no_past(now)) {
            continue;
        }
        if (!pair.only_waits_for_answers()) {
            return false;
        }
        state.push_back(pair.key);
        state.push_back(pair.end - pair.acknowledged);
        state.push_back(pair.end - std::max(pair.asked, pair.acknowledged));
        state.push_back(static_cast<std::uint64_t>(pair.in_flight));
        state.push_back(pair.unanswered);
        for (const std::int64_t time : {pair.next_start, pair.last_end}) {
            state.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(time - now, 0)));
        }
        state.push_back(
            static_cast<std::uint64_t>(pair.deadline == never ? never : pair.deadline - now));
        pairs_.describe_unanswered(pair, state);
    }
    state.push_back(~std::uint64_t{0});
    return true;
}

void EthernetIdleLinks::set_idle_state(const Links& links, const State& state,
                                       const std::vector<engine::LinkUse>* /*carried*/) {
    for (std::size_t i = 0; i < links.size(); ++i) {
        state_.ports[links[i]].own_next = static_cast<std::uint32_t>(state[i]);
    }
}

std::vector<engine::LinkUse> EthernetIdleLinks::use_of(const Links& links) const {
    std::vector<engine::LinkUse> uses;
    uses.reserve(links.size());
    for (const std::uint32_t link : links) {
        uses.push_back(state_.use_of(link));
    }
    return uses;
}

void EthernetIdleLinks::forget_longest_queues(const Links& links) {
    for (const std::uint32_t link : links) {
        state_.ports[link].max_queue = 0;
    }
}

bool EthernetIdleLinks::nodes_matter(const std::vector<engine::LinkUse>& elsewhere) const {
    if (!possible_) {
        return true;
    }
    // All data that a node has taken joins a queue, but for that on its way out.
    std::vector<std::int64_t> most(nodes_);
    for (const LinkId link : shown_) {
        const EthernetPort& port = state_.ports[link.index()];
        const std::int64_t queued =
            std::max(port.max_queue, elsewhere[link.index()].max_queue.value());
        if (queued > 0) {
            // What is being sent, and what has left at this instant.
            most[port.node] += queued + 2 * largest_;
        }
    }
    for (std::size_t node = 0; node < most.size(); ++node) {
        if (most[node] > 0 && !flow_control_.buffer().has_room_for(node, most[node])) {
            return true;
        }
    }
    return false;
}

Time EthernetIdleLinks::contention(const Links& links) const {
    return Time::ps(std::accumulate(
        links.begin(), links.end(), std::int64_t{0},
        [&](std::int64_t sum, std::uint32_t link) { return sum + marks_.draws_at(link); }));
}

std::vector<std::uint64_t> EthernetIdleLinks::packet_numbers(const Links& links) const {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(links.size());
    for (const std::uint32_t link : links) {
        numbers.push_back(static_cast<std::uint64_t>(state_.ports[link].arrivals));
    }
    return numbers;
}

void EthernetIdleLinks::skip_packet_numbers(const Links& links,
                                            const std::vector<std::uint64_t>& packets) {
    for (std::size_t i = 0; i < links.size(); ++i) {
        state_.ports[links[i]].arrivals += static_cast<std::int64_t>(packets[i]);
    }
}

}  // namespace npunet::packet
