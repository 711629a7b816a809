// Round robin of the queue pairs that have a packet for one port in one traffic class. Those that
// may send are served packet by packet, in the order in which they joined; the others wait for
// their start time, at which they join. Queue pairs with the same start time join in the order of
// their keys, and ahead of those that are appended at that time.
//
// `pairs` is everywhere the vector of all queue pairs; times are in picoseconds.
#pragma once

#include "packet/base/constants.h"
#include "packet/transport/queue_pair.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class SendRoundRobin {
public:
    /// For a queue pair in no send queue that may send now. Those whose start time has come, which
    /// is not checked while the port is busy, join ahead of it.
    void join(std::vector<QueuePair>& pairs, std::uint32_t number, std::int64_t now) {
        join_those_due(pairs, now);
        append(pairs, number);
    }

    /// For a queue pair in no send queue that may send at QueuePair::next_start.
    void wait(std::vector<QueuePair>& pairs, std::uint32_t number);

    /// Appends those whose start time has come.
    void join_those_due(std::vector<QueuePair>& pairs, std::int64_t now);

    /// The queue pair to be served, or none.
    std::uint32_t first() const { return head_; }

    /// Removes the first.
    void leave(std::vector<QueuePair>& pairs) {
        QueuePair& pair = pairs[head_];
        pair.place = QueuePair::Place::Nowhere;
        head_ = pair.next_ready;
    }

    /// Removes all, and adds them to `numbers`: those in the round robin, then the waiting ones by
    /// time.
    void empty(std::vector<QueuePair>& pairs, std::vector<std::uint32_t>& numbers);

    /// Earliest start time of a waiting queue pair, or never.
    std::int64_t next_time() const { return waiting_.empty() ? never : waiting_.front().at; }

    void scan(const std::vector<QueuePair>& pairs, engine::StateScan& scan);

private:
    struct Waiting {
        std::int64_t at;       ///< start time
        std::uint64_t key;     ///< of the queue pair
        std::uint32_t number;  ///< of the queue pair

        /// Reversed, so that the earliest is on top of the heap.
        bool operator<(const Waiting& other) const {
            return at != other.at ? at > other.at : key > other.key;
        }
    };

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

    std::uint32_t head_ = none;
    std::uint32_t tail_ = none;     ///< valid where there is a head
    std::vector<Waiting> waiting_;  ///< a heap, the earliest on top
};

}  // namespace npunet::packet
