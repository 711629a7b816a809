// The events of one rank's log as nodes of an execution trace.
//
//     RecordedTrace trace(substitution, totals, [&](const chakra::Node& node) { ... });
//     read_recorded_log(file, [&](const RecordedEvent& event) { trace.add(event); });
//
// As on a GPU: operations of a stream follow each other. A collective follows what was issued
// before it on its stream, and the one before it on its communicator; a message follows what was
// issued before it. What follows waits where the program does, or where it touches the tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "chakra/trace/node.h"
#include "generators/recorded/recorded_groups.h"
#include "generators/recorded/recorded_log.h"

namespace npunet::generators::recorded {

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

    void add(const RecordedTotals& other);
};

class RecordedTrace {
public:
    using Visitor = std::function<void(const chakra::Node&)>;

    /// `substitution` has to outlive this; its rank is the one whose trace it becomes.
    RecordedTrace(const RankSubstitution& substitution, Rank rank, Visitor visitor);

    void add(const RecordedEvent& event);

    [[nodiscard]] const RecordedTotals& totals() const { return totals_; }
    /// Numbers of the groups whose collectives there are, sorted.
    [[nodiscard]] const std::vector<std::int32_t>& groups() const { return groups_; }

private:
    using Ids = std::vector<std::uint64_t>;

    void add_operation(const RecordedEvent& event);
    void add_collective(const RecordedEvent& event);
    void add_message(const RecordedEvent& event);
    [[nodiscard]] chakra::Node node(const RecordedEvent& event);
    void count(const std::string& kind, std::int64_t bytes);
    /// What the next node of the stream follows.
    [[nodiscard]] Ids& before(std::int32_t stream);

    const RankSubstitution& substitution_;
    Rank rank_;
    Visitor visitor_;
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
