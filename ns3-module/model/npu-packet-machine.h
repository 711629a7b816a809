/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_MACHINE_H
#define NPU_PACKET_MACHINE_H

#include "npu-link-timing.h"
#include "npu-node-windows.h"
#include "npu-packet-border.h"
#include "npu-packet-cut.h"
#include "npu-packet-level.h"
#include "npu-packet-state.h"
#include "npu-packet-ways.h"
#include "npu-queue-histogram.h"
#include "npu-steady-traffic.h"
#include "npu-way-chooser.h"

#include "base/quantities.h"
#include "base/thread_crew.h"
#include "engine/event_queue.h"
#include "engine/network.h"
#include "topology/detours.h"
#include "topology/network_description.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The packet-level network: messages cut into packets, store and forward or cut-through, input
 * buffers with credits per virtual channel, virtual output queues, round robin or oldest first at
 * every output, links with faults and errors (LinkTiming). It knows nothing of ns-3; NpuEventBridge
 * lets ns-3 drive its queue.
 *
 *     EventQueue queue;
 *     PacketMachine machine(description, queue);
 *     machine.set_listener(listener);
 *     machine.send(message);
 *     queue.run();
 *
 * The rules, with ser(b) = ceil(b x 10^12 / rate) ps for b bytes on the wire:
 * - Every traffic class has virtual channels of its own. A port first chooses the class, among
 *   those with a head that may go: the lowest, or by weights (PacketClasses); then, within the
 *   class, as below, with turns of its own.
 * - A message is ceil(bytes / mtu) packets, all full but the last; an empty one is one packet of
 *   header only (of one byte, should headers have no bytes either). Every packet takes the route
 *   of NetworkDescription::route().
 * - A packet chosen at t occupies its link until t + ser and is in at t + ser + latency. At its
 *   destination it is consumed at once; elsewhere it waits in VOQ(input port, channel, output
 * port), a queue each, so that one input feeds several outputs at once.
 * - It needs credit for all its bytes in the buffer at the other end of the link. The credit comes
 *   back one link latency after its last byte has left that buffer, and counts from then on.
 * - An idle port chooses whenever a head is in and has its credit: round robin over (input port,
 *   channel) and, after the inputs, the messages that start at the node, per channel (TurnList).
 *   The choice at t sees everything that happens at t, whatever the order in which it happens.
 * - Oldest first instead: the head that left its source earliest, packets that start here last;
 *   where they left together the one whose source had sent fewer messages before it, then that of
 *   the lower source. A node's own messages take turns all the same.
 * - With a limited speed-up s at most s packets leave an input port of a node at a time. Among
 *   idle ports with packets of one input that one goes first which is next behind the port that
 *   the input served last, in the order of their links; the others choose when it has.
 * - Cut-through: a head may be chosen before it is in, from max(header in, last byte in - ser of
 *   the output) on, so that its last byte leaves when it is in at the earliest. A header counts as
 *   one byte at least. It still needs credit for all its bytes. Where the rate or the latency of
 *   the link changes under a packet, it is stored first; the output counts with its highest rate.
 * - A link that is down chooses nothing; a packet that is on it stands still. Packets take detours
 *   round links that are down (topology::Detours); those that wait for a link when it goes down
 *   keep waiting, unless it never comes back. A packet that would not be through before that does
 *   not start.
 * - Where the network has a MultipathRouter, a packet chooses among the ways that it names when it
 *   is in (with cut-through: when its header is), a message's next packet when the one before has
 *   started. A message is delivered when the last of its packets to come in is.
 *
 * On an idle network n >= 2 packets over h equal links take (n + h - 2) ser(full) + ser(last) +
 * h latency; with cut-through (n - 1) ser(full) + ser(last) + (h - 1) ser(header) + h latency.
 *
 * How it is fast: every effect of a choice lies strictly in its future, so all of them are written
 * down at once with their times, and the only events are one pending wake per port that has
 * something to do, and the notifications of messages. A wake that comes too early does nothing; the
 * care is that none is missing: the head of every queue is covered by the port's wake, or by its
 * `waiting` bit for the channel whose credit it lacks.
 */
class PacketMachine final : public PacketLevel, private PacketState, private SteadyTrafficHost
{
  public:
    /**
     * @param description must outlive the machine
     * @param queue the simulation's events; must outlive the machine
     *
     * Throws InputError for packet parameters that cannot work: an mtu below 1, a buffer smaller
     * than one packet, fewer virtual channels than the routing needs, errors with cut-through; and
     * for switches so large that their queues would fill the memory. Its events throw StallError
     * where a packet waits for a link that is down for ever.
     */
    PacketMachine(const topology::NetworkDescription& description, engine::EventQueue& queue);

    /**
     * A machine with routes of one's own.
     * @param description must outlive the machine; its routes are not used
     * @param route the routes; free of deadlock within description.virtual_channels()
     * @param queue the simulation's events; must outlive the machine
     */
    PacketMachine(const topology::NetworkDescription& description,
                  RouteFunction route,
                  engine::EventQueue& queue);

    PacketMachine(const PacketMachine&) = delete;
    PacketMachine& operator=(const PacketMachine&) = delete;

    void send(const engine::Message& message) override;
    /// max_queue: the most bytes, with headers, that had come in and stood in the queues of the
    /// link at one of its choices, the packet chosen included; messages that start at the node do
    /// not count, nor do packets still on their way. With cut-through a packet counts, with all
    /// its bytes, from when it may leave.
    std::vector<engine::LinkUse> link_use() const override;

    std::uint64_t packet_hops() const override;

    /**
     * @param link a link
     * @param function called as PacketQueued() for every packet that waits for the link or is on
     *                 its way to wait for it
     */
    void ListQueued(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function) override;

    void SetTrains(bool wanted) override;
    void SetThreads(std::size_t threads, std::uint64_t leastPackets) override;
    void Settle() override;

    void
    record_load(engine::LinkLoadRecorder* load) override
    {
        m_load = load;
    }

    void Split(std::vector<bool> owned, PacketCut& cut) override;
    void Enter(const std::uint8_t* data, std::size_t size) override;

    bool
    IsCut(LinkId link) const override
    {
        return m_ports[link.index()].cut == 1;
    }

  private:
    /// Calls a member function of the machine when an event is due.
    template <void (PacketMachine::*Function)(std::uint32_t)>
    class Event final : public engine::EventHandler
    {
      public:
        /**
         * @param machine whose member function
         */
        explicit Event(PacketMachine& machine) : m_machine(machine)
        {
        }

        void
        handle(std::uint64_t payload) override
        {
            (m_machine.*Function)(static_cast<std::uint32_t>(payload));
        }

      private:
        PacketMachine& m_machine; ///< whose member function
    };

    /**
     * A port's wake is due.
     * @param port the port
     */
    void Wake(std::uint32_t port);

    /**
     * A port that left an input to others has its second chance.
     * @param port the port
     */
    void WakeAgain(std::uint32_t port);

    /**
     * A port chooses, if it is idle, and plans its next wake.
     * @param portNumber the port
     * @param now in picoseconds
     */
    void Decide(std::uint32_t portNumber, std::int64_t now);

    /// @copydoc Decide
    /// Others have chosen already.
    void DecideAgain(std::uint32_t portNumber, std::int64_t now);

    void Resume(const std::vector<std::uint32_t>& ports,
                std::int64_t from,
                std::int64_t until) override;

    /**
     * Makes the choices of ports that make up for lost time.
     * @param now when the first of them is due, in picoseconds
     */
    void DecideResumed(std::int64_t now);

    void ObserverChanges() override;

    /// Finds out whether nodes can go on alone in windows of time.
    void ChooseGait();

    /// From now on every choice is an event.
    void LeaveWindows();

    /**
     * Windows: sees to it that the ports have their turn.
     * @param at in picoseconds
     */
    void PlanTurn(std::int64_t at);

    /// Windows: the ports have their turn.
    void Turn(std::uint32_t);

    /**
     * Lets the nodes go on, window by window as long as nothing else happens.
     * @param from start of the first window, in picoseconds
     * @return when a port has to decide next
     */
    std::int64_t GoOn(std::int64_t from);

    /**
     * What happens at one node has effects at others one link latency later at the earliest, so
     * that within the shortest latency each can go on alone, in any order.
     * @param from start of a window, in picoseconds
     * @return its end: nobody is told of anything before it
     */
    std::int64_t WindowEnd(std::int64_t from) const;

    /**
     * Makes all choices of a node before the end of a window.
     * @param node the node
     * @param limit the end, in picoseconds
     */
    void GoOnAlone(std::uint32_t node, std::int64_t limit);

    /**
     * Makes all choices of a port before a time at which others may take part in them.
     * @param port the port
     * @param limit the time, in picoseconds
     */
    void GoOnByItself(std::uint32_t port, std::int64_t limit);

    /**
     * Puts packets of one message on their only link, one after the other, where nothing else
     * waits for it: all the same choice.
     * @param portNumber the port, whose wish is due
     * @param from now, in picoseconds
     * @param limit no choice at or after it, in picoseconds
     * @return whether there was one; otherwise nothing has happened
     */
    bool Stream(std::uint32_t portNumber, std::int64_t from, std::int64_t limit);

    /**
     * @param port that decides, unless its wish was taken back
     * @param now in picoseconds
     */
    void DecideIfDue(std::uint32_t port, std::int64_t now);

    /**
     * Gives those their second chance that wait for it.
     * @param part in which they are
     * @param now in picoseconds
     */
    void DecideAgain(PacketPart& part, std::int64_t now);

    /**
     * @param portNumber an idle port that is up
     * @param queueNumber a queue of the port that is not empty
     * @param now in picoseconds
     * @return whether its head may go: it is in, has its credit, and its input lets it
     */
    bool CanGo(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t now);

    /**
     * Limited speed-up: whether a head must stay in its input for now.
     * @param portNumber an idle port
     * @param queueNumber a queue of the port, whose head could go but for its input
     * @param now in picoseconds
     * @return whether it must, because enough others are leaving the input or have the first right
     */
    bool InputRefuses(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t now);

    /**
     * @param portNumber an idle port
     * @param queueNumber a queue of the port
     * @param now in picoseconds
     * @return whether another idle port, nearer behind the one that the queue's input served last,
     *         has a packet of the input too
     */
    bool OthersComeFirst(std::uint32_t portNumber,
                         std::uint32_t queueNumber,
                         std::int64_t now) const;

    /**
     * Limited speed-up: lets a port decide again when all others have at this instant.
     * @param portNumber the port
     */
    void AwaitSecondChance(std::uint32_t portNumber);

    /**
     * The last byte of a message has left its source.
     * @param message index of the message
     */
    void MessageSent(std::uint32_t message);

    /**
     * The last byte of a message has arrived.
     * @param message index of the message
     */
    void MessageDelivered(std::uint32_t message);

    /**
     * Round robin.
     * @param port an idle port
     * @param now in picoseconds
     * @return the queue whose head may go, or NONE
     */
    std::uint32_t Choose(PacketPort& port, std::int64_t now);

    /// @copydoc Choose
    /// Oldest first instead.
    std::uint32_t ChooseOldest(PacketPort& port, std::int64_t now);

    /// @copydoc Choose
    /// Several traffic classes: first the class, then one of the two rules.
    std::uint32_t ChooseByClass(PacketPort& port, std::int64_t now);

    /**
     * @param port an idle port
     * @param now in picoseconds
     * @return the queue whose head may go, or NONE
     */
    std::uint32_t
    ChooseQueue(PacketPort& port, std::int64_t now)
    {
        if (m_several)
        {
            return ChooseByClass(port, now);
        }
        return m_oldest ? ChooseOldest(port, now) : Choose(port, now);
    }

    /**
     * Several traffic classes: the head of a queue starts.
     * @param portNumber the port
     * @param queueNumber a queue of the port
     * @param attempts how often the packet is sent
     */
    void ServeClass(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t attempts);

    /**
     * Throws StallError where the link is down for ever and somebody waits.
     * @param portNumber of an irregular link
     * @param now in picoseconds
     * @return whether the link is up
     */
    bool IsUp(std::uint32_t portNumber, std::int64_t now);

    /**
     * @param portNumber of an irregular link
     * @param time in picoseconds
     * @return when the port can decide if it wants to then
     */
    std::int64_t AfterOutage(std::uint32_t portNumber, std::int64_t time) const;

    /**
     * A packet starts on an irregular link.
     * @param portNumber of the link
     * @param wire bytes
     * @param now in picoseconds
     * @return what becomes of it
     */
    Crossing CrossIrregular(std::uint32_t portNumber, std::uint32_t wire, std::int64_t now);

    /**
     * Puts the head of a queue on the link, with everything that follows from it.
     * @param portNumber the port
     * @param queueNumber a queue of the port
     * @param now in picoseconds
     */
    void Transmit(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t now);

    /**
     * @param event of which somebody is to be told
     */
    void Schedule(const MessageEvent& event);

    /**
     * Credit of a port is on its way back.
     * @param credit and for whom it is
     */
    void ReturnCredit(const MailedCredit& credit);

    /**
     * Schedules an event, after the window where parts go on at the same time.
     * @param port that sends the last packet of a message
     * @param event that follows from it
     */
    void Announce(const PacketPort& port, const MessageEvent& event);

    /**
     * Tells m_steady that a port has started a packet, after the window where parts go on at the
     * same time.
     * @param portNumber the port
     * @param now in picoseconds
     * @param end when the packet has left, in picoseconds
     */
    void LookAtStart(std::uint32_t portNumber, std::int64_t now, std::int64_t end);

    /**
     * Parts go on at the same time.
     * @param from a port
     * @param to a port of another part
     * @return what goes from the one part to the other
     */
    PartMail&
    MailTo(const PacketPort& from, const PacketPort& to)
    {
        return m_parts[from.part].mail[to.part];
    }

    /// Finds out which nodes go on at the same time.
    void DivideNodes();

    /**
     * @param from start of a window, in picoseconds
     * @param limit its end
     * @return whether it pays to let the parts go on at the same time, and nothing forbids it
     */
    bool PartsMayGoOn(std::int64_t from, std::int64_t limit) const;

    /**
     * Lets the parts go on at the same time.
     * @param limit the end of the window, in picoseconds
     */
    void GoOnInParts(std::int64_t limit);

    /**
     * What other parts have sent to one of them.
     * @param number of the part
     */
    void OpenMail(std::uint32_t number);

    /**
     * Adds up what the parts have counted, and schedules their events.
     * @return packets that no event of the queue has started since the last time
     */
    std::uint64_t Gather();

    /**
     * Finds out how packets find their ways.
     * @param description the network
     */
    void KnowRoutes(const topology::NetworkDescription& description);

    /// Faults that take links down: sees to it that the next change of the routes is an event.
    void AwaitEpoch();

    /**
     * Faults that take links down: other links are down from now on.
     * @param epoch of m_detours
     */
    void EpochBegins(std::uint32_t epoch);

    /// The packets that wait for links that never come back choose anew.
    void LeaveDeadLinks();

    /**
     * Takes the packets out of the queues of a port.
     * @param port the port
     * @param packets to which they are added
     */
    void EmptyQueues(PacketPort& port, std::vector<std::uint32_t>& packets);

    /// The next packets of all messages that have not started choose anew.
    void ChooseStartsAnew();

    /**
     * @param portNumber of an irregular link that is up
     * @param wire bytes of a packet
     * @param now in picoseconds
     * @return whether the packet, if it starts now, is through before the link is down for ever
     */
    bool GetsThrough(std::uint32_t portNumber, std::uint32_t wire, std::int64_t now);

    /**
     * Multi-path routing: a message starts.
     * @param message its index
     * @param sent what is known of it
     */
    void OpenWays(std::uint32_t message, const engine::Message& sent);

    /**
     * Multi-path routing: the next packet of a message chooses its first hop.
     * @param message its index
     */
    void ChooseStart(std::uint32_t message);

    /**
     * Multi-path routing: a packet chooses among the ways on.
     * @param way of the packet
     */
    void ChooseWay(WayOfPacket& way);

    /**
     * Multi-path routing: a packet has been cut, and the next one of its message chooses.
     * @param message its index
     * @param place of the packet
     * @param end when it has left
     * @return whether the next packet starts elsewhere than this one
     */
    bool CutWay(std::uint32_t message, std::uint32_t place, std::int64_t end);

    /**
     * Multi-path routing: a message goes on at the queue of its next packet.
     * @param message its index, in no turn list
     */
    void MoveMessage(std::uint32_t message);

    /**
     * Multi-path routing: a packet is on a link to a node that is not its destination.
     * @param place of the packet
     * @param crossing how it crosses the link
     * @param number of the packet on the link
     */
    void GoOn(std::uint32_t place, const Crossing& crossing, std::int64_t number);

    /**
     * One path: a packet is on a link to a node that is not its destination.
     * @param from the link's port
     * @param place of the packet, whose hop is that link still
     * @param wire bytes of the packet
     * @param crossing how it crosses the link
     */
    void GoOnByRoute(const PacketPort& from,
                     std::uint32_t place,
                     std::uint32_t wire,
                     const Crossing& crossing);

    /**
     * Multi-path routing: a packet can choose its next hop.
     * @param place of the packet
     */
    void PacketIn(std::uint32_t place);

    /**
     * Multi-path routing: a packet that has chosen joins its queue.
     * @param place of the packet
     */
    void StandInLine(std::uint32_t place);

    /**
     * Multi-path routing: a packet is on its last link.
     * @param message its message
     * @param arrival when it will be in
     */
    void ArriveByWay(std::uint32_t message, std::int64_t arrival);

    /**
     * Split network: a message starts here.
     * @param place of the message
     * @param sent what is known of it
     */
    void OpenOwn(std::uint32_t place, const engine::Message& sent);

    /**
     * Split network: a packet has come in.
     * @param message that it belongs to
     * @return the place of the message here
     */
    std::uint32_t OpenForeign(const BorderMessage& message);

    /**
     * Split network: a packet is on a link to another part.
     * @param portNumber the port
     * @param place of the packet
     * @param crossing how it crosses the link
     */
    void LeaveByCut(std::uint32_t portNumber, std::uint32_t place, const Crossing& crossing);

    /**
     * Split network: a packet of another part is to enter, before anything happens here now.
     * @param packet that is on a link to this part
     */
    void EnterLater(const BorderPacket& packet);

    /**
     * Split network: credit enters, before anything happens here now.
     * @param credit from another part
     */
    void TakeCredit(const BorderCredit& credit);

    /**
     * Split network: a packet is on a link from another part.
     * @param number of the packet among those that enter
     */
    void EnterPacket(std::uint32_t number);

    /**
     * Split network: credit goes back to another part.
     * @param link for which it is
     * @param channel virtual channel
     * @param wire bytes
     * @param stamp when it counts, in picoseconds
     */
    void SendCreditBack(std::uint32_t link,
                        std::uint32_t channel,
                        std::uint32_t wire,
                        std::int64_t stamp);

    /**
     * Split network: the source of a message has done its part.
     * @param message its place
     */
    void SourceIsDone(std::uint32_t message);

    /**
     * Split network: something does not hold a message any more.
     * @param message its place
     */
    void Release(std::uint32_t message);

    /**
     * Makes the next packet of the message whose turn it is.
     * @param queueNumber a queue of messages
     * @param now in picoseconds
     * @param end when the packet has left
     * @return the packet
     */
    std::uint32_t CutPacket(std::uint32_t queueNumber, std::int64_t now, std::int64_t end);

    /**
     * Takes the head out of a queue and sends its credit back.
     * @param port of the queue
     * @param queueNumber a queue of packets
     * @param end when the packet has left
     * @return the packet
     */
    std::uint32_t PopPacket(PacketPort& port, std::uint32_t queueNumber, std::int64_t end);

    /**
     * Puts a packet into the queue of its next hop, where it will be at packet.ready.
     * @param place of the packet
     */
    void PushPacket(std::uint32_t place);

    /**
     * Writes down in its queue whose turn it is.
     * @param queueNumber a queue of messages
     */
    void ShowTurn(std::uint32_t queueNumber);

    /**
     * Writes down in its queue what the port must know of the head.
     * @param queue a queue of packets that is not empty
     */
    void ShowHead(VirtualQueue& queue);

    /**
     * Finds out when the port has to decide next, and sets its wake or its `waiting` bits.
     * @param portNumber the port
     * @param from in picoseconds; no decision before it
     */
    void PlanWake(std::uint32_t portNumber, std::int64_t from);

    /**
     * Sets the wake of a port, unless there is an earlier one.
     * @param portNumber the port
     * @param at in picoseconds
     */
    void Arm(std::uint32_t portNumber, std::int64_t at);

    /**
     * Counts the packets that have come in.
     * @param port the port
     * @param now in picoseconds
     */
    void CountArrived(PacketPort& port, std::int64_t now);

    /**
     * @param turns a list that is not empty
     * @return when the first of its messages came to wait there, in picoseconds
     */
    std::int64_t FirstOf(const TurnList& turns);

    /**
     * Counts how long the port has waited for credit, before it sends again.
     * @param portNumber the port
     * @param now in picoseconds
     */
    void CountStall(std::uint32_t portNumber, std::int64_t now);

    /**
     * @param portNumber the port
     * @param wire bytes of a packet that is not full
     * @return how long they occupy a link without faults
     */
    std::int64_t OtherTime(std::uint32_t portNumber, std::uint32_t wire);

    /**
     * @param portNumber the port
     * @param wire bytes of a packet
     * @return how long they occupy a link without faults
     */
    std::int64_t
    SendingTime(std::uint32_t portNumber, std::uint32_t wire)
    {
        return wire == m_fullWire ? m_ports[portNumber].fullTime : OtherTime(portNumber, wire);
    }

    /**
     * @param portNumber the port
     * @param wire bytes of a packet
     * @return how long they occupy the link at its best
     */
    std::int64_t
    LeastSendingTime(std::uint32_t portNumber, std::uint32_t wire)
    {
        if (m_ports[portNumber].irregular == 1)
        {
            return m_timing.LeastTime(portNumber, wire);
        }
        // The port may be another thread's, so nothing of it is written.
        return wire == m_fullWire ? m_ports[portNumber].fullTime
                                  : transfer_time(Bytes(wire), m_rates[portNumber]).ps();
    }

    /**
     * @param portNumber the port
     * @param time when a credit starts on its way back
     * @return when it is there
     */
    std::int64_t
    CreditBack(std::uint32_t portNumber, std::int64_t time) const
    {
        return m_ports[portNumber].irregular == 0 ? time + m_ports[portNumber].latency
                                                  : m_timing.CreditBack(portNumber, time);
    }

    /**
     * @param queue that is not empty
     * @return the message of its head
     */
    const MessageRecord&
    MessageOfHead(const VirtualQueue& queue)
    {
        return m_messages[queue.upstream == NONE ? queue.head : m_packets[queue.head].message];
    }

    bool m_cutThrough;                            ///< packets leave before they are in
    LinkTiming m_timing;                          ///< links with faults and errors
    std::vector<Rate> m_rates;                    ///< by link
    std::vector<std::int64_t> m_headerTimes;      ///< by link, of HeaderBytes()
    std::vector<std::int64_t> m_retransmissions;  ///< by link
    std::vector<QueueHistogram> m_histograms;     ///< by link, where they are asked for
    WayChooser m_chooser;                         ///< of multi-path routing
    PacketWays m_ways;                            ///< of multi-path routing
    std::unique_ptr<topology::Detours> m_detours; ///< where faults take links down
    std::size_t m_epoch = 0;                      ///< of m_detours
    bool m_epochAwaited = false;                  ///< its end is an event
    std::size_t m_underWay = 0;                   ///< messages, where there are detours
    std::unique_ptr<PacketBorder> m_border;       ///< where the network is split
    std::unique_ptr<SteadyTraffic> m_steady;      ///< packet trains, or null
    std::unique_ptr<NodeWindows> m_windows;       ///< nodes go on alone, or null
    std::int64_t m_lookahead = 0;                 ///< the longest window
    std::unique_ptr<ThreadCrew> m_crew;           ///< lets parts go on at the same time, or null
    std::size_t m_threads = 1;                    ///< wanted
    std::uint64_t m_leastPackets = 0;             ///< of a window that is worth threads
    std::uint64_t m_lastPackets = 0;              ///< of the last window
    std::int64_t m_turnAt = NEVER;                ///< time of the event pending for it
    bool m_trains = true;                         ///< they are wanted
    bool m_resuming = false;                      ///< ports make up for lost time
    /// When they decide next: a heap, the earliest first; obsolete where the port says otherwise.
    std::vector<std::pair<std::int64_t, std::uint32_t>> m_resumed;
    Event<&PacketMachine::Wake> m_wakeEvent{*this};                  ///< of ports
    Event<&PacketMachine::Turn> m_turnEvent{*this};                  ///< of all ports, with windows
    Event<&PacketMachine::MessageSent> m_sentEvent{*this};           ///< of messages
    Event<&PacketMachine::MessageDelivered> m_deliveredEvent{*this}; ///< of messages
    Event<&PacketMachine::PacketIn> m_packetInEvent{*this};          ///< of multi-path routing
    Event<&PacketMachine::WakeAgain> m_againEvent{*this};            ///< of ports
    Event<&PacketMachine::EpochBegins> m_epochEvent{*this};          ///< of m_detours
    Event<&PacketMachine::EnterPacket> m_enterEvent{*this};          ///< of m_border
};

} // namespace npunet::packet

#endif /* NPU_PACKET_MACHINE_H */
