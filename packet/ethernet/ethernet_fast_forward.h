#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/ethernet/ecn_marks.h"
#include "packet/ethernet/link_transmission.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/ethernet/port_schedule.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/transport/periodic_transport.h"
#include "packet/transport/transport.h"

#include "engine/event_queue.h"
#include "engine/state_scan.h"
#include "topology/network_description.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace npunet::packet {

/// An EthernetNetwork as its packet trains see it (PeriodicTransport), where they are possible:
/// goes through its state, and moves it on by periods.
class EthernetFastForward final : private PeriodicTransportHost {
public:
    /// All of these must outlive this.
    /// @param description the network
    /// @param queue the simulation's events
    /// @param state of the network
    /// @param links how packets cross them
    /// @param schedule when ports choose
    /// @param flow_control the room in buffers
    /// @param marks which packets are marked
    /// @param queues of output ports
    /// @param pairs the transport
    EthernetFastForward(const topology::NetworkDescription& description, engine::EventQueue& queue,
                        EthernetNetworkState& state, const EthernetLinks& links,
                        EthernetPortSchedule& schedule, PriorityFlowControl& flow_control,
                        EcnMarks& marks, const OutputQueues& queues, QueuePairs& pairs);

    EthernetFastForward(const EthernetFastForward&) = delete;
    EthernetFastForward& operator=(const EthernetFastForward&) = delete;

    /// @param wanted whether there shall be trains, where they are possible; there are
    void set_trains(bool wanted);

    /// The network is split: there are no trains any more.
    void split();

    /// Brings the network up to the present.
    void settle();

    /// EthernetNetworkState::observer is another one.
    void observer_changes();

    /// A message is about to begin, or ends.
    void messages_change();

    /// Data starts at its source.
    /// @param number of the port
    /// @param pair number of its queue pair
    /// @param now in picoseconds
    /// @param end when it has left, in picoseconds
    void packet_starts(std::uint32_t number, std::uint32_t pair, std::int64_t now,
                       std::int64_t end) {
        if (now >= watch_from_ && (watched_ == number || watched_ == any_port)) {
            periodic_->packet_starts(number, pairs_.pairs()[pair].unsent(), now, end);
        }
    }

private:
    void watch(std::uint32_t port, std::int64_t from) override;
    std::size_t collect_flows() override;
    void scan(engine::StateScan& scan) override;
    std::int64_t periods_left(const engine::StateSample& earlier,
                              const engine::StateSample& present) const override;
    void note_timers(bool wanted) override;
    void stand_still() override;
    void go_on(const engine::StateSample& earlier, engine::StateSample& present,
               std::int64_t periods, engine::EventKey until) override;

    /// @return whether there can be trains: nothing is kept for every packet that would have to be
    ///         moved on, too
    bool are_possible() const;

    /// @param scan of the whole network
    /// @param number of a port
    void scan_port(engine::StateScan& scan, std::uint32_t number);

    /// @param scan of the whole network
    /// @param line of packets
    void scan_line(engine::StateScan& scan, const PacketQueue& line);

    /// Other events are the network's from now on; what is pending is scheduled there.
    /// @param queue of them
    void use_queue(engine::EventQueue& queue);

    const topology::NetworkDescription& description_;  ///< the network
    engine::EventQueue& simulation_;                   ///< the simulation's events
    EthernetNetworkState& state_;                      ///< ports and packets
    const EthernetLinks& links_;                       ///< how packets cross them
    EthernetPortSchedule& schedule_;                   ///< when ports choose
    PriorityFlowControl& flow_control_;                ///< the room in buffers
    EcnMarks& marks_;                                  ///< which packets are marked
    const OutputQueues& queues_;                       ///< of output ports
    QueuePairs& pairs_;                                ///< the transport
    std::unique_ptr<PeriodicTransport> periodic_;      ///< null: packet by packet
    bool is_split_ = false;                            ///< the network is
    std::uint32_t watched_ = none;                     ///< whose packets trains_ hears of
    std::int64_t watch_from_ = 0;                      ///< from when on, in picoseconds
};

}  // namespace npunet::packet
