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

/// Lets the nodes go on in windows of time, where that is possible. What happens at one node has
/// effects at others one link latency later at the earliest, so that within the shortest latency
/// each goes on alone, in any order, and threads share the nodes.
///
/// Times in picoseconds.
class LookaheadRunner {
public:
    /// @param step makes the decisions of ports; must outlive this
    explicit LookaheadRunner(SwitchStep& step);

    LookaheadRunner(const LookaheadRunner&) = delete;
    LookaheadRunner& operator=(const LookaheadRunner&) = delete;

    /// @param fast_forward watches ports; null for nobody
    void set_fast_forward(CreditFastForward* fast_forward) { fast_forward_ = fast_forward; }

    /// Before the first message.
    /// @param threads how many may move packets at the same time; at least 1
    /// @param least_packets of the window before, below which one thread does it
    void set_threads(std::size_t threads, std::uint64_t least_packets);

    /// Before the first message: finds out whether nodes can go on alone, and which at the same
    /// time.
    /// @param wanted whether nothing needs to hear of every packet in the order of time
    void choose_mode(bool wanted);

    /// Windows: the ports have their turn.
    void turn(std::uint32_t);

private:
    /// Finds out which nodes go on at the same time.
    void divide_nodes();

    /// Lets the nodes go on, window by window as long as nothing else happens.
    /// @param from start of the first window, in picoseconds
    /// @return when a port has to decide next
    std::int64_t go_on(std::int64_t from);

    /// @param from start of a window, in picoseconds
    /// @return its end: nobody is told of anything before it
    std::int64_t window_end(std::int64_t from) const;

    /// @param from start of a window, in picoseconds
    /// @param limit its end
    /// @return whether it pays to let the parts go on at the same time, and nothing forbids it
    bool parts_may_go_on(std::int64_t from, std::int64_t limit) const;

    /// Lets the parts go on at the same time.
    /// @param limit the end of the window, in picoseconds
    void go_on_in_parts(std::int64_t limit);

    /// Makes all choices of a node before the end of a window.
    /// @param node the node
    /// @param limit the end, in picoseconds
    void go_on_alone(std::uint32_t node, std::int64_t limit);

    /// Makes all choices of a port before a time at which others may take part in them.
    /// @param port the port
    /// @param limit the time, in picoseconds
    void go_on_by_itself(std::uint32_t port, std::int64_t limit);

    /// Puts packets of one message on their only link, one after the other, where nothing else
    /// waits for it: all the same choice.
    /// @param port_number the port, whose wish is due
    /// @param from now, in picoseconds
    /// @param limit no choice at or after it, in picoseconds
    /// @return whether there was one; otherwise nothing has happened
    bool stream(std::uint32_t port_number, std::int64_t from, std::int64_t limit);

    /// stream() has put packets on their link.
    /// @param port_number the port
    /// @param queue_number the queue of their message
    /// @param packets how many
    /// @param from when the first one has started, in picoseconds
    /// @param end when the last one has left
    void count_streamed(std::uint32_t port_number, std::uint32_t queue_number, std::int64_t packets,
                        std::int64_t from, std::int64_t end);

    CreditNetworkState& state_;                  ///< ports, queues, packets and messages
    CreditPortSchedule& schedule_;               ///< when ports decide
    SwitchStep& step_;                           ///< makes their decisions
    CreditFastForward* fast_forward_ = nullptr;  ///< packet trains, or null
    std::int64_t lookahead_ = 0;                 ///< the longest window
    std::unique_ptr<ThreadPool> pool_;           ///< lets parts go on at the same time, or null
    std::size_t threads_ = 1;                    ///< wanted
    std::uint64_t least_packets_ = 0;            ///< of a window that is worth threads
    std::uint64_t last_packets_ = 0;             ///< of the last window
};

}  // namespace npunet::packet
