#include "packet/ethernet/ethernet_network.h"

#include "packet/base/packet_network.h"

#include "base/errors.h"

#include <algorithm>
#include <utility>

namespace npunet::packet {

namespace {

/// Returns its argument. Throws InputError for parameters that cannot work, transports that have no
/// effect, and buffers that can never accept the largest packet, which would be retransmitted
/// forever.
const topology::NetworkDescription& checked_for_ethernet(
    const topology::NetworkDescription& description, topology::Losses losses) {
    check_packet_parameters(description.packet, description.file);
    topology::check_transport(description, description.file, "packet", nullptr, losses);
    if (const auto problem = topology::ethernet_problem(description)) {
        throw InputError({description.file, "packet." + problem->key, problem->found,
                          problem->expected, problem->remedy});
    }
    return description;
}

}  // namespace

EthernetNetwork::EthernetNetwork(const topology::NetworkDescription& description,
                                 engine::EventQueue& queue, topology::Losses losses)
    : description_(checked_for_ethernet(description, losses)),
      state_(description, queue, {wake_event_, arrive_event_, deliver_event_, decide_event_},
             *this),
      links_(description, state_),
      routes_(description, state_.ports, links_.clock()),
      flow_control_(description, state_),
      marks_(description),
      queues_(description, state_, routes_),
      stall_report_(description, state_, queues_, flow_control_, routes_),
      drops_(description.packet.transport.kind != topology::TransportKind::None, state_,
             stall_report_),
      pairs_(description,
             {state_.clock, state_.packets, state_.telemetry, routes_, queues_, state_.observer},
             *this),
      fast_forward_(description, queue, state_, links_, flow_control_, marks_, queues_, pairs_),
      arbiter_(state_, queues_, pairs_),
      egress_(state_, routes_, links_, flow_control_, arbiter_, drops_, pairs_, fast_forward_),
      ingress_(description, state_, routes_, links_, flow_control_, marks_, queues_, drops_,
               pairs_),
      lookahead_(description, queue, state_, ingress_, egress_, fast_forward_),
      rerouting_(state_, queues_, flow_control_, drops_, pairs_),
      idle_links_(description, state_, flow_control_, marks_, pairs_, fast_forward_),
      route_changes_(queue, state_.ports.size(), rerouting_) {
    route_changes_.use(routes_.reroutes());
}

void EthernetNetwork::send(const engine::Message& message) {
    prepare_to_send();
    pairs_.send(message, static_cast<std::uint8_t>(state_.classes.of(message)));
}

void EthernetNetwork::send_datagram(const engine::Message& message, bool can_be_marked) {
    prepare_to_send();
    state_.schedule.leave_windows();
    pairs_.send_datagram(message, static_cast<std::uint8_t>(state_.classes.of(message)),
                         can_be_marked);
}

void EthernetNetwork::prepare_to_send() {
    if (!has_begun_) {
        has_begun_ = true;
        lookahead_.choose_mode(observer_ == nullptr && boundary_ == nullptr, links_);
    }
    route_changes_.await();
    pairs_.set_listener(*listener_);
    fast_forward_.messages_change();
}

std::uint64_t EthernetNetwork::queue_pair_of(std::uint32_t place) const {
    const std::uint32_t pair = state_.packets[place].pair;
    // Packets of other partitions that pass through have no queue pair here.
    return pair != none ? pairs_.pairs()[pair].key : boundary_->of_packet(place).pair;
}

void EthernetNetwork::observer_changes() {
    state_.observer = observer_;
    if (observer_ != nullptr) {
        state_.schedule.leave_windows();
    }
    fast_forward_.observer_changes();
}

void EthernetNetwork::split(std::vector<bool> owned, PartitionLink& cut) {
    boundary_ = std::make_unique<EthernetBoundary>(description_.graph, std::move(owned), cut);
    frames_ = std::make_unique<EthernetBoundaryFrames>(state_, routes_, links_, *boundary_);
    for (std::size_t number = 0; number < state_.ports.size(); ++number) {
        state_.ports[number].cut = boundary_->is_cut(LinkId(number));
    }
    pairs_.split(*boundary_);
    egress_.set_frames(*frames_);
    fast_forward_.split();
    route_changes_.go_through_all();
}

std::string EthernetNetwork::explain_stall() const {
    std::string cycle = stall_report_.explain_pauses();
    return cycle.empty() && boundary_ ? stall_report_.explain_remote_pauses(*boundary_) : cycle;
}

std::vector<engine::LinkUse> EthernetNetwork::link_use() const {
    std::vector<engine::LinkUse> uses;
    uses.reserve(state_.ports.size());
    for (std::size_t number = 0; number < state_.ports.size(); ++number) {
        uses.push_back(state_.use_of(number));
        uses.back().queue_times = queues_.histograms().times_of(number);
    }
    return uses;
}

std::vector<engine::FlowUse> EthernetNetwork::flow_use() const {
    std::vector<engine::FlowUse> uses;
    for (const QueuePair& pair : pairs_.pairs()) {
        engine::FlowUse use;
        use.flow = {NodeId(std::size_t{pair.source}), NodeId(std::size_t{pair.destination}),
                    pair.traffic_class};
        use.counts.packets = static_cast<std::uint64_t>(pair.use.packets);
        use.counts.retransmissions = static_cast<std::uint64_t>(pair.use.repeated);
        use.counts.timeouts = static_cast<std::uint64_t>(pair.use.timeouts);
        use.counts.marked = static_cast<std::uint64_t>(pair.use.marked);
        use.counts.notifications = static_cast<std::uint64_t>(pair.use.notified);
        uses.push_back(use);
    }
    std::stable_sort(
        uses.begin(), uses.end(),
        [](const engine::FlowUse& a, const engine::FlowUse& b) { return a.flow < b.flow; });
    // A flow may have several queue pairs: of separate messages, of datagrams.
    std::vector<engine::FlowUse> flows;
    for (const engine::FlowUse& use : uses) {
        if (!flows.empty() && flows.back().flow == use.flow) {
            flows.back().counts.add(use.counts);
        } else {
            flows.push_back(use);
        }
    }
    return flows;
}

engine::QueuePairLimits EthernetNetwork::queue_pair_limits() const {
    engine::QueuePairLimits limits;
    if (description_.packet.transport.kind == topology::TransportKind::None) {
        return limits;
    }
    for (const QueuePair& pair : pairs_.pairs()) {
        if (!pair.datagrams) {
            engine::widen(limits.window, Bytes(pair.window));
            engine::widen(limits.timeout, Time::ps(pair.timeout));
        }
    }
    return limits;
}

std::uint64_t EthernetNetwork::packet_hops() const {
    std::uint64_t hops = 0;
    for (const EthernetPort& port : state_.ports) {
        hops += static_cast<std::uint64_t>(port.packets);
    }
    return hops;
}

void EthernetNetwork::list_queued(LinkId link,
                                  const std::function<void(LinkId, Bytes, Time)>& function) {
    settle();
    queues_.list(link, function);
}

}  // namespace npunet::packet
