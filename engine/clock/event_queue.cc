#include "engine/clock/event_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/errors.h"
#include "base/units.h"

namespace npunet::engine {

namespace {

/// Sets a flag for as long as it lives: also when a handler throws.
class Flag {
public:
    explicit Flag(bool& flag) : flag_(flag) { flag_ = true; }
    ~Flag() { flag_ = false; }
    Flag(const Flag&) = delete;
    Flag& operator=(const Flag&) = delete;

private:
    bool& flag_;
};

/// Phase and kind of an event.
std::uint8_t kind_of(EventKey key) {
    return static_cast<std::uint8_t>(key.major() >> 58);
}

}  // namespace

EventQueue::EventQueue(Order order) : order_(order) {
    special_ = is_special();
}

void EventQueue::schedule_specially(Time at, std::uint32_t node) {
    if (at == Time::max()) {
        refuse_late();
    }
    if (order_ == Order::Insertion) {
        nodes_[node].event.key = EventKey(inserted_++, 0);
    }
    if (shuffling_ && handling_) {
        delayed_.push_back({at, nodes_[node].event});
        give_back(node);
        return;
    }
    const bool earliest = waker_ != nullptr && !handling_ && at < next_time();
    insert(at, node);
    if (earliest) {
        waker_->handle(0);
    }
}

void EventQueue::refuse_late() const {
    throw StallError(fmt::format(
        "at {} the next event lies beyond the end of the clock, 106 days of simulated time; look "
        "for durations, sizes or rates of a wrong unit",
        format_time(now_)));
}

void EventQueue::insert_into_present(std::uint32_t node) {
    const Event& event = nodes_[node].event;
    if (next_ == none || !(event.key < nodes_[last_].event.key)) {
        (next_ == none ? next_ : nodes_[last_].next) = node;
        last_ = node;
        return;
    }
    late_.push_back(event);
    std::push_heap(late_.begin(), late_.end(),
                   [](const Event& a, const Event& b) { return b.key < a.key; });
    give_back(node);
}

void EventQueue::advance(Time to) {
    assert(to >= now_ && to <= next_time());
    now_ = to;
}

void EventQueue::open_instant() {
    now_ = instants_.next();
    next_ = instants_.pop();
    last_ = nodes_[next_].last;
    while (instants_.next() == now_) {
        const std::uint32_t more = instants_.pop();
        nodes_[last_].next = more;
        last_ = nodes_[more].last;
    }
    for (std::uint32_t node = next_; node != last_; node = nodes_[node].next) {
        if (nodes_[nodes_[node].next].event.key < nodes_[node].event.key) {
            sort_present();
            return;
        }
    }
}

void EventQueue::sort_present() {
    if (nodes_[next_].next == last_) {
        std::swap(nodes_[next_].event, nodes_[last_].event);
        return;
    }
    sorting_.clear();
    for (std::uint32_t node = next_; node != none; node = nodes_[node].next) {
        sorting_.push_back(nodes_[node].event);
    }
    std::sort(sorting_.begin(), sorting_.end(),
              [](const Event& a, const Event& b) { return a.key < b.key; });
    std::uint32_t node = next_;
    for (const Event& event : sorting_) {
        nodes_[node].event = event;
        node = nodes_[node].next;
    }
}

EventQueue::Event EventQueue::take_next() {
    if (late_.empty() || (next_ != none && nodes_[next_].event.key < late_.front().key)) {
        const std::uint32_t node = next_;
        next_ = nodes_[node].next;
        const Event event = nodes_[node].event;
        give_back(node);
        return event;
    }
    const Event event = late_.front();
    std::pop_heap(late_.begin(), late_.end(),
                  [](const Event& a, const Event& b) { return b.key < a.key; });
    late_.pop_back();
    return event;
}

bool EventQueue::arrival_is_next() const {
    constexpr std::uint64_t first_issue = std::uint64_t{1} << 62;
    return (next_ != none && nodes_[next_].event.key.major() < first_issue) ||
           (!late_.empty() && late_.front().key.major() < first_issue);
}

void EventQueue::take_turn() {
    if (shuffling_ && turns_.size() > 1) {
        std::swap(turns_.back(), turns_[shuffler_() % turns_.size()]);
    }
    EventHandler* const taker = turns_.back();
    turns_.pop_back();
    taker->handle(0);
}

void EventQueue::handle_instant() {
    open_instant();
    over_ = true;
    over_at_ = now_;
    for (;;) {
        if (!turns_.empty() && !arrival_is_next()) {
            take_turn();
        } else if (next_ != none && late_.empty()) {
            const std::uint32_t node = next_;
            const Event& event = nodes_[node].event;
            EventHandler& handler = *event.handler;
            const std::uint64_t payload = event.payload;
            handled_kind_ = kind_of(event.key);
            next_ = nodes_[node].next;
            give_back(node);
            ++handled_;
            handler.handle(payload);
        } else if (instant_has_more()) {
            const Event event = take_next();
            handled_kind_ = kind_of(event.key);
            ++handled_;
            event.handler->handle(event.payload);
        } else {
            return;
        }
        if (shuffling_) {
            flush_shuffled();
        }
        if (!goes_on()) {
            stop();
            return;
        }
    }
}

void EventQueue::run_instant() {
    if (empty()) {
        return;
    }
    const Flag handling(handling_);
    handle_instant();
}

void EventQueue::run() {
    const Flag handling(handling_);
    while (!empty()) {
        handle_instant();
    }
}

void EventQueue::run_before(Time at, EventKey key) {
    const Flag handling(handling_);
    while (!empty() && next_time() < at) {
        handle_instant();
    }
    if (empty() || at < next_time()) {
        return;
    }
    open_instant();
    while (instant_has_more()) {
        const bool late =
            next_ == none || (!late_.empty() && late_.front().key < nodes_[next_].event.key);
        if (!((late ? late_.front() : nodes_[next_].event).key < key)) {
            return;
        }
        const Event event = take_next();
        handled_kind_ = kind_of(event.key);
        ++handled_;
        event.handler->handle(event.payload);
        if (!goes_on()) {
            stop();
        }
    }
}

std::vector<EventQueue::Pending> EventQueue::pending() const {
    std::vector<Pending> events;
    const auto add = [&events](Time at, const Event& event) {
        events.push_back({at, event.key, event.handler, event.payload});
    };
    for (std::uint32_t node = next_; node != none; node = nodes_[node].next) {
        add(now_, nodes_[node].event);
    }
    for (const Event& event : late_) {
        add(now_, event);
    }
    instants_.for_each([&](Time at, std::uint32_t first) {
        for (std::uint32_t node = first; node != none; node = nodes_[node].next) {
            add(at, nodes_[node].event);
        }
    });
    std::sort(events.begin(), events.end(), [](const Pending& a, const Pending& b) {
        return a.at != b.at ? a.at < b.at : a.key < b.key;
    });
    return events;
}

void EventQueue::replace_pending(const std::vector<Pending>& events) {
    assert(turns_.empty() && delayed_.empty());
    instants_.clear();
    nodes_.clear();
    free_ = none;
    next_ = none;
    last_ = none;
    late_.clear();
    for (const Pending& event : events) {
        assert(event.at >= now_);
        insert(event.at, new_node(event.key, *event.handler, event.payload));
    }
}

void EventQueue::stop() {
    stopped_ = true;
    turns_.clear();
    delayed_.clear();
    replace_pending({});
}

void EventQueue::set_watch(QueueWatch* watch) {
    watch_ = watch;
    ask_at_ = refused_ ? 0 : watch == nullptr ? never : handled_ + between_questions;
}

bool EventQueue::ask_watch() {
    refused_ = refused_ || (watch_ != nullptr && !watch_->goes_on());
    set_watch(watch_);
    return !refused_;
}

void EventQueue::shuffle_insertions(std::uint64_t seed) {
    shuffling_ = true;
    special_ = is_special();
    shuffler_.seed(seed);
}

void EventQueue::flush_shuffled() {
    std::shuffle(delayed_.begin(), delayed_.end(), shuffler_);
    for (const Delayed& delayed : delayed_) {
        const Event& event = delayed.event;
        insert(delayed.at, new_node(event.key, *event.handler, event.payload));
    }
    delayed_.clear();
}

}  // namespace npunet::engine
