// How one rank carries out one collective: the chunks, and for each chunk the phases.
//
// On a network with dimensions a communicator that fills a sub-grid (every dimension whole or a
// single coordinate) works dimension by dimension: all-reduce as reduce-scatter up the dimensions,
// all-reduce in the last and all-gather back down (or, "baseline", an all-reduce in each
// dimension); all-gather from the last dimension to the first; the others from the first to the
// last. Any other communicator is one line in listed order.
//
//     CollectivePlanner planner(network, system, dialect);
//     CollectivePlan plan = planner.plan(group, me, place, CollectiveKind::AllReduce, Bytes{1 <<
//     20});
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/collective/phase.h"
#include "engine/workload.h"
#include "topology/network_description.h"

namespace npunet::engine {

/// One phase of every chunk at one rank.
struct PlannedPhase {
    PhaseShape shape;                  ///< `total` is filled in per chunk
    const std::vector<Rank>* members;  ///< the line, in order; lives as long as the planner
    std::int32_t queue = 0;            ///< phases of one queue share the active-chunks limit
    bool gathers_back = false;         ///< undoes the reduce-scatter of the same dimension
};

struct CollectivePlan {
    std::vector<PlannedPhase> phases;
    std::vector<std::vector<Bytes>> totals;  ///< the buffer of each phase, by chunk and phase
    Time endpoint_delay;
    std::string algorithm;  ///< "ring", "direct"; "ring+direct" by dimension: for the report

    [[nodiscard]] std::size_t chunks() const { return totals.size(); }
    /// The shape of a phase for one chunk.
    [[nodiscard]] PhaseShape shape(std::size_t chunk, std::size_t phase) const;
};

class CollectivePlanner {
public:
    /// The references must outlive the planner. Throws InputError when an algorithm list does not
    /// fit the dimensions.
    CollectivePlanner(const topology::NetworkDescription& network, const SystemConfig& system,
                      const Dialect& dialect, const Workload& workload);

    /// The part of `rank`, which is the group's `member`-th, in a collective of the group.
    [[nodiscard]] CollectivePlan plan(std::int32_t group, Rank rank, std::size_t member,
                                      CollectiveKind kind, Bytes size);

private:
    /// How a communicator lies in the dimensions.
    struct Layout {
        bool known = false;
        bool sub_grid = false;
        std::vector<std::size_t> dimensions;  ///< that it fills, of more than one coordinate
    };

    const Layout& layout_of(std::int32_t group);
    [[nodiscard]] bool whole_system(std::int32_t group) const;
    [[nodiscard]] const std::vector<Implementation>& implementations(CollectiveKind kind) const;
    void add_flat_phase(CollectivePlan& plan, std::int32_t group, std::size_t member,
                        CollectiveKind kind, const Implementation& implementation) const;
    void add_phase(CollectivePlan& plan, std::size_t dimension, Rank rank, CollectiveKind kind,
                   const Implementation& implementation, bool gathers_back = false) const;
    void add_dimension_phases(CollectivePlan& plan, const std::vector<std::size_t>& dimensions,
                              Rank rank, CollectiveKind kind) const;
    [[nodiscard]] PhaseShape base_shape(CollectiveKind kind,
                                        const Implementation& implementation) const;
    [[nodiscard]] std::vector<Bytes> chunk_sizes(CollectiveKind kind, Bytes size) const;

    const topology::NetworkDescription& network_;
    const SystemConfig& system_;
    const Dialect& dialect_;
    const Workload& workload_;
    std::vector<Layout> layouts_;                        ///< by group
    std::vector<std::vector<std::vector<Rank>>> lines_;  ///< by dimension and line
    std::vector<std::vector<std::int32_t>> line_of_;     ///< by dimension and rank
};

}  // namespace npunet::engine
