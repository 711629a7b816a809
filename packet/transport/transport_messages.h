// The messages of a transport, from being sent until both ends of their queue pairs have finished
// with them. Notifies the listener and the host.
#pragma once

#include "base/pool.h"
#include "packet/base/clock.h"
#include "packet/base/datagram_listener.h"
#include "packet/base/member_event.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/transport_boundary.h"
#include "packet/transport/transport_wire.h"

#include "engine/network/network.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet {

class TransportMessages {
public:
    /// All arguments must outlive this.
    TransportMessages(PacketClock& clock, const PacketSizes& sizes, QueuePairTable& pairs,
                      TransportBoundary& boundary, TransportHost& host)
        : clock_(clock), sizes_(sizes), pairs_(pairs), boundary_(boundary), host_(host) {}

    /// Must outlive this.
    void set_listener(engine::MessageListener& listener) { listener_ = &listener; }

    /// Whether any message is in progress.
    bool any_is_in_flight() const { return in_flight_ > 0; }

    TransportMessage& operator[](std::uint32_t place) { return messages_[place]; }
    const TransportMessage& operator[](std::uint32_t place) const { return messages_[place]; }

    /// Place of the message of a packet that is not acknowledged.
    std::uint32_t of(const QueuePair& pair, std::uint64_t sequence) const {
        std::uint32_t place = pair.acknowledging;
        while (messages_[place].last < sequence) {
            place = messages_[place].next;
        }
        return place;
    }

    /// Bytes on the wire of a packet of the message.
    std::uint32_t wire_of(const TransportMessage& message, std::uint64_t sequence) const {
        return sizes_.wire(sizes_.payload_behind(message.bytes, sequence - message.first));
    }

    /// Bytes on the wire of a packet that is not acknowledged.
    std::uint32_t wire_of(const QueuePair& pair, std::uint64_t sequence) const {
        return wire_of(messages_[of(pair, sequence)], sequence);
    }

    /// Must outlive this.
    void set_datagram_listener(DatagramListener& listener) { datagram_listener_ = &listener; }

    /// A message is sent, as the last one of its queue pair. Returns its place.
    std::uint32_t open(const engine::Message& message, std::uint32_t number);

    /// Data from another partition has arrived: registers its message for delivery, unless that is
    /// known. `number`: its queue pair here.
    void meet(std::uint32_t number, const EthernetCargo& cargo);

    /// All packets of a message are acknowledged or, without a transport, have left. `at`: when, in
    /// picoseconds.
    void sender_is_done(std::uint32_t place, std::int64_t at);

    /// Delivers the messages whose packets are all below QueuePair::expected. Returns whether there
    /// are any.
    bool deliver(QueuePair& pair);

    /// A datagram starts on its first link.
    void datagram_starts(std::uint32_t place) {
        datagram_listener_->datagram_starts(messages_[place].handle);
    }

    /// A datagram has arrived.
    void deliver_datagram(std::uint32_t place, bool marked);

    /// A datagram is lost.
    void lose(std::uint32_t place);

private:
    /// The last byte of a message is in, and it is reported in an event of its own.
    void complete(QueuePair& pair, std::uint32_t place);

    /// The source has finished a message. Sent notification, where that is wanted.
    void sent(std::uint32_t place);

    /// Delivery notification.
    void delivered(std::uint32_t place);

    /// Frees a message that both ends have finished with.
    void free_if_done(std::uint32_t place);

    PacketClock& clock_;
    const PacketSizes& sizes_;
    QueuePairTable& pairs_;
    TransportBoundary& boundary_;
    TransportHost& host_;
    engine::MessageListener* listener_ = nullptr;
    DatagramListener* datagram_listener_ = nullptr;
    Pool<TransportMessage> messages_;
    std::size_t in_flight_ = 0;  ///< messages in progress
    MemberEvent<&TransportMessages::sent> sent_event_{*this};
    MemberEvent<&TransportMessages::delivered> delivered_event_{*this};
};

}  // namespace npunet::packet
