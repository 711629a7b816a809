#include "packet/ethernet/priority_flow_control.h"

#include "base/errors.h"
#include "topology/network/headroom.h"

#include <fmt/format.h>

#include <utility>

namespace npunet::packet {

namespace {

/// By link: the reverse link, or none; parallel links are matched in their order.
std::vector<std::uint32_t> links_back(const topology::Graph& graph) {
    std::vector<std::uint32_t> back(graph.links(), none);
    for (const LinkId forth : graph.shown_links()) {
        if (back[forth.index()] != none) {
            continue;
        }
        const topology::Link& link = graph.link(forth);
        for (const LinkId candidate : graph.links_from(link.to)) {
            if (graph.link(candidate).to == link.from && back[candidate.index()] == none &&
                candidate != forth) {
                back[forth.index()] = static_cast<std::uint32_t>(candidate.index());
                back[candidate.index()] = static_cast<std::uint32_t>(forth.index());
                break;
            }
        }
    }
    return back;
}

/// links_back(), which it tells the ports. Throws InputError if PFC needs a reverse link that does
/// not exist.
std::vector<std::uint32_t> open_links_back(const topology::NetworkDescription& description,
                                           std::vector<EthernetPort>& ports) {
    const topology::Graph& graph = description.graph;
    const bool pauses = description.packet.flow_control == topology::FlowControl::Pfc;
    std::vector<std::uint32_t> back = links_back(graph);
    for (const LinkId forth : graph.shown_links()) {
        if (pauses && back[forth.index()] == none) {
            const topology::Link& link = graph.link(forth);
            throw InputError({description.file, "packet.flow_control",
                              fmt::format("pfc, and no link back for {} -> {}",
                                          graph.name(link.from), graph.name(link.to)),
                              "a link back for every link, by which it can be told to pause",
                              "Add it, or use flow_control: credit"});
        }
        ports[forth.index()].reverse = back[forth.index()];
    }
    return back;
}

}  // namespace

PriorityFlowControl::PriorityFlowControl(const topology::NetworkDescription& description,
                                         EthernetNetworkState& state)
    : state_(state),
      pauses_(description.packet.flow_control == topology::FlowControl::Pfc),
      buffer_(description, topology::largest_packet(description.packet).value(),
              open_links_back(description, state.ports)),
      first_port_(description.graph.nodes() + 1) {
    for (std::size_t node = 0; node < description.graph.nodes(); ++node) {
        for (const LinkId link : description.graph.links_from(NodeId(node))) {
            ports_by_node_.push_back(static_cast<std::uint32_t>(link.index()));
        }
        first_port_[node + 1] = static_cast<std::uint32_t>(ports_by_node_.size());
    }
}

SharedBuffer::Verdict PriorityFlowControl::take_tightly(const EthernetPacket& packet,
                                                        std::uint32_t node, std::int64_t queued) {
    release_past(node, state_.clock.now());
    if (!pauses_) {
        return buffer_.take_or_drop(node, queued, packet.wire) ? SharedBuffer::Verdict::Taken
                                                               : SharedBuffer::Verdict::Dropped;
    }
    const SharedBuffer::Verdict verdict =
        buffer_.take_or_pause(node, packet.input, packet.traffic_class, packet.wire);
    if (verdict == SharedBuffer::Verdict::TakenPauses) {
        for (std::uint32_t i = first_port_[node]; i < first_port_[node + 1]; ++i) {
            const EthernetPort& port = state_.ports[ports_by_node_[i]];
            if (port.leaving_input != none) {
                state_.schedule.arm(ports_by_node_[i], port.busy_until);
            }
        }
    }
    return verdict;
}

void PriorityFlowControl::release_past(std::uint32_t node, std::int64_t time) {
    for (std::uint32_t i = first_port_[node]; i < first_port_[node + 1]; ++i) {
        EthernetPort& port = state_.ports[ports_by_node_[i]];
        if (port.busy_until < time) {
            release(port);
        }
    }
}

void PriorityFlowControl::release_past(std::int64_t time) {
    for (std::uint32_t node = 0; node + 1 < first_port_.size(); ++node) {
        release_past(node, time);
    }
}

void PriorityFlowControl::ask(std::uint32_t link, PacketKind kind, std::uint8_t traffic_class) {
    const std::uint32_t back = state_.ports[link].reverse;
    // At most one frame of each class is queued, as the headroom assumes.
    if (state_.ports[back].requests.remove(state_.packets, traffic_class)) {
        return;
    }
    const std::uint32_t place = state_.packets.take();
    EthernetPacket& packet = state_.packets[place];
    packet.kind = kind;
    packet.traffic_class = traffic_class;
    packet.wire = pause_bytes;
    const std::int64_t now = state_.clock.now();
    state_.ports[back].requests.append(state_.packets, place, now);
    // No effect if `back` is the port that is deciding: it selects the frame itself.
    state_.schedule.wake_port(back, now);
}

void PriorityFlowControl::obey(std::uint32_t link, const EthernetPacket& packet) {
    const std::uint32_t number = state_.ports[link].reverse;
    EthernetPort& port = state_.ports[number];
    const std::int64_t now = state_.clock.now();
    const std::uint32_t bit = 1U << packet.traffic_class;
    tell(number, packet.traffic_class, packet.kind == PacketKind::Pause);
    if (packet.kind == PacketKind::Pause) {
        ++port.pauses;
        port.paused_at = port.paused == 0 ? now : port.paused_at;
        port.paused |= bit;
        return;
    }
    port.paused &= ~bit;
    if (port.paused == 0) {
        end_pause(number);
    } else {
        state_.schedule.wake_port(number, now);
    }
}

void PriorityFlowControl::forget(std::uint32_t link) {
    const std::uint32_t number = state_.ports[link].reverse;
    if (number == none || state_.ports[number].paused == 0) {
        return;
    }
    const std::uint32_t paused = std::exchange(state_.ports[number].paused, 0);
    for (std::uint32_t traffic_class = 0; traffic_class < state_.class_count; ++traffic_class) {
        if ((paused >> traffic_class & 1U) != 0) {
            tell(number, static_cast<std::uint8_t>(traffic_class), false);
        }
    }
    end_pause(number);
}

void PriorityFlowControl::tell(std::uint32_t number, std::uint8_t traffic_class, bool paused) {
    if (state_.observer != nullptr) {
        state_.observer->link_paused(LinkId(std::size_t{number}), traffic_class, paused);
    }
}

void PriorityFlowControl::end_pause(std::uint32_t number) {
    EthernetPort& port = state_.ports[number];
    const std::int64_t now = state_.clock.now();
    port.pause_time += now - port.paused_at;
    if (state_.observer != nullptr) {
        state_.observer->credit_stalled(LinkId(std::size_t{number}), Time::ps(port.paused_at),
                                        Time::ps(now - port.paused_at));
    }
    state_.schedule.wake_port(number, now);
}

}  // namespace npunet::packet
