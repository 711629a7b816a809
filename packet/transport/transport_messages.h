#pragma once

#include "packet/base/clock.h"
#include "packet/base/member_event.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/message.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/transport_boundary.h"
#include "packet/transport/transport_wire.h"

#include "engine/network.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet {

/// The messages of a transport, from when they are sent until both ends of their queue pairs are
/// done with them, of which it tells those who want to hear.
class TransportMessages {
public:
    /// All of these must outlive this.
    /// @param clock the network's
    /// @param sizes of packets
    /// @param pairs the queue pairs
    /// @param boundary of this part of the network
    /// @param host hears of ends
    TransportMessages(EthernetClock& clock, const PacketSizes& sizes, QueuePairTable& pairs,
                      TransportBoundary& boundary, TransportHost& host)
        : clock_(clock), sizes_(sizes), pairs_(pairs), boundary_(boundary), host_(host) {}

    TransportMessages(const TransportMessages&) = delete;
    TransportMessages& operator=(const TransportMessages&) = delete;

    /// @param listener hears of messages; must outlive this
    void set_listener(engine::MessageListener& listener) { listener_ = &listener; }

    /// @return whether any is under way
    bool any_is_in_flight() const { return in_flight_ > 0; }

    /// @param place of a message
    /// @return the message
    TransportMessage& operator[](std::uint32_t place) { return messages_[place]; }

    /// @copydoc operator[]
    const TransportMessage& operator[](std::uint32_t place) const { return messages_[place]; }

    /// @param pair a queue pair
    /// @param sequence number of a packet that is not acknowledged
    /// @return place of its message
    std::uint32_t of(const QueuePair& pair, std::uint64_t sequence) const {
        return messages_.find(pair.acknowledging, sequence);
    }

    /// @param message a message
    /// @param sequence number of a packet of it
    /// @return bytes of the packet on the wire
    std::uint32_t wire_of(const TransportMessage& message, std::uint64_t sequence) const {
        return sizes_.wire(sizes_.payload_behind(message.bytes, sequence - message.first));
    }

    /// A message is sent.
    /// @param message behind all others of its queue pair
    /// @param number of the queue pair
    void open(const engine::Message& message, std::uint32_t number);

    /// Data of another part of the network has come: its message, if that is not known, waits from
    /// now on to be delivered.
    /// @param number of its queue pair
    /// @param cargo of the data
    void meet(std::uint32_t number, const EthernetCargo& cargo);

    /// All packets of a message are acknowledged, or have left where nobody acknowledges them.
    /// @param place of the message
    /// @param at when, in picoseconds
    void sender_is_done(std::uint32_t place, std::int64_t at);

    /// Messages are delivered now whose packets are all below QueuePair::expected.
    /// @param pair a queue pair
    /// @return whether there are any
    bool deliver(QueuePair& pair);

private:
    /// The source of a message hears that it is done.
    /// @param place of the message
    void sent(std::uint32_t place);

    /// The destination of a message hears of it.
    /// @param place of the message
    void delivered(std::uint32_t place);

    /// @param place of a message; freed when both ends are done with it
    void free_if_done(std::uint32_t place);

    EthernetClock& clock_;                                     ///< the network's
    const PacketSizes& sizes_;                                 ///< of packets
    QueuePairTable& pairs_;                                    ///< the queue pairs
    TransportBoundary& boundary_;                              ///< of this part of the network
    TransportHost& host_;                                      ///< hears of ends
    engine::MessageListener* listener_ = nullptr;              ///< hears of messages
    QueuedMessages messages_;                                  ///< those under way
    std::size_t in_flight_ = 0;                                ///< how many there are
    MemberEvent<&TransportMessages::sent> sent_event_{*this};  ///< of messages
    MemberEvent<&TransportMessages::delivered> delivered_event_{*this};  ///< of messages
};

}  // namespace npunet::packet
