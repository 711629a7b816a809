// Fast-forward of periodic traffic on an EthernetNetwork, where possible: lets PeriodicTransport
// scan the network's state and advance it by whole periods. Results are the same as without.
#pragma once

#include "packet/base/constants.h"
#include "packet/base/ethernet_packet.h"
#include "packet/ethernet/ecn_marks.h"
#include "packet/ethernet/link_transmission.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/transport/periodic_transport.h"
#include "packet/transport/transport.h"

#include "engine/clock/event_queue.h"
#include "engine/clock/state_scan.h"
#include "topology/network/network_description.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace npunet::packet {

class EthernetFastForward final : private PeriodicTransportHost {
public:
    /// The references must outlive this.
    EthernetFastForward(const topology::NetworkDescription& description, engine::EventQueue& queue,
                        EthernetNetworkState& state, EthernetLinks& links,
                        PriorityFlowControl& flow_control, EcnMarks& marks, OutputQueues& queues,
                        QueuePairs& pairs);

    /// Whether to fast-forward where possible; the default is true.
    void set_fast_forward(bool wanted);

    /// The network is split: no fast-forward from now on.
    void split();

    /// Whether fast-forward is wanted and possible: nothing depends on single packets, as
    /// observers, histograms, telemetry, multipath routing, and faults and errors of links do.
    bool is_on() const { return periodic_ != nullptr; }

    /// Brings the network's state up to the present.
    void settle();

    /// EthernetNetworkState::observer has been replaced.
    void observer_changes();

    /// A message is about to begin, or ends.
    void messages_change();

    /// The port has started a data packet of the queue pair; `end`: when it has left, in ps.
    void packet_starts(std::uint32_t number, std::uint32_t pair, std::int64_t now,
                       std::int64_t end) {
        if (now >= watch_from_ && (watched_ == number || watched_ == any_port)) {
            periodic_->packet_starts(number, pairs_.pairs()[pair].unsent(), now, end, samples_);
        }
    }

    /// The port after whose packets the state is sampled, or none.
    std::uint32_t anchor() const { return watched_ == any_port ? none : watched_; }

    /// Whether the state may be sampled when a packet that starts now has left, as no node is ahead
    /// of the port's; true at first.
    void set_samples(bool samples) { samples_ = samples; }
    bool samples() const { return samples_; }

private:
    void watch(std::uint32_t port, std::int64_t from) override;
    std::size_t collect_flows() override;
    std::size_t words_per_look() const override;
    void scan(engine::StateScan& scan) override;
    std::int64_t periods_left(const engine::StateSample& earlier,
                              const engine::StateSample& present) const override;
    void note_timers(bool wanted) override;
    void suspend() override;
    void resume(const engine::StateSample& earlier, engine::StateSample& present,
                std::int64_t periods, engine::EventKey until) override;

    /// Whether fast-forward is possible.
    bool are_possible() const;

    void scan_port(engine::StateScan& scan, std::uint32_t number);

    void scan_queue(engine::StateScan& scan, PacketQueue& queue);

    /// Schedules all pending events of the network in `queue`, and its future ones.
    void use_queue(engine::EventQueue& queue);

    const topology::NetworkDescription& description_;
    engine::EventQueue& simulation_;  ///< the simulation's events
    EthernetNetworkState& state_;
    EthernetLinks& links_;
    PriorityFlowControl& flow_control_;
    EcnMarks& marks_;
    OutputQueues& queues_;
    QueuePairs& pairs_;
    std::unique_ptr<PeriodicTransport> periodic_;  ///< null: every packet is simulated
    bool is_split_ = false;
    /// Port whose packets are reported to periodic_; any_port, or none.
    std::uint32_t watched_ = none;
    std::int64_t watch_from_ = 0;  ///< in ps
    bool samples_ = true;
};

}  // namespace npunet::packet
