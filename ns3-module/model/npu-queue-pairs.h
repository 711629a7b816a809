/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_QUEUE_PAIRS_H
#define NPU_QUEUE_PAIRS_H

#include "npu-ethernet-border.h"
#include "npu-ethernet-packet.h"
#include "npu-ethernet-routes.h"
#include "npu-member-event.h"
#include "npu-queue-pair.h"
#include "npu-send-turns.h"
#include "npu-telemetry-records.h"

#include "engine/event_queue.h"
#include "engine/network.h"
#include "topology/network_description.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * What the transport wants of the network below it.
 */
class TransportWire
{
  public:
    /**
     * A control packet starts now.
     * @param place of the packet, whose link is chosen
     */
    virtual void SendControl(std::uint32_t place) = 0;

    /**
     * A port may have something to send.
     * @param port number of its link
     * @param at from when on, in picoseconds
     */
    virtual void WakePort(std::uint32_t port, std::int64_t at) = 0;

    /**
     * Throws the StallError of a queue pair that has sent again as often as it may.
     * @param pair the queue pair
     */
    [[noreturn]] virtual void GiveUp(const QueuePair& pair) const = 0;

    /// One end of a queue pair is done with a message.
    virtual void MessagesChange() = 0;

  protected:
    ~TransportWire() = default;
};

/**
 * @ingroup npunet
 * The transport of NPUs on a network with Ethernet-like switches: queue pairs, made on first use,
 * that cut messages into packets, keep to windows and rates, and repeat what is lost
 * (topology::TransportParameters). The ports of the network ask it for packets; it takes what has
 * arrived.
 *
 * The rules:
 * - All messages from one NPU to another in one traffic class go by one queue pair, one after the
 *   other; they are delivered in order, each when all its packets and all messages before it are
 *   in. The queue pairs of one port and class take turns packet by packet (SendTurns); one whose
 *   window has closed when its turn comes lines up anew when it opens.
 * - A packet may be sent when nothing is in flight, or when what is in flight and a full packet are
 *   within the window, that of the transport and that of congestion control; and not before the
 *   time since the start of the packet before at which the pace of congestion control has it. All
 *   these count bytes with headers, without telemetry.
 * - A packet after which the window is closed, or nothing is left to be sent, asks for an answer.
 *   The window of congestion control may close later: when less than `ack_every` full packets are
 *   in flight, and no packet beyond those that are acknowledged in order has asked or ended a
 *   message since the sender last went back or a timeout, one more may be sent, and asks.
 * - The receiver acknowledges every `ack_every`-th packet in order, one that asks for it, completes
 *   a message or closes a gap, and whatever comes twice or, with selective repeat, out of order.
 *   Such an answer is a packet of header and the telemetry of the packet that causes it, and so is
 *   one that asks to go back; others are of header only. A mark may cause a notification besides,
 *   which goes first.
 * - Congestion control hears of each acknowledgement, and of each answer that asks to go back: of
 *   the bytes that were not known to be in, of those that came marked since the answer before, at
 *   most as many, and of the round trip, that of packets sent again, too, as the answer says when
 *   the packet started. It hears of a loss that the answer shows just before.
 * - Go-back-N: a packet beyond the expected one is thrown away; the first such makes the receiver
 *   ask for the expected one, once, and the sender goes on from there, if it has sent anything
 *   beyond. What comes before is in.
 * - Selective repeat: such a packet is kept and answered. A packet that is not in although one is
 *   whose number is higher by more than `reordering` is sent again, by this rule once. What has to
 *   be sent again goes before what is new, the lowest number first.
 * - The retransmission timeout starts with a packet that is sent while it does not run, and anew
 *   when something is in that was not known to be, if anything is in flight then; going back does
 *   not change it. When it runs out the sender takes all that is in flight for lost. It doubles
 *   each time, up to 64 times, until there is progress; after `retries` times in a row the run ends
 *   when it runs out again.
 */
class QueuePairs
{
  public:
    /**
     * All of these must outlive it.
     * @param description the network
     * @param queue the simulation's events
     * @param packets where packets are kept
     * @param telemetry where what is written into them is kept
     * @param routes the ways of packets
     * @param wire the network below
     */
    QueuePairs(const topology::NetworkDescription& description,
               engine::EventQueue& queue,
               EthernetPackets& packets,
               TelemetryRecords& telemetry,
               EthernetRoutes& routes,
               TransportWire& wire);

    QueuePairs(const QueuePairs&) = delete;
    QueuePairs& operator=(const QueuePairs&) = delete;

    /**
     * The network is split, and this is in one part of it: messages are sent in the part of their
     * source and delivered in that of their destination. Before the first message.
     * @param border of the part; must outlive this
     */
    void
    Split(EthernetBorder& border)
    {
        m_border = &border;
    }

    /**
     * @param message starts now
     * @param trafficClass of it
     */
    void Send(const engine::Message& message, std::uint8_t trafficClass);

    /**
     * @param listener hears of messages; must outlive it
     */
    void
    SetListener(engine::MessageListener& listener)
    {
        m_listener = &listener;
    }

    /**
     * @param port number of a port of an NPU
     * @param trafficClass a class
     * @param now in picoseconds
     * @return whether a packet that starts here may be sent
     */
    bool HasPacket(std::uint32_t port, std::uint32_t trafficClass, std::int64_t now);

    /**
     * @param port number of a port of an NPU
     * @param trafficClass a class
     * @return when the next of those whose time has not come yet may be sent, or NEVER
     */
    std::int64_t
    NextTime(std::uint32_t port, std::uint32_t trafficClass) const
    {
        return m_turns[port * m_classes + trafficClass].NextTime();
    }

    /**
     * @param port number of a port of an NPU
     * @param trafficClass a class
     * @return whether a queue pair waits to send by it, now or later
     */
    bool
    AnyWaits(std::uint32_t port, std::uint32_t trafficClass) const
    {
        const SendTurns& turns = m_turns[port * m_classes + trafficClass];
        return turns.First() != NONE || turns.NextTime() != NEVER;
    }

    /**
     * @return whether any message is under way
     */
    bool
    IsBusy() const
    {
        return m_underWay > 0;
    }

    /**
     * @return whether a receiver is going to give credit
     */
    bool
    AnyGrantIsDue() const
    {
        return m_credits.AnyIsDue();
    }

    /**
     * @param port for which HasPacket() holds
     * @param trafficClass for which it holds
     * @param now in picoseconds
     * @return place of a packet that is sent now
     */
    std::uint32_t TakePacket(std::uint32_t port, std::uint32_t trafficClass, std::int64_t now);

    /**
     * The network has put a packet on its first link.
     * @param packet that TakePacket() gave
     * @param end when its last byte has left, in picoseconds
     */
    void
    Leaves(const EthernetPacket& packet, std::int64_t end)
    {
        if (m_kind == topology::TransportKind::None)
        {
            LeavesForGood(packet, end);
        }
    }

    /**
     * A packet has arrived at an end of its queue pair.
     * @param place of the packet, which is gone afterwards
     */
    void Receive(std::uint32_t place);

    /// Where packets choose: those that have not started choose anew.
    void ChooseAnew();

    // Packet trains (npu-queue-pairs-trains.cc).

    /**
     * @param number of a queue pair
     * @return packets that it has not sent yet
     */
    std::int64_t
    Unsent(std::uint32_t number) const
    {
        return static_cast<std::int64_t>(m_pairs[number].end - m_pairs[number].top);
    }

    /**
     * From now on Scan() goes through the queue pairs with messages under way.
     * @return words that were looked at
     */
    std::size_t CollectFlows();

    /**
     * Moving: what is to be known before any packet is moved on.
     * @param scan of the whole network
     */
    void PrepareMove(engine::StateScan& scan);

    /**
     * @param scan of the whole network; all queue pairs of CollectFlows()
     */
    void Scan(engine::StateScan& scan);

    /**
     * @param scan of the whole network
     * @param port number of a port of an NPU
     */
    void ScanPort(engine::StateScan& scan, std::uint32_t port);

    /**
     * @param scan of the whole network
     * @param packet of a queue pair
     */
    void ScanPacket(engine::StateScan& scan, EthernetPacket& packet);

    /**
     * @param earlier a sample
     * @param present one that equals it, of the state as it is
     * @return how many times what is between them happens again before a message is about to end; 0
     *         where nothing moves
     */
    std::int64_t PeriodsLeft(const engine::StateSample& earlier,
                             const engine::StateSample& present) const;

    /**
     * Begins to note when timeouts begin anew, or ceases to.
     * @param wanted whether they are noted
     */
    void NoteRestarts(bool wanted);

    /**
     * Nothing goes on: timers of messages under way are no news.
     * @param still whether it is so
     */
    void
    StandStill(bool still)
    {
        m_still = still;
    }

    /**
     * The state was moved on: where the timers are that run since NoteRestarts().
     * @param earlier a sample of when that was
     * @param present one that equals it, of when the state was moved on
     * @param periods by how many
     */
    void MoveTimers(const engine::StateSample& earlier,
                    const engine::StateSample& present,
                    std::int64_t periods);

    /**
     * Other events are the simulation's from now on; those of timers are scheduled there.
     * @param queue of them; must outlive this or the next call
     */
    void UseQueue(engine::EventQueue& queue);

    /**
     * @return all queue pairs so far
     */
    const std::vector<QueuePair>&
    GetPairs() const
    {
        return m_pairs;
    }

  private:
    /// @return now, in picoseconds
    std::int64_t
    Now() const
    {
        return m_queue->now().ps();
    }

    /**
     * @param payload bytes of a message
     * @return bytes on the wire
     */
    std::uint32_t
    WireBytes(std::int64_t payload) const
    {
        const std::int64_t wire = payload + m_header;
        return static_cast<std::uint32_t>(wire > 0 ? wire : 1);
    }

    // Queue pairs.

    /**
     * @param key of a queue pair (QueuePair::KeyOf())
     * @return its number; it is made on first use
     */
    std::uint32_t PairOf(std::uint64_t key);

    /**
     * @param pair a queue pair
     * @return whether its sender is in this part of the network
     */
    bool
    SendsHere(const QueuePair& pair) const
    {
        return m_border == nullptr || m_border->Owns(NodeId(std::size_t{pair.source}));
    }

    /**
     * @param pair a queue pair
     * @return whether its receiver is in this part of the network
     */
    bool
    ReceivesHere(const QueuePair& pair) const
    {
        return m_border == nullptr || m_border->Owns(NodeId(std::size_t{pair.destination}));
    }

    /**
     * @param pair a new queue pair
     * @return its path
     */
    FlowPath PathOf(const QueuePair& pair) const;

    /**
     * @param number of a queue pair whose next packet stands nowhere, though it may be sent
     */
    void LineUp(std::uint32_t number);

    /**
     * Lines up where that is due.
     * @param number of a queue pair
     */
    void
    Review(std::uint32_t number)
    {
        if (m_pairs[number].place != QueuePair::Place::NOWHERE)
        {
            return;
        }
        if (MaySend(m_pairs[number]))
        {
            LineUp(number);
        }
        else if (m_pairs[number].credit)
        {
            AskForCredit(number, false);
        }
    }

    /**
     * @param pair a queue pair
     * @return whether it has a packet, and its window is open
     */
    bool MaySend(const QueuePair& pair) const;

    /**
     * @param pair a queue pair
     * @return whether it has a packet to send, whether it may or not
     */
    static bool
    HasMore(const QueuePair& pair)
    {
        return pair.next != pair.end || (pair.selective != nullptr && pair.selective->losses > 0);
    }

    /**
     * @param pair a queue pair
     * @return whether a full packet more is within its window
     */
    bool
    IsOpen(const QueuePair& pair) const
    {
        const std::int64_t window =
            pair.control == nullptr ? pair.window : std::min(pair.window, pair.control->Window());
        return pair.inFlight + m_fullWire <= window;
    }

    /**
     * @param pair a queue pair with something in flight
     * @return whether nothing of that makes the receiver answer
     */
    bool
    ExpectsNoAnswer(const QueuePair& pair) const
    {
        return pair.asked <= pair.acknowledged && pair.inFlight < m_ackEvery * m_fullWire;
    }

    /**
     * @param pair a queue pair
     * @return whether any message is under way on it
     */
    static bool
    IsUnderWay(const QueuePair& pair)
    {
        return pair.acknowledged != pair.end || pair.expected != pair.end;
    }

    // Packet trains (npu-queue-pairs-trains.cc).

    /// A timeout has begun anew, or ended.
    struct Restart
    {
        std::uint32_t pair;    ///< number of the queue pair
        std::int64_t at;       ///< when, in picoseconds
        std::int64_t deadline; ///< when it runs out, or NEVER
        bool afterTimers;      ///< behind the timers of that instant
    };

    /// Some of the notes that repeat themselves, those of one queue pair.
    class RepeatedRestarts;

    /**
     * @param number of a queue pair
     * @param deadline that it has got
     */
    void NoteRestart(std::uint32_t number, std::int64_t deadline);

    /**
     * @param scan of the whole network
     * @param number of a queue pair
     */
    void ScanPair(engine::StateScan& scan, std::uint32_t number);

    /**
     * Selective repeat.
     * @param scan of the whole network
     * @param pair a queue pair whose Acknowledged number is not moved on yet
     * @param progress of the queue pair
     */
    static void ScanSelective(engine::StateScan& scan,
                              QueuePair& pair,
                              const engine::FlowProgress& progress);

    /**
     * @param number of a queue pair
     * @return its progress
     */
    engine::FlowProgress
    ProgressOf(std::uint32_t number) const
    {
        return {m_pairs[number].expected, number < m_steps.size() ? m_steps[number] : 0};
    }

    // Messages.

    /**
     * @param pair a queue pair
     * @param sequence number of a packet that is not acknowledged
     * @return its message
     */
    std::uint32_t MessageOf(const QueuePair& pair, std::uint64_t sequence);

    /**
     * @param bytes of a message
     * @return how many packets it has
     */
    std::uint64_t
    PacketsOf(std::int64_t bytes) const
    {
        return bytes > m_mtu ? static_cast<std::uint64_t>((bytes + m_mtu - 1) / m_mtu) : 1;
    }

    /**
     * @param message a message
     * @param sequence number of a packet of it
     * @return payload bytes of the packet
     */
    std::int64_t PayloadOf(const PairMessage& message, std::uint64_t sequence) const;

    /**
     * All packets of a message are acknowledged, or have left where nobody acknowledges them.
     * @param message place of the message
     * @param at when, in picoseconds
     */
    void SenderIsDone(std::uint32_t message, std::int64_t at);

    /**
     * The source of a message hears that it is done.
     * @param message place of the message
     */
    void MessageSent(std::uint32_t message);

    /**
     * The destination of a message hears of it.
     * @param message place of the message
     */
    void MessageDelivered(std::uint32_t message);

    /**
     * @param message place of a message; freed when both ends are done with it
     */
    void FreeIfDone(std::uint32_t message);

    /// @copydoc Leaves
    /// Nobody will acknowledge it.
    void LeavesForGood(const EthernetPacket& packet, std::int64_t end);

    // The sender (npu-queue-pairs-sender.cc).

    /**
     * An answer of the receiver has come.
     * @param packet the answer
     */
    void ReceiveAnswer(const EthernetPacket& packet);

    /**
     * @param pair a queue pair
     * @param upTo packets below are in
     * @return bytes on the wire that were not known to be in
     */
    std::int64_t Acknowledge(QueuePair& pair, std::uint64_t upTo);

    /**
     * Selective repeat: the receiver has a packet.
     * @param pair a queue pair
     * @param sequence of the packet
     * @return its bytes on the wire, 0 if that was known
     */
    std::int64_t AcknowledgeOne(QueuePair& pair, std::uint64_t sequence);

    /**
     * Selective repeat: finds what must be lost by what the receiver has.
     * @param pair a queue pair
     */
    void JudgeLosses(QueuePair& pair);

    /**
     * Selective repeat: a packet has to be sent again.
     * @param pair a queue pair
     * @param sequence of the packet, sent and not known to be in
     */
    void Lose(QueuePair& pair, std::uint64_t sequence);

    /**
     * Congestion control hears of a loss, once for all that were in flight at that time.
     * @param pair a queue pair
     * @param sequence of the packet
     */
    void TellLoss(QueuePair& pair, std::uint64_t sequence);

    /**
     * All that is in flight is taken for lost.
     * @param pair a queue pair
     */
    void LoseAll(QueuePair& pair);

    /**
     * @param pair a queue pair with something in flight; its timeout begins anew
     * @param number of the pair
     */
    void RestartTimer(QueuePair& pair, std::uint32_t number);

    /**
     * The event of a timer is due.
     * @param number of the queue pair
     */
    void TimerDue(std::uint32_t number);

    // The receiver (npu-queue-pairs-receiver.cc).

    /**
     * Data has come.
     * @param packet the data; its telemetry may have gone on with an answer
     */
    void ReceiveData(EthernetPacket& packet);

    /**
     * Takes a packet that comes neither twice nor, with go-back-N, out of order.
     * @param pair a queue pair
     * @param sequence of the packet
     * @return whether messages are complete
     */
    bool Accept(QueuePair& pair, std::uint64_t sequence);

    /**
     * @param kind of the answer
     * @param cause the data that causes it; the answer takes its telemetry
     */
    void Answer(PacketKind kind, EthernetPacket& cause);

    // Credits of the receiver (npu-queue-pairs-credits.cc).

    /**
     * @param pair a new queue pair
     * @param path its path
     */
    void OpenCredit(QueuePair& pair, const FlowPath& path);

    /**
     * Nothing waits to be sent, and something comes: the first window is there again.
     * @param pair a queue pair
     */
    void BeginBurst(QueuePair& pair) const;

    /**
     * @param pair a queue pair
     * @return grants that its sender needs for all that it has to send
     */
    std::int64_t NeedOf(const QueuePair& pair) const;

    /**
     * The sender asks for credit where what it has told does not cover its need.
     * @param number of the queue pair
     * @param afresh in any case, and grants on their way are taken for lost
     */
    void AskForCredit(std::uint32_t number, bool afresh);

    /**
     * The receiver learns the need of a sender.
     * @param number of the queue pair
     * @param packet data or REQUEST
     */
    void LearnNeed(std::uint32_t number, const EthernetPacket& packet);

    /**
     * The receiver grants a packet, if that is still wanted.
     * @param number of the queue pair
     */
    void Grant(std::uint32_t number);

    /**
     * The sender gets a grant.
     * @param packet the grant
     */
    void ReceiveGrant(const EthernetPacket& packet);

    /**
     * Notices a mark, and notifies the source where that is due.
     * @param packet data that came marked
     */
    void NoticeMark(EthernetPacket& packet);

    // Split networks (npu-queue-pairs-border.cc).

    /**
     * A message starts here.
     * @param place of the message
     * @param message as it was sent
     */
    void OpenAtBorder(std::uint32_t place, const engine::Message& message);

    /**
     * A packet starts here: whatever part it comes to, its queue pair and message shall be known.
     * @param place of the packet
     * @param number of its queue pair
     * @param message of data; of other packets NONE
     */
    void TakeAlong(std::uint32_t place, std::uint32_t number, std::uint32_t message);

    /**
     * A packet has arrived at an end of its queue pair, perhaps from another part.
     * @param place of the packet
     * @param packet the packet; afterwards with the number that its queue pair has here
     */
    void ComeToEnd(std::uint32_t place, EthernetPacket& packet);

    /**
     * Data of another part has come.
     * @param number of its queue pair
     * @param cargo of the data; its message, if that is not known, waits from now on to be
     *              delivered
     */
    void MeetMessage(std::uint32_t number, const EthernetCargo& cargo);

    const topology::NetworkDescription& m_description; ///< the network
    engine::EventQueue* m_queue;                       ///< the simulation's events
    EthernetPackets& m_packets;                        ///< packets under way
    TelemetryRecords& m_telemetry;                     ///< what is written into them
    EthernetRoutes& m_routes;                          ///< the ways of packets
    TransportWire& m_wire;                             ///< the network below
    EthernetBorder* m_border = nullptr;                ///< of this part; null: it is the whole
    engine::MessageListener* m_listener = nullptr;     ///< hears of messages

    topology::TransportKind m_kind; ///< what is done about losses
    std::int64_t m_ackEvery;        ///< packets for one acknowledgement
    std::uint32_t m_retries;        ///< timeouts in a row that are no error; 0: any number
    std::int64_t m_reordering;      ///< later packets before a loss is found; -1: never
    CongestionNeeds m_needs;        ///< of congestion control
    std::int64_t m_mtu;             ///< payload of a full packet
    std::int64_t m_header;          ///< bytes on the wire besides it
    std::int64_t m_fullWire;        ///< bytes of a full packet on the wire
    std::uint32_t m_classes;        ///< traffic classes
    std::vector<QueuePair> m_pairs; ///< by number
    std::unordered_map<std::uint64_t, std::uint32_t> m_numbers; ///< of queue pairs, by key
    ReceiverCredits m_credits;                                  ///< of receivers that give them
    std::vector<SendTurns> m_turns;                             ///< by port and class
    PairMessages m_messages;                                    ///< messages under way
    std::size_t m_underWay = 0;                                 ///< how many there are
    std::vector<std::uint32_t> m_list;                          ///< ChooseAnew()'s own
    std::vector<std::uint32_t> m_flows;                         ///< what Scan() goes through
    std::vector<std::uint64_t> m_steps;                         ///< by pair, while it moves
    std::vector<Restart> m_noted;                               ///< restarts of timeouts
    bool m_notes = false;                                       ///< they are noted
    bool m_still = false;                                       ///< nothing goes on
    MemberEvent<&QueuePairs::MessageSent> m_sentEvent{*this};   ///< of messages
    MemberEvent<&QueuePairs::MessageDelivered> m_deliveredEvent{*this}; ///< of messages
    MemberEvent<&QueuePairs::TimerDue> m_timerEvent{*this};             ///< of queue pairs
};

} // namespace npunet::packet

#endif /* NPU_QUEUE_PAIRS_H */
