// What tests of remembered collectives share: machines, communicators, and the comparison of a run
// that remembers with one that simulates all.
//
//     EXPECT_EQ(recalled(workload, at_one_switch(true), Fidelity::Packet), (Count{20, 3}));
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/collective/remembered_collectives.h"
#include "engine/simulation/simulation.h"
#include "library_machines.h"
#include "report/results/results_json.h"
#include "study/fidelity_network.h"
#include "topology/builders/builder.h"

namespace npunet::study::remembered_collectives_test {

inline constexpr std::int64_t mib = 1 << 20;

/// All that a run tells but for how it was carried out.
inline std::string figures(const engine::Results& results) {
    nlohmann::json document = nlohmann::json::parse(report::results_json(results));
    document.erase("performance");
    for (const engine::Operation& operation : results.operations) {
        document["timeline"].push_back(
            {operation.rank.value(), operation.node, operation.start.ps(), operation.end.ps()});
    }
    document["bin"] = results.load.bin.ps();
    // Fast-forward of packets spreads the load of what it counts.
    if (results.fidelity != "packet") {
        document["load"] = results.load.shares;
    }
    return document.dump();
}

inline engine::Results run(const engine::Workload& workload, const Machine& machine,
                           Fidelity fidelity, bool remember) {
    RunOptions options;
    options.fold = false;
    options.link_load = true;
    options.packet.fast_forward = remember;
    return simulate(workload, machine, fidelity, options);
}

/// Prints where they differ first, as they are long.
inline void expect_same(const std::string& a, const std::string& b) {
    const auto place = std::mismatch(
        a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())),
        b.begin());
    const auto at = static_cast<std::size_t>(place.first - a.begin());
    const std::size_t from = at - std::min<std::size_t>(at, 100);
    EXPECT_TRUE(a == b) << a.substr(from, 200) << '\n' << b.substr(from, 200);
}

/// Collectives that were not simulated with the others, and of them those that were by themselves.
struct Count {
    std::uint64_t recalled = 0;
    std::uint64_t alone = 0;
    std::uint64_t mirrored = 0;  ///< of `recalled`, those that followed others
    friend bool operator==(const Count&, const Count&) = default;
};
inline void PrintTo(const Count& count, std::ostream* out) {
    *out << count.recalled << " recalled, " << count.alone << " by themselves, " << count.mirrored
         << " mirrored";
}

/// How many collectives were not simulated with the others; nothing where some met. Expects that
/// the results are those of simulating all.
inline std::optional<Count> recalled(const engine::Workload& workload, const Machine& machine,
                                     Fidelity fidelity = Fidelity::Fluid) {
    expect_same(figures(run(workload, machine, fidelity, true)),
                figures(run(workload, machine, fidelity, false)));
    engine::EventQueue queue;
    const std::unique_ptr<engine::Network> network = make_network(machine, fidelity, queue, {});
    engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect, queue,
                                  *network);
    engine::CollectivePlanner planner(machine.network, machine.system, machine.dialect, workload);
    engine::CollectiveMemories memories(
        {workload, machine.network, machine.system, machine.dialect, planner},
        [&](engine::EventQueue& its) { return make_network(machine, fidelity, its, {}); }, false);
    simulation.remember_collectives(memories, nullptr);
    try {
        (void)simulation.run();
        return Count{simulation.remembered_collectives(), memories.simulated(),
                     simulation.mirrored_collectives()};
    } catch (const engine::CollectivesMet&) {
        return std::nullopt;
    }
}

/// Nodes that each have a switch, with or without a communication library.
inline Machine machine_of(std::int32_t per_node, std::int32_t nodes, bool by_library = true) {
    Machine machine = reducing(nodes_of(per_node, nodes));
    if (by_library) {
        machine.system.library = library_of("h100");
    }
    return machine;
}

/// Groups of `members` NPUs each, called name0 and so on: NPU `member` x stride + group x step.
inline void add_groups(const std::string& name, std::int32_t count, std::int32_t members,
                       std::int32_t step, std::int32_t stride, std::vector<engine::Group>& groups) {
    for (std::int32_t number = 0; number < count; ++number) {
        engine::Group group{name + std::to_string(number), {}};
        for (std::int32_t member = 0; member < members; ++member) {
            group.ranks.emplace_back(number * step + member * stride);
        }
        groups.push_back(group);
    }
}

inline std::vector<engine::Group> rows(std::int32_t per_node, std::int32_t nodes) {
    std::vector<engine::Group> groups;
    add_groups("row", nodes, per_node, per_node, 1, groups);
    return groups;
}

/// And the columns: the NPUs with one place in their rows.
inline std::vector<engine::Group> rows_and_columns(std::int32_t per_node, std::int32_t nodes) {
    std::vector<engine::Group> groups = rows(per_node, nodes);
    add_groups("column", per_node, nodes, 1, per_node, groups);
    return groups;
}

/// Eight NPUs at one switch, by credits or by PFC and acknowledgements.
inline Machine at_one_switch(bool by_credits) {
    Machine machine = machine_of(4, 2, false);
    machine.network = topology::make_network({topology::make_dimension(
        topology::DimensionKind::Switch, 8, Rate(50'000'000'000), Time::ns(500))});
    if (!by_credits) {
        machine.network.packet.flow_control = topology::FlowControl::Pfc;
        machine.network.packet.transport.kind = topology::TransportKind::GoBackN;
    }
    return machine;
}
}  // namespace npunet::study::remembered_collectives_test
