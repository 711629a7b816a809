// The seam between the engine and every network model: send a message, be told when it has left its
// source and when it has arrived. The engine cannot tell which model it runs on.
//
// A network model is given the EventQueue of the simulation, schedules its own events there, and
// calls the MessageListener from events of Phase::Arrival. send() is called in Phase::Issue or
// Phase::Arrival; nothing may reach the destination at the instant of sending unless the latency of
// the route is zero, and then not before every NPU has issued what it starts at that instant. Two
// messages between the same pair may overtake each other.
//
// C++17-clean: implemented in the ns-3 module.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/communication.h"
#include "base/ids.h"
#include "base/quantities.h"
#include "engine/clock/event_queue.h"
#include "engine/clock/pending_events.h"
#include "engine/clock/state_scan.h"
#include "engine/network/congestion_times.h"
#include "engine/network/resolved.h"

namespace npunet::engine {

class LinkLoadRecorder;

/// Kinds of events (EventKey), unique per phase, shared by the engine and the network models.
namespace event_kind {
inline constexpr unsigned routes = 0;             ///< of a network, change; no content
inline constexpr unsigned boundary = 1;           ///< of a split network; content: link
inline constexpr unsigned message_sent = 2;       ///< content: message id
inline constexpr unsigned message_head = 3;       ///< content: message id
inline constexpr unsigned message_delivered = 4;  ///< content: message id
inline constexpr unsigned timer = 5;              ///< content: rank
inline constexpr unsigned delay = 6;              ///< of an endpoint; no content, as they commute
inline constexpr unsigned packet_in = 7;          ///< content: link, then packet on it
inline constexpr unsigned timeout = 8;            ///< of a transport; content: its queue pair
inline constexpr unsigned grant = 9;              ///< of credit by a receiver; content: link
inline constexpr unsigned begin = 10;             ///< of a job; content: its first NPU
inline constexpr unsigned settled = 11;           ///< links after a collective; content: it
inline constexpr unsigned issue = 0;              ///< Phase::Issue; content: rank
inline constexpr unsigned fast_forward = 0;       ///< Phase::Arbitration; of periodic traffic
inline constexpr unsigned port = 1;               ///< Phase::Arbitration; content: link
inline constexpr unsigned port_again = 2;         ///< a port, when the others have chosen
inline constexpr unsigned at_once = 3;            ///< Phase::Arbitration; messages of zero latency
inline constexpr unsigned instant_ends = 15;      ///< Phase::Arbitration; no content
}  // namespace event_kind

/// Identifies a message by content: its source and how many messages that source sent before.
class MessageId {
public:
    constexpr MessageId() = default;
    /// source below 2^22 nodes, count below 2^36 messages per source.
    constexpr MessageId(NodeId source, std::uint64_t count)
        : value_((static_cast<std::uint64_t>(source.value()) << 36) | count) {}
    [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
    /// The source, of a value.
    [[nodiscard]] static constexpr NodeId source_of(std::uint64_t value) {
        return NodeId(static_cast<std::size_t>(value >> 36));
    }
    /// The part of a value that counts the messages of the source.
    static constexpr std::uint64_t count_mask = (std::uint64_t{1} << 36) - 1;
    /// Orders ids by count, then source, which prefers no source over the others.
    [[nodiscard]] static constexpr std::uint64_t rank(std::uint64_t value) {
        return (value << 28) | (value >> 36);
    }

private:
    std::uint64_t value_ = 0;
};

struct Message {
    MessageId id;
    NodeId source;       ///< an NPU, or a switch that reduces
    NodeId destination;  ///< another NPU, or for an NPU such a switch
    Bytes bytes;         ///< payload; may be 0 (header only)
    /// The sender's own number for the message, handed back in the notifications: no other message
    /// has it of which something is still to be heard, and it is small, so that networks keep
    /// theirs in a vector by handle.
    std::uint32_t handle = 0;
    /// Whether on_sent() is wanted; most messages of collectives do not need it.
    bool wants_sent = false;
    /// What the message is part of, for networks that treat kinds differently.
    Communication kind = Communication::SendReceive;
    /// The traffic class that the sender wants, where the network has it; by_kind: that of `kind`.
    static constexpr std::uint8_t by_kind = 255;
    std::uint8_t traffic_class = by_kind;
    /// One of a flow of messages with a share of its own, as an application's packets are. With a
    /// transport: not queued behind other messages to the same NPU, but in a queue pair with those
    /// that are separate, too.
    bool separate = false;
    /// Separate, with credits: since when the flow has sent, this message at the end of the one
    /// before; Time::max(): the flow begins with this one.
    Time flow_start = Time::max();
    /// What the message is to its receiver (to a switch: to its sender), in content: orders
    /// messages that reach one node over one link at the same instant. No names of ranks or groups,
    /// where possible, so that NPUs that do the same work see the same order.
    std::uint64_t order_major = 0;  ///< below 2^33
    std::uint64_t order_minor = 0;
};

/// What the sender of a message has to say to its receiver, where these are in different processes:
/// content only. The network carries it and does not look at it.
struct MessageLabel {
    std::array<std::uint32_t, 6> words{};
    std::uint32_t share = 0;  ///< which of the simulations on the network (shared_network.h)
};

/// Hears what becomes of messages.
class MessageListener {
public:
    /// The last byte has left the source's port; with a transport, its last acknowledgement is in,
    /// which may be after on_delivered(). Of messages that want it.
    virtual void on_sent(std::uint32_t handle) = 0;
    /// The last byte has arrived. `first_byte_left`: when the first byte left the source's port.
    virtual void on_delivered(std::uint32_t handle, Time first_byte_left) = 0;

    // Networks that are split over processes: those of sources and receivers may differ.

    /// What the receiver, in another process, must know of a message that is being sent.
    [[nodiscard]] virtual MessageLabel label_of(std::uint32_t /*handle*/) { return {}; }
    /// A message has left its source for another process: on_delivered() is not called for it, and
    /// its handle may be used again. After on_sent(), where that is wanted.
    virtual void on_left(std::uint32_t /*handle*/) {}
    /// A message from another process, where it had this label, has arrived.
    virtual void on_delivered_from_afar(const MessageLabel& /*label*/, Bytes /*bytes*/,
                                        Time /*first_byte_left*/) {}

protected:
    ~MessageListener() = default;
};

/// What one directed link carried, in the order of the topology's links.
struct LinkUse {
    Bytes payload;    ///< message bytes; with a transport including retransmissions
    Bytes wire;       ///< with headers
    Time busy;        ///< how long the link was sending
    Bytes max_queue;  ///< most bytes that waited for the link at one time
    // Of networks with packets.
    /// With credits each packet counts once, however often it was sent; without them every
    /// transmission.
    std::uint64_t packets = 0;
    std::uint64_t retransmissions = 0;  ///< packets sent again, as often as they were
    /// Idle and up, with packets that waited for credit; with pauses: told to pause.
    Time credit_stall = Time();
    std::uint64_t pauses = 0;  ///< how often the link was told to pause
    std::uint64_t marked = 0;  ///< packets that were marked (ECN) when they came to wait for it
    std::uint64_t drops = 0;   ///< packets lost in front of it or on it
    std::uint64_t notifications = 0;  ///< of congestion (CNPs), that started on it
    /// Entry k: how long 2^k to 2^(k+1) - 1 bytes waited; where it is asked for.
    std::vector<Time> queue_times = {};
    /// By traffic class, what adds up to `wire`; empty where there is one class.
    std::vector<Bytes> classes_wire = {};
};

/// The messages from one NPU to another in one traffic class (0 where there are no classes).
struct FlowKey {
    NodeId source;
    NodeId destination;
    std::uint8_t traffic_class = 0;

    friend bool operator<(const FlowKey& a, const FlowKey& b) {
        return std::tie(a.source, a.destination, a.traffic_class) <
               std::tie(b.source, b.destination, b.traffic_class);
    }
    friend bool operator==(const FlowKey& a, const FlowKey& b) {
        return a.source == b.source && a.destination == b.destination &&
               a.traffic_class == b.traffic_class;
    }
};

/// What a transport has done for a flow.
struct FlowCounts {
    std::uint64_t packets = 0;          ///< of data, each time that one was sent
    std::uint64_t retransmissions = 0;  ///< of them those that had been sent before
    std::uint64_t timeouts = 0;         ///< retransmission timers that ran out
    std::uint64_t marked = 0;           ///< packets that came in marked (ECN)
    std::uint64_t notifications = 0;    ///< of congestion (CNPs), sent to the source

    void add(const FlowCounts& other) {
        packets += other.packets;
        retransmissions += other.retransmissions;
        timeouts += other.timeouts;
        marked += other.marked;
        notifications += other.notifications;
    }
};

struct FlowUse {
    FlowKey flow;
    FlowCounts counts;
};

/// Knows what a message is to its receiver, in terms that stay the same from step to step of a
/// collective.
class MessageScanner {
public:
    virtual void scan(StateScan& scan, std::uint32_t handle) = 0;
    /// What the counts of message ids are relative to.
    [[nodiscard]] virtual FlowProgress ids() const = 0;

protected:
    ~MessageScanner() = default;
};

class IdleLinks;

class Network {
public:
    virtual ~Network() = default;

    /// Who hears of the messages; set once, before the first send().
    void set_listener(MessageListener& listener) { listener_ = &listener; }

    /// Who is told when links are sending, where the network knows: those that share nothing do
    /// not. Before the first send(); must outlive the network. None unless it is set.
    virtual void record_load(LinkLoadRecorder* load) { load_ = load; }

    /// Starts a message now. source != destination.
    virtual void send(const Message& message) = 0;

    /// Whether messages from one node to another leave one after the other. Elsewhere those that
    /// wait for a port share it, and the first of them leaves little earlier than the last.
    [[nodiscard]] virtual bool sends_in_order(NodeId /*from*/, NodeId /*to*/) const { return true; }

    /// Whether messages of several NPUs are ever held up by each other.
    [[nodiscard]] virtual bool models_contention() const { return true; }

    /// What each link has carried so far.
    [[nodiscard]] virtual std::vector<LinkUse> link_use() const = 0;

    /// What a transport has done for each flow so far, by key; nothing where there is none.
    [[nodiscard]] virtual std::vector<FlowUse> flow_use() const { return {}; }

    /// Windows and timeouts of the queue pairs used so far; empty without a transport.
    [[nodiscard]] virtual QueuePairLimits queue_pair_limits() const { return {}; }

    /// What the results of a run should say about the network, a sentence each; `finish`: when the
    /// run ended.
    [[nodiscard]] virtual std::vector<std::string> notes(Time /*finish*/) const { return {}; }

    /// For how long of the run, which ended at `finish`, the network was congested, by symptom;
    /// nothing where it does not know.
    [[nodiscard]] virtual std::optional<CongestionTimes> congestion_times(Time /*finish*/) const {
        return std::nullopt;
    }

    /// Packets times links crossed so far; 0 where there are no packets.
    [[nodiscard]] virtual std::uint64_t packet_hops() const { return 0; }

    /// When the events have run out though messages are under way: why they cannot go on, in a
    /// sentence; nothing where the network does not know.
    [[nodiscard]] virtual std::string explain_stall() const { return {}; }

    /// Of links on which nothing is under way; null where the network cannot tell.
    [[nodiscard]] virtual IdleLinks* idle_links() { return nullptr; }

    /// Brings what scan() looks at up to the present; between the arrivals of an instant and its
    /// arbitration. Whether the network has a scan(), as things are.
    [[nodiscard]] virtual bool prepare_scan() { return false; }
    /// Everything that decides what the network does from now on (engine/clock/state_scan.h), its
    /// own events among it, and what it has counted.
    virtual void scan(StateScan& /*scan*/, MessageScanner& /*messages*/,
                      PendingEvents& /*events*/) {}

    /// Runs the queue's events until none is left. A network model that lives in another simulator
    /// lets that one drive.
    virtual void run(EventQueue& queue) { queue.run(); }

protected:
    MessageListener* listener_ = nullptr;
    LinkLoadRecorder* load_ = nullptr;
};

}  // namespace npunet::engine
