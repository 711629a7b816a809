#include "study/carriers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/step_summary.h"

namespace npunet::study {

namespace {

using engine::OperationKind;
using engine::Parallelism;
using engine::ProgramOperation;
using topology::NetworkDescription;

constexpr std::size_t most_operations = 2;

/// A communicator, by its index in Workload::groups, or the other rank of messages.
struct Target {
    bool group = false;
    std::int32_t number = 0;
    friend bool operator<(const Target& a, const Target& b) {
        return std::tie(a.group, a.number) < std::tie(b.group, b.number);
    }
};

struct Traffic {
    std::map<Target, double> targets;          ///< bytes
    std::map<std::string, double> operations;  ///< bytes
};

/// What a member sends, within a factor of two.
double bytes_of(const ProgramOperation& operation, std::size_t members) {
    const auto bytes = static_cast<double>(operation.bytes.value());
    return operation.collective == engine::CollectiveKind::AllGather
               ? bytes * static_cast<double>(members)
               : bytes;
}

using TrafficOf = std::array<Traffic, engine::parallelisms>;

TrafficOf traffic_of(const engine::Workload& workload, Rank rank) {
    TrafficOf traffic;
    const engine::RankProgram& program = workload.program(rank);
    for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
        const ProgramOperation& operation = program.operations[i];
        Traffic& own = traffic[static_cast<std::size_t>(workload.dimension_of(rank, i))];
        if (exchanges_messages(operation)) {
            const std::size_t group = workload.group_of(rank, operation);
            const double bytes = bytes_of(operation, workload.groups[group].ranks.size());
            own.targets[{true, static_cast<std::int32_t>(group)}] += bytes;
            own.operations[name_of(operation.collective)] += bytes;
        } else if ((operation.kind == OperationKind::Send ||
                    operation.kind == OperationKind::Receive) &&
                   !operation.nothing) {
            const auto bytes = static_cast<double>(operation.bytes.value());
            own.targets[{false, workload.peer_of(rank, operation).value()}] += bytes;
            own.operations["messages"] += bytes;
        }
    }
    return traffic;
}

/// Of an entry with the largest value, the first of equals.
template <class Map>
auto largest(const Map& map) {
    return std::max_element(map.begin(), map.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
}

std::vector<Rank> partners_of(const engine::Workload& workload, Rank rank, const Target& target) {
    if (!target.group) {
        return {Rank(target.number)};
    }
    const std::vector<Rank>& ranks = workload.groups[static_cast<std::size_t>(target.number)].ranks;
    const auto own =
        static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
    std::vector<Rank> partners;
    for (std::size_t step = 1; step < ranks.size(); step *= 2) {
        partners.push_back(ranks[(own + step) % ranks.size()]);
    }
    return partners;
}

/// The slowest link on the routes; of equals the one that takes longest for its bytes, then the
/// first.
std::optional<LinkId> slowest_link(const NetworkDescription& network,
                                   const std::vector<engine::LinkResult>& links, Rank rank,
                                   const std::vector<Rank>& partners) {
    const auto slower = [&](LinkId one, LinkId other) {
        const Rate rate = network.graph.link(one).rate;
        const Rate other_rate = network.graph.link(other).rate;
        return rate != other_rate ? rate < other_rate
                                  : links[one.index()].bound > links[other.index()].bound;
    };
    const NodeId from = network.npu_of_rank[rank.index()];
    std::optional<LinkId> slowest;
    for (const Rank partner : partners) {
        if (partner == rank) {
            continue;
        }
        for (const auto& plane : network.routes(from, network.npu_of_rank[partner.index()])) {
            for (const topology::Hop hop : plane) {
                if (!slowest || slower(hop.link, *slowest)) {
                    slowest = hop.link;
                }
            }
        }
    }
    return slowest;
}

std::vector<std::string> main_operations(const std::map<std::string, double>& operations) {
    std::vector<std::pair<std::string, double>> order(operations.begin(), operations.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    order.resize(std::min(order.size(), most_operations));
    std::vector<std::string> names;
    for (auto& [name, bytes] : order) {
        names.push_back(std::move(name));
    }
    return names;
}

}  // namespace

std::vector<engine::Carrier> carriers_of(const engine::Workload& workload,
                                         const NetworkDescription& network,
                                         const engine::Results& results,
                                         const engine::Results& whole) {
    const engine::NpuResult* const last = analysis::last_to_finish(results);
    if (last == nullptr || !last->dimensions || whole.links.size() != network.graph.links()) {
        return {};
    }
    const TrafficOf traffic = traffic_of(workload, last->rank);
    std::vector<engine::Carrier> carriers;
    for (const Parallelism dimension : engine::parallelism_by_precedence) {
        const Traffic& own = traffic[static_cast<std::size_t>(dimension)];
        if (own.targets.empty()) {
            continue;
        }
        const std::optional<LinkId> link =
            slowest_link(network, whole.links, last->rank,
                         partners_of(workload, last->rank, largest(own.targets)->first));
        engine::Carrier carrier;
        carrier.dimension = dimension;
        carrier.operations = main_operations(own.operations);
        if (link) {
            carrier.links = whole.link_classes[whole.links[link->index()].link_class];
        }
        carriers.push_back(std::move(carrier));
    }
    return carriers;
}

}  // namespace npunet::study
