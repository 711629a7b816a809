#include "packet/credit/lookahead_runner.h"

#include "base/quantities.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace npunet::packet {

namespace {

/// Ports of a node, which are scanned for every packet.
constexpr std::size_t most_ports = 64;
/// Nodes, which are scanned in blocks for every window.
constexpr std::size_t most_nodes = 16384;
/// Packets after which a window ends early, or fewer: with those of the nodes in progress and of
/// the interval of the queue's watch, they stay below most_between_questions.
constexpr std::uint64_t most_at_once = engine::EventQueue::most_between_questions / 4;

/// Of the first `nodes` nodes.
std::size_t largest_degree(const topology::Graph& graph, std::size_t nodes) {
    std::size_t most = 0;
    for (std::size_t node = 0; node < nodes; ++node) {
        most = std::max(most, graph.links_from(NodeId(node)).size());
    }
    return most;
}

/// Gives a variable another value during its lifetime, which an exception may end.
template <class Value>
class During {
public:
    During(Value& variable, Value value) : variable_(variable), before_(variable) {
        variable_ = value;
    }

    ~During() { variable_ = before_; }

    During(const During&) = delete;
    During& operator=(const During&) = delete;

private:
    Value& variable_;
    Value before_;
};

}  // namespace

void LookaheadRunner::set_threads(std::size_t threads, std::uint64_t least_packets) {
    threads_ =
        std::min<std::size_t>(std::max<std::size_t>(threads, 1), CreditPort::most_partitions);
    least_packets_ = least_packets;
}

void LookaheadRunner::choose_mode(bool wanted) {
    // Irregular links read state of other nodes at the same instant.
    std::int64_t least = never;
    std::int64_t shortest = never;
    for (const CreditPort& port : state_.ports) {
        least = std::min(least, port.irregular == 1 ? 0 : port.latency);
        shortest = std::min(shortest, port.full_time);
    }
    const topology::Graph& graph = state_.plan.graph();
    const std::size_t degree = largest_degree(graph, graph.nodes());
    const bool possible =
        wanted && least > 0 && graph.nodes() <= most_nodes && degree <= most_ports;
    // A node that has begun a window completes it, so its length limits the packets.
    const auto most = static_cast<std::int64_t>(std::max<std::size_t>(
        1, most_at_once / (most_threads() * std::max<std::size_t>(degree, 1))));
    state_.lookahead = possible ? least : 0;
    lookahead_ = possible ? std::min(least, capped_product(shortest, most)) : 0;
    std::vector<std::uint32_t> nodes;
    for (std::size_t link = 0; link < graph.links(); ++link) {
        nodes.push_back(static_cast<std::uint32_t>(graph.link(LinkId(link)).from.index()));
    }
    schedule_.set_windows(
        possible ? std::make_unique<LookaheadWindows>(nodes, graph.nodes(), most_threads())
                 : nullptr);
    // With several paths a message may send by all ports of its source at once.
    const std::size_t ports =
        state_.paths.router == nullptr ? 1 : largest_degree(graph, graph.npus());
    state_.last_bytes =
        possible ? capped_product((lookahead_ / shortest + 2) * static_cast<std::int64_t>(ports),
                                  state_.mtu)
                 : 0;
    divide_nodes();
}

void LookaheadRunner::divide_nodes() {
    const LookaheadWindows* windows = schedule_.windows();
    const std::uint32_t partitions = windows != nullptr ? windows->partition_count() : 1;
    pool_.reset(partitions > 1 ? new ThreadPool(partitions) : nullptr);
    state_.packets.set_partitions(partitions);
    state_.partitions.assign(partitions, ThreadPartition());
    for (ThreadPartition& partition : state_.partitions) {
        partition.outgoing.resize(partitions);
    }
    const topology::Graph& graph = state_.plan.graph();
    for (std::size_t port = 0; port < state_.ports.size(); ++port) {
        const auto node = static_cast<std::uint32_t>(graph.link(LinkId(port)).from.index());
        state_.ports[port].partition = (windows != nullptr ? windows->partition_of(node) : 0) &
                                       (CreditPort::most_partitions - 1);
    }
}

void LookaheadRunner::advance(std::uint32_t) {
    if (!schedule_.take_windows_event()) {
        return;
    }
    const std::int64_t next = run_windows(state_.clock.now());
    if (next != never) {
        schedule_.schedule_windows(next);
    }
}

std::int64_t LookaheadRunner::run_windows(std::int64_t from) {
    LookaheadWindows& windows = *schedule_.windows();
    const During in_window(state_.in_window, true);
    const bool ahead = state_.events.may_run_ahead();
    step_.notifications().gather();
    for (;;) {
        state_.window_from = from;
        if (state_.lone != nullptr && is_worth_threads()) {
            state_.lone->settle_for_threads();
        }
        const std::int64_t limit = ahead ? window_end(from) : from + 1;
        // If the window ends early, the next one begins with the earliest wake of the other
        // nodes; nothing is left to do before it.
        if (may_run_in_parallel(from, limit)) {
            advance_partitions(limit);
        } else {
            const ThreadPartition& partition = state_.partitions.front();
            windows.for_each_due(limit, [&](std::uint32_t node) {
                advance_node(node, limit);
                return !ahead || partition.handled < most_at_once;
            });
        }
        last_packets_ = step_.notifications().gather();
        from = windows.earliest_wake();
        if (!ahead || from >= state_.events.next_time().ps()) {
            return from;
        }
        if (!state_.events.goes_on()) {
            // The run ends here, at the time of the packets.
            state_.events.advance(Time::ps(from));
            return from;
        }
    }
}

std::int64_t LookaheadRunner::window_end(std::int64_t from) const {
    if (state_.near_end > 0) {
        return from + 1;  // on_sent() may be due when a packet ends
    }
    std::int64_t end = std::min(from + lookahead_, state_.events.next_time().ps());
    if (state_.fast_forward != nullptr) {
        end = std::min(end, state_.fast_forward->next_look());
    }
    return std::max(end, from + 1);
}

bool LookaheadRunner::may_run_in_parallel(std::int64_t from, std::int64_t limit) const {
    // Ports that are watched or suspended depend on each other across partitions.
    return is_worth_threads() && limit > from + 1 && limit <= state_.last_start &&
           (state_.fast_forward == nullptr || state_.fast_forward->is_quiet());
}

void LookaheadRunner::advance_partitions(std::int64_t limit) {
    const During<std::uint32_t> in_parallel(state_.partition_mask, CreditPort::most_partitions - 1);
    LookaheadWindows& windows = *schedule_.windows();
    const std::uint64_t most = most_at_once / state_.partitions.size();
    pool_->run(state_.partitions.size(), [&](std::size_t number) {
        const ThreadPartition& partition = state_.partitions[number];
        windows.for_each_due(static_cast<std::uint32_t>(number), limit, [&](std::uint32_t node) {
            advance_node(node, limit);
            return partition.handled < most;
        });
    });
    std::size_t deferred = 0;
    for (const ThreadPartition& partition : state_.partitions) {
        for (const CrossPartitionMessages& messages : partition.outgoing) {
            deferred += messages.packets.size() + messages.credits.size();
        }
    }
    if (deferred < least_packets_) {
        for (std::uint32_t partition = 0; partition < state_.partitions.size(); ++partition) {
            step_.receive_deferred(partition);
        }
        return;
    }
    pool_->run(state_.partitions.size(), [&](std::size_t partition) {
        step_.receive_deferred(static_cast<std::uint32_t>(partition));
    });
}

void LookaheadRunner::advance_node(std::uint32_t node, std::int64_t limit) {
    LookaheadWindows& windows = *schedule_.windows();
    ThreadPartition& partition =
        state_.partitions[windows.partition_of(node) & state_.partition_mask];
    partition.isolated = node;
    if (state_.paths.router != nullptr && node < state_.plan.graph().npus()) {
        advance_source(node, limit);
        partition.isolated = none;
        windows.leave(node, windows.earliest_of(node));
        return;
    }
    LookaheadWindows::Due due = windows.first(node);
    for (; due.first < limit; due = windows.first(node)) {
        if (!state_.reads.are_limited()) {
            // Ports of one node affect each other only by the limited speed-up of inputs.
            windows.for_each_slot_before(node, limit,
                                         [&](std::uint32_t port) { advance_port(port, limit); });
        } else if (due.first == due.second) {
            windows.for_each_slot(
                node, due.first, [&](std::uint32_t port) { step_.decide_if_due(port, due.first); });
            step_.decide_again(partition, due.first);
        } else {
            // A decision of one port makes no other port of the node decide earlier.
            advance_port(due.slot, std::min(due.second, limit));
        }
    }
    partition.isolated = none;
    windows.leave(node, due.first);
}

void LookaheadRunner::advance_source(std::uint32_t node, std::int64_t limit) {
    LookaheadWindows& windows = *schedule_.windows();
    ThreadPartition& partition = state_.partitions.front();
    for (LookaheadWindows::Due due = windows.first(node); due.first < limit;
         due = windows.first(node)) {
        windows.forget(due.slot);
        step_.decide_if_due(due.slot, due.first);
        while (!partition.again.empty() && windows.earliest_of(node) > due.first) {
            step_.decide_first_again(partition, due.first);
        }
    }
}

void LookaheadRunner::advance_port(std::uint32_t port, std::int64_t limit) {
    LookaheadWindows& windows = *schedule_.windows();
    for (std::int64_t now = windows.wake_of(port); now < limit; now = windows.wake_of(port)) {
        windows.forget(port);
        if (!stream(port, now, limit)) {
            step_.decide_if_due(port, now);
            step_.decide_again(state_.partition_of(state_.ports[port]), now);
        }
    }
}

bool LookaheadRunner::stream(std::uint32_t port_number, std::int64_t from, std::int64_t limit) {
    const CreditPort& port = state_.ports[port_number];
    if (!state_.filled.has_one(port) || port.wake != from || port.busy_until > from ||
        (port.irregular | port.anchor | port.starved) != 0 || state_.several) {
        return false;
    }
    const std::uint32_t number = port.first_queue + state_.filled.slot_of_one(port);
    const VirtualOutputQueue& queue = state_.queues[number];
    if (queue.upstream != none) {
        return false;
    }
    const MessageRecord& message = state_.messages[queue.head];
    if (state_.send_queue(port_number, queue.channel).served != queue.head ||
        !state_.plan[message.hop].final) {
        return false;
    }

    CreditAccount& credit = state_.credit(port_number, queue.channel);
    const std::int64_t wire = state_.full_wire;
    const std::int64_t full_time = port.full_time;
    const Time latency = Time::ps(port.latency);
    const std::int64_t credit_back = later(later(Time::ps(full_time), latency), latency).ps();
    // Packets with further effects (the last one, one to look after) are left to SwitchStep.
    const std::int64_t most = (message.remaining - 1) / state_.mtu;
    const std::int64_t look = port.look != 0 ? state_.fast_forward->look_from(port_number) : limit;
    const std::int64_t end = std::min({limit, look, state_.last_start});
    std::int64_t packets = 0;
    std::int64_t now = from;
    for (; packets < most && now < end && credit.has(wire, now); ++packets) {
        credit.take(wire);
        credit.give_back(now + credit_back, wire);
        now += full_time;
    }
    if (packets == 0) {
        return false;
    }
    count_streamed(port_number, number, packets, from, now);
    step_.plan_wake(port_number, now);
    return true;
}

void LookaheadRunner::count_streamed(std::uint32_t port_number, std::uint32_t queue_number,
                                     std::int64_t packets, std::int64_t from, std::int64_t end) {
    CreditPort& port = state_.ports[port_number];
    const std::uint32_t slot = queue_number - port.first_queue;
    port.next_queue = (slot + 1 == port.queues ? 0 : slot + 1) & CreditPort::most_queues;
    port.busy_until = end;
    port.busy += end - from;
    if (state_.load != nullptr) {
        state_.load->add(port_number, from, end);
    }
    port.wire += packets * state_.full_wire;
    port.payload += packets * state_.mtu;
    port.packets += packets;
    ThreadPartition& partition = state_.partition_of(port);
    MessageRecord& message = state_.messages[state_.queues[queue_number].head];
    state_.count_sent(message, packets * state_.mtu, partition);
    if (message.remaining < state_.mtu) {
        state_.show_next_message(queue_number);
    }
    partition.handled += static_cast<std::uint64_t>(packets);
    port.wake = never;
}

}  // namespace npunet::packet
