#include "packet/ethernet/stall_report.h"

#include "base/errors.h"
#include "base/units.h"
#include "topology/routing/channel_dependencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace npunet::packet {

std::string EthernetStallReport::explain_pauses() const {
    const PauseDeadlock deadlock(description_.graph, state_, queues_, flow_control_);
    return deadlock.empty() ? "" : describe(deadlock);
}

std::string EthernetStallReport::describe(const PauseDeadlock& deadlock) const {
    return fmt::format(
        "deadlock: these links are paused (class {}), each by a buffer that is full "
        "of packets for the next one: {}; use a routing without such a cycle, "
        "larger buffers, flow_control: none, or flow_control: credit with virtual channels",
        deadlock.traffic_class(), topology::describe_cycle(description_.graph, deadlock.cycle()));
}

std::string EthernetStallReport::explain_remote_pauses(const Partition& partition) const {
    const topology::Graph& graph = description_.graph;
    for (std::size_t number = 0; number < state_.ports.size(); ++number) {
        const topology::Link& link = graph.link(LinkId(number));
        if (state_.ports[number].paused != 0 && !partition.owns(link.to)) {
            return fmt::format(
                "the link {} -> {} is paused by a node of another process: perhaps "
                "a deadlock, whose links one process alone would name",
                graph.name(link.from), graph.name(link.to));
        }
    }
    return {};
}

void EthernetStallReport::refuse_loss(std::uint32_t number, const char* why) const {
    const topology::Link& link = description_.graph.link(LinkId(std::size_t{number}));
    throw StallError(fmt::format(
        "at {} ps a packet for the link {} -> {} was lost {}, and without a transport "
        "nothing sends it again: set packet.transport to go-back-n or selective-repeat, "
        "or leave packet.pfc.headroom to 'auto'",
        state_.clock.now(), description_.graph.name(link.from), description_.graph.name(link.to),
        why));
}

LinkId EthernetStallReport::worst_link(const QueuePair& pair) const {
    const NodeId source(std::size_t{pair.source});
    const NodeId destination(std::size_t{pair.destination});
    std::vector<LinkId> links;
    for (const topology::Hop& hop : description_.route(source, destination)) {
        links.push_back(hop.link);
    }
    for (const topology::Hop& hop : description_.route(destination, source)) {
        links.push_back(hop.link);
    }
    const std::vector<EthernetPort>& ports = state_.ports;
    // With multipath routing, which routes the packets took is not recorded.
    for (std::size_t number = 0; routes_.are_chosen() && number < ports.size(); ++number) {
        links.emplace_back(number);
    }
    return *std::max_element(links.begin(), links.end(), [&ports](LinkId one, LinkId other) {
        return ports[one.index()].drops < ports[other.index()].drops;
    });
}

bool EthernetStallReport::any_link_changes() const {
    const Time now = Time::ps(state_.clock.now());
    const std::vector<topology::LinkFault>& faults = description_.faults.links;
    return std::any_of(faults.begin(), faults.end(), [now](const topology::LinkFault& fault) {
        return fault.bandwidth.billionths == 0 &&
               (fault.at > now || (fault.until > now && fault.until != Time::max()));
    });
}

void EthernetStallReport::check_progress(const QueuePair& pair) const {
    // Packets may choose other routes then.
    if (!flow_control_.pauses() || any_link_changes()) {
        return;
    }
    const topology::Graph& graph = description_.graph;
    const PauseDeadlock deadlock(graph, state_, queues_, flow_control_);
    if (deadlock.empty()) {
        return;
    }
    const NodeId source(std::size_t{pair.source});
    const NodeId destination(std::size_t{pair.destination});
    // Only of the data: acknowledgements are never paused.
    const std::vector<topology::Hop> route = description_.route(source, destination);
    if (!routes_.are_chosen() &&
        std::none_of(route.begin(), route.end(), [&](const topology::Hop& hop) {
            return deadlock.has(hop.link, pair.traffic_class);
        })) {
        return;
    }
    throw StallError(fmt::format(
        "at {} ps {} had made no progress in sending to {} (class {}) for {} timeouts in a row; {}",
        state_.clock.now(), graph.name(source), graph.name(destination), pair.traffic_class,
        pair.backoff, describe(deadlock)));
}

void EthernetStallReport::give_up(const QueuePair& pair) const {
    check_progress(pair);
    const topology::Graph& graph = description_.graph;
    const topology::TransportParameters& transport = description_.packet.transport;
    const LinkId worst = worst_link(pair);
    const EthernetPort& port = state_.ports[worst.index()];
    const std::string why =
        port.drops == 0
            ? fmt::format(
                  "no link between them has lost a packet, so answers take longer than the "
                  "retransmission timeout, {}: raise packet.transport.rto",
                  format_time(Time::ps(pair.timeout)))
            : fmt::format(
                  "the link {} -> {} has lost {} of {} packets: lower packet.error_rate, "
                  "give it room, or raise packet.transport.retries ('unlimited' sends again "
                  "as often as it takes)",
                  graph.name(graph.link(worst).from), graph.name(graph.link(worst).to), port.drops,
                  port.packets);
    throw StallError(
        fmt::format("at {} ps {} gave up to send to {} (class {}) after {} timeouts in "
                    "a row without an answer; {}",
                    state_.clock.now(), graph.name(NodeId(std::size_t{pair.source})),
                    graph.name(NodeId(std::size_t{pair.destination})), pair.traffic_class,
                    transport.retries + 1, why));
}

}  // namespace npunet::packet
