/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_TRAINS_H
#define NPU_ETHERNET_TRAINS_H

#include "engine/period_search.h"
#include "engine/state_scan.h"
#include "packet/base/voq.h"

#include "engine/event_queue.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet
{

/// In place of a port: any of those by which messages start.
inline constexpr std::uint32_t ANY_PORT = NONE - 1;

/**
 * @ingroup npunet
 * The network whose packets EthernetTrains moves by periods.
 */
class EthernetTrainsHost
{
  public:
    /**
     * EthernetTrains::PacketStarts() is to be called.
     * @param port for whose own data; ANY_PORT, or NONE
     * @param from when on, in picoseconds
     */
    virtual void Watch(std::uint32_t port, std::int64_t from) = 0;

    /**
     * Finds the flows that are under way, which stay the same until messages begin or end.
     * @return words that were looked at
     */
    virtual std::size_t CollectFlows() = 0;

    /**
     * Goes through the state, at an instant before its choices.
     * @param scan describes, compares or moves
     */
    virtual void Scan(engine::StateScan& scan) = 0;

    /**
     * @param earlier a sample
     * @param present one that equals it, of the state as it is
     * @return how many times what is between them happens again before anything else does, as far
     *         as the network knows
     */
    virtual std::int64_t PeriodsLeft(const engine::StateSample& earlier,
                                     const engine::StateSample& present) const = 0;

    /**
     * Begins to note what timers do, or ceases to.
     * @param wanted whether it is noted
     */
    virtual void NoteTimers(bool wanted) = 0;

    /// No event does anything until GoOn().
    virtual void StandStill() = 0;

    /**
     * Goes on after StandStill().
     * @param earlier a sample, with counts, taken when NoteTimers() began
     * @param present one that equals it, of the state as it is
     * @param periods by which the state is moved on
     * @param until all events of the present instant with lower keys are made up for, and all those
     *              before
     */
    virtual void GoOn(const engine::StateSample& earlier,
                      engine::StateSample& present,
                      std::int64_t periods,
                      engine::EventKey until) = 0;

  protected:
    ~EthernetTrainsHost() = default;
};

/**
 * @ingroup npunet
 * Packet trains for networks with Ethernet-like switches, where everything depends on everything:
 * switches share their buffers, pauses spread, answers go back. So the network as a whole is
 * looked at, whenever one port, the anchor, has sent a packet of its own. When its state at t
 * equals that at t - P (engine::StateScan), it does from t on what it has done since t - P, over
 * and over, until
 * - a message has no full period of packets left, or
 * - something comes from outside: a message, or somebody who looks.
 * Until then the network stands still. Then its state is moved on by as many whole periods as have
 * passed, and the rest of the period that has begun is made up for packet by packet, on a queue of
 * events of its own. The result is that of all packets one by one, in every figure.
 *
 * Timers of retransmissions run out behind each other at distances that have nothing to do with the
 * period, though they never do anything but begin anew. So when a state repeats itself one more
 * period is simulated, in which it is noted when timeouts begin anew; from that follows where the
 * timers are.
 */
class EthernetTrains final : private engine::EventHandler
{
  public:
    /**
     * @param queue the simulation's events; must outlive this
     * @param host the network; must outlive this
     */
    EthernetTrains(engine::EventQueue& queue, EthernetTrainsHost& host);

    /// A message is about to begin, or ends.
    void MessagesChange();

    /**
     * A port that is watched has started a packet of its own.
     * @param port the port
     * @param unsent packets that are behind it in its flow
     * @param now in picoseconds
     * @param end when the packet has left, in picoseconds
     */
    void PacketStarts(std::uint32_t port, std::int64_t unsent, std::int64_t now, std::int64_t end);

    /// Brings the network up to the present.
    void Settle();

    /**
     * @param enabled whether the network may stand still from now on
     */
    void Enable(bool enabled);

  private:
    /// What is being done.
    enum class Stage : std::uint8_t
    {
        OFF,        ///< nothing
        WAITING,    ///< for the end of a break, and a port with much to send
        SEARCHING,  ///< for a period
        CONFIRMING, ///< one more period, with notes
        STILL       ///< the network stands still
    };

    /// The anchor's packet has left, or the network has stood still for as long as it may.
    void handle(std::uint64_t payload) override;

    /**
     * @param at in picoseconds
     */
    void Plan(std::int64_t at);

    /// Waits for an attempt.
    void Wait();

    /// Looks whether the state was there before.
    void LookForPeriod();

    /// Describes the state, to compare others with it.
    void Keep(bool counts);

    /**
     * @param counts whether counts are wanted
     * @return whether the state is the one that is kept
     */
    bool Repeats(bool counts);

    /// The state has repeated itself: sees to one more period.
    void BeginToConfirm();

    /// Another look meanwhile.
    void Confirm();

    /// Lets the network go on.
    void Resume();

    /**
     * @return whether what could be skipped is worth the effort
     */
    bool IsWorthwhile() const;

    /**
     * @param words that were looked at
     */
    void Charge(std::size_t words);

    engine::EventQueue& m_queue;    ///< the simulation's events
    EthernetTrainsHost& m_host;     ///< the network
    Stage m_stage = Stage::WAITING; ///< what is being done
    std::uint64_t m_serial = 0;     ///< events with others are stale
    std::uint32_t m_anchor = NONE;  ///< by whose packets the state is looked at
    std::int64_t m_packetTime = 0;  ///< of the last anchor, in picoseconds
    std::uint32_t m_break = engine::PeriodSearch::first_break; ///< before the next attempt
    engine::PeriodSearch m_search;                             ///< for a period
    engine::LookBudget m_budget;                               ///< what may be looked at
    std::uint64_t m_work = 0;                                  ///< words of this attempt
    std::uint64_t m_keptEvents = 0;                            ///< handled until the kept state
    std::uint32_t m_looksLeft = 0;                             ///< until the period is confirmed
    engine::StateSample m_kept;                                ///< an earlier state
    engine::StateSample m_present;                             ///< without words: they are the same
    std::int64_t m_periods = 0; ///< for which the network may stand still
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_TRAINS_H */
