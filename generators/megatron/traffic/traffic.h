// How many bytes each rank sends to each other one in a training step, phase by phase.
//
//     TrafficMatrix traffic(table);
//     for (rank ...) traffic.add(read_step_calls(folder, rank, groups, table));
//     for (const TrafficMatrix::Cell& cell : traffic.cells(Phase::Forward)) ...
//
// Messages count as they are. Of a group of n ranks and x bytes handed over by each:
//   all-reduce                each ring edge 2 (n - 1) / n x   (Patarasuk and Yuan 2009)
//   all-gather                each ring edge (n - 1) x         (x: one rank's part)
//   reduce-scatter            each ring edge (n - 1) / n x     (x: all n parts)
//   broadcast                 each ring edge from the root on x, but for the one back to it
//   all-to-all                each pair x / n
//   scatter, gather           root and each other rank x       (x: that rank's part)
// Rings are in the group's order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/groups/group_table.h"
#include "generators/megatron/traffic/step_calls.h"

namespace npunet::generators::megatron {

constexpr std::array<Phase, 4> phases = {Phase::SetUp, Phase::Forward, Phase::Backward,
                                         Phase::Update};

/// Sentences for people.
[[nodiscard]] const std::vector<std::string>& traffic_assumptions();

class TrafficMatrix {
public:
    struct Cell {
        Rank from;
        Rank to;
        double bytes = 0;  ///< a ring may carry fractions: x need not be a multiple of n
    };

    /// The table has to outlive this.
    explicit TrafficMatrix(const GroupTable& table) : table_(table) {}

    /// The calls of one rank. Collectives along rings count where the group's first rank logs them.
    void add(const std::vector<StepCall>& calls);
    /// Pairs with traffic, by source, then destination.
    [[nodiscard]] std::vector<Cell> cells(Phase phase) const;

private:
    using Pair = std::pair<Rank, Rank>;

    /// Bytes of an operation's calls in a group, with the root of broadcasts.
    using Collective = std::tuple<Phase, Operation, std::int32_t, Rank>;

    void add_direct(const StepCall& call);
    void add_ring(std::map<Pair, double>& cells, const Collective& collective, double bytes) const;

    const GroupTable& table_;
    std::array<std::map<Pair, double>, phases.size()> direct_;
    std::map<Collective, double> rings_;
};

}  // namespace npunet::generators::megatron
