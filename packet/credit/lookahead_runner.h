// Advances the nodes in lookahead windows, where that is possible. What happens at one node affects
// others one link latency later at the earliest, so that within the shortest latency each node
// advances independently, in any order, and threads share the nodes.
//
// Times in picoseconds.
#pragma once

#include "packet/credit/fast_forward/credit_fast_forward.h"
#include "packet/credit/network_state.h"
#include "packet/credit/port_schedule.h"
#include "packet/credit/switch_step.h"

#include "base/thread_pool.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace npunet::packet {

class LookaheadRunner {
public:
    /// `step` must outlive this.
    explicit LookaheadRunner(SwitchStep& step)
        : state_(step.state()), schedule_(step.schedule()), step_(step) {}

    /// Before the first message. A window uses one thread if the one before had fewer than
    /// `least_packets`.
    void set_threads(std::size_t threads, std::uint64_t least_packets);

    /// Before the first message: decides whether windows are possible, and divides the nodes.
    /// `wanted`: nothing needs to observe every packet in the order of time.
    void choose_mode(bool wanted);

    /// The event of all ports.
    void advance(std::uint32_t);

private:
    /// Divides nodes and ports into thread partitions.
    void divide_nodes();

    /// Several paths: all packets share a table of them.
    std::size_t most_threads() const { return state_.paths.router == nullptr ? threads_ : 1; }

    /// Runs window after window from `from` on, as long as nothing else happens. Returns when a
    /// port has to decide next.
    std::int64_t run_windows(std::int64_t from);

    /// End of the window that starts at `from`: no notification is due before it.
    std::int64_t window_end(std::int64_t from) const;

    /// Whether running the partitions in parallel is allowed and worth it.
    bool may_run_in_parallel(std::int64_t from, std::int64_t limit) const;

    /// Runs the partitions in parallel until `limit`.
    void advance_partitions(std::int64_t limit);

    /// Makes all decisions of a node before `limit`.
    void advance_node(std::uint32_t node, std::int64_t limit);

    /// The same for a node at which a packet that starts may make another port decide: the next
    /// one of its message may leave by that port.
    void advance_source(std::uint32_t node, std::int64_t limit);

    /// Makes all decisions of a port before `limit`, from which on other ports may affect them.
    void advance_port(std::uint32_t port, std::int64_t limit);

    /// Whether the previous window had enough packets for several threads.
    bool is_worth_threads() const { return pool_ && last_packets_ >= least_packets_; }

    /// Sends packets of a single-hop message back to back, before `limit`, where nothing else waits
    /// for the link: every decision would be the same. The port's wake is due at `from`. If false,
    /// nothing has happened.
    bool stream(std::uint32_t port_number, std::int64_t from, std::int64_t limit);

    /// After stream(): accounts for packets sent from `from` to `end`.
    void count_streamed(std::uint32_t port_number, std::uint32_t queue_number, std::int64_t packets,
                        std::int64_t from, std::int64_t end);

    CreditNetworkState& state_;
    CreditPortSchedule& schedule_;
    SwitchStep& step_;
    std::int64_t lookahead_ = 0;        ///< the longest window
    std::unique_ptr<ThreadPool> pool_;  ///< null with one partition
    std::size_t threads_ = 1;           ///< requested
    std::uint64_t least_packets_ = 0;   ///< of a window that is worth threads
    std::uint64_t last_packets_ = 0;    ///< of the previous window
};

}  // namespace npunet::packet
