// The events of one rank's log as nodes of an execution trace.
//
//     RecordedTrace trace(substitution, totals, [&](const chakra::Node& node) { ... });
//     read_recorded_log(file, [&](const RecordedEvent& event) { trace.add(event); });
//
// As on a GPU: operations of a stream follow each other. A collective follows what was issued
// before it on its stream, and the one before it on its communicator; a message follows what was
// issued before it. What follows waits where the program does, or where it touches the tensors.
// Operations have their FLOPs, or, where a profile has measured them, their time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "chakra/trace/node.h"
#include "generators/profiler/operator_times.h"
#include "generators/recorded/recorded_groups.h"
#include "generators/recorded/recorded_log.h"

namespace npunet::generators::recorded {

/// Which operations have a measured time.
struct RecordedMatches {
    struct Operations {
        std::int64_t count = 0;
        std::int64_t flops = 0;
    };
    Operations matched;
    std::map<std::string, Operations> unmatched;  ///< by name: "aten::mm"
    std::int64_t measured_ns = 0;

    void add(const RecordedMatches& other);
};

/// What is in the traces, of one rank or of all.
struct RecordedTotals {
    struct Kind {
        std::int64_t nodes = 0;
        std::int64_t bytes = 0;  ///< comm_size
    };
    std::int64_t nodes = 0;
    std::int64_t operations = 0;
    std::int64_t product_flops = 0;  ///< of matrix products
    std::int64_t other_flops = 0;
    std::map<std::string, Kind> kinds;  ///< of communication, by name
    RecordedMatches matches;

    void add(const RecordedTotals& other);
};

class RecordedTrace {
public:
    using Visitor = std::function<void(const chakra::Node&)>;

    /// `substitution` and `times` have to outlive this; `rank` is the one whose trace it becomes.
    /// Operations take their times in order from `times`, from its begin again after its end, where
    /// it has them; null: none do.
    RecordedTrace(const RankSubstitution& substitution, Rank rank, Visitor visitor,
                  const profiler::OperatorTimes* times = nullptr);

    void add(const RecordedEvent& event);

    [[nodiscard]] const RecordedTotals& totals() const { return totals_; }
    /// Numbers of the groups whose collectives there are, sorted.
    [[nodiscard]] const std::vector<std::int32_t>& groups() const { return groups_; }

private:
    using Ids = std::vector<std::uint64_t>;

    void add_operation(const RecordedEvent& event);
    /// The measured time in ns; 0 for none.
    [[nodiscard]] std::int64_t measured_ns(const RecordedEvent& event);
    void add_collective(const RecordedEvent& event);
    void add_message(const RecordedEvent& event);
    [[nodiscard]] chakra::Node node(const RecordedEvent& event);
    void count(const std::string& kind, std::int64_t bytes);
    /// What the next node of the stream follows.
    [[nodiscard]] Ids& before(std::int32_t stream);

    const RankSubstitution& substitution_;
    Rank rank_;
    Visitor visitor_;
    const profiler::OperatorTimes* times_;
    std::map<const std::vector<std::int64_t>*, std::size_t> taken_;  ///< of the times
    std::uint64_t next_id_ = 1;
    std::vector<Ids> before_;                                ///< by stream
    std::unordered_map<std::int64_t, std::uint64_t> calls_;  ///< nodes of calls, by number
    std::unordered_map<std::int64_t, Ids> marks_;            ///< by event of streams
    std::unordered_map<std::int32_t, std::uint64_t> last_of_group_;
    std::vector<std::int32_t> groups_;
    RecordedTotals totals_;
};

/// The name of a group in traces and in the file of groups.
[[nodiscard]] std::string group_name(std::int32_t number);

}  // namespace npunet::generators::recorded
