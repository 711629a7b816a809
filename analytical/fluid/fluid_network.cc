#include "analytical/fluid/fluid_network.h"

#include <algorithm>
#include <utility>

#include "analytical/fluid/message_work.h"
#include "engine/clock/clock_limit.h"
#include "engine/network/link_load.h"
#include "topology/network/injection.h"
#include "topology/network/marking.h"

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
constexpr std::uint64_t most_rounds = (std::uint64_t{1} << (58 - state_bits - 4)) - 1;

/// With a port of each NPU for injection, if it has one; else null.
std::unique_ptr<topology::NetworkDescription> split(const topology::NetworkDescription& network) {
    return Rate() < network.packet.injection
               ? std::make_unique<topology::NetworkDescription>(
                     topology::with_injection(network, network.packet.injection))
               : nullptr;
}

}  // namespace

FluidNetwork::FluidNetwork(const topology::NetworkDescription& given, engine::EventQueue& queue,
                           const LinkFold* fold)
    : links_(given.graph.links()),
      split_(split(given)),
      description_(split_ ? *split_ : given),
      queue_(queue),
      fold_(fold),
      speeds_(description_),
      routes_(description_),
      paths_(description_, routes_, fold),
      channels_(std::uint32_t{description_.virtual_channels()} * description_.packet.classes.count),
      queue_pairs_(description_.packet.transport.kind != topology::TransportKind::None),
      ports_(description_.graph.links()),
      buffers_(description_.graph.links() * channels_),
      budgets_(buffers_.size(), no_limit),
      class_sharer_(description_.packet.classes) {
    const Bytes packet = std::max(description_.packet.mtu + description_.packet.header, Bytes(1));
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        const topology::Link& link = description_.graph.link(LinkId(i));
        ports_[i].next = ports_[i].news = Time::max();
        ports_[i].latency = link.latency;
        if (speeds_.varied(static_cast<std::uint32_t>(i))) {
            ports_[i].varies = Time();
            (void)keep_speed(ports_[i], static_cast<std::uint32_t>(i));
        }
        const Time full = ports_[i].full = transfer_time(packet, link.rate);
        ports_[i].leads_to_npu = description_.graph.kind(link.to) == topology::NodeKind::Npu;
        if (description_.packet.flow_control != topology::FlowControl::Credit &&
            topology::looks_at_marks(description_.packet.congestion_control)) {
            ports_[i].marks_begin = work_of(transfer_time(
                topology::marks_begin(description_.packet.ecn, link.rate), link.rate));
        }
        const Time limit = limit_of(LinkId(i), full);
        for (std::uint32_t c = 0; c < channels_; ++c) {
            Buffer& buffer = buffers_[i * channels_ + c];
            buffer.limit = limit;
            buffer.next = Time::max();
        }
    }
    if (description_.faults.take_links_down()) {
        epochs_ = std::make_unique<EpochRoutes>(description_, routes_);
    }
}

Time FluidNetwork::limit_of(LinkId number, Time full) const {
    const topology::Link& link = description_.graph.link(number);
    switch (description_.packet_of(number).flow_control) {
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
    std::uint64_t payload = (index << happening_bits) | static_cast<std::uint64_t>(what);
    switch (what) {
        case Happening::sharing:
            queue_.schedule(at, EventKey::of(Phase::Arbitration, engine::event_kind::port, 0),
                            *this, payload);
            return;
        case Happening::delivery:
        case Happening::acknowledged: {
            const unsigned kind = what == Happening::delivery
                                      ? engine::event_kind::message_delivered
                                      : engine::event_kind::message_sent;
            queue_.schedule(at, EventKey::of(Phase::Arrival, kind, content, minor), *this, payload);
            return;
        }
        case Happening::epoch:
            queue_.schedule(at, EventKey::of(Phase::Arrival, engine::event_kind::routes, content),
                            *this, payload);
            return;
        case Happening::timeout:
            queue_.schedule(
                at, EventKey::of(Phase::Arrival, engine::event_kind::timeout, content, minor),
                *this, payload);
            return;
        default:
            break;
    }
    // What an event of this instant leads to in the same instant comes when all others of its round
    // are over: otherwise the numbers of links would decide who hears of it before.
    const std::uint64_t round = at == queue_.now() ? std::min(next_round_, most_rounds) : 0;
    content |=
        (round << (state_bits + happening_bits)) | (static_cast<std::uint64_t>(what) << state_bits);
    payload |= round << (happening_bits + index_bits);
    queue_.schedule(at, EventKey::of(Phase::Arrival, kind_of_state, content, minor), *this,
                    payload);
}

void FluidNetwork::handle(std::uint64_t payload) {
    const auto index = static_cast<std::uint32_t>(payload >> happening_bits);
    const auto what = static_cast<Happening>(payload & ((1U << happening_bits) - 1));
    const bool in_rounds = what == Happening::news || what == Happening::due ||
                           what == Happening::level || what == Happening::budget;
    next_round_ = in_rounds ? (payload >> (happening_bits + index_bits)) + 1 : 0;
    switch (what) {
        case Happening::news:
            look_at_forecast(index);
            return;
        case Happening::due:
            handle_due(index);
            return;
        case Happening::sharing:
            share_out();
            return;
        case Happening::delivery:
            if (payload >> (happening_bits + index_bits) == flows_[index].delivery) {
                deliver(index);
            }
            return;
        case Happening::acknowledged:
            listener_->on_sent(index);
            return;
        case Happening::epoch:
            begin_epoch();
            return;
        case Happening::timeout:
            time_out(index);
            return;
        case Happening::level: {
            Buffer& buffer = buffers_[index];
            if (buffer.next == queue_.now()) {
                check_buffer(index);
            }
            return;
        }
        case Happening::budget: {
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

bool FluidNetwork::keep_speed(Port& port, std::uint32_t link) {
    const Time now = queue_.now();
    if (now < port.varies) {
        return false;
    }
    if (!port.live) {
        pass(port, link);
        add_busy(port, link, port.passed, now, capped_share(port.forecast.present()));
        port.passed = now;
    }
    if (port.speed > 0) {
        port.busy = later(port.busy, Time::ps(static_cast<std::int64_t>(port.done / port.speed)));
        port.done = 0;
    }
    const LinkSpeeds::Span& span = speeds_.at(link, now);
    port.varies = span.until;
    port.latency = span.latency;
    return std::exchange(port.speed, span.speed) != span.speed;
}

void FluidNetwork::add_busy(Port& port, std::uint32_t link, Time from, Time until, Share share) {
    if (share <= 0 || port.speed == 0) {
        return;
    }
    const Work work = work_in(std::min(share, port.speed), until - from);
    if (speeds_.varied(link)) {
        port.done += work;
    }
    if (load_ != nullptr) {
        load_->add(link, from.ps(), until.ps(), static_cast<std::int64_t>(work / port.speed));
    }
}

Time FluidNetwork::at_speed(std::uint32_t link, Time packet) {
    Port& port = ports_[link];
    (void)keep_speed(port, link);
    return port.speed == whole_link || port.speed == 0
               ? packet
               : done_at(Time(), work_of(packet), port.speed);
}

Time FluidNetwork::shift_at(const PathHop& hop, Time time) const {
    if (!speeds_.varied(hop.link)) {
        return hop.shift;
    }
    const Time left = speeds_.end(hop.link, time, hop.shift - hop.latency);
    return later(left - time, speeds_.at(hop.link, left).latency);
}

std::vector<engine::LinkUse> FluidNetwork::link_use() const {
    std::vector<engine::LinkUse> uses = paths_.link_use();
    for (std::size_t i = 0; i < uses.size(); ++i) {
        if (speeds_.varied(static_cast<std::uint32_t>(i))) {
            const Port& port = ports_[i];
            const Work more = port.speed > 0 ? port.done / port.speed : 0;
            uses[i].busy = later(port.busy, Time::ps(static_cast<std::int64_t>(more)));
        }
    }
    uses.resize(links_);
    return uses;
}

std::vector<engine::LinkUse> FluidNetwork::use_of(const Links& links) const {
    const std::vector<engine::LinkUse> all = link_use();
    std::vector<engine::LinkUse> uses;
    uses.reserve(links.size());
    for (const std::uint32_t link : links) {
        uses.push_back(all[link]);
    }
    return uses;
}

bool FluidNetwork::idle_state(const Links& links, State& /*state*/) {
    return std::all_of(links.begin(), links.end(), [&](std::uint32_t link) {
        Port& port = ports_[link];
        // What varied links have carried is no sum of whole picoseconds.
        if (speeds_.varied(link) || port.live || port.due || port.starting() ||
            !port.starts.empty() || port.stages > 0 || port.budgets > 0 ||
            port.tells > queue_.now()) {
            return false;
        }
        pass(port, link);
        return port.forecast.idle() && port.answers.idle();
    });
}

Time FluidNetwork::contention(const Links& /* links */) const {
    const Time now = queue_.now();
    Time sum = later(held_.until(now), crowded_.until(now));
    for (const Port& port : ports_) {
        sum = later(sum, port.marking);
    }
    return sum;
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
    const std::uint32_t number = route_number(message);
    const CachedRoute& route = routes_[number];
    // Over planes, and where links go down, what is under way can be divided: streams.
    if (epochs_ != nullptr || (route.planes > 1 && description_.multipath != nullptr)) {
        send_parts(message, message.bytes, number, none);
        return;
    }
    const std::uint32_t link = first_link(routes_.link(route.begin));
    ports_[link].starts.push_back({message, number});
    touch(link);
}

std::uint32_t FluidNetwork::route_number(const Message& message) {
    if (epochs_ == nullptr) {
        return routes_.number(message.source, message.destination);
    }
    await_epoch();
    const std::uint32_t number = epochs_->number(message.source, message.destination);
    const CachedRoute& route = routes_[number];
    const std::uint32_t planes = description_.multipath == nullptr ? 1 : route.planes;
    for (std::uint32_t place = route.begin; place < route.begin + planes * route.hops; ++place) {
        if (epochs_->is_dead(routes_.link(place))) {
            epochs_->refuse(routes_.link(place), queue_.now(), message.bytes, queue_.now());
        }
    }
    return number;
}

void FluidNetwork::send_parts(const Message& message, Bytes bytes, std::uint32_t route,
                              std::uint32_t whole) {
    // Transports that take packets in order keep to one route.
    const auto planes =
        static_cast<std::int64_t>(description_.multipath == nullptr ? 1 : routes_[route].planes);
    // Packets take the planes in turn; a source's next message begins one plane later.
    const std::int64_t packets = PacketCount(bytes, description_.packet).packets;
    const std::int64_t mtu = description_.packet.mtu.value();
    const auto parts = static_cast<std::uint32_t>(std::min(packets, planes));
    if (planes > 1 && whole == none) {
        whole = wholes_.take();
        wholes_[whole] = {Time::max(), 0, 0, none};
    }
    if (whole != none) {
        wholes_[whole].unsent += parts;
        wholes_[whole].expected += parts;
    }
    const std::int64_t offset =
        static_cast<std::int64_t>(message.id.value() & engine::MessageId::count_mask) % planes;
    for (std::uint32_t p = 0; p < parts; ++p) {
        const std::int64_t count = (packets - p + planes - 1) / planes;
        const bool has_last = (packets - 1) % planes == p;
        const Bytes own = has_last ? bytes - (packets - count) * Bytes(mtu) : count * Bytes(mtu);
        const auto plane = static_cast<std::uint32_t>((p + offset) % planes);
        start(message, own, route, plane, whole, none);
    }
}

std::uint32_t FluidNetwork::class_of(const Message& message) const {
    return message.traffic_class == Message::by_kind ? description_.packet.classes.of(message.kind)
                                                     : message.traffic_class;
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
        const std::int64_t count = PacketCount(message.bytes, description_.packet).packets;
        if (!turns || count == 1 || count > most_single_packets) {
            start(message, message.bytes, each.route, 0, none, none);
            continue;
        }
        const Bytes mtu = description_.packet.mtu;
        const auto parts = static_cast<std::uint32_t>(count);
        const std::uint32_t whole = wholes_.take();
        wholes_[whole] = {Time::max(), parts, parts, none};
        for (std::uint32_t p = 0; p < parts; ++p) {
            start(message, p + 1 < parts ? mtu : message.bytes - (count - 1) * mtu, each.route, 0,
                  whole, p);
        }
    }
}

void FluidNetwork::start(const Message& message, Bytes bytes, std::uint32_t route_number,
                         std::uint32_t plane, std::uint32_t whole, std::uint32_t packet) {
    const CachedRoute& route = routes_[route_number];
    const std::uint32_t hops = route.hops;
    const std::uint32_t number = flows_.take();
    ++in_flight_;
    most_flows_ = std::max(most_flows_, number + 1);
    Flow& flow = flows_[number];
    flow.route = route_number;
    flow.message = message;
    flow.whole = whole;
    flow.packet = packet;
    flow.path = paths_.take(route, plane, bytes, class_of(message));
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
        port.ring_ahead.emplace_back();
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
    flows_[number].delivered = true;
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
        schedule(answered, Happening::acknowledged, flow.message.id.value(), flow.message.handle);
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
    --in_flight_;
    flows_.free(number);
}

}  // namespace npunet::analytical
