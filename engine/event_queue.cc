#include "engine/event_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/errors.h"
#include "base/units.h"

namespace npunet::engine {

void EventQueue::push(const Event& event) {
    std::size_t hole = heap_.size();
    heap_.push_back(event);
    while (hole > 0) {
        const std::size_t parent = (hole - 1) / 4;
        if (!before(event, heap_[parent])) {
            break;
        }
        heap_[hole] = heap_[parent];
        hole = parent;
    }
    heap_[hole] = event;
}

EventQueue::Event EventQueue::pop() {
    const Event top = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) {
        return top;
    }
    std::size_t hole = 0;
    for (;;) {
        const std::size_t first = 4 * hole + 1;
        if (first >= size) {
            break;
        }
        std::size_t least = first;
        const std::size_t end = std::min(first + 4, size);
        for (std::size_t child = first + 1; child < end; ++child) {
            if (before(heap_[child], heap_[least])) {
                least = child;
            }
        }
        if (!before(heap_[least], last)) {
            break;
        }
        heap_[hole] = heap_[least];
        hole = least;
    }
    heap_[hole] = last;
    return top;
}

std::uint64_t EventQueue::schedule(Time at, EventKey key, EventHandler& handler,
                                   std::uint64_t payload) {
    // Insertion order leaves room behind every event for schedule_behind().
    constexpr unsigned room_bits = 20;
    const std::uint64_t place = order_ == Order::Insertion ? inserted_++ << room_bits : key.value();
    insert({at, place, &handler, payload});
    return place;
}

void EventQueue::schedule_behind(Time at, std::uint64_t place, EventHandler& handler,
                                 std::uint64_t payload) {
    assert(order_ == Order::Insertion);
    insert({at, place, &handler, payload});
}

void EventQueue::insert(const Event& event) {
    assert(event.at >= now_ && "an event cannot lie in the past");
    if (event.at == Time::max()) {
        throw StallError(fmt::format(
            "at {} the next event lies beyond the end of the clock, 106 days of simulated "
            "time; look for durations, sizes or rates of a wrong unit",
            format_time(now_)));
    }
    if (shuffling_ && handling_) {
        delayed_.push_back(event);
        return;
    }
    const bool earliest = event.at < next_time();
    push(event);
    if (earliest && !handling_ && waker_ != nullptr) {
        waker_->handle(0);
    }
}

void EventQueue::advance(Time to) {
    assert(to >= now_ && to <= next_time());
    now_ = to;
}

void EventQueue::handle_earliest() {
    const Event event = pop();
    now_ = event.at;
    ++handled_;
    event.handler->handle(event.payload);
    if (shuffling_) {
        flush_shuffled();
    }
}

void EventQueue::run_instant() {
    if (empty()) {
        return;
    }
    const Time instant = next_time();
    handling_ = true;
    while (!empty() && next_time() == instant) {
        handle_earliest();
    }
    handling_ = false;
}

void EventQueue::run() {
    handling_ = true;
    while (!empty()) {
        handle_earliest();
    }
    handling_ = false;
}

void EventQueue::shuffle_insertions(std::uint64_t seed) {
    shuffling_ = true;
    shuffler_.seed(seed);
}

void EventQueue::flush_shuffled() {
    // Equal keys then come out in an order that depends on the heap's shape, that is, on chance.
    std::shuffle(delayed_.begin(), delayed_.end(), shuffler_);
    for (const Event& event : delayed_) {
        push(event);
    }
    delayed_.clear();
}

}  // namespace npunet::engine
