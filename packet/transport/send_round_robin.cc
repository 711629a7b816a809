#include "packet/transport/send_round_robin.h"

#include <algorithm>

namespace npunet::packet {

void SendRoundRobin::wait(std::vector<QueuePair>& pairs, std::uint32_t number) {
    QueuePair& pair = pairs[number];
    pair.place = QueuePair::Place::Paced;
    waiting_.push_back({pair.next_start, pair.key, number});
    std::push_heap(waiting_.begin(), waiting_.end());
}

void SendRoundRobin::join_those_due(std::vector<QueuePair>& pairs, std::int64_t now) {
    while (next_time() <= now) {
        std::pop_heap(waiting_.begin(), waiting_.end());
        const std::uint32_t number = waiting_.back().number;
        waiting_.pop_back();
        append(pairs, number);
    }
}

void SendRoundRobin::empty(std::vector<QueuePair>& pairs, std::vector<std::uint32_t>& numbers) {
    while (head_ != none) {
        numbers.push_back(head_);
        leave(pairs);
    }
    std::sort(waiting_.begin(), waiting_.end());
    for (auto waiting = waiting_.rbegin(); waiting != waiting_.rend(); ++waiting) {
        numbers.push_back(waiting->number);
        pairs[waiting->number].place = QueuePair::Place::Nowhere;
    }
    waiting_.clear();
}

void SendRoundRobin::scan(const std::vector<QueuePair>& pairs, engine::StateScan& scan) {
    for (std::uint32_t number = head_; number != none; number = pairs[number].next_ready) {
        scan.same(std::int64_t{number});
    }
    scan.same(std::int64_t{-1});
    if (!scan.moves()) {
        // The order within a heap depends on its history; sorted, it is still a heap.
        std::sort_heap(waiting_.begin(), waiting_.end());
        std::reverse(waiting_.begin(), waiting_.end());
    }
    for (Waiting& waiting : waiting_) {
        scan.same(std::int64_t{waiting.number});
        scan.ahead(waiting.at);
    }
    scan.same(std::int64_t{-1});
}

}  // namespace npunet::packet
