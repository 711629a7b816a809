// Who did what when: one table of intervals for runs that were measured and runs that were
// simulated, so that every view of a run is drawn, and every comparison made, from the same rows.
//
//     RunTimeline timeline;
//     timeline.label = "profile of 8 GPUs";
//     timeline.source = RunSource::Measured;
//     Interval row;
//     row.rank = Rank(0);
//     row.lane = timeline.names.number_of("stream 7");
//     row.name = timeline.names.number_of("sm80_gemm");
//     row.phase = Phase::Forward;
//     row.micro_batch = 0;
//     row.end = Time::ns(1500);
//     timeline.intervals.add(row);
//     timeline.finish();
//
// A simulation is turned into such a table by simulated_timeline.h. A row holds 63 bytes, so that a
// million of them are no burden.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/program/name_table.h"
#include "engine/results/parallelism.h"

namespace npunet::analysis {

enum class RunSource : std::uint8_t { Measured, Simulated };

/// What is busy during an interval.
enum class Category : std::uint8_t {
    Computation,    ///< of the NPU
    Communication,  ///< collectives, sends, receives
    Memory,         ///< copies, and accesses beyond the NPU's own memory
    Host,           ///< the CPU
    Other
};
inline constexpr std::size_t categories = 5;

/// The part of a training step that an interval belongs to.
enum class Phase : std::uint8_t { Forward, Backward, Recompute, Optimizer, Other };
inline constexpr std::size_t phases = 5;

/// The kind of parallelism that an interval of communication serves; Other for all else.
using Dimension = engine::Parallelism;
inline constexpr std::size_t dimensions = engine::parallelisms;

/// "computation", "communication", "memory", "host", "other".
[[nodiscard]] const char* name_of(Category category);
/// "forward", "backward", "recompute", "optimizer", "other".
[[nodiscard]] const char* name_of(Phase phase);

/// One row of the table.
struct Interval {
    /// Of `group`, `joint` and `micro_batch`: there is none, or it is not known.
    static constexpr std::int32_t none = -1;
    static constexpr Bytes unknown_bytes = Bytes(-1);

    Rank rank;
    /// Where on the rank: a stream, a thread, a kind of operation; in RunTimeline::names. Intervals
    /// of a lane may overlap.
    std::uint32_t lane = 0;
    Category category = Category::Computation;
    Phase phase = Phase::Other;
    Dimension dimension = Dimension::Other;
    std::int32_t micro_batch = none;  ///< of the training step, from 0
    std::uint32_t name = 0;           ///< in RunTimeline::names
    Time start;                       ///< on the clock of the run, which begins at 0
    Time end;                         ///< not before `start`
    Bytes bytes = unknown_bytes;      ///< of communication, on this rank
    std::int32_t group = none;        ///< of a collective: in RunTimeline::groups
    Rank peer;                        ///< of a send or a receive: the other rank
    /// Equal in the parts of one collective, and in a send and its receive; numbers below
    /// RunTimeline::joints().
    std::int32_t joint = none;
    std::uint64_t id = 0;  ///< of the trace's node or event, for whoever looks for it there
};

/// The rows, a column an array.
class Intervals {
public:
    void add(const Interval& row);
    void reserve(std::size_t rows);

    [[nodiscard]] std::size_t size() const { return rank_.size(); }
    [[nodiscard]] bool empty() const { return rank_.empty(); }
    [[nodiscard]] Interval operator[](std::size_t row) const;

    [[nodiscard]] Rank rank(std::size_t row) const { return rank_[row]; }
    [[nodiscard]] std::uint32_t lane(std::size_t row) const { return lane_[row]; }
    [[nodiscard]] Category category(std::size_t row) const { return category_[row]; }
    [[nodiscard]] Phase phase(std::size_t row) const { return phase_[row]; }
    [[nodiscard]] Dimension dimension(std::size_t row) const { return dimension_[row]; }
    [[nodiscard]] std::int32_t micro_batch(std::size_t row) const { return micro_batch_[row]; }
    [[nodiscard]] std::uint32_t name(std::size_t row) const { return name_[row]; }
    [[nodiscard]] Time start(std::size_t row) const { return start_[row]; }
    [[nodiscard]] Time end(std::size_t row) const { return end_[row]; }
    [[nodiscard]] Bytes bytes(std::size_t row) const { return bytes_[row]; }
    [[nodiscard]] std::int32_t group(std::size_t row) const { return group_[row]; }
    [[nodiscard]] Rank peer(std::size_t row) const { return peer_[row]; }
    [[nodiscard]] std::int32_t joint(std::size_t row) const { return joint_[row]; }
    [[nodiscard]] std::uint64_t id(std::size_t row) const { return id_[row]; }

    /// By rank, then start, longer ones first, then as they were added.
    void sort();
    /// Adds `shift` to every start and end.
    void move(Time shift);

private:
    std::vector<Rank> rank_;
    std::vector<std::uint32_t> lane_;
    std::vector<Category> category_;
    std::vector<Phase> phase_;
    std::vector<Dimension> dimension_;
    std::vector<std::int32_t> micro_batch_;
    std::vector<std::uint32_t> name_;
    std::vector<Time> start_;
    std::vector<Time> end_;
    std::vector<Bytes> bytes_;
    std::vector<std::int32_t> group_;
    std::vector<Rank> peer_;
    std::vector<std::int32_t> joint_;
    std::vector<std::uint64_t> id_;
};

/// A communicator.
struct TimelineGroup {
    std::string name;
    std::vector<Rank> ranks;
};

/// How busy the links were, in bins of equal width: the share of each bin during which a link was
/// sending. Empty where it is not known.
struct LinkLoad {
    struct Link {
        std::string from;
        std::string to;
        std::uint32_t kind = 0;  ///< in `kinds`
    };
    /// Where to draw a node, in steps of a grid; x to the right, y downwards.
    struct Node {
        std::string name;
        float x = 0;
        float y = 0;
    };
    Time bin;  ///< width; bin b is [b, b + 1) times it
    std::size_t bins = 0;
    std::vector<Link> links;
    std::vector<std::string> kinds;  ///< of links: "NIC"; empty where they are not known
    std::vector<Node> nodes;         ///< empty where the shape of the network is not known
    std::vector<float> shares;       ///< 0 to 1: of link l in bin b at l * bins + b

    [[nodiscard]] bool empty() const { return links.empty() || bins == 0; }
    [[nodiscard]] float share(std::size_t link, std::size_t bin_number) const {
        return shares[link * bins + bin_number];
    }
};

struct RunTimeline {
    std::string label;  ///< what the run is called beside others: "packet", "profile"
    RunSource source = RunSource::Simulated;
    engine::NameTable names;  ///< of lanes and intervals
    Intervals intervals;
    std::vector<TimelineGroup> groups;
    LinkLoad load;
    Time length;  ///< of the run: not before the end of any interval
    /// What the user should know: what is missing, what was skipped.
    std::vector<std::string> notes;

    /// Sorts the intervals and sets `length` where an interval passes it. After the last row.
    void finish();
    /// The smallest number that no interval's `joint` reaches.
    [[nodiscard]] std::int32_t joints() const;
    /// The ranks with intervals, ascending. The table must be sorted.
    [[nodiscard]] std::vector<Rank> ranks() const;
    /// The rows of a rank: [first, second). The table must be sorted.
    [[nodiscard]] std::pair<std::size_t, std::size_t> rows_of(Rank rank) const;
};

}  // namespace npunet::analysis
