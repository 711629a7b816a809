#include "analytical/fluid/fluid_network.h"

#include <algorithm>
#include <utility>

#include "analytical/fluid/message_work.h"
#include "engine/clock/clock_limit.h"
#include "engine/network/link_load.h"

namespace npunet::analytical {

using engine::EventKey;
using engine::later;
using engine::Message;
using engine::Phase;

namespace {

/// A kind of events beside those of engine::event_kind. Content: round, then Happening, then link
/// or buffer.
constexpr unsigned kind_of_state = 11;
constexpr unsigned state_bits = 32;
/// Messages of up to this number of packets are not a stream where they take turns with others.
constexpr std::int64_t most_single_packets = 8;
constexpr std::uint64_t most_rounds = (std::uint64_t{1} << (58 - state_bits - 3)) - 1;

}  // namespace

FluidNetwork::FluidNetwork(const topology::NetworkDescription& description,
                           engine::EventQueue& queue, const LinkFold* fold)
    : description_(description),
      queue_(queue),
      fold_(fold),
      routes_(description),
      paths_(description, routes_, fold),
      channels_(description.virtual_channels()),
      queue_pairs_(description.packet.transport.kind != topology::TransportKind::None),
      ports_(description.graph.links()),
      buffers_(description.graph.links() * channels_),
      budgets_(buffers_.size(), no_limit) {
    const Bytes packet = std::max(description.packet.mtu + description.packet.header, Bytes(1));
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        const topology::Link& link = description.graph.link(LinkId(i));
        ports_[i].next = ports_[i].news = Time::max();
        ports_[i].latency = link.latency;
        const Time full = ports_[i].full = transfer_time(packet, link.rate);
        const Time limit = limit_of(LinkId(i), full);
        for (std::uint32_t c = 0; c < channels_; ++c) {
            Buffer& buffer = buffers_[i * channels_ + c];
            buffer.limit = limit;
            buffer.next = Time::max();
        }
    }
}

Time FluidNetwork::limit_of(LinkId number, Time full) const {
    const topology::Link& link = description_.graph.link(number);
    switch (description_.packet.flow_control) {
        case topology::FlowControl::None:
            return Time::max();
        case topology::FlowControl::Pfc: {
            const double alpha = description_.packet.shared_buffer.alpha;
            const auto room = static_cast<double>(description_.shared_buffer_of(link.to).value());
            const Bytes most(static_cast<std::int64_t>(room * alpha / (1 + alpha)));
            return std::max(transfer_time(most, link.rate), full);
        }
        case topology::FlowControl::Credit:
            break;
    }
    // Credit is under way for two latencies and a packet.
    const Time room = transfer_time(description_.buffer_of(number), link.rate);
    const Time away = later(full, later(link.latency, link.latency));
    return room > later(away, full) ? room - away : full;
}

void FluidNetwork::schedule(Time at, Happening what, std::uint64_t content, std::uint64_t index,
                            std::uint64_t minor) {
    std::uint64_t payload = (index << happening_bits) | what;
    switch (what) {
        case sharing:
            queue_.schedule(at, EventKey::of(Phase::Arbitration, engine::event_kind::port, 0),
                            *this, payload);
            return;
        case delivery:
        case acknowledged: {
            const unsigned kind = what == delivery ? engine::event_kind::message_delivered
                                                   : engine::event_kind::message_sent;
            queue_.schedule(at, EventKey::of(Phase::Arrival, kind, content, minor), *this, payload);
            return;
        }
        default:
            break;
    }
    // What an event of this instant leads to in the same instant comes when all others of its round
    // are over: otherwise the numbers of links would decide who hears of it before.
    const std::uint64_t round = at == queue_.now() ? std::min(next_round_, most_rounds) : 0;
    content |= (round << (state_bits + happening_bits)) | (std::uint64_t{what} << state_bits);
    payload |= round << (happening_bits + index_bits);
    queue_.schedule(at, EventKey::of(Phase::Arrival, kind_of_state, content, minor), *this,
                    payload);
}

void FluidNetwork::handle(std::uint64_t payload) {
    const auto index = static_cast<std::uint32_t>(payload >> happening_bits);
    const auto what = static_cast<Happening>(payload & ((1U << happening_bits) - 1));
    const bool in_rounds = what == news || what == due || what == level || what == budget;
    next_round_ = in_rounds ? (payload >> (happening_bits + index_bits)) + 1 : 0;
    switch (what) {
        case news:
            look_at_forecast(index);
            return;
        case due:
            handle_due(index);
            return;
        case sharing:
            share_out();
            return;
        case delivery:
            if (payload >> (happening_bits + index_bits) == flows_[index].delivery) {
                deliver(index);
            }
            return;
        case acknowledged:
            listener_->on_sent(index);
            return;
        case level: {
            Buffer& buffer = buffers_[index];
            if (buffer.next == queue_.now()) {
                check_buffer(index);
            }
            return;
        }
        case budget: {
            const BudgetChange change = budget_changes_[index];
            budget_changes_.free(index);
            const std::uint32_t link = change.buffer / channels_;
            Port& port = ports_[link];
            port.budgets += change.budget != no_limit ? 1 : 0;
            port.budgets -= budgets_[change.buffer] != no_limit ? 1 : 0;
            budgets_[change.buffer] = change.budget;
            touch(link);
            if (!port.live && port.budgets > 0) {
                pass(port, link);
                if (port.forecast.present() > 0) {
                    wake(link);
                } else {
                    watch(link);
                }
            }
            return;
        }
    }
}

void FluidNetwork::record_load(engine::LinkLoadRecorder* load) {
    Network::record_load(load);
    if (load != nullptr && fold_ != nullptr) {
        load->fold(fold_->representatives());
    }
}

std::uint32_t FluidNetwork::new_stages(std::uint32_t hops) {
    if (hops < free_stages_.size() && !free_stages_[hops].empty()) {
        const std::uint32_t first = free_stages_[hops].back();
        free_stages_[hops].pop_back();
        return first;
    }
    const auto first = static_cast<std::uint32_t>(stages_.size());
    stages_.resize(stages_.size() + hops);
    return first;
}

void FluidNetwork::send(const Message& message) {
    const std::uint32_t number = routes_.number(message.source, message.destination);
    const CachedRoute& route = routes_[number];
    // Transports that take packets in order keep to one route.
    if (route.planes == 1 || description_.multipath == nullptr) {
        const std::uint32_t link = first_link(routes_.link(route.begin));
        ports_[link].starts.push_back({message, number});
        touch(link);
        return;
    }
    // Packets take the planes in turn; a source's next message begins one plane later.
    const std::int64_t packets = PacketCount(message.bytes, description_.packet).packets;
    const std::int64_t mtu = description_.packet.mtu.value();
    const auto planes = static_cast<std::int64_t>(route.planes);
    const std::uint32_t whole = wholes_.take();
    const auto parts = static_cast<std::uint32_t>(std::min(packets, planes));
    wholes_[whole] = {Time::max(), parts, parts, none};
    const std::int64_t offset =
        static_cast<std::int64_t>(message.id.value() & engine::MessageId::count_mask) % planes;
    for (std::uint32_t p = 0; p < parts; ++p) {
        const std::int64_t count = (packets - p + planes - 1) / planes;
        const bool has_last = (packets - 1) % planes == p;
        const Bytes bytes =
            has_last ? message.bytes - (packets - count) * Bytes(mtu) : count * Bytes(mtu);
        const auto plane = static_cast<std::uint32_t>((p + offset) % planes);
        start(message, bytes, route, plane, whole, none);
    }
}

void FluidNetwork::start_all(std::uint32_t link) {
    const std::vector<Start> starts = std::exchange(ports_[link].starts, {});
    if (starts.empty()) {
        return;
    }
    const std::vector<SourceRing>& rings = ports_[link].rings;
    // Messages of one queue pair do not take turns with each other. HPCC has rates of its own.
    const bool turns =
        description_.packet.congestion_control.algorithm != topology::CongestionAlgorithm::Hpcc &&
        (std::any_of(rings.begin(), rings.end(),
                     [](const SourceRing& ring) { return ring.busy(); }) ||
         (queue_pairs_
              ? std::any_of(starts.begin(), starts.end(),
                            [&](const Start& start) { return start.route != starts.front().route; })
              : starts.size() > 1));
    for (const Start& each : starts) {
        const Message& message = each.message;
        const CachedRoute& route = routes_[each.route];
        const std::int64_t count = PacketCount(message.bytes, description_.packet).packets;
        if (!turns || count == 1 || count > most_single_packets) {
            start(message, message.bytes, route, 0, none, none);
            continue;
        }
        const Bytes mtu = description_.packet.mtu;
        const auto parts = static_cast<std::uint32_t>(count);
        const std::uint32_t whole = wholes_.take();
        wholes_[whole] = {Time::max(), parts, parts, none};
        for (std::uint32_t p = 0; p < parts; ++p) {
            start(message, p + 1 < parts ? mtu : message.bytes - (count - 1) * mtu, route, 0, whole,
                  p);
        }
    }
}

void FluidNetwork::start(const Message& message, Bytes bytes, const CachedRoute& route,
                         std::uint32_t plane, std::uint32_t whole, std::uint32_t packet) {
    const std::uint32_t hops = route.hops;
    const std::uint32_t number = flows_.take();
    Flow& flow = flows_[number];
    flow.message = message;
    flow.whole = whole;
    flow.packet = packet;
    flow.path = paths_.take(route, plane, bytes);
    flow.users = 2;
    flow.started = Time::max();
    flow.first_stage = new_stages(hops);
    const Path& path = paths_[flow.path];
    for (std::uint32_t h = 0; h < hops; ++h) {
        Stage& stage = stages_[flow.first_stage + h];
        const std::uint32_t use = stage.use;
        stage = Stage();
        stage.use = use + 1;
        stage.flow = number;
        stage.hop = &path.hops[h];
        stage.is_last = h + 1 == hops;
        stage.input = h > 0 ? path.hops[h - 1].behind : none;
    }
    stages_[flow.first_stage].live = true;
    const PathHop& first = path.hops.front();
    touch(first.link);
    Port& port = ports_[first.link];
    auto ring = std::find_if(port.rings.begin(), port.rings.end(),
                             [&](const SourceRing& each) { return each.buffer() == first.behind; });
    if (ring == port.rings.end()) {
        port.rings.emplace_back(first.behind, port.full);
        port.ring_shares.push_back(0);
        ring = port.rings.end() - 1;
    }
    const Share given = port.ring_shares[static_cast<std::size_t>(ring - port.rings.begin())];
    const std::uint32_t turn = packet == none ? none : whole;
    ring->add({flow.first_stage, path.paced, work_of(first.last), queue_pairs_ ? path.route : turn},
              given / 2);
}

void FluidNetwork::leave_source(Flow& flow) {
    if (flow.whole != none) {
        Whole& whole = wholes_[flow.whole];
        whole.started = std::min(whole.started, flow.started);
        if (--whole.unsent > 0) {
            return;
        }
    }
    if (flow.message.wants_sent && !queue_pairs_) {
        listener_->on_sent(flow.message.handle);
    }
}

void FluidNetwork::deliver(std::uint32_t number) {
    const Flow flow = flows_[number];
    flows_[number].delivery = 0;
    if (load_ != nullptr) {
        for (const PathHop& hop : paths_[flow.path].hops) {
            if (!ports_[hop.link].live) {
                pass(ports_[hop.link], hop.link);
            }
        }
    }
    const Time answered = queue_pairs_ ? later(queue_.now(), answers_of(flow).total) : Time();
    if (--flows_[number].users == 0) {
        give_back(number);
    }
    Time started = flow.started;
    if (flow.whole != none) {
        started = wholes_[flow.whole].started;
        if (--wholes_[flow.whole].expected > 0) {
            return;
        }
        wholes_.free(flow.whole);
    }
    if (queue_pairs_ && flow.message.wants_sent) {
        schedule(answered, acknowledged, flow.message.id.value(), flow.message.handle);
    }
    listener_->on_delivered(flow.message.handle, started);
}

void FluidNetwork::give_back(std::uint32_t number) {
    const Flow& flow = flows_[number];
    const std::size_t hops = paths_[flow.path].hops.size();
    if (free_stages_.size() <= hops) {
        free_stages_.resize(hops + 1);
    }
    free_stages_[hops].push_back(flow.first_stage);
    paths_.give_back(flow.path);
    flows_.free(number);
}

}  // namespace npunet::analytical
