#include "packet/ethernet/ethernet_fast_forward.h"

#include <algorithm>
#include <vector>

namespace npunet::packet {

using engine::EventKey;
using topology::CongestionAlgorithm;

namespace {

/// What it costs to end a node's window, in words that are scanned.
constexpr std::size_t words_per_node = 24;

/// Watch of a replay: asks the watch of the simulation's queue, and counts the replayed events
/// there.
class Inquiry final : public engine::QueueWatch {
public:
    Inquiry(engine::EventQueue& simulation, const engine::EventQueue& past)
        : simulation_(simulation), past_(past) {}

    bool goes_on() override {
        count();
        return simulation_.goes_on();
    }

    /// Adds the replayed events to those of the simulation.
    void count() {
        simulation_.count_handled(past_.handled() - counted_);
        counted_ = past_.handled();
    }

private:
    engine::EventQueue& simulation_;
    const engine::EventQueue& past_;  ///< the replay
    std::uint64_t counted_ = 0;       ///< events of the replay added so far
};

}  // namespace

EthernetFastForward::EthernetFastForward(const topology::NetworkDescription& description,
                                         engine::EventQueue& queue, EthernetNetworkState& state,
                                         EthernetLinks& links, PriorityFlowControl& flow_control,
                                         EcnMarks& marks, OutputQueues& queues, QueuePairs& pairs)
    : description_(description),
      simulation_(queue),
      state_(state),
      links_(links),
      flow_control_(flow_control),
      marks_(marks),
      queues_(queues),
      pairs_(pairs) {
    set_fast_forward(true);
}

void EthernetFastForward::set_fast_forward(bool wanted) {
    watched_ = none;
    periodic_.reset(wanted && are_possible() ? new PeriodicTransport(simulation_, *this) : nullptr);
}

bool EthernetFastForward::are_possible() const {
    const topology::CongestionControlChoice& control = description_.packet.congestion_control;
    return simulation_.order() == engine::EventQueue::Order::Content &&
           description_.multipath == nullptr && !description_.faults.take_links_down() &&
           links_.are_regular() && !is_split_ && !queues_.histograms().are_kept() &&
           state_.observer == nullptr && !topology::needs_of(control).telemetry &&
           control.algorithm != CongestionAlgorithm::ReceiverCredit;
}

void EthernetFastForward::split() {
    is_split_ = true;
    set_fast_forward(false);
}

void EthernetFastForward::settle() {
    if (periodic_) {
        periodic_->settle();
    }
}

void EthernetFastForward::observer_changes() {
    if (periodic_) {
        periodic_->enable(state_.observer == nullptr);
    }
}

void EthernetFastForward::messages_change() {
    if (periodic_) {
        periodic_->messages_change();
    }
}

void EthernetFastForward::watch(std::uint32_t port, std::int64_t from) {
    watched_ = port;
    watch_from_ = from;
}

std::size_t EthernetFastForward::collect_flows() {
    return pairs_.state().collect_flows();
}

std::size_t EthernetFastForward::words_per_look() const {
    // It ends the windows of all nodes.
    return state_.schedule.windows() == nullptr ? 0 : words_per_node * description_.graph.nodes();
}

void EthernetFastForward::note_timers(bool wanted) {
    pairs_.state().note_restarts(wanted);
}

std::int64_t EthernetFastForward::periods_left(const engine::StateSample& earlier,
                                               const engine::StateSample& present) const {
    const std::int64_t room = (links_.last_start() - present.at) / (present.at - earlier.at) - 1;
    return std::min(room, pairs_.state().periods_left(earlier, present));
}

void EthernetFastForward::scan(engine::StateScan& scan) {
    marks_.scan(scan);
    if (scan.moves()) {
        pairs_.state().prepare_move(scan);
    }
    pairs_.state().scan(scan);
    for (std::uint32_t number = 0; number < state_.ports.size() && !scan.differs(); ++number) {
        scan_port(scan, number);
    }
    if (!scan.differs()) {
        if (!scan.moves()) {
            flow_control_.release_past(scan.at());
        }
        flow_control_.scan(scan);
    }
}

void EthernetFastForward::scan_port(engine::StateScan& scan, std::uint32_t number) {
    EthernetPort& port = state_.ports[number];
    const bool leaves = port.leaving_input != none && port.busy_until >= scan.at();
    const bool idle = !leaves && port.wake == never && port.busy_until <= scan.at() &&
                      port.due == never && port.requests.head == none &&
                      port.control.head == none && port.filled == 0;
    scan.same(std::int64_t{port.paused} << 32 | std::int64_t{port.own_next} << 2 |
              std::int64_t{leaves} << 1 | std::int64_t{idle});
    if (port.paused != 0) {
        scan.lasting(port.paused_at);
    }
    if (!idle) {
        scan.ahead(port.busy_until);
        scan.instant(port.wake);
        scan.instant(port.due);
        scan_queue(scan, port.flight);
        scan_queue(scan, port.requests);
        scan_queue(scan, port.control);
    }
    if (leaves) {
        scan.same(std::int64_t{port.leaving_input} << 32 | std::int64_t{port.leaving_class});
        scan.same(port.leaving_bytes);
    }
    for (std::uint32_t traffic_class = 0; traffic_class < state_.class_count; ++traffic_class) {
        if ((port.filled >> traffic_class & 1U) != 0) {
            scan_queue(scan, queues_.of(number, traffic_class).packets);
        }
        if (state_.class_count > 1) {
            ClassOfPort& share = state_.classes.of_port(number)[traffic_class];
            scan.same(share.lead);
            scan.count(share.wire);
        }
    }
    if (port.starts_here) {
        pairs_.state().scan_port(scan, number);
    }
    for (std::int64_t* count :
         {&port.payload, &port.sent, &port.busy, &port.packets, &port.repeated, &port.pause_time,
          &port.pauses, &port.marked, &port.drops, &port.notifications, &port.arrivals}) {
        scan.count(*count);
    }
}

void EthernetFastForward::scan_queue(engine::StateScan& scan, PacketQueue& queue) {
    queue.for_each(state_.packets, [&](EthernetPacket& packet, std::int64_t& ready) {
        scan.same(std::int64_t{packet.wire} << 32 | std::int64_t{packet.can_be_marked} << 20 |
                  std::int64_t{packet.datagram} << 19 | std::int64_t{packet.asks} << 18 |
                  std::int64_t{packet.repeated} << 17 | std::int64_t{packet.trimmed} << 16 |
                  std::int64_t{packet.traffic_class} << 8 | static_cast<std::int64_t>(packet.kind));
        scan.same(std::int64_t{packet.hop} << 32 | std::int64_t{packet.input});
        scan.same(std::int64_t{packet.payload});
        scan.ahead(ready);
        scan.ahead(packet.arrival);
        if (!is_request(packet.kind)) {
            pairs_.state().scan_packet(scan, packet);
        }
    });
    scan.same(std::int64_t{-1});
}

void EthernetFastForward::suspend() {
    state_.clock.set_suspended(true);
}

void EthernetFastForward::resume(const engine::StateSample& earlier, engine::StateSample& present,
                                 std::int64_t periods, EventKey until) {
    std::vector<EthernetPort>& ports = state_.ports;
    std::vector<std::int64_t> busy;
    for (std::size_t number = 0; state_.load != nullptr && number < ports.size(); ++number) {
        busy.push_back(ports[number].busy);
    }
    engine::StateScan scan(earlier, present, periods);
    this->scan(scan);
    const std::int64_t end = present.at + periods * (present.at - earlier.at);
    for (std::size_t number = 0; number < busy.size(); ++number) {
        state_.load->add(number, present.at, end, ports[number].busy - busy[number]);
    }
    pairs_.state().move_timers(earlier, present, periods);
    state_.schedule.put_off(end - present.at);
    state_.clock.set_suspended(false);
    engine::EventQueue past;
    past.advance(Time::ps(end));
    Inquiry inquiry(simulation_, past);
    // If the run has been stopped, the replay only completes the counts, once, without a watch.
    past.set_watch(simulation_.stopped() ? nullptr : &inquiry);
    use_queue(past);
    past.run_before(simulation_.now(), until);
    inquiry.count();
    if (past.stopped()) {
        state_.clock.use_queue(simulation_);  // which will run no more events
        return;
    }
    use_queue(simulation_);
}

void EthernetFastForward::use_queue(engine::EventQueue& queue) {
    state_.clock.use_queue(queue);
    pairs_.state().reschedule_timers();
    state_.schedule.reschedule();
}

}  // namespace npunet::packet
