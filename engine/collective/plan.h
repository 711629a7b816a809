// How one rank carries out one collective: the chunks, and for each chunk the phases.
//
// On a network with dimensions a communicator that fills a sub-grid (every dimension whole or a
// single coordinate) works dimension by dimension: all-reduce as reduce-scatter up the dimensions,
// all-reduce in the last and all-gather back down (or, "baseline", an all-reduce in each
// dimension); all-gather from the last dimension to the first; the others from the first to the
// last. Any other communicator, and every collective with a root, is one line in listed order.
//
// Algorithms that use several routes at once divide each chunk among lanes, each with phases of its
// own: the two directions of a bidirectional ring, the two trees of a double binary tree; a
// multi-ring has a lane for each direction of each dimension, which starts in that dimension
// (Sack, Gropp, "Collective algorithms for multiported torus networks", 2015; Kumar, Jouppi,
// "Highly available data parallel ML training on mesh networks", 2020).
//
//     CollectivePlanner planner(network, system, dialect, workload);
//     CollectivePlan plan = planner.plan(rank, member, operation);
//     PhaseShape shape = plan.shape(stream, phase);
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/collective_algorithms/phase.h"
#include "engine/collective_files/file_algorithm.h"
#include "engine/machine/dialect.h"
#include "engine/machine/system_config.h"
#include "engine/program/workload.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

/// One phase of every chunk of a lane at one rank.
struct PlannedPhase {
    PhaseShape shape;                  ///< the total is filled in per stream
    const std::vector<Rank>* members;  ///< the line, in order; lives as long as the planner
    std::int32_t queue = 0;            ///< phases of one queue share the active-chunks limit
    bool gathers_back = false;         ///< undoes the reduce-scatter of the same dimension
    /// The first stream takes tree 1, the next one tree 0, and so on (the reference).
    bool alternates = false;
};

/// A stream is one lane of one chunk; streams are numbered chunk by chunk.
struct CollectivePlan {
    std::vector<PlannedPhase> phases;  ///< lane by lane, the same number in each
    std::int32_t lanes = 1;
    std::int32_t queues = 1;
    CollectiveKind kind = CollectiveKind::AllReduce;
    Bytes size;  ///< as in the trace
    std::int32_t chunks = 1;
    Bytes equal_chunk;  ///< reference: every chunk has this size; else 0
    /// Else the buffer is dealt out in such pieces, chunk after chunk; the last may be smaller.
    Bytes piece{1};
    Time endpoint_delay;
    std::string algorithm;  ///< "ring", "direct"; "ring+direct" by dimension: for the report
    /// An algorithm from a file, which lives as long as the SystemConfig: there are no phases then.
    const FileAlgorithm* file = nullptr;

    [[nodiscard]] std::size_t streams() const {
        return static_cast<std::size_t>(chunks) * static_cast<std::size_t>(lanes);
    }
    [[nodiscard]] std::size_t phases_per_stream() const {
        return phases.size() / static_cast<std::size_t>(lanes);
    }
    [[nodiscard]] const PlannedPhase& phase(std::size_t stream, std::size_t number) const {
        return phases[stream % static_cast<std::size_t>(lanes) * phases_per_stream() + number];
    }
    struct Turn {
        std::size_t stream = 0;
        std::size_t phase = 0;
    };
    /// Who starts as the number-th, from 0, in a queue: phase after phase, in each the chunks in
    /// their order; phases_per_stream() when that were all. Every member keeps to this order and
    /// waits for whom it names: members that let in the first to come can wait for each other in
    /// a cycle, one with the reduce-scatter of one chunk, one with the all-gather of another.
    [[nodiscard]] Turn turn(std::int32_t queue, std::size_t number) const;
    /// The shape of a phase for one stream.
    [[nodiscard]] PhaseShape shape(std::size_t stream, std::size_t number) const;

private:
    [[nodiscard]] Bytes chunk_size(std::int64_t chunk) const;
    [[nodiscard]] Bytes stream_size(std::size_t stream) const;
};

class CollectivePlanner {
public:
    /// The references must outlive the planner. Throws InputError when an algorithm list does not
    /// fit the dimensions.
    CollectivePlanner(const topology::NetworkDescription& network, const SystemConfig& system,
                      const Dialect& dialect, const Workload& workload);

    /// The part of `rank`, which is the `member`-th of the operation's group. Throws InputError for
    /// what the dialect's reference cannot do.
    [[nodiscard]] CollectivePlan plan(Rank rank, std::size_t member,
                                      const ProgramOperation& operation);

private:
    /// How a communicator lies in the dimensions.
    struct Layout {
        bool known = false;
        bool sub_grid = false;
        std::vector<std::size_t> dimensions;  ///< that it fills, of more than one coordinate
        /// Mesh of two dimensions: a closed way through all members over single links; else empty.
        std::vector<Rank> hamiltonian_ring;
    };

    const Layout& layout_of(std::int32_t group);
    [[nodiscard]] std::vector<Rank> hamiltonian_ring(const std::vector<Rank>& ranks,
                                                     const Layout& layout) const;
    [[nodiscard]] bool whole_system(std::int32_t group) const;
    void check_file_splits(const FileAlgorithm& file) const;
    void add_line(CollectivePlan& plan, const std::vector<Rank>& line, std::size_t me,
                  const ProgramOperation& operation, const Implementation& implementation) const;
    void add_phase(CollectivePlan& plan, std::int32_t lane, std::size_t dimension, Rank rank,
                   CollectiveKind kind, const Implementation& implementation,
                   bool gathers_back = false) const;
    void add_dimension_phases(CollectivePlan& plan, std::int32_t lane,
                              const std::vector<std::size_t>& dimensions, Rank rank) const;
    void add_dimension_lanes(CollectivePlan& plan, const Layout& layout, Rank rank) const;
    [[nodiscard]] PhaseShape base_shape(CollectiveKind kind, const Implementation& implementation,
                                        std::int32_t lane) const;
    [[nodiscard]] std::int32_t lanes_of(const Implementation& implementation) const;

    const topology::NetworkDescription& network_;
    const SystemConfig& system_;
    const Dialect& dialect_;
    const Workload& workload_;
    std::vector<Layout> layouts_;                        ///< by group
    std::vector<std::vector<std::vector<Rank>>> lines_;  ///< by dimension and line
    std::vector<std::vector<std::int32_t>> line_of_;     ///< by dimension and rank
};

/// Cuts a collective into chunks: `plan` has its phases and size; sets its chunks and how they are
/// cut.
///
/// The buffer is dealt out in pieces of which all members have equal parts in every phase, chunk
/// after chunk; the last piece may be smaller. Small buffers have fewer pieces than splits, and so
/// many chunks. In an unequal all-to-all every chunk has its share of every message.
///
/// `splits`: chunks wanted, from 1. Not `exact`: as the reference divides among `ranks` NPUs, which
/// cannot divide an all-gather of less than a byte a split: false.
[[nodiscard]] bool set_chunks(CollectivePlan& plan, std::int64_t splits, bool exact,
                              std::size_t ranks);

}  // namespace npunet::engine
