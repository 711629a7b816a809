// The clock of a simulation: a queue of events in simulated time, without allocation per event.
//
// The order of simultaneous events comes from their content, never from the order in which they
// were scheduled: events are sorted by (time, key), and a key is made of the phase of the instant,
// the kind of the event and what it is about (EventKey). Each instant has three phases: deliveries
// and timers, then what the NPUs issue, then the arbitration of the ports. Equal keys mean equal
// events.
//
//     EventQueue queue;
//     queue.schedule(Time::ns(5), EventKey::of(Phase::Arrival, 0, rank.value()), handler, 42);
//     queue.run();                       // calls handler.handle(42) at 5 ns
//
// The astra-sim dialects need their reference's rule instead, first scheduled first run:
// Order::Insertion replaces the content of the key by a counter.
//
// C++17-clean: reached from the ns-3 module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "base/quantities.h"

namespace npunet::engine {

/// The phases of one instant, in order.
enum class Phase : std::uint8_t {
    Arrival,     ///< deliveries, credit returns, timers
    Issue,       ///< NPUs start work, ranks ascending
    Arbitration  ///< ports choose their next packet, ports ascending
};

/// Orders the events of one instant: phase (2 bits), kind (4 bits), content (58 bits).
class EventKey {
public:
    constexpr EventKey() = default;
    /// `content` identifies the event among those of its phase and kind; below 2^58.
    [[nodiscard]] static constexpr EventKey of(Phase phase, unsigned kind, std::uint64_t content) {
        return EventKey((static_cast<std::uint64_t>(phase) << 62) |
                        (static_cast<std::uint64_t>(kind) << 58) | content);
    }
    [[nodiscard]] static constexpr EventKey raw(std::uint64_t value) { return EventKey(value); }
    [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

private:
    constexpr explicit EventKey(std::uint64_t value) : value_(value) {}
    std::uint64_t value_ = 0;
};

/// What happens when an event's time has come.
class EventHandler {
public:
    /// `payload` is what schedule() was given.
    virtual void handle(std::uint64_t payload) = 0;

protected:
    ~EventHandler() = default;
};

class EventQueue {
public:
    enum class Order : std::uint8_t { Content, Insertion };

    explicit EventQueue(Order order = Order::Content) : order_(order) {}
    EventQueue(const EventQueue&) = delete;
    EventQueue& operator=(const EventQueue&) = delete;

    [[nodiscard]] Time now() const { return now_; }
    [[nodiscard]] bool empty() const { return heap_.empty(); }
    [[nodiscard]] Order order() const { return order_; }
    /// When the earliest event is due; Time::max() when there is none.
    [[nodiscard]] Time next_time() const { return empty() ? Time::max() : heap_.front().at; }
    /// Events handled so far.
    [[nodiscard]] std::uint64_t handled() const { return handled_; }

    /// `at` must not lie before now(); `handler` must outlive the event. Returns the place of the
    /// event among those of its instant.
    std::uint64_t schedule(Time at, EventKey key, EventHandler& handler, std::uint64_t payload = 0);

    /// Order::Insertion only: puts an event right behind an earlier one of the same instant, at
    /// place + 1, place + 2, ... (up to 2^20 - 1) of what schedule() returned for that one.
    void schedule_behind(Time at, std::uint64_t place, EventHandler& handler,
                         std::uint64_t payload);

    /// Moves the clock forward without handling events; `to` must not pass next_time().
    void advance(Time to);

    /// Handles every event of the earliest instant, those that it schedules for itself included.
    void run_instant();

    /// Handles events until none is left.
    void run();

    /// Called whenever an event becomes the earliest while no event is being handled: a driver
    /// (ns-3's simulator) must then wake this queue at next_time().
    void set_waker(EventHandler* waker) { waker_ = waker; }

    /// For tests: inserts the events that one handler schedules in random order, and breaks ties of
    /// equal keys at random. Results must not change.
    void shuffle_insertions(std::uint64_t seed);

private:
    struct Event {
        Time at;
        std::uint64_t key;
        EventHandler* handler;
        std::uint64_t payload;
    };

    static bool before(const Event& a, const Event& b) {
        return a.at < b.at || (a.at == b.at && a.key < b.key);
    }
    void insert(const Event& event);
    void push(const Event& event);
    Event pop();
    void handle_earliest();
    void flush_shuffled();

    std::vector<Event> heap_;  ///< 4-ary min-heap by (at, key)
    Time now_;
    Order order_;
    std::uint64_t inserted_ = 0;
    std::uint64_t handled_ = 0;
    bool handling_ = false;
    EventHandler* waker_ = nullptr;
    bool shuffling_ = false;
    std::mt19937_64 shuffler_;
    std::vector<Event> delayed_;
};

}  // namespace npunet::engine
