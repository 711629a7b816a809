#include "engine/simulation/fold_finder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/program/partition_refinement.h"
#include "engine/simulation/program_digest.h"

namespace npunet::engine {

namespace {

using Words = std::vector<std::uint64_t>;

std::uint64_t word(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

std::uint64_t word(double value) {
    std::uint64_t bits = 0;
    static_assert(sizeof bits == sizeof value);
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// Numbers values in the order in which they first occur, by index; for one rank after the other.
template <class Value>
class Numbering {
public:
    explicit Numbering(std::size_t values) : number_of_(values, -1) {}

    /// The place of the value in the list, which it joins when it is new.
    std::uint64_t number(std::vector<Value>& list, Value value) {
        std::int32_t& number = number_of_[value.index()];
        if (number < 0) {
            number = static_cast<std::int32_t>(list.size());
            list.push_back(value);
        }
        return static_cast<std::uint64_t>(number);
    }
    void forget(const std::vector<Value>& list) {
        for (const Value value : list) {
            number_of_[value.index()] = -1;
        }
    }

private:
    std::vector<std::int32_t> number_of_;
};

class FoldFinder {
public:
    FoldFinder(const Workload& workload, const topology::NetworkDescription& network,
               const SystemConfig& system, CollectivePlanner& planner, bool contention)
        : workload_(workload),
          network_(network),
          contention_(contention),
          rates_(system.compute_rates(workload.ranks())),
          capacities_(system.memory_capacities(workload.ranks())),
          planner_(planner),
          digests_(digest_programs(workload)),
          surroundings_(workload.ranks()),
          portraits_(workload.ranks()),
          destinations_(workload.ranks()),
          out_ports_(network.graph.links()),
          in_ports_(network.graph.links()) {}

    Fold find() {
        list_surroundings();
        for (std::size_t rank = 0; rank < workload_.ranks(); ++rank) {
            portraits_[rank].words = {digest_of(Rank(rank)).same_work_as};
            portray(Rank(rank));
            words_ += portraits_[rank].words.size();
            if (hopeless_ || words_ > most_words) {
                return Fold();
            }
        }
        const std::vector<std::uint32_t> classes = coarsest_partition(portraits_);
        const std::uint32_t most = *std::max_element(classes.begin(), classes.end());
        if (most + 1 == classes.size()) {
            return Fold();
        }
        return Fold(classes, std::move(surroundings_));
    }

private:
    /// 256 MiB; beyond that looking for equal NPUs costs more than it may save.
    static constexpr std::size_t most_words = std::size_t{1} << 25;

    [[nodiscard]] const ProgramDigest& digest_of(Rank rank) const {
        return digests_[workload_.program_of[rank.index()]];
    }

    void list_surroundings() {
        for (std::size_t rank = 0; rank < workload_.ranks(); ++rank) {
            const RankBinding& binding = workload_.bindings[rank];
            const ProgramDigest& own = digest_of(Rank(rank));
            surroundings_[rank].groups = Listing(binding.groups);
            surroundings_[rank].sends = Listing(bound(own.sends, binding));
            surroundings_[rank].receives = Listing(bound(own.receives, binding));
        }
    }

    [[nodiscard]] static std::vector<Fold::Channel> bound(
        const std::vector<ProgramDigest::Channel>& channels, const RankBinding& binding) {
        std::vector<Fold::Channel> result;
        for (const auto& [slot, tag] : channels) {
            result.push_back({binding.peers[static_cast<std::size_t>(slot)], tag});
        }
        return result;
    }

    /// Sets hopeless_ when nothing can be folded.
    void portray(Rank rank) {
        portray_machine(rank);
        const RankProgram& program = workload_.program(rank);
        for (const std::uint32_t number : digest_of(rank).collectives) {
            const ProgramOperation& operation = program.operations[number];
            const Group& group = workload_.groups[workload_.group_of(rank, operation)];
            if (group.ranks.size() >= 2) {
                portray_collective(rank, operation, group);
            }
            if (hopeless_) {
                return;
            }
        }
        portray_channels(rank);
        Fold::Surroundings& own = surroundings_[rank.index()];
        destinations_.forget(own.destinations);
        out_ports_.forget(own.out_ports);
        in_ports_.forget(own.in_ports);
    }

    void portray_machine(Rank rank) {
        Words& words = portraits_[rank.index()].words;
        words.push_back(word(rates_[rank.index()].peak_tflops));
        words.push_back(word(rates_[rank.index()].memory_bandwidth));
        words.push_back(word(capacities_[rank.index()].value()));
        for (const topology::NpuFault& fault : network_.faults.npus) {
            if (fault.npu == network_.npu_of_rank[rank.index()]) {
                words.push_back(word(fault.slowdown.billionths));
            }
        }
    }

    void portray_collective(Rank rank, const ProgramOperation& operation, const Group& group) {
        const auto member = static_cast<std::size_t>(
            std::find(group.ranks.begin(), group.ranks.end(), rank) - group.ranks.begin());
        const CollectivePlan plan = planner_.plan(rank, member, operation);
        if (plan.estimate != nullptr && !contention_) {
            portray_closed_form(rank, member, operation, group, plan);
            return;
        }
        if (plan.file != nullptr || plan.by_library()) {
            hopeless_ = true;  // it may treat every member in a manner of its own
            return;
        }
        if (planner_.has_dropped_amounts()) {
            hopeless_ = true;  // looking would take longer than it may save
            return;
        }
        Words& words = portraits_[rank.index()].words;
        words.insert(words.end(), {word(std::int64_t{plan.lanes}), word(std::int64_t{plan.chunks}),
                                   word(std::int64_t{plan.active_chunks}), plan.phases.size()});
        for (std::int32_t lane = 0; lane < plan.lanes; ++lane) {
            for (std::size_t phase = 0; phase < plan.phases_per_stream(); ++phase) {
                portray_phase(rank, plan, static_cast<std::size_t>(lane), phase,
                              static_cast<std::int32_t>(workload_.group_of(rank, operation)));
            }
        }
    }

    /// It ends for all members a time after the last one has started.
    void portray_closed_form(Rank rank, std::size_t member, const ProgramOperation& operation,
                             const Group& group, const CollectivePlan& plan) {
        const auto number = static_cast<std::int32_t>(workload_.group_of(rank, operation));
        Portrait& own = portraits_[rank.index()];
        own.words.insert(own.words.end(), {word(std::int64_t{-1}), number_of_group(rank, number),
                                           word(plan.estimate->time.ps()), group.ranks.size()});
        for (std::size_t i = 1; i < group.ranks.size(); ++i) {
            const Rank other = group.ranks[(member + i) % group.ranks.size()];
            own.words.push_back(number_of_group(other, number));
            own.peers.push_back(other);
        }
    }

    /// All streams of the lane have parts of one size in this phase, whichever the member is.
    [[nodiscard]] static bool even(const CollectivePlan& plan, std::size_t lane,
                                   std::size_t phase) {
        constexpr std::size_t most = 4096;  // more are not looked at: then places count
        if (plan.streams() > most) {
            return false;
        }
        for (std::size_t s = lane; s < plan.streams(); s += static_cast<std::size_t>(plan.lanes)) {
            if (!plan.shape(s, phase).even()) {
                return false;
            }
        }
        return true;
    }

    void portray_phase(Rank rank, const CollectivePlan& plan, std::size_t lane, std::size_t phase,
                       std::int32_t group) {
        const PlannedPhase& planned = plan.phase(lane, phase);
        const PhaseShape shape = plan.shape(lane, phase);
        const bool place_counts =
            has_root(shape.kind) || shape.sizes != nullptr || !even(plan, lane, phase);
        portraits_[rank.index()].words.insert(
            portraits_[rank.index()].words.end(),
            {word(std::int64_t{static_cast<int>(shape.algorithm)}),
             word(std::int64_t{static_cast<int>(shape.kind)}), shape.lane,
             word(std::int64_t{shape.members}), word(std::int64_t{shape.window}),
             word(std::int64_t{planned.queue}), word(shape.total().value()),
             word(std::int64_t{planned.idle ? 1 : 0}), word(std::int64_t{shape.root}),
             word(std::int64_t{exchange_count(shape)}),
             word(std::int64_t{exchange_reductions(shape)}),
             place_counts ? word(std::int64_t{shape.me} + 1) : 0});
        // Round a ring every exchange has the same neighbours.
        const bool ring = shape.algorithm == Algorithm::Ring && !has_root(shape.kind);
        const std::int32_t exchanges = ring ? 1 : exchange_count(shape);
        for (std::int32_t e = 0; e < exchanges; ++e) {
            portray_exchange(rank, *planned.members, shape, e, group);
        }
    }

    void portray_exchange(Rank rank, const std::vector<Rank>& line, const PhaseShape& shape,
                          std::int32_t e, std::int32_t group) {
        const Exchange exchange = engine::exchange(shape, e);
        Words& words = portraits_[rank.index()].words;
        words.push_back((exchange.send_to != Exchange::no_rank ? 1U : 0U) +
                        (exchange.receive_from != Exchange::no_rank ? 2U : 0U));
        if (exchange.send_to != Exchange::no_rank) {
            const Rank to = line[static_cast<std::size_t>(exchange.send_to)];
            words.push_back(word(std::int64_t{exchange.arrives_in}));
            if (shape.sizes != nullptr) {
                // Along the tiers they come of the programs of others.
                words.push_back(word((*shape.sizes)[static_cast<std::size_t>(exchange.send_to)]));
            }
            words.push_back(number_of_group(to, group));
            portray_departure(rank, to);
        }
        if (exchange.receive_from != Exchange::no_rank) {
            const Rank from = line[static_cast<std::size_t>(exchange.receive_from)];
            words.push_back(word(std::int64_t{leaves_in(shape, exchange.receive_from, e)}));
            words.push_back(number_of_group(from, group));
            portray_arrival(rank, from);
        }
    }

    std::uint64_t number_of_group(Rank member, std::int32_t group) {
        const auto number = surroundings_[member.index()].groups.place_of(group);
        hopeless_ = hopeless_ || !number;  // a member without collectives: the run will stall
        return number.value_or(0);
    }

    /// The exchange in which the other member sends what is received in exchange e.
    [[nodiscard]] static std::int32_t leaves_in(PhaseShape shape, std::int32_t sender,
                                                std::int32_t e) {
        const std::int32_t me = shape.me;
        shape.me = sender;
        const auto meets = [&](std::int32_t other) {
            const Exchange exchange = engine::exchange(shape, other);
            return exchange.send_to == me && exchange.arrives_in == e;
        };
        const std::int32_t count = exchange_count(shape);
        if (e < count && meets(e)) {
            return e;
        }
        for (std::int32_t other = 0; other < count; ++other) {
            if (meets(other)) {
                return other;
            }
        }
        return -1;
    }

    void portray_route(Rank rank, Rank from, Rank to) {
        Words& words = portraits_[rank.index()].words;
        // All planes of a pair have the same rates and latencies.
        const topology::PlaneRoutes planes =
            network_.routes(network_.npu_of_rank[from.index()], network_.npu_of_rank[to.index()]);
        words.insert(words.end(), {planes.size(), planes.front().size()});
        for (const topology::Hop& hop : planes.front()) {
            const topology::Link& link = network_.graph.link(hop.link);
            words.push_back(word(link.latency.ps()));
            words.push_back(word(link.rate.bytes_per_second()));
        }
        Fold::Surroundings& own = surroundings_[rank.index()];
        std::vector<LinkId> ports;
        for (const std::vector<topology::Hop>& plane : planes) {
            ports.push_back(from == rank ? plane.front().link : plane.back().link);
        }
        std::sort(ports.begin(), ports.end());
        for (const LinkId port : ports) {
            words.push_back(from == rank ? out_ports_.number(own.out_ports, port)
                                         : in_ports_.number(own.in_ports, port));
        }
        if (from != rank && network_.planes) {
            keep_in_ports(ports);
        }
    }

    /// Messages that reach an NPU at one instant by some common ports, but not by the same ones,
    /// are ordered by the names of links: then nothing can be folded.
    void keep_in_ports(const std::vector<LinkId>& ports) {
        set_of_port_.resize(network_.graph.links(), no_set);
        for (const LinkId port : ports) {
            const std::uint32_t set = set_of_port_[port.index()];
            if (set != no_set) {
                hopeless_ = hopeless_ || port_sets_[set] != ports;
                return;
            }
        }
        for (const LinkId port : ports) {
            set_of_port_[port.index()] = static_cast<std::uint32_t>(port_sets_.size());
        }
        port_sets_.push_back(ports);
    }

    void portray_departure(Rank rank, Rank to) {
        portray_route(rank, rank, to);
        portraits_[rank.index()].words.push_back(
            destinations_.number(surroundings_[rank.index()].destinations, to));
        portraits_[rank.index()].peers.push_back(to);
    }

    void portray_arrival(Rank rank, Rank from) {
        portray_route(rank, from, rank);
        portraits_[rank.index()].peers.push_back(from);
    }

    void portray_channels(Rank rank) {
        Words& words = portraits_[rank.index()].words;
        const Fold::Surroundings& own = surroundings_[rank.index()];
        // Messages have tags of their own, and so channels: the route of a pair is told once.
        std::vector<Rank> told;
        const auto is_new = [&](Rank peer) {
            const auto found = std::find(told.begin(), told.end(), peer);
            words.push_back(static_cast<std::uint64_t>(found - told.begin()));
            if (found != told.end()) {
                return false;
            }
            told.push_back(peer);
            return true;
        };
        for (const Fold::Channel& channel : own.sends.values()) {
            const auto other =
                surroundings_[channel.peer.index()].receives.place_of({rank, channel.tag});
            if (!other) {
                hopeless_ = true;  // the unfolded run will say what is missing
                return;
            }
            words.push_back(*other);
            if (is_new(channel.peer)) {
                portray_departure(rank, channel.peer);
            }
        }
        told.clear();
        for (const Fold::Channel& channel : own.receives.values()) {
            const auto other =
                surroundings_[channel.peer.index()].sends.place_of({rank, channel.tag});
            if (!other) {
                hopeless_ = true;
                return;
            }
            words.push_back(*other);
            if (is_new(channel.peer)) {
                portray_arrival(rank, channel.peer);
            }
        }
    }

    const Workload& workload_;
    const topology::NetworkDescription& network_;
    bool contention_;
    std::vector<ComputeRate> rates_;
    std::vector<Bytes> capacities_;
    CollectivePlanner& planner_;
    std::vector<ProgramDigest> digests_;            ///< by program
    std::vector<Fold::Surroundings> surroundings_;  ///< by rank
    std::vector<Portrait> portraits_;               ///< by rank
    Numbering<Rank> destinations_;                  ///< of the rank that is portrayed
    Numbering<LinkId> out_ports_;
    Numbering<LinkId> in_ports_;
    static constexpr std::uint32_t no_set = 0xffffffff;
    std::vector<std::uint32_t> set_of_port_;  ///< with planes: by link, of in-ports used together
    std::vector<std::vector<LinkId>> port_sets_;
    std::size_t words_ = 0;  ///< of the portraits so far
    bool hopeless_ = false;
};

bool shares_remote_memory(const Workload& workload, const SystemConfig& system) {
    if (system.remote_memory.kind != RemoteMemoryConfig::Kind::PerNode &&
        system.remote_memory.kind != RemoteMemoryConfig::Kind::Pool) {
        return false;
    }
    return std::any_of(workload.programs.begin(), workload.programs.end(),
                       [](const RankProgram& program) {
                           return std::any_of(program.operations.begin(), program.operations.end(),
                                              [](const ProgramOperation& operation) {
                                                  return operation.kind == OperationKind::Memory;
                                              });
                       });
}

}  // namespace

Fold find_fold(const Workload& workload, const topology::NetworkDescription& network,
               const SystemConfig& system, const Dialect& dialect, CollectivePlanner& planner,
               bool contention) {
    if (dialect.event_order != EventQueue::Order::Content || !network.faults.links.empty() ||
        workload.ranks() < 2 || workload.ranks() != network.graph.npus() ||
        shares_remote_memory(workload, system)) {
        return Fold();
    }
    return FoldFinder(workload, network, system, planner, contention).find();
}

Fold find_fold(const Workload& workload, const topology::NetworkDescription& network,
               const SystemConfig& system, const Dialect& dialect) {
    CollectivePlanner planner(network, system, dialect, workload);
    return find_fold(workload, network, system, dialect, planner, false);
}

}  // namespace npunet::engine
