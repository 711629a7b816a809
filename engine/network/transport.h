// The messages in flight between ranks: hands them to the network model and tells their owners.
//
//     transport.send(from, to, Bytes{4096}, owner, {instance, exchange}, false,
//                    Communication::AllReduce, {});
//     transport.send_in_turn(...);    // not before the last one of its kind has left
//
// C++17-clean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/clock/event_queue.h"
#include "engine/network/network.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

/// Whatever the owner of a message needs to recognise it.
using MessageNote = std::array<std::uint32_t, 4>;

/// Message::order_major and order_minor.
struct MessageOrder {
    std::uint64_t major = 0;
    std::uint64_t minor = 0;
};

/// A part of the engine that sends messages.
class MessageOwner {
public:
    virtual void on_sent(const MessageNote& note) = 0;
    virtual void on_delivered(const MessageNote& note, Bytes bytes, Time first_byte_left) = 0;

    /// What a note says, as it would be said in any other step (engine/clock/state_scan.h). Notes
    /// that cannot be compared refuse.
    virtual void scan(StateScan& scan, MessageNote& /*note*/) { scan.refuse(); }

    // Where several processes share a simulation (engine/program/rank_share.h):

    /// A note in content, for the owner of the same kind in another process: words 0 to 4.
    [[nodiscard]] virtual MessageLabel label_of(const MessageNote& note) const = 0;
    /// The note of a message from another process.
    [[nodiscard]] virtual MessageNote note_of(const MessageLabel& label) = 0;

protected:
    ~MessageOwner() = default;
};

class Transport final : private MessageListener, private MessageScanner {
public:
    /// All arguments must outlive this; `queue` is the event queue of the network.
    Transport(Network& network, const topology::NetworkDescription& description, EventQueue& queue);
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    /// Makes an owner known to the transports of other processes; in the same order in all of them.
    void add_owner(MessageOwner& owner) { owners_.push_back(&owner); }

    /// `order`: see Message; ordered pair of words.
    void send(Rank from, Rank to, Bytes bytes, MessageOwner& owner, const MessageNote& note,
              bool wants_sent, Communication kind, MessageOrder order) {
        hand_over({npu_of(from), npu_of(to), bytes, &owner, note, wants_sent, kind, order},
                  nullptr);
    }

    /// As send(), but of those that are sent so from one rank to another in a `line` each goes to
    /// the network when the one before has left the source, where the network would let them share
    /// the port (Network::sends_in_order): all would then arrive late together, and a member that
    /// passes them on could not begin with the first.
    void send_in_turn(Rank from, Rank to, Bytes bytes, MessageOwner& owner, const MessageNote& note,
                      Communication kind, MessageOrder order, std::int32_t line) {
        send_in_turn(npu_of(from), npu_of(to), bytes, owner, note, false, kind, order, line);
    }
    /// The same between a switch that reduces and an NPU that has a link to it.
    void send_in_turn(NodeId from, NodeId to, Bytes bytes, MessageOwner& owner,
                      const MessageNote& note, bool wants_sent, Communication kind,
                      MessageOrder order, std::int32_t line);

    /// The messages under way and what has been counted (engine/clock/state_scan.h). Ids are meant
    /// relative to how many messages `reference` has sent.
    void scan(StateScan& scan, PendingEvents& events, Rank reference);

    [[nodiscard]] std::uint64_t messages_sent() const { return messages_sent_; }
    [[nodiscard]] std::uint64_t messages_delivered() const { return messages_delivered_; }
    [[nodiscard]] Bytes bytes_sent() const { return bytes_sent_; }
    [[nodiscard]] Bytes bytes_delivered() const { return bytes_delivered_; }
    /// Of send_in_turn(): lines in which a message has not left its source.
    [[nodiscard]] std::size_t lines() const { return lines_.size(); }

private:
    static constexpr std::uint32_t none = 0xffffffff;

    /// A message, as it was given.
    struct Given {
        NodeId from;
        NodeId to;
        Bytes bytes;
        MessageOwner* owner = nullptr;
        MessageNote note{};
        bool wants_sent = false;
        Communication kind = Communication::SendReceive;
        MessageOrder order;
    };
    /// By sender, receiver and line: those that wait for the one under way, which stands first.
    using Lines = std::map<std::tuple<NodeId, NodeId, std::int32_t>, std::deque<Given>>;
    using Line = Lines::value_type;
    struct InFlight {
        MessageOwner* owner = nullptr;
        MessageNote note{};
        Bytes bytes;
        bool sent_is_due = false;  ///< on_sent() is wanted and has not come
        bool delivered = false;
        Line* line = nullptr;  ///< whose message it is: on_sent() is for the line, too
    };

    [[nodiscard]] NodeId npu_of(Rank rank) const { return description_.npu_of_rank[rank.index()]; }

    void hand_over(const Given& given, Line* line) {
        const bool wants_sent = given.wants_sent || line != nullptr;
        Message message;
        message.handle = new_handle();
        in_flight_[message.handle] = {given.owner, given.note, given.bytes,
                                      wants_sent,  false,      line};
        ++messages_sent_;
        bytes_sent_ += given.bytes;
        message.source = given.from;
        message.destination = given.to;
        message.id = MessageId(message.source, sent_by_[message.source.index()]++);
        message.bytes = given.bytes;
        message.order_major = given.order.major;
        message.order_minor = given.order.minor;
        message.wants_sent = wants_sent;
        message.kind = given.kind;
        // One event may send tens of thousands of messages.
        queue_.count_work(1);
        network_.send(message);
    }

    [[nodiscard]] std::uint32_t new_handle() {
        if (free_ == none) {
            make_room();
        }
        const std::uint32_t handle = free_;
        free_ = in_flight_[handle].note[0];
        return handle;
    }
    [[gnu::cold]] void make_room();
    /// Nothing more will be heard of the message.
    void forget(std::uint32_t handle) {
        in_flight_[handle].note[0] = free_;
        free_ = handle;
    }
    void on_sent(std::uint32_t handle) override;
    void on_delivered(std::uint32_t handle, Time first_byte_left) override;
    MessageLabel label_of(std::uint32_t handle) override;
    void on_left(std::uint32_t handle) override;
    void scan(StateScan& scan, std::uint32_t handle) override;
    [[nodiscard]] FlowProgress ids() const override { return ids_; }
    void on_delivered_from_afar(const MessageLabel& label, Bytes bytes,
                                Time first_byte_left) override;

    Network& network_;
    const topology::NetworkDescription& description_;
    EventQueue& queue_;
    std::vector<MessageOwner*> owners_;  ///< as add_owner() was told
    std::vector<InFlight> in_flight_;
    std::uint32_t free_ = none;           ///< the first unused handle; its note has the next one
    std::vector<std::uint64_t> sent_by_;  ///< messages per source node so far
    std::uint64_t messages_sent_ = 0;
    std::uint64_t messages_delivered_ = 0;
    Bytes bytes_sent_;
    Bytes bytes_delivered_;
    Lines lines_;       ///< those with a message under way
    FlowProgress ids_;  ///< of the last scan
};

}  // namespace npunet::engine
