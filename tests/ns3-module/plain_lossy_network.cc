#include "plain_lossy_network.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace npunet::packet_test {

namespace {

using topology::FlowControl;
using topology::TransportKind;

__extension__ using Wide = __int128;

enum class Kind : std::uint8_t { Data, Answer, GoBack, Pause, Resume };

struct Packet {
    Kind kind = Kind::Data;
    std::size_t flow = 0;
    std::size_t number = 0;  ///< data: its own; answers: the one that is expected
    std::size_t cause = 0;   ///< answers: the data that caused it
    std::size_t hop = 0;     ///< place in the route of the link that it waits for or is on
    Bytes payload;
    Bytes wire;
    bool asks = false;
    bool repeated = false;
};

/// A packet of a queue pair, as its sender sees it.
struct Part {
    enum class State : std::uint8_t { Waiting, Flying, In };
    State state = State::Waiting;
    Bytes payload;
    Bytes wire;
    bool sent_before = false;
    bool judged = false;  ///< looked at for loss
    bool urgent = false;  ///< since the sender last went back: it asked, or ends a message
    bool ends = false;    ///< a message
};

struct Flow {
    NodeId source;
    NodeId destination;
    std::vector<LinkId> forth;
    std::vector<LinkId> back;
    std::vector<Part> parts;
    std::vector<std::pair<std::size_t, std::size_t>> messages;  ///< in the plan; its last packet
    Bytes window;
    Time timeout;
    // The sender.
    std::size_t acknowledged = 0;
    std::size_t top = 0;   ///< one past the highest that was ever sent
    bool in_line = false;  ///< of its port, or waits for its time
    Time next_start;
    std::uint64_t starts = 0;  ///< how often it was put off
    Time deadline = Time::max();
    int timeouts_in_a_row = 0;
    std::size_t told_sent = 0;  ///< messages
    // The receiver.
    std::size_t expected = 0;
    std::set<std::size_t> early;
    std::int32_t unanswered = 0;
    bool asked_back = false;
    std::size_t delivered = 0;  ///< messages
    LossyFlow use;
};

/// The end of a link that sends.
struct Port {
    LinkId back;
    Time busy_until;
    std::deque<Packet> requests;
    std::deque<Packet> control;
    std::deque<Packet> passing;
    std::deque<std::size_t> line;  ///< queue pairs that start here
    /// Those that wait for a time, with their source, destination and number.
    std::set<std::tuple<Time, NodeId, NodeId, std::size_t>> waiting;
    bool own_turn = false;
    bool paused = false;
    Time paused_since;
    std::deque<std::pair<Time, Packet>> flying;  ///< on the link, with when they are in
    bool occupies = false;                       ///< what was sent last still has room in the node
    Packet left;                                 ///< that packet
    std::uint64_t transmissions = 0;
    // At the other end, with pauses.
    Bytes shared;
    Bytes headroom;
    Bytes most_headroom;
    bool told_to_pause = false;
};

struct Room {
    Bytes all;
    Bytes used;
};

std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

class Simulator {
public:
    Simulator(const topology::NetworkDescription& description, const Plan& plan)
        : description_(description),
          graph_(description.graph),
          parameters_(description.packet),
          plan_(plan),
          full_(wire_of(parameters_.mtu)),
          ports_(graph_.links()),
          rooms_(graph_.nodes()) {
        run_.outcomes.resize(plan.size());
        run_.uses.resize(graph_.links());
        for (std::size_t i = 0; i < rooms_.size(); ++i) {
            rooms_[i].all = description.shared_buffer_of(NodeId(i));
        }
        for (std::size_t i = 0; i < ports_.size(); ++i) {
            ports_[i].back = link_back(LinkId(i));
            ports_[i].most_headroom = headroom_of(LinkId(i));
        }
    }

    LossyRun run() {
        while (run_.gave_up.empty()) {
            const Time next = next_time();
            if (next == Time::max()) {
                break;
            }
            now_ = next;
            act();
        }
        for (std::size_t i = 0; i < ports_.size(); ++i) {
            run_.uses[i].credit_stall += ports_[i].paused ? now_ - ports_[i].paused_since : Time();
        }
        for (Outcome& outcome : run_.outcomes) {
            // Told with the delivery.
            outcome.first_byte_left =
                outcome.deliveries > 0 ? outcome.first_byte_left : Time::ps(-1);
        }
        for (const Flow& flow : flows_) {
            run_.flows[{flow.source, flow.destination}] = flow.use;
        }
        return std::move(run_);
    }

private:
    // The clock.

    [[nodiscard]] Time next_time() const {
        Time next = Time::max();
        const auto consider = [&](Time time, bool also_now) {
            if (time > now_ || (also_now && time == now_ && !begun_)) {
                next = std::min(next, time);
            }
        };
        for (const Port& port : ports_) {
            consider(port.busy_until, false);
            if (!port.flying.empty()) {
                consider(port.flying.front().first, false);
            }
            if (!port.waiting.empty()) {
                consider(std::get<0>(*port.waiting.begin()), false);
            }
        }
        for (const Flow& flow : flows_) {
            consider(flow.deadline, false);
        }
        for (const PlannedMessage& message : plan_) {
            if (message.after < 0) {
                consider(message.start, true);
            }
        }
        return next;
    }

    /// Everything that happens at this time.
    void act() {
        begun_ = true;
        for (Port& port : ports_) {
            while (!port.waiting.empty() && std::get<0>(*port.waiting.begin()) == now_) {
                port.line.push_back(std::get<3>(*port.waiting.begin()));
                port.waiting.erase(port.waiting.begin());
            }
        }
        for (std::size_t i = 0; i < ports_.size(); ++i) {
            std::deque<std::pair<Time, Packet>>& flying = ports_[i].flying;
            if (!flying.empty() && flying.front().first == now_) {
                const Packet packet = flying.front().second;
                flying.pop_front();
                arrive(LinkId(i), packet);
            }
        }
        run_out();
        for (std::size_t i = 0; i < plan_.size(); ++i) {
            if (plan_[i].after < 0 && plan_[i].start == now_) {
                send(i);
            }
        }
        for (std::size_t i = 0; i < ports_.size(); ++i) {
            free_room(LinkId(i));
            choose(LinkId(i));
        }
        // A port of a lower number may have been given a request.
        for (std::size_t i = 0; i < ports_.size(); ++i) {
            choose(LinkId(i));
        }
    }

    void run_out() {
        std::vector<std::size_t> due;
        for (std::size_t i = 0; i < flows_.size(); ++i) {
            if (flows_[i].deadline == now_) {
                due.push_back(i);
            }
        }
        std::sort(due.begin(), due.end(), [this](std::size_t a, std::size_t b) {
            return std::pair(flows_[a].source, flows_[a].destination) <
                   std::pair(flows_[b].source, flows_[b].destination);
        });
        for (const std::size_t number : due) {
            if (run_.gave_up.empty()) {
                time_out(number);
            }
        }
    }

    // Ports.

    void choose(LinkId id) {
        Port& port = ports_[id.index()];
        if (port.busy_until > now_) {
            return;
        }
        for (std::deque<Packet>* queue : {&port.requests, &port.control}) {
            if (!queue->empty()) {
                const Packet packet = queue->front();
                queue->pop_front();
                transmit(id, packet);
                return;
            }
        }
        if (port.paused) {
            return;
        }
        // The line is looked at only where it could be its turn.
        const bool asked = port.passing.empty() || port.own_turn;
        while (asked && !port.line.empty()) {
            const std::size_t number = port.line.front();
            Flow& flow = flows_[number];
            if (may_send(flow) && flow.next_start <= now_) {
                break;
            }
            port.line.pop_front();
            flow.in_line = false;
            line_up(number);
        }
        if (asked && !port.line.empty()) {
            port.own_turn = false;
            transmit(id, take_packet(port));
        } else if (!port.passing.empty()) {
            port.own_turn = true;
            port.left = port.passing.front();
            port.occupies = true;
            port.passing.pop_front();
            transmit(id, port.left);
        }
    }

    void transmit(LinkId id, const Packet& packet) {
        Port& port = ports_[id.index()];
        engine::LinkUse& use = run_.uses[id.index()];
        const topology::Link& link = graph_.link(id);
        const Wide rate = link.rate.bytes_per_second();
        const Wide scaled = static_cast<Wide>(packet.wire.value()) * 1'000'000'000'000;
        const Time sending = Time::ps(static_cast<std::int64_t>((scaled + rate - 1) / rate));
        port.busy_until = now_ + sending;
        ++run_.packet_hops;
        ++use.packets;
        use.payload += packet.payload;
        use.wire += packet.wire;
        use.busy += sending;
        use.retransmissions += packet.repeated ? 1 : 0;
        if (is_corrupted(id, port.transmissions++)) {
            if (is_request(packet)) {
                port.requests.push_front(packet);
            } else {
                ++use.drops;
            }
            return;
        }
        port.flying.emplace_back(port.busy_until + link.latency, packet);
    }

    [[nodiscard]] bool is_corrupted(LinkId id, std::uint64_t transmission) const {
        const auto below = static_cast<std::uint64_t>(std::ldexp(parameters_.error_rate, 64));
        return mixed(mixed(mixed(parameters_.seed) + id.index()) + transmission) < below;
    }

    void arrive(LinkId id, Packet packet) {
        if (is_request(packet)) {
            heed(ports_[id.index()].back, packet.kind == Kind::Pause);
            return;
        }
        const Flow& flow = flows_[packet.flow];
        const std::vector<LinkId>& route = packet.kind == Kind::Data ? flow.forth : flow.back;
        if (++packet.hop == route.size()) {
            if (packet.kind == Kind::Data) {
                receive_data(packet);
            } else {
                receive_answer(packet);
            }
            return;
        }
        Port& out = ports_[route[packet.hop].index()];
        if (packet.kind != Kind::Data) {
            out.control.push_back(packet);
            return;
        }
        engine::LinkUse& use = run_.uses[route[packet.hop].index()];
        if (!find_room(id, out, packet)) {
            ++use.drops;
            return;
        }
        out.passing.push_back(packet);
        use.max_queue = std::max(use.max_queue, size_of(out.passing));
    }

    // Buffers.

    [[nodiscard]] static Bytes size_of(const std::deque<Packet>& queue) {
        Bytes size;
        for (const Packet& packet : queue) {
            size += packet.wire;
        }
        return size;
    }

    [[nodiscard]] Bytes threshold(const Room& room) const {
        const double free = static_cast<double>((room.all - room.used).value());
        return Bytes(static_cast<std::int64_t>(std::floor(parameters_.shared_buffer.alpha * free)));
    }

    [[nodiscard]] bool find_room(LinkId input, const Port& out, const Packet& packet) {
        Room& room = rooms_[graph_.link(input).to.index()];
        const bool fits = room.used + packet.wire <= room.all;
        if (parameters_.flow_control == FlowControl::None) {
            if (!fits || size_of(out.passing) + packet.wire > threshold(room)) {
                return false;
            }
            room.used += packet.wire;
            return true;
        }
        Port& in = ports_[input.index()];
        if (fits && in.headroom == Bytes(0) && in.shared + packet.wire <= threshold(room)) {
            in.shared += packet.wire;
            room.used += packet.wire;
            return true;
        }
        if (in.headroom + packet.wire > in.most_headroom) {
            return false;
        }
        in.headroom += packet.wire;
        if (!in.told_to_pause) {
            in.told_to_pause = true;
            request(in.back, Kind::Pause);
        }
        return true;
    }

    /// What has left a node gives its room back when its port chooses again.
    void free_room(LinkId id) {
        Port& port = ports_[id.index()];
        if (!port.occupies || port.busy_until > now_) {
            return;
        }
        port.occupies = false;
        Room& room = rooms_[graph_.link(id).from.index()];
        if (parameters_.flow_control == FlowControl::None) {
            room.used -= port.left.wire;
            return;
        }
        Port& in = ports_[flows_[port.left.flow].forth[port.left.hop - 1].index()];
        const Bytes of_headroom = std::min(in.headroom, port.left.wire);
        in.headroom -= of_headroom;
        in.shared -= port.left.wire - of_headroom;
        room.used -= port.left.wire - of_headroom;
        if (in.told_to_pause && in.headroom == Bytes(0) &&
            (in.shared == Bytes(0) || in.shared + 2 * full_ <= threshold(room))) {
            in.told_to_pause = false;
            request(in.back, Kind::Resume);
        }
    }

    void request(LinkId by, Kind kind) {
        std::deque<Packet>& waiting = ports_[by.index()].requests;
        if (!waiting.empty()) {
            waiting.clear();
            return;
        }
        Packet packet;
        packet.kind = kind;
        packet.wire = Bytes(64);
        waiting.push_back(packet);
    }

    void heed(LinkId id, bool pause) {
        Port& port = ports_[id.index()];
        run_.uses[id.index()].pauses += pause ? 1 : 0;
        if (pause && !port.paused) {
            port.paused_since = now_;
        } else if (!pause && port.paused) {
            run_.uses[id.index()].credit_stall += now_ - port.paused_since;
        }
        port.paused = pause;
    }

    [[nodiscard]] static bool is_request(const Packet& packet) {
        return packet.kind == Kind::Pause || packet.kind == Kind::Resume;
    }

    /// The k-th link from a to b and the k-th from b to a belong together.
    [[nodiscard]] LinkId link_back(LinkId id) const {
        const auto between = [this](NodeId from, NodeId to) {
            std::vector<LinkId> links;
            for (std::size_t i = 0; i < graph_.links(); ++i) {
                if (graph_.link(LinkId(i)).from == from && graph_.link(LinkId(i)).to == to) {
                    links.push_back(LinkId(i));
                }
            }
            return links;
        };
        const topology::Link& link = graph_.link(id);
        const std::vector<LinkId> forth = between(link.from, link.to);
        const std::vector<LinkId> back = between(link.to, link.from);
        return back.at(
            static_cast<std::size_t>(std::find(forth.begin(), forth.end(), id) - forth.begin()));
    }

    [[nodiscard]] Bytes headroom_of(LinkId id) const {
        if (parameters_.shared_buffer.headroom > Bytes(0)) {
            return parameters_.shared_buffer.headroom;
        }
        const topology::Link& forth = graph_.link(id);
        const topology::Link& back = graph_.link(ports_[id.index()].back);
        const Time span =
            transfer_time(full_ + Bytes(64), back.rate) + back.latency + forth.latency;
        const Wide bytes =
            static_cast<Wide>(span.ps()) * forth.rate.bytes_per_second() / 1'000'000'000'000;
        return Bytes(static_cast<std::int64_t>(bytes) + 1) + 2 * full_;
    }

    // Senders.

    [[nodiscard]] Bytes wire_of(Bytes payload) const {
        return std::max(payload + parameters_.header, Bytes(1));
    }

    [[nodiscard]] std::size_t flow_of(NodeId source, NodeId destination) {
        for (std::size_t i = 0; i < flows_.size(); ++i) {
            if (flows_[i].source == source && flows_[i].destination == destination) {
                return i;
            }
        }
        Flow flow;
        flow.source = source;
        flow.destination = destination;
        Time round_trip;
        Rate slowest = Rate(std::numeric_limits<std::int64_t>::max());
        for (const topology::Hop& hop : description_.route(source, destination)) {
            const topology::Link& link = graph_.link(hop.link);
            flow.forth.push_back(hop.link);
            slowest = std::min(slowest, link.rate);
            round_trip += transfer_time(full_, link.rate) + link.latency;
        }
        for (const topology::Hop& hop : description_.route(destination, source)) {
            const topology::Link& link = graph_.link(hop.link);
            flow.back.push_back(hop.link);
            round_trip += transfer_time(wire_of(Bytes(0)), link.rate) + link.latency;
        }
        const topology::TransportParameters& transport = parameters_.transport;
        const double product = static_cast<double>(slowest.bytes_per_second()) *
                               static_cast<double>(round_trip.ps()) / 1e12;
        flow.window = transport.window > Bytes(0)
                          ? transport.window
                          : Bytes(2 * static_cast<std::int64_t>(std::floor(product)) + 1) +
                                (transport.ack_every + 1) * full_;
        flow.timeout = transport.rto > Time()
                           ? transport.rto
                           : std::max(Time::ns(500'000), Time::ps(8 * round_trip.ps()));
        flows_.push_back(flow);
        return flows_.size() - 1;
    }

    void send(std::size_t index) {
        const PlannedMessage& message = plan_[index];
        const std::size_t number = flow_of(message.source, message.destination);
        Flow& flow = flows_[number];
        if (next_part(flow) == flow.parts.size()) {
            put_off(flow);
        }
        Bytes left = message.bytes;
        do {
            Part part;
            part.payload = std::min(left, parameters_.mtu);
            part.wire = wire_of(part.payload);
            left -= part.payload;
            part.ends = left == Bytes(0);
            flow.parts.push_back(part);
        } while (left > Bytes(0));
        flow.messages.emplace_back(index, flow.parts.size() - 1);
        line_up(number);
    }

    [[nodiscard]] static Bytes in_flight(const Flow& flow) {
        Bytes bytes;
        for (std::size_t i = flow.acknowledged; i < flow.top; ++i) {
            bytes += flow.parts[i].state == Part::State::Flying ? flow.parts[i].wire : Bytes(0);
        }
        return bytes;
    }

    /// The packet that is sent next; how many there are: none.
    [[nodiscard]] static std::size_t next_part(const Flow& flow) {
        std::size_t i = flow.acknowledged;
        while (i < flow.parts.size() && flow.parts[i].state != Part::State::Waiting) {
            ++i;
        }
        return i;
    }

    [[nodiscard]] bool is_open(const Flow& flow) const {
        return in_flight(flow) + full_ <= flow.window;
    }

    [[nodiscard]] bool may_send(const Flow& flow) const {
        if (next_part(flow) == flow.parts.size()) {
            return false;
        }
        const Bytes flying = in_flight(flow);
        bool answer_will_come = flying >= parameters_.transport.ack_every * full_;
        for (std::size_t i = flow.acknowledged; i < flow.top; ++i) {
            answer_will_come = answer_will_come || flow.parts[i].urgent;
        }
        return flying == Bytes(0) || is_open(flow) || !answer_will_come;
    }

    void line_up(std::size_t number) {
        Flow& flow = flows_[number];
        if (flow.in_line || !may_send(flow)) {
            return;
        }
        flow.in_line = true;
        Port& port = ports_[flow.forth.front().index()];
        if (flow.next_start > now_) {
            port.waiting.emplace(flow.next_start, flow.source, flow.destination, number);
        } else {
            port.line.push_back(number);
        }
    }

    /// It begins to send, or goes back.
    void put_off(Flow& flow) const {
        const std::int64_t most = parameters_.transport.start_jitter.ps();
        if (most == 0) {
            return;
        }
        const std::uint64_t key = (static_cast<std::uint64_t>(flow.source.index()) << 30) |
                                  (static_cast<std::uint64_t>(flow.destination.index()) << 8);
        const std::uint64_t drawn =
            mixed(mixed(mixed(parameters_.seed ^ 0x73746172U) + key) + flow.starts++);
        __extension__ using WideNumber = unsigned __int128;
        const WideNumber scaled =
            static_cast<WideNumber>(drawn) * static_cast<std::uint64_t>(most + 1);
        flow.next_start =
            std::max(flow.next_start, now_ + Time::ps(static_cast<std::int64_t>(scaled >> 64)));
    }

    [[nodiscard]] Packet take_packet(Port& port) {
        const std::size_t number = port.line.front();
        port.line.pop_front();
        Flow& flow = flows_[number];
        flow.in_line = false;
        Packet packet;
        packet.flow = number;
        packet.number = next_part(flow);
        Part& part = flow.parts[packet.number];
        packet.payload = part.payload;
        packet.wire = part.wire;
        packet.repeated = part.sent_before;
        part.sent_before = true;
        part.state = Part::State::Flying;
        flow.top = std::max(flow.top, packet.number + 1);
        ++flow.use.packets;
        flow.use.repeated += packet.repeated ? 1 : 0;
        for (const auto& [index, last] : flow.messages) {
            if (packet.number <= last) {
                Outcome& outcome = run_.outcomes[index];
                outcome.first_byte_left =
                    outcome.first_byte_left < Time() ? now_ : outcome.first_byte_left;
                break;
            }
        }
        if (flow.deadline == Time::max()) {
            start_timer(flow);
        }
        packet.asks = next_part(flow) == flow.parts.size() || !is_open(flow);
        part.urgent = part.urgent || packet.asks || part.ends;
        line_up(number);
        return packet;
    }

    void start_timer(Flow& flow) const {
        flow.deadline =
            now_ + (std::int64_t{1} << std::min(flow.timeouts_in_a_row, 6)) * flow.timeout;
    }

    void time_out(std::size_t number) {
        Flow& flow = flows_[number];
        flow.deadline = Time::max();
        ++flow.timeouts_in_a_row;
        ++flow.use.timeouts;
        const std::int32_t retries = parameters_.transport.retries;
        if (retries > 0 && flow.timeouts_in_a_row > retries) {
            run_.gave_up = fmt::format("at {} ps {} gave up to send to {} (class 0", now_.ps(),
                                       graph_.name(flow.source), graph_.name(flow.destination));
            return;
        }
        go_back(flow);
        line_up(number);
    }

    void go_back(Flow& flow) const {
        put_off(flow);
        for (std::size_t i = flow.acknowledged; i < flow.top; ++i) {
            Part& part = flow.parts[i];
            part.urgent = false;
            part.state = part.state == Part::State::In ? part.state : Part::State::Waiting;
        }
    }

    void receive_answer(const Packet& answer) {
        Flow& flow = flows_[answer.flow];
        const bool selective = parameters_.transport.kind == TransportKind::SelectiveRepeat;
        bool news = false;
        const auto is_in = [&](std::size_t i) {
            news = news || flow.parts[i].state != Part::State::In;
            flow.parts[i].state = Part::State::In;
        };
        for (std::size_t i = flow.acknowledged; i < answer.number; ++i) {
            is_in(i);
        }
        flow.acknowledged = std::max(flow.acknowledged, answer.number);
        if (selective) {
            is_in(answer.cause);
            judge(flow);
        }
        tell_sent(flow);
        if (answer.kind == Kind::GoBack && answer.number == flow.acknowledged &&
            in_flight(flow) > Bytes(0)) {
            go_back(flow);
        }
        if (news) {
            flow.timeouts_in_a_row = 0;
            flow.deadline = Time::max();
            if (in_flight(flow) > Bytes(0)) {
                start_timer(flow);
            }
        }
        line_up(answer.flow);
    }

    /// A packet is lost when one is in that is more than so many beyond it.
    void judge(Flow& flow) const {
        const auto tolerated =
            static_cast<std::size_t>(std::max(parameters_.transport.reordering, 0));
        std::size_t highest = 0;
        for (std::size_t i = 0; i < flow.top; ++i) {
            highest = flow.parts[i].state == Part::State::In ? i : highest;
        }
        for (std::size_t i = flow.acknowledged; i + tolerated < highest; ++i) {
            Part& part = flow.parts[i];
            if (part.state == Part::State::Flying && !part.judged) {
                part.state = Part::State::Waiting;
            }
            part.judged = true;
        }
    }

    void tell_sent(Flow& flow) {
        while (flow.told_sent < flow.messages.size() &&
               flow.messages[flow.told_sent].second < flow.acknowledged) {
            const std::size_t index = flow.messages[flow.told_sent++].first;
            run_.outcomes[index].sent = plan_[index].wants_sent ? now_ : Time::ps(-1);
        }
    }

    // Receivers.

    void receive_data(const Packet& data) {
        Flow& flow = flows_[data.flow];
        const bool keeps = parameters_.transport.kind == TransportKind::SelectiveRepeat;
        if (data.number != flow.expected) {
            const bool later = data.number > flow.expected;
            if (later && !keeps) {
                if (!flow.asked_back) {
                    flow.asked_back = true;
                    answer(Kind::GoBack, data);
                }
                return;
            }
            if (later) {
                flow.early.insert(data.number);
            }
            answer(Kind::Answer, data);
            return;
        }
        flow.asked_back = false;
        ++flow.expected;
        const bool fills = flow.early.count(flow.expected) > 0;
        while (flow.early.erase(flow.expected) > 0) {
            ++flow.expected;
        }
        ++flow.unanswered;
        const bool completes = flow.delivered < flow.messages.size() &&
                               flow.messages[flow.delivered].second < flow.expected;
        if (completes || fills || data.asks || flow.unanswered >= parameters_.transport.ack_every) {
            answer(Kind::Answer, data);
        }
        deliver(data.flow);
    }

    void answer(Kind kind, const Packet& data) {
        Flow& flow = flows_[data.flow];
        flow.unanswered = 0;
        Packet packet;
        packet.kind = kind;
        packet.flow = data.flow;
        packet.number = flow.expected;
        packet.cause = data.number;
        packet.wire = wire_of(Bytes(0));
        ports_[flow.back.front().index()].control.push_back(packet);
    }

    void deliver(std::size_t number) {
        std::vector<std::size_t> complete;
        Flow& flow = flows_[number];
        while (flow.delivered < flow.messages.size() &&
               flow.messages[flow.delivered].second < flow.expected) {
            complete.push_back(flow.messages[flow.delivered++].first);
        }
        // By number, which here is not the order in which they were sent.
        std::sort(complete.begin(), complete.end());
        for (const std::size_t index : complete) {
            run_.outcomes[index].delivered = now_;
            ++run_.outcomes[index].deliveries;
            for (std::size_t i = 0; i < plan_.size(); ++i) {
                if (plan_[i].after == static_cast<int>(index)) {
                    send(i);
                }
            }
        }
    }

    const topology::NetworkDescription& description_;
    const topology::Graph& graph_;
    const topology::PacketParameters& parameters_;
    const Plan& plan_;
    Bytes full_;
    Time now_;
    bool begun_ = false;
    std::vector<Port> ports_;
    std::vector<Room> rooms_;
    std::deque<Flow> flows_;
    LossyRun run_;
};

}  // namespace

LossyRun run_plainly(const topology::NetworkDescription& description, const Plan& plan) {
    return Simulator(description, plan).run();
}

}  // namespace npunet::packet_test
