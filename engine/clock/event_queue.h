// The clock of a simulation: a queue of events in simulated time, without allocation per event.
//
// Simulated machines are regular: often many events share an instant. The queue keeps instants
// (InstantQueue), each with a list of its events in a pool. When an instant comes, its events are
// put in order once.
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

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "base/quantities.h"
#include "engine/clock/instant_queue.h"

namespace npunet::engine {

/// The phases of one instant, in order.
enum class Phase : std::uint8_t {
    Arrival,     ///< deliveries, credit returns, timers
    Issue,       ///< NPUs start work, ranks ascending
    Arbitration  ///< ports choose their next packet, ports ascending
};

/// Orders the events of one instant: phase (2 bits), kind (4 bits), content (58 bits), and a second
/// word of content where one is not enough. Events with equal keys must commute.
class EventKey {
public:
    constexpr EventKey() = default;
    /// `content` identifies the event among those of its phase and kind; below 2^58.
    [[nodiscard]] static constexpr EventKey of(Phase phase, unsigned kind, std::uint64_t content,
                                               std::uint64_t minor = 0) {
        return EventKey((static_cast<std::uint64_t>(phase) << 62) |
                            (static_cast<std::uint64_t>(kind) << 58) | content,
                        minor);
    }
    [[nodiscard]] constexpr std::uint64_t major() const { return major_; }
    [[nodiscard]] constexpr std::uint64_t minor() const { return minor_; }
    friend constexpr bool operator<(EventKey a, EventKey b) {
        return a.major_ < b.major_ || (a.major_ == b.major_ && a.minor_ < b.minor_);
    }

private:
    friend class EventQueue;
    constexpr EventKey(std::uint64_t major, std::uint64_t minor) : major_(major), minor_(minor) {}
    std::uint64_t major_ = 0;
    std::uint64_t minor_ = 0;
};

/// What happens when an event's time has come.
class EventHandler {
public:
    /// `payload` is what schedule() was given.
    virtual void handle(std::uint64_t payload) = 0;

protected:
    ~EventHandler() = default;
};

/// Called at least every most_between_questions events; false stops the queue.
class QueueWatch {
public:
    virtual bool goes_on() = 0;

protected:
    ~QueueWatch() = default;
};

class EventQueue {
public:
    enum class Order : std::uint8_t { Content, Insertion };

    /// Most events between two calls of the watch, including those that handlers count themselves.
    /// The queue itself calls it a few times as often.
    static constexpr std::uint64_t most_between_questions = std::uint64_t{1} << 16;

    explicit EventQueue(Order order = Order::Content);
    EventQueue(const EventQueue&) = delete;
    EventQueue& operator=(const EventQueue&) = delete;

    [[nodiscard]] Time now() const { return now_; }
    [[nodiscard]] bool empty() const { return instants_.empty() && !instant_has_more(); }
    [[nodiscard]] Order order() const { return order_; }
    /// Nothing is being handled, and the present instant is over: what comes now comes after it.
    [[nodiscard]] bool instant_is_over() const { return !handling_ && over_ && over_at_ == now_; }
    /// When the earliest event is due; Time::max() when there is none.
    [[nodiscard]] Time next_time() const { return instant_has_more() ? now_ : instants_.next(); }
    /// Nothing else is to happen in the instant being handled.
    [[nodiscard]] bool instant_is_done() const { return !instant_has_more() && turns_.empty(); }
    /// Whether an event with a lower key is still to come in the instant being handled.
    [[nodiscard]] bool instant_has_before(EventKey key) const {
        return (next_ != none && nodes_[next_].event.key < key) ||
               (!late_.empty() && late_.front().key < key);
    }
    /// Events handled so far.
    [[nodiscard]] std::uint64_t handled() const { return handled_; }

    /// `at` must not lie before now(); `handler` must outlive the event.
    void schedule(Time at, EventKey key, EventHandler& handler, std::uint64_t payload = 0) {
        assert(at >= now_ && "an event cannot lie in the past");
        const std::uint32_t node = new_node(key, handler, payload);
        if (special_) {
            schedule_specially(at, node);
        } else {
            insert(at, node);
        }
    }

    /// Moves the clock forward without handling events; `to` must not pass next_time().
    void advance(Time to);

    /// Handles every event of the earliest instant, those that it schedules for itself included.
    void run_instant();

    /// Handles events until none is left.
    void run();

    /// How far the present instant has come: phase and kind of the event that is being handled;
    /// beyond all keys when the instant is over, and the first key before it has begun.
    /// Order::Content only.
    [[nodiscard]] EventKey position() const {
        constexpr std::uint64_t beyond = ~std::uint64_t{0};
        return handling_           ? EventKey(std::uint64_t{handled_kind_} << 58, 0)
               : instant_is_over() ? EventKey(beyond, beyond)
                                   : EventKey();
    }
    /// Handles the events before those of an instant, and those of that instant with lower keys.
    /// What is left is not handled any more.
    void run_before(Time at, EventKey key);

    /// Handlers may do what they have planned for later before next_time() at once: nothing reads
    /// the clock in between. False while another simulator shares it (ns-3), or the order of events
    /// is shuffled.
    [[nodiscard]] bool may_run_ahead() const { return alone_ && !shuffling_; }
    void set_alone(bool alone) { alone_ = alone; }
    /// Counts what a handler has done besides, each as an event.
    void count_handled(std::uint64_t events) { handled_ += events; }

    /// Lets `taker` act once more in the instant being handled, between its arrivals and everything
    /// else: cheaper than an event. Turns of several takers must commute, and nothing asks for a
    /// second one before the first. Order::Content only.
    void request_turn(EventHandler& taker) { turns_.push_back(&taker); }

    /// Gives up all events that are still to come: the queue is empty, and its run() ends.
    void stop();
    [[nodiscard]] bool stopped() const { return stopped_; }
    /// A watch that is called periodically; must outlive its use. After it has returned false it is
    /// not called again, and the queue stops when the current handler returns.
    void set_watch(QueueWatch* watch);
    /// Null: there is none.
    [[nodiscard]] QueueWatch* watch() const { return watch_; }
    /// Calls the watch if it is due. Handlers that do much work in one event count that work as
    /// handled events, call this, and return early on false: no further event will be handled.
    [[nodiscard]] bool goes_on() { return handled_ < ask_at_ || ask_watch(); }
    /// Counts work towards the next call of the watch, but not as handled events.
    void count_work(std::uint64_t events) { ask_at_ -= events < ask_at_ ? events : ask_at_; }

    /// Called whenever an event becomes the earliest while no event is being handled: a driver
    /// (ns-3's simulator) must then wake this queue at next_time().
    void set_waker(EventHandler* waker) {
        waker_ = waker;
        special_ = is_special();
    }

    /// An event that is still to come.
    struct Pending {
        Time at;
        EventKey key;
        EventHandler* handler = nullptr;
        std::uint64_t payload = 0;
    };
    /// All of them, in the order in which they come. Order::Content only.
    [[nodiscard]] std::vector<Pending> pending() const;
    /// Puts others in their place, none of them in the past.
    void replace_pending(const std::vector<Pending>& events);

    /// For tests: inserts the events that one handler schedules in random order, and breaks ties of
    /// equal keys at random. Results must not change.
    void shuffle_insertions(std::uint64_t seed);

private:
    static constexpr std::uint32_t none = 0xffffffff;
    /// Leaves a margin for work that is counted outside the queue.
    static constexpr std::uint64_t between_questions = most_between_questions / 4;
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    struct Event {
        EventKey key;
        EventHandler* handler = nullptr;
        std::uint64_t payload = 0;
    };
    /// An event in the pool, in the list of its instant; the first one knows the last.
    struct Node {
        Event event;
        std::uint32_t next;
        std::uint32_t last;
    };
    struct Delayed {
        Time at;
        Event event;
    };

    [[nodiscard]] bool instant_has_more() const { return next_ != none || !late_.empty(); }
    std::uint32_t new_node(EventKey key, EventHandler& handler, std::uint64_t payload) {
        if (free_ == none) {
            free_ = static_cast<std::uint32_t>(nodes_.size());
            nodes_.push_back({Event(), none, 0});
        }
        const std::uint32_t number = free_;
        Node& node = nodes_[number];
        free_ = node.next;
        node.next = none;
        // Word by word: the registers of a key are slow to be read together from the stack.
        node.event.key.major_ = key.major_;
        node.event.key.minor_ = key.minor_;
        node.event.handler = &handler;
        node.event.payload = payload;
        return number;
    }
    /// More is to be done for an event than to insert it.
    [[nodiscard]] bool is_special() const {
        return order_ == Order::Insertion || shuffling_ || waker_ != nullptr;
    }
    void schedule_specially(Time at, std::uint32_t node);
    [[noreturn, gnu::cold]] void refuse_late() const;
    void insert(Time at, std::uint32_t node) {
        if (handling_ && at == now_) {
            insert_into_present(node);
            return;
        }
        if (at == Time::max()) {
            refuse_late();
        }
        const std::uint32_t first_node = instants_.join(at, node);
        Node& first = nodes_[first_node];
        if (first_node != node) {
            nodes_[first.last].next = node;
        }
        first.last = node;
    }
    void insert_into_present(std::uint32_t node);
    void give_back(std::uint32_t node) {
        nodes_[node].next = free_;
        free_ = node;
    }
    /// Makes the events of the earliest instant the present ones, in order.
    void open_instant();
    void sort_present();
    Event take_next();
    /// An event of Phase::Arrival is next in the instant being handled.
    [[nodiscard]] bool arrival_is_next() const;
    void take_turn();
    void handle_instant();
    [[gnu::cold]] bool ask_watch();
    void flush_shuffled();

    InstantQueue instants_;  ///< each with the first node of a list of its events
    std::vector<Node> nodes_;
    std::uint32_t free_ = none;   ///< list of unused nodes
    std::uint32_t next_ = none;   ///< the instant being handled: a list, ascending by key,
    std::uint32_t last_ = none;   ///< with its end,
    std::vector<Event> late_;     ///< and what came later with a lower key: a min-heap
    std::vector<Event> sorting_;  ///< sort_present()'s own
    Time now_;
    Order order_;
    std::uint64_t inserted_ = 0;
    std::uint64_t handled_ = 0;
    bool special_ = false;  ///< is_special()
    bool handling_ = false;
    bool alone_ = true;
    bool over_ = false;              ///< an instant was handled, the last one at over_at_
    std::uint8_t handled_kind_ = 0;  ///< phase and kind of the last event, as in EventKey
    Time over_at_;
    std::vector<EventHandler*> turns_;  ///< asked for in the instant being handled
    EventHandler* waker_ = nullptr;
    QueueWatch* watch_ = nullptr;
    std::uint64_t ask_at_ = never;  ///< call the watch at this many handled events
    bool refused_ = false;          ///< the watch has returned false
    bool stopped_ = false;
    bool shuffling_ = false;
    std::mt19937_64 shuffler_;
    std::vector<Delayed> delayed_;
};

}  // namespace npunet::engine
