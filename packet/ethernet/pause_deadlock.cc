#include "packet/ethernet/pause_deadlock.h"

#include "packet/base/constants.h"

#include <algorithm>

namespace npunet::packet {

namespace {

/// Whether a PAUSE or RESUME frame for the class is in the queue.
bool has_request(const PacketQueue& queue, const EthernetPackets& packets,
                 std::uint32_t traffic_class) {
    std::uint32_t place = queue.head;
    while (place != none &&
           !(is_request(packets[place].kind) && packets[place].traffic_class == traffic_class)) {
        place = packets[place].next;
    }
    return place != none;
}

}  // namespace

PauseDeadlock::PauseDeadlock(const topology::Graph& graph, const EthernetNetworkState& state,
                             const OutputQueues& queues, const PriorityFlowControl& flow_control)
    : graph_(graph),
      state_(state),
      queues_(queues),
      flow_control_(flow_control),
      stays_paused_(state.ports.size() * state.class_count) {
    for (std::uint32_t link = 0; link < state.ports.size(); ++link) {
        for (std::uint32_t number = 0; number < state.class_count; ++number) {
            if (is_paused(link, number)) {
                members_.push_back(index_of(link, number));
                stays_paused_[members_.back()] = true;
            }
        }
    }
    while (!members_.empty() && remove_resuming(blocked_bytes())) {
    }
}

bool PauseDeadlock::is_paused(std::uint32_t link, std::uint32_t traffic_class) const {
    const EthernetPort& port = state_.ports[link];
    if ((port.paused >> traffic_class & 1U) == 0 || port.cut ||
        !flow_control_.buffer().is_paused(link, traffic_class)) {
        return false;
    }
    const EthernetPort& back = state_.ports[port.reverse];
    return !has_request(back.requests, state_.packets, traffic_class) &&
           !has_request(back.flight, state_.packets, traffic_class);
}

std::vector<std::int64_t> PauseDeadlock::blocked_bytes() const {
    std::vector<std::int64_t> blocked(stays_paused_.size());
    for (const std::uint32_t member : members_) {
        const std::uint32_t traffic_class = member % state_.class_count;
        const ClassQueue& queue = queues_.of(member / state_.class_count, traffic_class);
        for (std::uint32_t place = queue.packets.head; place != none;
             place = state_.packets[place].next) {
            const EthernetPacket& packet = state_.packets[place];
            if (packet.input != none) {
                blocked[index_of(packet.input, traffic_class)] += packet.wire;
            }
        }
    }
    return blocked;
}

bool PauseDeadlock::remove_resuming(const std::vector<std::int64_t>& blocked) {
    const SharedBuffer& buffer = flow_control_.buffer();
    std::vector<std::int64_t> used(graph_.nodes());
    for (std::uint32_t index = 0; index < blocked.size(); ++index) {
        const std::uint32_t link = index / state_.class_count;
        used[graph_.link(LinkId(std::size_t{link})).to.index()] +=
            buffer.left_shared(link, index % state_.class_count, blocked[index]);
    }
    const auto resumes = [&](std::uint32_t index) {
        const std::uint32_t link = index / state_.class_count;
        const std::size_t node = graph_.link(LinkId(std::size_t{link})).to.index();
        return buffer.would_resume(node, link, index % state_.class_count, blocked[index],
                                   used[node]);
    };
    const auto kept = std::remove_if(members_.begin(), members_.end(), resumes);
    if (kept == members_.end()) {
        return false;
    }
    members_.erase(kept, members_.end());
    std::fill(stays_paused_.begin(), stays_paused_.end(), false);
    for (const std::uint32_t member : members_) {
        stays_paused_[member] = true;
    }
    return true;
}

std::uint32_t PauseDeadlock::waits_for(std::uint32_t link, std::uint32_t traffic_class) const {
    for (const LinkId out : graph_.links_from(graph_.link(LinkId(std::size_t{link})).to)) {
        const auto number = static_cast<std::uint32_t>(out.index());
        if (has(out, traffic_class) && queues_.any_from(number, traffic_class, link)) {
            return number;
        }
    }
    return none;
}

std::vector<topology::Hop> PauseDeadlock::cycle() const {
    std::vector<topology::Hop> chain;
    std::uint32_t link = members_.front() / state_.class_count;
    const auto is_link = [&link](const topology::Hop& hop) { return hop.link.index() == link; };
    while (std::none_of(chain.begin(), chain.end(), is_link)) {
        chain.push_back({LinkId(std::size_t{link}), 0});
        link = waits_for(link, traffic_class());
    }
    chain.erase(chain.begin(), std::find_if(chain.begin(), chain.end(), is_link));
    return chain;
}

}  // namespace npunet::packet
