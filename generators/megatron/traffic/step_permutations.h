// The permutations of a whole training step, from the calls of every rank.
//
//     StepPermutations step(groups, table);
//     for (rank ...) step.add(read_step_calls(folder, rank, groups, table));
//     for (const StepPermutation& one : step.list()) ...   // phase, operation, bytes, pairs
//
// permutations.h has the rule of the original, which reads rank 0 only. Here every message and
// every collective counts; what has to be assumed for that says permutation_assumptions().
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/groups/process_groups.h"
#include "generators/megatron/traffic/permutations.h"
#include "generators/megatron/traffic/step_calls.h"

namespace npunet::generators::megatron {

/// Sentences for people.
[[nodiscard]] const std::vector<std::string>& permutation_assumptions();

struct StepPermutation {
    Phase phase = Phase::SetUp;
    Operation operation = Operation::AllReduce;
    std::string group;       ///< "tp", "dp", "embedding", ...; of messages the axis they go along
    std::int64_t calls = 0;  ///< how often in the step
    std::int64_t bytes = 0;  ///< of all these calls, for one source
    Permutation pairs;
};

class StepPermutations {
public:
    /// Both have to outlive this.
    StepPermutations(const ProcessGroups& groups, GroupTable& table);

    /// The calls of one rank.
    void add(const std::vector<StepCall>& calls);
    /// By phase, then in the order in which they first occur. Throws InputError where the bytes
    /// exceed 2^63.
    [[nodiscard]] std::vector<StepPermutation> list() const;

private:
    /// Along the pipeline, context, data and tensor parallel axes.
    using Place = std::array<std::int64_t, 4>;
    /// Calls that are taken together: phase, operation, group or axis, bytes, shift of messages.
    using Pattern = std::tuple<Phase, Operation, std::string, std::int64_t, Place>;
    /// Whose call: group, its root; source and destination of a message.
    using Member = std::tuple<std::int32_t, Rank, Rank>;

    struct Occurrences {
        std::size_t number = 0;  ///< of the pattern, as they first occur
        std::map<Member, std::int64_t> calls;
    };

    [[nodiscard]] std::string group_name(std::int32_t group) const;
    [[nodiscard]] Place shift(Rank from, Rank to) const;
    void append(std::vector<StepPermutation>& list, const Pattern& pattern,
                const Occurrences& occurrences) const;
    [[nodiscard]] std::vector<Permutation> rounds(Operation operation,
                                                  const std::vector<Member>& members) const;

    const ProcessGroups& groups_;
    const GroupTable& table_;
    std::vector<std::uint32_t> roles_;  ///< by number of a group: a bit for each role that has it
    std::vector<Place> places_;         ///< by rank
    std::map<Pattern, Occurrences> patterns_;
};

}  // namespace npunet::generators::megatron
