// How long a collective takes alone on the machine, as the estimate counts it: for the choice among
// algorithms, without a simulation.
//
// Messages take the latencies of their route and bytes / (rate of its slowest link), and queue at
// the ports where they leave and where they arrive (analytical/congestion_unaware.h); of parallel
// planes the first one's ports stand for all; chunks,
// phases, gates, endpoint delays and reductions are those of the plans. All members start at once.
// Where they all do the same over the same kinds of routes, one of them stands for all.
//
//     PlanTimer timer(network, system);
//     const PlanTimer::Timing timing = timer.time_all(plans, ranks);
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/collective/plan.h"
#include "engine/collective/run.h"
#include "engine/machine/system_config.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

class PlanTimer {
public:
    /// The references must outlive the timer. `ranks`: of the workload.
    PlanTimer(const topology::NetworkDescription& network, const SystemConfig& system,
              std::size_t ranks);

    struct Timing {
        Time end;      ///< when the last member is done
        Time busiest;  ///< how long the busiest port sends: no other chunks are faster than that
    };
    /// plans[i] is that of ranks[i], for all members.
    [[nodiscard]] Timing time_all(const std::vector<CollectivePlan>& plans,
                                  const std::vector<Rank>& ranks);
    /// One member for all: exact where alike() says so, else with the mean latency and the least
    /// rate of the members' routes where they make a ring, and with its own routes elsewhere.
    [[nodiscard]] Timing time_one(const std::vector<CollectivePlan>& plans,
                                  const std::vector<Rank>& ranks);
    /// All members make the same exchanges over routes that cost the same.
    [[nodiscard]] bool alike(const std::vector<CollectivePlan>& plans,
                             const std::vector<Rank>& ranks);
    /// How long the link that carries most, in bytes over rate, must send, wherever in the network
    /// it is: what the estimate does not count. Of plans of one chunk for all members.
    [[nodiscard]] Time busiest_link(const std::vector<CollectivePlan>& plans,
                                    const std::vector<Rank>& ranks) const;
    /// Messages that the members send together.
    [[nodiscard]] static std::int64_t messages(const std::vector<CollectivePlan>& plans);

private:
    struct RouteCost {
        Time latency;
        Rate slowest;
        Rate first_rate;
        Rate last_rate;
        LinkId first;
        LinkId last;
        std::uint32_t first_port = 0;  ///< index into ports_
        std::uint32_t last_port = 0;
        std::int64_t planes = 1;

        /// What the links of each plane carry of a message.
        [[nodiscard]] Bytes share(Bytes bytes) const {
            return Bytes((bytes.value() + planes - 1) / planes);
        }
    };
    /// A link by which messages leave or reach NPUs.
    struct Port {
        Time source_free;
        Time sink_free;
        Time busy;
    };
    struct Flight {
        RouteCost cost;
        Bytes bytes;
        std::uint32_t to;  ///< actor
        std::uint32_t stream;
        std::uint32_t phase;
        std::int32_t exchange;
        bool head_is_in = false;
    };
    /// A message's head or end, or the end of a delay at an endpoint.
    struct Event {
        Time at;
        std::uint64_t number;
        enum Kind : std::uint8_t { Flies, Completes, Opens } kind;
        std::uint32_t actor;
        std::uint32_t what;  ///< flight or stream
        friend bool operator<(const Event& a, const Event& b) {
            return a.at != b.at ? a.at > b.at : a.number > b.number;
        }
    };

    [[nodiscard]] const RouteCost& route(Rank from, Rank to);
    [[nodiscard]] std::uint32_t port_of(LinkId link);
    [[nodiscard]] Timing run(const std::vector<CollectivePlan>& plans,
                             const std::vector<Rank>& ranks);
    void start(std::uint32_t actor, const CollectivePlan& plan, Rank rank);
    void fill_queues(std::uint32_t actor);
    void start_phase(std::uint32_t actor, Stream& stream);
    void advance(std::uint32_t actor, Stream& stream);
    void end_phase(std::uint32_t actor, Stream& stream);
    void send(std::uint32_t actor, Stream& stream, const Exchange& next);
    [[nodiscard]] RouteCost cost_of(std::uint32_t actor, const Stream& stream,
                                    const Exchange& next);
    [[nodiscard]] RouteCost mean_of_ring(const Stream& stream);
    void fly(std::uint32_t number);
    void receive(std::uint32_t actor, std::uint32_t stream, std::uint32_t phase,
                 std::int32_t exchange, Bytes bytes);
    [[nodiscard]] bool complete(std::uint32_t actor, Stream& stream, std::int32_t exchange,
                                Bytes bytes);
    void schedule(Time at, Event::Kind kind, std::uint32_t actor, std::uint32_t what);

    const topology::NetworkDescription& network_;
    Time endpoint_delay_;
    std::vector<std::int64_t> memory_bandwidth_;  ///< by rank, bytes per second; 0 = not given
    std::unordered_map<std::uint64_t, RouteCost> routes_;
    std::unordered_map<std::int32_t, std::uint32_t> port_of_link_;
    // Of a run:
    bool one_for_all_ = false;
    const std::vector<CollectivePlan>* plans_ = nullptr;
    const std::vector<Rank>* ranks_ = nullptr;
    std::vector<std::uint32_t> actor_of_rank_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, RouteCost> ring_costs_;
    std::vector<CollectiveRun> actors_;
    std::vector<Port> ports_;  ///< of the routes so far
    std::vector<Flight> flights_;
    std::vector<std::uint32_t> free_flights_;
    std::priority_queue<Event> events_;
    std::uint64_t numbers_ = 0;
    Time now_;
};

}  // namespace npunet::engine
