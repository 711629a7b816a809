#pragma once

#include "packet/transport/queue_pair.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// The queue pairs that have a packet for one port in one traffic class: those that may send take
/// turns packet by packet, in the order in which they joined the line; the others wait for their
/// time, at which they join it. Those whose time comes at once do so in the order of their keys,
/// and ahead of those that line up at that time.
class SendRoundRobin {
public:
    /// A queue pair that stands nowhere may send from now on. Those whose time has come, which
    /// nobody asks for while the port is busy, stand ahead of it.
    /// @param pairs all queue pairs
    /// @param number of the queue pair
    /// @param now in picoseconds
    void join(std::vector<QueuePair>& pairs, std::uint32_t number, std::int64_t now) {
        join_those_due(pairs, now);
        append(pairs, number);
    }

    /// A queue pair that stands nowhere may send at QueuePair::nextStart.
    /// @param pairs all queue pairs
    /// @param number of the queue pair
    void wait(std::vector<QueuePair>& pairs, std::uint32_t number);

    /// Those whose time has come join the line.
    /// @param pairs all queue pairs
    /// @param now in picoseconds
    void join_those_due(std::vector<QueuePair>& pairs, std::int64_t now);

    /// @return the queue pair whose turn it is, or none
    std::uint32_t first() const { return head_; }

    /// The first of the line stands nowhere from now on.
    /// @param pairs all queue pairs
    void leave(std::vector<QueuePair>& pairs) {
        QueuePair& pair = pairs[head_];
        pair.place = QueuePair::Place::Nowhere;
        head_ = pair.next_ready;
    }

    /// All stand nowhere from now on.
    /// @param pairs all queue pairs
    /// @param numbers to which they are added, those of the line first
    void empty(std::vector<QueuePair>& pairs, std::vector<std::uint32_t>& numbers);

    /// @return when the next of those that wait may send, or never
    std::int64_t next_time() const { return waiting_.empty() ? never : waiting_.front().at; }

    /// @param pairs all queue pairs
    /// @param scan of the whole network
    void scan(const std::vector<QueuePair>& pairs, engine::StateScan& scan);

private:
    /// A queue pair that waits for its time.
    struct Waiting {
        std::int64_t at;       ///< in picoseconds
        std::uint64_t key;     ///< of the queue pair
        std::uint32_t number;  ///< of the queue pair

        /// @param other another one
        /// @return whether this one's turn comes later
        bool operator<(const Waiting& other) const {
            return at != other.at ? at > other.at : key > other.key;
        }
    };

    /// @param pairs all queue pairs
    /// @param number of the queue pair that becomes the last of the line
    void append(std::vector<QueuePair>& pairs, std::uint32_t number) {
        QueuePair& pair = pairs[number];
        pair.place = QueuePair::Place::Ready;
        pair.next_ready = none;
        if (head_ == none) {
            head_ = number;
        } else {
            pairs[tail_].next_ready = number;
        }
        tail_ = number;
    }

    std::uint32_t head_ = none;     ///< first of the line
    std::uint32_t tail_ = none;     ///< last of the line, where there is a first
    std::vector<Waiting> waiting_;  ///< a heap, the earliest first
};

}  // namespace npunet::packet
