#include "engine/clock/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <random>
#include <tuple>

namespace npunet::engine::event_queue_test {
namespace {

/// Notes when it was called with what, and does what a test wants besides.
struct Recorder final : EventHandler {
    explicit Recorder(EventQueue& its_queue) : queue(its_queue) {}

    void handle(std::uint64_t payload) override {
        payloads.push_back(payload);
        times.push_back(queue.now());
        if (then) {
            then(payload);
        }
    }

    EventQueue& queue;
    std::vector<std::uint64_t> payloads;
    std::vector<Time> times;
    std::function<void(std::uint64_t)> then;
};

using Payloads = std::vector<std::uint64_t>;

TEST(EventQueue, HandlesEventsInOrderOfTime) {
    EventQueue queue;
    Recorder recorder(queue);
    queue.schedule(Time::ns(3), EventKey(), recorder, 3);
    queue.schedule(Time::ns(1), EventKey(), recorder, 1);
    queue.schedule(Time::ps(1001), EventKey(), recorder, 2);
    EXPECT_EQ(queue.next_time(), Time::ns(1));
    queue.run();
    EXPECT_EQ(recorder.payloads, (Payloads{1, 2, 3}));
    EXPECT_EQ(recorder.times, (std::vector<Time>{Time::ns(1), Time::ps(1001), Time::ns(3)}));
    EXPECT_EQ(queue.now(), Time::ns(3));
    EXPECT_EQ(queue.handled(), 3u);
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.next_time(), Time::max());
}

/// Three phases, two kinds, three contents: 18 events of one instant, in their lawful order.
std::vector<EventKey> keys_in_order() {
    std::vector<EventKey> keys;
    for (const Phase phase : {Phase::Arrival, Phase::Issue, Phase::Arbitration}) {
        for (const unsigned kind : {0U, 15U}) {
            for (const std::uint64_t content :
                 {std::uint64_t{0}, std::uint64_t{7}, (std::uint64_t{1} << 58) - 1}) {
                keys.push_back(EventKey::of(phase, kind, content));
            }
        }
    }
    return keys;
}

// The order of an instant is (phase, kind, content), whatever the order of insertion.
TEST(EventQueue, OrdersAnInstantByPhaseKindAndContent) {
    const std::vector<EventKey> keys = keys_in_order();
    Payloads expected(keys.size());
    std::iota(expected.begin(), expected.end(), std::uint64_t{0});
    std::mt19937_64 random(3);
    for (int repetition = 0; repetition < 50; ++repetition) {
        Payloads shuffled = expected;
        std::shuffle(shuffled.begin(), shuffled.end(), random);
        EventQueue queue;
        Recorder recorder(queue);
        for (const std::uint64_t index : shuffled) {
            queue.schedule(Time::ns(1), keys[index], recorder, index);
        }
        queue.run();
        EXPECT_EQ(recorder.payloads, expected);
    }
}

// Of an instant with all 18 keys those below the one with number n are the first n, whatever is
// inserted meanwhile; those of earlier instants come before.
TEST(EventQueue, RunBeforeStopsWithinAnInstant) {
    const std::vector<EventKey> keys = keys_in_order();
    for (std::size_t n = 0; n < keys.size(); ++n) {
        EventQueue queue;
        Recorder recorder(queue);
        recorder.then = [&](std::uint64_t payload) {
            if (payload == 100) {
                queue.schedule(Time::ns(2), keys[0], recorder, 0);
            }
        };
        for (std::size_t i = keys.size(); i > 1; --i) {
            queue.schedule(Time::ns(2), keys[i - 1], recorder, i - 1);
        }
        queue.schedule(Time::ns(1), EventKey(), recorder, 100);
        queue.run_before(Time::ns(2), keys[n]);
        Payloads expected{100};
        for (std::size_t i = 0; i < n; ++i) {
            expected.push_back(i);
        }
        EXPECT_EQ(recorder.payloads, expected);
        queue.schedule(Time::ns(9), EventKey(), recorder, 9);
    }
}

// An event that is being handled has phase and kind of its key; code from outside comes before an
// instant that has not begun, and after one that is over.
TEST(EventQueue, KnowsItsPositionInTheInstant) {
    EventQueue queue;
    Recorder recorder(queue);
    const auto equal = [](EventKey a, EventKey b) { return !(a < b) && !(b < a); };
    const EventKey issue = EventKey::of(Phase::Issue, 3, 0);
    recorder.then = [&](std::uint64_t) { EXPECT_TRUE(equal(queue.position(), issue)); };
    EXPECT_TRUE(equal(queue.position(), EventKey()));
    queue.schedule(Time::ns(1), EventKey::of(Phase::Issue, 3, 77), recorder);
    queue.run_instant();
    EXPECT_TRUE(EventKey::of(Phase::Arbitration, 15, (std::uint64_t{1} << 58) - 1) <
                queue.position());
    queue.advance(Time::ns(2));
    EXPECT_TRUE(equal(queue.position(), EventKey()));
}

TEST(EventQueue, RunsTheFirstScheduledFirstInInsertionOrder) {
    EventQueue queue(EventQueue::Order::Insertion);
    Recorder recorder(queue);
    queue.schedule(Time::ns(1), EventKey::of(Phase::Arbitration, 9, 9), recorder, 1);
    queue.schedule(Time::ns(1), EventKey::of(Phase::Arrival, 0, 0), recorder, 2);
    queue.schedule(Time(), EventKey::of(Phase::Issue, 0, 0), recorder, 0);
    queue.schedule(Time::ns(1), EventKey::of(Phase::Arrival, 0, 0), recorder, 3);
    queue.run();
    EXPECT_EQ(recorder.payloads, (Payloads{0, 1, 2, 3}));
}

// What an event schedules for its own instant still belongs to the instant.
TEST(EventQueue, RunInstantHandlesWhatIsScheduledMeanwhile) {
    EventQueue queue;
    Recorder recorder(queue);
    recorder.then = [&](std::uint64_t payload) {
        if (payload == 1) {
            queue.schedule(queue.now(), EventKey::of(Phase::Issue, 0, 0), recorder, 2);
            queue.schedule(queue.now() + Time::ps(1), EventKey(), recorder, 3);
        }
    };
    queue.schedule(Time::ns(1), EventKey(), recorder, 1);
    queue.run_instant();
    EXPECT_EQ(recorder.payloads, (Payloads{1, 2}));
    EXPECT_EQ(queue.now(), Time::ns(1));
    queue.run_instant();
    EXPECT_EQ(recorder.payloads, (Payloads{1, 2, 3}));
    queue.run_instant();
    EXPECT_EQ(queue.handled(), 3u);
}

TEST(EventQueue, AdvanceMovesTheClockAlone) {
    EventQueue queue;
    Recorder recorder(queue);
    queue.schedule(Time::ns(5), EventKey(), recorder);
    queue.advance(Time::ns(5));
    EXPECT_EQ(queue.now(), Time::ns(5));
    EXPECT_TRUE(recorder.payloads.empty());
}

// The waker must hear of every new earliest time, and only then, and not while events are handled:
// their driver asks for next_time() afterwards anyway.
TEST(EventQueue, WakesItsDriverForANewEarliestEvent) {
    EventQueue queue;
    Recorder recorder(queue);
    Recorder waker(queue);
    queue.set_waker(&waker);
    queue.schedule(Time::ns(5), EventKey(), recorder);
    EXPECT_EQ(waker.payloads.size(), 1u);
    queue.schedule(Time::ns(5), EventKey(), recorder);
    queue.schedule(Time::ns(6), EventKey(), recorder);
    EXPECT_EQ(waker.payloads.size(), 1u);
    queue.schedule(Time::ns(4), EventKey(), recorder);
    EXPECT_EQ(waker.payloads.size(), 2u);

    recorder.then = [&](std::uint64_t) {
        if (queue.now() == Time::ns(4)) {
            queue.schedule(Time::ps(4500), EventKey(), recorder);
        }
    };
    queue.run_instant();
    EXPECT_EQ(queue.next_time(), Time::ps(4500));
    EXPECT_EQ(waker.payloads.size(), 2u);
}

/// Makes every event schedule up to three later ones, and returns the order in which they ran.
Payloads run_tree(bool shuffled, std::uint64_t seed) {
    EventQueue queue;
    Recorder recorder(queue);
    if (shuffled) {
        queue.shuffle_insertions(seed);
    }
    recorder.then = [&](std::uint64_t payload) {
        for (std::uint64_t child = 3 * payload + 1; child <= 3 * payload + 3 && child < 500;
             ++child) {
            queue.schedule(queue.now() + Time::ps(static_cast<std::int64_t>(child % 4)),
                           EventKey::of(Phase::Issue, 0, child), recorder, child);
        }
    };
    queue.schedule(Time(), EventKey(), recorder, 0);
    queue.run();
    return recorder.payloads;
}

// From within an instant: what is left of it and all that is later, in order; and others in place
// of them, of which those of the present instant come in the order of their keys, too.
TEST(EventQueue, PendingEventsCanBeReplaced) {
    EventQueue queue;
    Recorder recorder(queue);
    const auto key = [](std::uint64_t content) { return EventKey::of(Phase::Issue, 0, content); };
    const auto payloads = [&queue] {
        Payloads result;
        for (const EventQueue::Pending& event : queue.pending()) {
            result.push_back(event.payload);
        }
        return result;
    };
    for (const std::uint64_t content : {3, 1, 2}) {
        queue.schedule(Time::ns(5), key(content), recorder, content);
        queue.schedule(Time::ns(9), key(content), recorder, 10 + content);
    }
    EXPECT_EQ(payloads(), (Payloads{1, 2, 3, 11, 12, 13}));
    recorder.then = [&](std::uint64_t payload) {
        if (payload != 1) {
            return;
        }
        queue.schedule(Time::ns(5), EventKey::of(Phase::Arrival, 0, 7), recorder, 7);
        EXPECT_EQ(payloads(), (Payloads{7, 2, 3, 11, 12, 13}));
        std::vector<EventQueue::Pending> events = queue.pending();
        for (EventQueue::Pending& event : events) {
            event.at = event.payload == 3 ? event.at : event.at + Time::ns(100);
        }
        events.push_back({Time::ns(5), key(2), &recorder, 20});
        queue.replace_pending(events);
        queue.schedule(Time::ns(109), key(0), recorder, 10);
    };
    queue.run();
    EXPECT_EQ(recorder.payloads, (Payloads{1, 20, 3, 7, 2, 10, 11, 12, 13}));
    EXPECT_EQ(recorder.times[3], Time::ns(105));
    EXPECT_EQ(recorder.times.back(), Time::ns(109));
}

/// Returns true this many times.
struct CountingWatch final : QueueWatch {
    explicit CountingWatch(std::uint64_t yes) : left(yes) {}

    bool goes_on() override {
        ++questions;
        return left-- > 0;
    }

    std::uint64_t left;
    std::uint64_t questions = 0;
};

// In an instant of a million events, with handlers that count much work, and in a chain of
// instants; after the first false no event is handled and the watch is not called again.
TEST(EventQueue, AsksItsWatchOftenAndStopsAtTheFirstNo) {
    constexpr std::uint64_t events = 1'000'000;
    for (const bool at_once : {true, false}) {
        for (const std::uint64_t yes : {0, 3}) {
            EventQueue queue;
            Recorder recorder(queue);
            for (std::uint64_t i = 0; i < events; ++i) {
                queue.schedule(at_once ? Time::ns(1) : Time::ps(static_cast<std::int64_t>(i)),
                               EventKey::of(Phase::Arrival, 0, i), recorder);
            }
            CountingWatch watch(yes);
            queue.set_watch(&watch);
            queue.run();
            EXPECT_TRUE(queue.stopped());
            EXPECT_TRUE(queue.empty());
            EXPECT_EQ(watch.questions, yes + 1);
            EXPECT_LE(queue.handled(), (yes + 1) * EventQueue::most_between_questions);
            queue.set_watch(nullptr);
            EXPECT_FALSE(queue.goes_on());
        }
    }
    EventQueue queue;
    Recorder recorder(queue);
    CountingWatch watch(5);
    queue.set_watch(&watch);
    // One event that does the work of many, calls goes_on() meanwhile, and is told to stop.
    recorder.then = [&](std::uint64_t) {
        std::uint64_t rounds = 0;
        for (; rounds < events && queue.goes_on(); ++rounds) {
            queue.count_handled(1000);
        }
        EXPECT_LE(rounds * 1000, 6 * EventQueue::most_between_questions);
        queue.schedule(queue.now(), EventKey(), recorder);
    };
    queue.schedule(Time(), EventKey(), recorder);
    queue.run();
    EXPECT_EQ(recorder.payloads.size(), 1U);
    EXPECT_EQ(watch.questions, 6U);
}

TEST(EventQueue, ShuffledInsertionsGiveTheSameOrder) {
    const Payloads expected = run_tree(false, 0);
    EXPECT_EQ(expected.size(), 500u);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        EXPECT_EQ(run_tree(true, seed), expected);
    }
}

// The 4-ary heap against the standard library's: 100 000 random events, a third of them taken out
// in between, many at equal times. Keys are unique, so there is one right order.
TEST(EventQueue, AgreesWithAPriorityQueue) {
    using Entry = std::tuple<std::int64_t, std::uint64_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> reference;
    EventQueue queue;
    Recorder recorder(queue);
    Payloads expected;
    std::mt19937_64 random(11);
    const auto take_reference_instant = [&] {
        const std::int64_t instant = std::get<0>(reference.top());
        while (!reference.empty() && std::get<0>(reference.top()) == instant) {
            expected.push_back(std::get<1>(reference.top()));
            reference.pop();
        }
    };
    for (std::uint64_t event = 0; event < 100'000; ++event) {
        const std::int64_t at = queue.now().ps() + static_cast<std::int64_t>(random() % 1000);
        // An odd multiplier permutes 58-bit numbers: unique keys in a wild order.
        const std::uint64_t content =
            (event * 0x9E3779B97F4A7C15U) & ((std::uint64_t{1} << 58) - 1);
        queue.schedule(Time::ps(at), EventKey::of(Phase::Arrival, 0, content), recorder, content);
        reference.emplace(at, content);
        if (random() % 3 == 0) {
            queue.run_instant();
            take_reference_instant();
        }
        if (queue.empty()) {
            ASSERT_TRUE(reference.empty());
        }
    }
    queue.run();
    while (!reference.empty()) {
        take_reference_instant();
    }
    EXPECT_EQ(recorder.payloads, expected);
    EXPECT_EQ(queue.handled(), 100'000u);
}

}  // namespace
}  // namespace npunet::engine::event_queue_test
