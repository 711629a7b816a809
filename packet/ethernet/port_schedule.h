#pragma once

#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/routing/ethernet_port.h"

#include "engine/event_queue.h"
#include "engine/network.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// When ports choose, and when what is on their links is in: one pending event for each port that
/// sends and one for each link with packets on it.
class EthernetPortSchedule {
public:
    /// All of these must outlive this.
    /// @param ports by link
    /// @param packets under way
    /// @param clock the network's
    /// @param wake handles the events of ports that choose
    /// @param arrive handles those of links whose packets are in
    EthernetPortSchedule(std::vector<EthernetPort>& ports, EthernetPackets& packets,
                         EthernetClock& clock, engine::EventHandler& wake,
                         engine::EventHandler& arrive)
        : ports_(ports), packets_(packets), clock_(clock), wake_(wake), arrive_(arrive) {}

    EthernetPortSchedule(const EthernetPortSchedule&) = delete;
    EthernetPortSchedule& operator=(const EthernetPortSchedule&) = delete;

    /// A port may have something to send.
    /// @param number of the port
    /// @param at from when on, in picoseconds
    void wake_port(std::uint32_t number, std::int64_t at) {
        // A port that is choosing plans its next wake itself.
        if (number != deciding_) {
            arm(number, std::max(ports_[number].busy_until, at));
        }
    }

    /// @param number of a port to be woken
    /// @param at when, in picoseconds
    void arm(std::uint32_t number, std::int64_t at) {
        EthernetPort& port = ports_[number];
        if (at < port.wake) {
            port.wake = at;
            schedule_wake(number, at);
        }
    }

    /// @param number of the port that chooses from now on; none: none does
    void set_deciding(std::uint32_t number) { deciding_ = number; }

    /// A packet starts so late that what follows may pass the end of the clock: the queue says so.
    /// @param number of the port
    void schedule_at_end(std::uint32_t number) {
        clock_.schedule(never, engine::EventKey(), wake_, number);
    }

    /// A packet is on a link, behind those that are there.
    /// @param link the link
    /// @param place of the packet
    void fly(std::uint32_t link, std::uint32_t place) {
        PacketQueue& flight = ports_[link].flight;
        const bool alone = flight.head == none;
        flight.append(packets_, place);
        if (alone) {
            await_arrival(link);
        }
    }

    /// Sees to it that the first packet on a link is an event.
    /// @param link the link, with packets on it
    void await_arrival(std::uint32_t link) {
        EthernetPort& port = ports_[link];
        port.due = packets_[port.flight.head].ready;
        clock_.schedule(
            port.due,
            engine::EventKey::of(engine::Phase::Arrival, engine::event_kind::packet_in, link),
            arrive_, link);
    }

    /// The clock has another queue of events: what is pending is scheduled there.
    void schedule_anew() {
        for (std::uint32_t number = 0; number < ports_.size(); ++number) {
            const EthernetPort& port = ports_[number];
            if (port.wake != never) {
                schedule_wake(number, port.wake);
            }
            if (port.due != never) {
                await_arrival(number);
            }
        }
    }

private:
    /// @param number of a port
    /// @param at when it chooses, in picoseconds
    void schedule_wake(std::uint32_t number, std::int64_t at) {
        clock_.schedule(
            at, engine::EventKey::of(engine::Phase::Arbitration, engine::event_kind::port, number),
            wake_, number);
    }

    std::vector<EthernetPort>& ports_;  ///< by link
    EthernetPackets& packets_;          ///< under way
    EthernetClock& clock_;              ///< the network's
    engine::EventHandler& wake_;        ///< handles the events of ports that choose
    engine::EventHandler& arrive_;      ///< handles those of links whose packets are in
    std::uint32_t deciding_ = none;     ///< the port that chooses
};

}  // namespace npunet::packet
