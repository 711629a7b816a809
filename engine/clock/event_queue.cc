#include "engine/clock/event_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

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

EventQueue::EventQueue(Order order)
    : lately_(std::size_t{1} << cache_bits, Instant{Time(), none}), order_(order) {}

void EventQueue::push_instant(Time at, std::uint32_t first) {
    const Instant instant{at, first};
    std::size_t hole = instants_.size();
    instants_.push_back(instant);
    while (hole > 0) {
        const std::size_t parent = (hole - 1) / 4;
        if (!(at < instants_[parent].at)) {
            break;
        }
        instants_[hole] = instants_[parent];
        hole = parent;
    }
    instants_[hole] = instant;
}

EventQueue::Instant EventQueue::pop_instant() {
    const Instant top = instants_.front();
    const Instant last = instants_.back();
    instants_.pop_back();
    const std::size_t size = instants_.size();
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
            if (instants_[child].at < instants_[least].at) {
                least = child;
            }
        }
        if (!(instants_[least].at < last.at)) {
            break;
        }
        instants_[hole] = instants_[least];
        hole = least;
    }
    instants_[hole] = last;
    return top;
}

void EventQueue::schedule_anew(Time at, const Event& event) {
    if (at == Time::max()) {
        throw StallError(fmt::format(
            "at {} the next event lies beyond the end of the clock, 106 days of simulated "
            "time; look for durations, sizes or rates of a wrong unit",
            format_time(now_)));
    }
    if (shuffling_ && handling_) {
        delayed_.push_back({at, event});
        return;
    }
    const bool earliest = waker_ != nullptr && !handling_ && at < next_time();
    insert(at, event);
    if (earliest) {
        waker_->handle(0);
    }
}

void EventQueue::insert(Time at, const Event& event) {
    if (handling_ && at == now_) {
        insert_into_present(event);
        return;
    }
    const std::uint32_t node = new_node(event);
    // A line of the cache that holds the time holds a list that is still to come: lists that were
    // opened have earlier times.
    Instant& line = lately_[line_of(at)];
    if (line.at == at && line.first != none) {
        Node& first = nodes_[line.first];
        nodes_[first.last].next = node;
        first.last = node;
        return;
    }
    nodes_[node].last = node;
    push_instant(at, node);
    line = {at, node};
}

void EventQueue::insert_into_present(const Event& event) {
    if (next_ == none || !(event.key < nodes_[last_].event.key)) {
        const std::uint32_t node = new_node(event);
        (next_ == none ? next_ : nodes_[last_].next) = node;
        last_ = node;
        return;
    }
    late_.push_back(event);
    std::push_heap(late_.begin(), late_.end(),
                   [](const Event& a, const Event& b) { return b.key < a.key; });
}

void EventQueue::advance(Time to) {
    assert(to >= now_ && to <= next_time());
    now_ = to;
}

void EventQueue::open_instant() {
    now_ = instants_.front().at;
    Instant& line = lately_[line_of(now_)];
    if (line.at == now_) {
        line.first = none;
    }
    next_ = pop_instant().first;
    last_ = nodes_[next_].last;
    while (!instants_.empty() && instants_.front().at == now_) {
        const std::uint32_t more = pop_instant().first;
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
    for (const Instant& instant : instants_) {
        for (std::uint32_t node = instant.first; node != none; node = nodes_[node].next) {
            add(instant.at, nodes_[node].event);
        }
    }
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
    std::fill(lately_.begin(), lately_.end(), Instant{Time(), none});
    for (const Pending& event : events) {
        assert(event.at >= now_);
        insert(event.at, {event.key, event.handler, event.payload});
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
    shuffler_.seed(seed);
}

void EventQueue::flush_shuffled() {
    std::shuffle(delayed_.begin(), delayed_.end(), shuffler_);
    for (const Delayed& delayed : delayed_) {
        insert(delayed.at, delayed.event);
    }
    delayed_.clear();
}

}  // namespace npunet::engine
