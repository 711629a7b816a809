// What the ranks of a run send in a training step: their calls, each with the phase it belongs to.
//
//     const auto calls = read_step_calls(folder, Rank(3), groups, table);
//
// Logs of the npunet dialect say the phase. Where an event does not, it is found from the event's
// place in its rank's log, as the recorded logs have it:
// - set-up ends with the last barrier before the first message; in a log without messages, with
//   the last barrier that is followed by other calls;
// - update begins with the last all-reduce of a one-dimensional tensor over the data-parallel
//   group: the gradients;
// - in between it is forward from each broadcast and each message received from an earlier stage
//   on, backward from each message received from a later stage on, and on the last stage from the
//   reported loss on (an all-reduce of two numbers over the data-parallel group);
// - a message to a later stage is forward, to an earlier one backward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/groups/group_table.h"
#include "generators/megatron/groups/process_groups.h"
#include "generators/megatron/logs/call_log.h"
#include "generators/megatron/logs/log_folder.h"
#include "generators/megatron/program/program.h"

namespace npunet::generators::megatron {

/// A call that moves data between ranks: a message sent, or a collective of several ranks.
struct StepCall {
    Operation operation = Operation::AllReduce;
    Phase phase = Phase::SetUp;
    std::int32_t group = -1;  ///< -1: a message
    Rank owner;               ///< who made the call
    Rank peer;                ///< the destination of a message; the root of a collective
    std::int64_t bytes = 0;   ///< payload_bytes; of a scatter what its owner gets
};

class StepCallFinder {
public:
    /// Of one rank. `groups` and `table` have to outlive this; `file` stands in messages.
    StepCallFinder(Rank rank, const ProcessGroups& groups, GroupTable& table, std::string file);

    /// The events of the rank, in order. Throws InputError for ranks beyond the run's.
    void add(const LoggedCall& event);
    /// The calls, without barriers, receives, and groups of one rank. Once, at the end.
    [[nodiscard]] std::vector<StepCall> take();

private:
    struct Event {
        StepCall call;
        std::optional<Phase> phase;
        std::size_t dimensions = 0;
        std::int64_t elements = 0;
    };

    void check_ranks(const LoggedCall& event) const;
    [[nodiscard]] std::size_t end_of_set_up() const;
    [[nodiscard]] std::size_t start_of_update(std::size_t end_of_set_up) const;
    /// A one-dimensional tensor, reduced over the data-parallel group.
    [[nodiscard]] bool reduces_over_copies(const Event& event) const;
    void find_phases();

    Rank rank_;
    const ProcessGroups& groups_;
    const GroupTable& table_;
    std::string file_;
    std::int32_t data_group_;
    std::vector<Event> events_;
};

/// Reads the log of one rank.
[[nodiscard]] std::vector<StepCall> read_step_calls(const LogFolder& folder, Rank rank,
                                                    const ProcessGroups& groups, GroupTable& table);

}  // namespace npunet::generators::megatron
