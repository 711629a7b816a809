// The transport of NPUs on a network of Ethernet-like switches written the plain way, as the oracle
// of the tests: each packet of a queue pair has a state of its own, what is in flight and what has
// to be sent again are sets of numbers, and every start of a timer is an event. It shares nothing
// with packet::QueuePairs but the congestion control.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "engine/network/network.h"
#include "packet/congestion/congestion_control.h"
#include "topology/network/network_description.h"

namespace npunet::packet_test {

/// A packet of a network with Ethernet-like switches.
struct NaivePacket {
    enum class Kind : std::uint8_t { Data, Answer, GoBack, Notification, Pause, Resume };
    Kind kind = Kind::Data;
    std::size_t pair = 0;
    std::size_t traffic_class = 0;
    std::vector<LinkId> route;
    std::size_t hop = 0;         ///< index in the route of the link that it is on or waits for
    std::uint64_t sequence = 0;  ///< data: its own number; answers: the expected one
    std::uint64_t cause = 0;     ///< answers: the number of the data
    Bytes payload;
    Bytes wire;
    Bytes came_with;  ///< bytes on the wire when it came to the node where it is
    bool marked = false;
    Bytes marked_bytes;  ///< answers: what came marked
    Time sent_at;        ///< of the data
    bool repeated = false;
    bool asks = false;  ///< for an answer
    std::vector<packet::HopTelemetry> telemetry;
};

/// What the transport wants of the network below it.
class NaiveWire {
public:
    /// A control packet starts at the first link of its route.
    virtual void send_control(const NaivePacket& packet) = 0;
    /// A port may have something to send.
    virtual void ask(LinkId port) = 0;
    virtual void at(Time time, engine::Phase phase, unsigned kind, std::uint64_t content,
                    std::uint64_t minor, std::function<void()> action) = 0;

protected:
    ~NaiveWire() = default;
};

class NaiveTransport {
public:
    NaiveTransport(const topology::NetworkDescription& description, engine::EventQueue& queue,
                   NaiveWire& wire);

    void set_listener(engine::MessageListener* listener) { listener_ = listener; }
    void send(const engine::Message& message, std::size_t traffic_class);
    [[nodiscard]] bool has_packet(LinkId port, std::size_t traffic_class);
    [[nodiscard]] NaivePacket take_packet(LinkId port, std::size_t traffic_class);
    /// A packet that was taken will have left its first link at `end`.
    void leaves(const NaivePacket& packet, Time end);
    void receive(const NaivePacket& packet);

private:
    enum class State : std::uint8_t { Waiting, Flying, In };
    struct Message {
        engine::Message message;
        std::uint64_t first = 0;  ///< number of its first packet
        std::uint64_t last = 0;
        Time first_byte_left = Time::ps(-1);
        bool delivered = false;
        bool acknowledged = false;
    };
    /// A packet, at the sender.
    struct Part {
        std::size_t message = 0;
        Bytes payload;
        Bytes wire;
        State state = State::Waiting;
        bool sent_before = false;
        bool judged = false;
    };
    /// Source, destination, class.
    using Key = std::tuple<NodeId, NodeId, std::size_t>;
    struct Pair {
        Key key;
        std::vector<LinkId> forth;
        std::vector<LinkId> back;
        std::vector<Message> messages;
        std::vector<Part> parts;
        std::unique_ptr<packet::CongestionControl> control;
        // The sender.
        std::set<std::uint64_t> waiting;
        std::set<std::uint64_t> flying;
        std::set<std::uint64_t> asking;  ///< that asked or ended a message, since it went back
        std::uint64_t acknowledged = 0;  ///< packets below are in
        std::uint64_t top = 0;           ///< one past the highest that was sent
        Bytes in_flight;
        Bytes window;
        Time next_start;
        bool stands = false;       ///< in the line of its port, or delayed
        std::uint64_t starts = 0;  ///< number of start delays drawn so far
        Time timeout;
        Time deadline = Time::max();
        int backoff = 0;
        std::uint64_t recovery_end = 0;
        // The receiver.
        std::uint64_t expected = 0;
        std::set<std::uint64_t> early;
        std::int32_t unanswered = 0;
        bool asked_back = false;
        Bytes marked_bytes;
        Time last_notified = Time::ps(-1);
    };
    /// Of a port, in a class.
    struct Line {
        std::deque<std::size_t> ready;                       ///< pairs
        std::set<std::tuple<Time, Key, std::size_t>> paced;  ///< those whose time will come
    };

    std::size_t pair_of(const Key& key);
    [[nodiscard]] std::uint64_t number_of(const Key& key) const;
    [[nodiscard]] bool may_send(const Pair& pair) const;
    [[nodiscard]] bool is_open(const Pair& pair) const;
    void review(std::size_t number);
    void put_off(Pair& pair) const;
    void join_those_due(Line& line);
    void set_state(Pair& pair, std::uint64_t sequence, State state);
    void start_timer(std::size_t number);
    void timer_due(std::size_t number);
    void receive_answer(const NaivePacket& packet);
    void give_up_all(Pair& pair);
    void judge(Pair& pair);
    void receive_data(const NaivePacket& packet);
    void answer(NaivePacket::Kind kind, const NaivePacket& cause);
    void notice_mark(const NaivePacket& packet);
    void deliver(Pair& pair);
    void tell_sent(Pair& pair, Time when);

    const topology::NetworkDescription& description_;
    const topology::PacketParameters& parameters_;
    topology::CongestionNeeds needs_;
    engine::EventQueue& queue_;
    NaiveWire& wire_;
    engine::MessageListener* listener_ = nullptr;
    std::deque<Pair> pairs_;
    std::map<Key, std::size_t> numbers_;
    std::map<std::pair<LinkId, std::size_t>, Line> lines_;
};

}  // namespace npunet::packet_test
