/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_NETWORK_H
#define NPU_ETHERNET_NETWORK_H

#include "npu-ethernet-border.h"
#include "npu-ethernet-packet.h"
#include "npu-ethernet-port.h"
#include "npu-ethernet-routes.h"
#include "npu-ethernet-trains.h"
#include "npu-member-event.h"
#include "npu-packet-classes.h"
#include "npu-packet-errors.h"
#include "npu-packet-level.h"
#include "npu-queue-histogram.h"
#include "npu-queue-pairs.h"
#include "npu-shared-buffer.h"
#include "npu-telemetry-records.h"

#include "engine/event_queue.h"
#include "engine/link_clock.h"
#include "engine/network.h"
#include "topology/network_description.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The packet-level network of Ethernet-like switches: output queues in a shared buffer
 * (SharedBuffer), priority flow control or drops, marks, telemetry, links that lose packets, and
 * the transport of the NPUs on top (QueuePairs). Every node forwards, NPUs too. It knows nothing of
 * ns-3; NpuEventBridge lets ns-3 drive its queue.
 *
 *     EventQueue queue;
 *     EthernetNetwork network(description, queue);
 *     network.set_listener(listener);
 *     network.send(message);
 *     queue.run();
 *
 * The rules, with ser(b) = ceil(b x 10^12 / rate) ps for b bytes on the wire:
 * - A packet that starts at t occupies its link until t + ser and is in at t + ser + latency. At
 *   its destination it is consumed at once, elsewhere it joins the queue of its class at its
 * output. With cut-through it joins when its header is in and may leave so that its last byte
 * leaves when it is in at the earliest.
 * - An idle port sends, in this order: requests to pause or to resume; other control packets, in
 *   the order in which they came; data. Among the classes that have data and are not paused the
 *   lowest goes first, or they share by weights (PacketClasses); in a class what has come by other
 *   links and what starts at the node take turns, the former first. The choice at t sees everything
 *   that arrives at t; what arrives at t does so in the order of the links' numbers. So do the
 *   ports choose: a request that one makes at t is there for ports of higher numbers, and for idle
 *   ones.
 * - Data counts in the buffer of each node that it passes from when it joins a queue until its last
 *   byte has left and its port chooses anew, which is after what arrives at that time; not at its
 *   source, where it waits outside the network. Control packets do not count, are not paused and
 *   find room always.
 * - Data is marked when it joins a queue of q bytes in its class: never up to kmin, always beyond
 *   kmax, and between them with the probability pmax (q - kmin) / (kmax - kmin). kmin and kmax are
 *   in proportion to the rate of the link, rounded down. The n-th packet, from 0, that finds room
 *   at a link is marked if mix(mix(mix(seed xor 0x6d61726b) + link) + n) / 2^64, to 53 bits, lies
 *   below that (mix: PacketErrors). Only congestion control that looks at marks has them.
 * - Telemetry (HopTelemetry) is written into data when it starts at a node that it passes, before
 *   it counts in what it says; the packet is longer by TELEMETRY_BYTES from then on.
 * - A request to pause is a frame of 64 bytes. It goes by the link back, of parallel links in the
 *   order of their numbers, and stops the class at the other end of the link when it is in; what is
 *   being sent is finished. A request to pause that has not started yet and one to resume the same
 *   class take each other back.
 * - A link loses the packets of which the error rate says so (PacketErrors) and those that are on
 *   it when it goes down. Requests to pause or to resume wait again from their start on, ahead of
 *   others, until they get through, and are no drops. A
 *   port whose link is down keeps its packets, unless it never comes back: then they are lost.
 *
 * How it is fast: one pending event for each port that sends and one for each link with packets on
 * it, so the list of events is as short as the network is busy, not as long as its queues; and
 * traffic that repeats itself is counted (EthernetTrains).
 */
class EthernetNetwork final : public PacketLevel,
                              private TransportWire,
                              private TransportHost,
                              private EthernetTrainsHost
{
  public:
    /**
     * @param description must outlive the network
     * @param queue the simulation's events; must outlive the network
     *
     * Throws InputError for parameters that cannot work. Its events throw StallError where a packet
     * is lost and there is no transport.
     */
    EthernetNetwork(const topology::NetworkDescription& description, engine::EventQueue& queue);

    EthernetNetwork(const EthernetNetwork&) = delete;
    EthernetNetwork& operator=(const EthernetNetwork&) = delete;

    void send(const engine::Message& message) override;
    /// credit_stall: for how long the port was told to pause.
    std::vector<engine::LinkUse> link_use() const override;
    std::vector<engine::FlowUse> flow_use() const override;
    std::uint64_t packet_hops() const override;
    std::string explain_stall() const override;
    void ListQueued(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function) override;
    void SetTrains(bool wanted) override;
    void Settle() override;
    void Split(std::vector<bool> owned, PacketCut& cut) override;
    void Enter(const std::uint8_t* data, std::size_t size) override;

    bool
    IsCut(LinkId link) const override
    {
        return m_ports[link.index()].cut;
    }

    /**
     * @return the queue pairs so far; in a part of a split network those with an end in it, and of
     *         each what its ends here know (QueuePair::use)
     */
    const std::vector<QueuePair>&
    GetPairs() const
    {
        return m_pairs.GetPairs();
    }

  private:
    /// How a packet crosses a link; times in picoseconds.
    struct Passage
    {
        std::int64_t end;      ///< its last byte has left, or the link is down
        std::int64_t arrival;  ///< all of it is in
        std::int64_t headerIn; ///< its header is in
        bool lost;             ///< it does not arrive
        bool corrupted;        ///< because of an error
    };

    void SendControl(std::uint32_t place) override;
    void WakePort(std::uint32_t port, std::int64_t at) override;
    [[noreturn]] void GiveUp(const QueuePair& pair) const override;
    void MessagesChange() override;

    void ObserverChanges() override;

    // Packet trains (npu-ethernet-network-trains.cc).

    void Watch(std::uint32_t port, std::int64_t from) override;
    std::size_t CollectFlows() override;
    void Scan(engine::StateScan& scan) override;
    std::int64_t PeriodsLeft(const engine::StateSample& earlier,
                             const engine::StateSample& present) const override;
    void NoteTimers(bool wanted) override;
    void StandStill() override;
    void GoOn(const engine::StateSample& earlier,
              engine::StateSample& present,
              std::int64_t periods,
              engine::EventKey until) override;

    /**
     * @param scan of the whole network
     * @param port number of a port
     */
    void ScanPort(engine::StateScan& scan, std::uint32_t port);

    /**
     * @param scan of the whole network
     * @param line of packets
     */
    void ScanLine(engine::StateScan& scan, const PacketLine& line);

    /**
     * Other events are the simulation's from now on; what is pending is scheduled there.
     * @param queue of them
     */
    void UseQueue(engine::EventQueue& queue);

    /**
     * @param pair a queue pair
     * @return of the links by which it sends and is answered, the one that has lost most; the first
     *         one where none has
     */
    LinkId WorstLink(const QueuePair& pair) const;

    /**
     * @param port to be woken
     * @param at when, in picoseconds
     */
    void Arm(std::uint32_t port, std::int64_t at);

    /**
     * A port's wake is due.
     * @param port the port
     */
    void Wake(std::uint32_t port);

    /**
     * An idle port chooses, and plans its next wake.
     * @param port the port
     */
    void Decide(std::uint32_t port);

    /**
     * @param port an idle port
     * @param now in picoseconds
     * @return place of the packet that is sent now, taken out of its queue, or NONE
     */
    std::uint32_t Choose(std::uint32_t port, std::int64_t now);

    /**
     * @param port an idle port
     * @param trafficClass a class that is not paused
     * @param now in picoseconds
     * @return whether data of the class could be sent
     */
    bool HasData(std::uint32_t port, std::uint32_t trafficClass, std::int64_t now);

    /**
     * @param port an idle port
     * @param trafficClass for which HasData() holds
     * @param now in picoseconds
     * @return place of its next data
     */
    std::uint32_t TakeData(std::uint32_t port, std::uint32_t trafficClass, std::int64_t now);

    /**
     * An idle port that has sent nothing plans its next wake.
     * @param port the port
     */
    void PlanWake(std::uint32_t port);

    /**
     * Puts a packet on the link.
     * @param port the port
     * @param place of the packet
     * @param now in picoseconds
     */
    void Transmit(std::uint32_t port, std::uint32_t place, std::int64_t now);

    /**
     * @param port number of a port
     * @param wire bytes of a packet
     * @param now in picoseconds
     * @return how it crosses the link if it starts now
     */
    Passage Cross(std::uint32_t port, std::uint32_t wire, std::int64_t now);

    /// @copydoc Cross
    /// Of a link with faults or errors.
    Passage CrossIrregular(std::uint32_t port, std::uint32_t wire, std::int64_t now);

    /**
     * @param port number of a port
     * @param wire bytes
     * @return how long they occupy its link, in picoseconds
     */
    std::int64_t SendingTime(std::uint32_t port, std::uint32_t wire);

    /**
     * A packet that had come by a link has left a node.
     * @param node the node
     * @param input the link
     * @param trafficClass of the packet
     * @param bytes of it when it came
     */
    void FreeRoom(std::uint32_t node,
                  std::uint32_t input,
                  std::uint8_t trafficClass,
                  std::int64_t bytes);

    /**
     * What the port has sent leaves the buffer of its node.
     * @param port number of the port
     */
    void Release(std::uint32_t port);

    /**
     * Packets on a link are in.
     * @param link the link
     */
    void Arrive(std::uint32_t link);

    /**
     * A packet is on a link, behind those that are there.
     * @param link the link
     * @param place of the packet
     */
    void Fly(std::uint32_t link, std::uint32_t place);

    /**
     * Sees to it that the first packet on a link is an event.
     * @param link the link, with packets on it
     */
    void AwaitArrival(std::uint32_t link);

    /**
     * A packet is in.
     * @param place of the packet
     * @param link by which it came
     */
    void Receive(std::uint32_t place, std::uint32_t link);

    /**
     * Data joins the queue of its class at its output, or is lost.
     * @param place of the packet
     * @param link by which it came
     */
    void Enqueue(std::uint32_t place, std::uint32_t link);

    /**
     * @param port number of the output
     * @param queued bytes that are there in the class of the packet
     * @return whether a packet that comes now is marked
     */
    bool Marks(std::uint32_t port, std::int64_t queued);

    /**
     * @param port of a link that is down now
     * @param now in picoseconds
     * @return when it is up again; throws StallError where it never is and something waits for it
     */
    std::int64_t UpAgain(std::uint32_t port, std::int64_t now);

    /**
     * @param port of a node
     * @return whether anything waits for it
     */
    bool IsWanted(std::uint32_t port) const;

    /**
     * Asks the other end of a link to pause, or to go on, or takes the opposite back.
     * @param link by which too much has come
     * @param kind PAUSE or RESUME
     * @param trafficClass which is meant
     */
    void AskToPause(std::uint32_t link, PacketKind kind, std::uint8_t trafficClass);

    /**
     * Such a request is in.
     * @param port that is meant
     * @param packet that asks for it
     */
    void Pause(std::uint32_t port, const EthernetPacket& packet);

    /**
     * Tells the observer that a port pauses, or goes on.
     * @param port number of the port
     * @param trafficClass which is meant
     * @param paused whether it pauses
     */
    void TellPause(std::uint32_t port, std::uint8_t trafficClass, bool paused);

    /**
     * A port may send in all classes again.
     * @param port number of the port
     */
    void PauseEnds(std::uint32_t port);

    /**
     * @param port a paused port
     * @param trafficClass in which it is paused
     * @return the first paused port of the node behind its link for which packets wait there that
     *         came by that link; NONE: there is none
     */
    std::uint32_t BlockedBehind(std::uint32_t port, std::uint32_t trafficClass) const;

    /**
     * Split network, when nothing goes on.
     * @return which link another part has paused, in a sentence; nothing where there is none
     */
    std::string ExplainPausesFromAfar() const;

    /**
     * Throws the StallError of a packet that is lost where nobody sends it again.
     * @param port number of the port where
     * @param why it is lost
     */
    [[noreturn]] void RefuseLoss(std::uint32_t port, const char* why) const;

    /**
     * @param port of a link that goes down for ever
     * @param wire bytes of a packet
     * @param start of the packet
     * @param down when the link goes down
     * @return when the packet has left; `down` where it does not get so far
     */
    Time EndBefore(std::uint32_t port, std::uint32_t wire, Time start, Time down) const;

    /**
     * A packet is lost.
     * @param port number of the port where
     * @param place of the packet
     * @param why it is lost
     * @param where for the explanation where nobody sends it again
     */
    void Drop(std::uint32_t port, std::uint32_t place, PacketLoss why, const char* where);

    /**
     * Counts a packet that is lost, or its payload.
     * @param port number of the port where
     * @param wire bytes of the packet
     * @param why it is lost
     */
    void CountDrop(std::uint32_t port, std::uint32_t wire, PacketLoss why);

    /**
     * Split network: a packet is on a link to another part.
     * @param port number of the port
     * @param place of the packet, which is gone afterwards
     */
    void LeaveByCut(std::uint32_t port, std::uint32_t place);

    /**
     * Packets do not choose.
     * @param kind of a packet
     * @param key of its queue pair
     * @return index of the first hop of its path
     */
    std::uint32_t FirstHopOf(PacketKind kind, std::uint64_t key);

    /// Faults that take links down: sees to it that the next change of the routes is an event.
    void AwaitEpoch();

    /**
     * @return whether the links that are down concern anything that is under way
     */
    bool IsBusy() const;

    /**
     * Faults that take links down: other links are down from now on.
     * @param epoch of the detours
     */
    void EpochBegins(std::uint32_t epoch);

    /// What waits for links that are down for ever is lost.
    void BuryDead();

    /**
     * Several classes.
     * @param port number of a port
     * @return bytes carried, by class
     */
    std::vector<Bytes> ClassesWire(std::size_t port) const;

    /**
     * A link is down for ever: what waits for it is lost, what waits because of it goes on.
     * @param port number of its port
     */
    void Bury(std::uint32_t port);

    const topology::NetworkDescription& m_description; ///< the network
    engine::EventQueue& m_simulation;                  ///< the simulation's events
    EthernetClock m_time;                              ///< its events
    const std::uint32_t m_header;                      ///< bytes of a header, at least 1
    const std::uint32_t m_fullWire;                    ///< bytes of a full packet on the wire
    const std::uint32_t m_classCount;                  ///< traffic classes
    const bool m_cutThrough;                           ///< else store and forward
    const bool m_pauses;                               ///< else packets are dropped
    const bool m_marksWanted;                          ///< data is marked
    const bool m_trims;                                ///< instead of drops, payload is cut off
    std::vector<EthernetPort> m_ports;                 ///< by link
    std::vector<ClassQueue> m_queues;                  ///< by link and class
    EthernetPackets m_packets;                         ///< packets under way
    TelemetryRecords m_telemetry;                      ///< what is written into them
    PacketClasses m_classes;                           ///< traffic classes
    engine::LinkClock m_clock;                         ///< links with faults
    PacketErrors m_errors;                             ///< of links
    std::uint64_t m_markSeed;                          ///< of what is drawn for marks
    std::vector<std::uint64_t> m_transmissions;        ///< by link, where there are errors
    std::vector<std::int64_t> m_lastArrival;           ///< by link, where there are faults
    std::vector<std::int64_t> m_kmin;                  ///< by link, in bytes
    std::vector<std::int64_t> m_kmax;                  ///< by link, in bytes
    std::unique_ptr<SharedBuffer> m_buffer;            ///< of all nodes
    std::vector<QueueHistogram> m_histograms;          ///< by link, where they are asked for
    EthernetRoutes m_routes;                           ///< ways of packets
    QueuePairs m_pairs;                                ///< the transport
    std::unique_ptr<EthernetBorder> m_border;          ///< where the network is split
    std::uint32_t m_deciding = NONE;                   ///< the port that chooses
    std::size_t m_epoch = 0;                           ///< of the detours
    bool m_epochAwaited = false;                       ///< its end is an event
    std::int64_t m_lastStart = 0;                      ///< a later start passes the clock's end
    std::unique_ptr<EthernetTrains> m_trains;          ///< null: packet by packet
    bool m_trainsWanted = true;                        ///< where they are possible
    std::uint32_t m_watched = NONE;                    ///< whose packets m_trains hears of
    std::int64_t m_watchFrom = 0;                      ///< from when on, in picoseconds
    std::int64_t m_draws = 0;                          ///< for marks, so far
    MemberEvent<&EthernetNetwork::Wake> m_wakeEvent{*this};         ///< of ports
    MemberEvent<&EthernetNetwork::Arrive> m_arriveEvent{*this};     ///< of links
    MemberEvent<&EthernetNetwork::EpochBegins> m_epochEvent{*this}; ///< of the detours
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_NETWORK_H */
