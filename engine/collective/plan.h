// What one rank does in one collective: the chunks, and for each chunk the phases.
//
// Algorithms that use several routes at once divide each chunk among lanes, each with phases of its
// own: the two directions of a bidirectional ring, the two trees of a double binary tree; a
// multi-ring has a lane for each direction of each dimension, which starts in that dimension
// (Sack, Gropp, "Collective algorithms for multiported torus networks", 2015; Kumar, Jouppi,
// "Highly available data parallel ML training on mesh networks", 2020).
//
//     CollectivePlan plan = planner.plan(rank, member, operation);    // planner.h
//     PhaseShape shape = plan.shape(stream, phase);
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/collective/nvls_plan.h"
#include "engine/collective/tiered_amounts.h"
#include "engine/collective_algorithms/phase.h"
#include "engine/collective_files/file_algorithm.h"
#include "engine/collective_library/library_schedule.h"

namespace npunet::engine {

/// A collective of a communication library in closed form.
struct LibraryEstimate {
    Time time;  ///< from the start of the last member to the end of all
    std::string algorithm;
    std::int32_t blocks = 0;  ///< thread blocks of a GPU
    /// One of the two: the messages of the algorithm whose time it is, which say what the links
    /// carry (library_traffic.h). There are none where network.yml does not name the switches that
    /// reduce: `nvls` is then without switches, and a CollNet `schedule` without trees.
    std::shared_ptr<const LibrarySchedule> schedule = nullptr;
    std::shared_ptr<const NvlsPlan> nvls = nullptr;
};

/// A place among collectives that a library launches together.
struct PlaceInLaunch {
    std::uint64_t launch = 0;  ///< the number of its first collective in the communicator
    std::int32_t first = 0;    ///< channel
    std::int32_t of_all = 0;   ///< channels
};

/// One phase of every chunk of a lane at one rank.
struct PlannedPhase {
    PhaseShape shape;                  ///< the total is filled in per stream
    const std::vector<Rank>* members;  ///< the line, in order; lives as long as the planner
    std::int32_t queue = 0;            ///< phases of one queue share the active-chunks limit
    bool gathers_back = false;         ///< undoes the scatter of the same dimension or tier
    bool idle = false;                 ///< the rank takes no part
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
    std::int32_t active_chunks = 1;  ///< at a time in one queue
    /// Chunks at a time go in order from one member to another; else they share the port.
    bool in_order = false;
    Bytes equal_chunk;  ///< reference: every chunk has this size; else 0
    /// Else the buffer is dealt out in such pieces, chunk after chunk; the last may be smaller.
    Bytes piece{1};
    Time endpoint_delay;
    /// "ring", "direct"; "ring+direct" by dimension or tier: for the report.
    std::string algorithm;
    /// Keeps the sizes of the phases of an unequal all-to-all along the tiers; else null.
    std::shared_ptr<const TieredAmounts> amounts;
    /// An algorithm from a file, which lives as long as the SystemConfig: there are no phases then.
    const FileAlgorithm* file = nullptr;
    /// Of a communication library: there are no phases then. Else null.
    std::shared_ptr<const LibrarySchedule> library;
    /// The same by switches that reduce: in place of `library`. Else null.
    std::shared_ptr<const NvlsPlan> nvls;
    /// The same where no contention is modelled. Not null with either of them.
    std::shared_ptr<const LibraryEstimate> estimate;
    /// Thread blocks of a GPU with `library` or `nvls`.
    std::int32_t blocks = 0;
    /// With `library`, of several that are launched together; else null.
    std::shared_ptr<const PlaceInLaunch> launch;

    [[nodiscard]] bool by_library() const { return estimate != nullptr; }
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
