// Permutations: which pairs of ranks send to one another at the same time, and how many bytes.
//
//     OriginalPermutations rule(folder.run, groups);
//     read_call_log(folder.logs[0], Rank(0), groups,
//                   [&](const LoggedCall& event) { rule.visit(event.call); });
//     const PermutationList list = rule.finish();
//     list.distinct();        // in order of first emission
//     list.weighted();        // every emission: bytes, and which of the distinct ones
//
// In a permutation each rank is at most once a source and at most once a destination. This is the
// rule of genstack's logs_to_permutations.py: rank 0's calls up to its first message stand for the
// whole job. docs/megatron.md#permutations has the rule; all_permutations.h reads every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/groups/group_table.h"
#include "generators/megatron/program/call.h"
#include "generators/megatron/program/training_run.h"

namespace npunet::generators::megatron {

/// (source, destination) pairs; lists with the same pairs in another order are different.
using Permutation = std::vector<std::pair<Rank, Rank>>;

/// Each rank to the next one of the list, the last to the first. One rank alone: no pair.
void append_ring(Permutation& pairs, const std::vector<Rank>& ranks);

/// As Python prints a tuple of pairs: "((0, 1), (1, 0))"; of one pair "((0, 3),)".
[[nodiscard]] std::string python_text(const Permutation& permutation);

/// Permutations as they are emitted, each kept once.
class PermutationList {
public:
    struct Emission {
        std::int64_t bytes = 0;
        std::size_t permutation = 0;  ///< which of distinct()
    };

    /// Empty permutations are left out.
    void add(std::int64_t bytes, const Permutation& permutation);

    [[nodiscard]] const std::vector<Permutation>& distinct() const { return distinct_; }
    [[nodiscard]] const std::vector<Emission>& weighted() const { return weighted_; }

private:
    std::vector<Permutation> distinct_;
    std::vector<Emission> weighted_;
    std::map<Permutation, std::size_t> numbers_;
};

class OriginalPermutations {
public:
    /// The table has to outlive this. Throws InputError for messages of more than 2^62 bytes.
    OriginalPermutations(const TrainingRun& run, const GroupTable& groups);

    /// The calls of rank 0 in their order; those after its first message change nothing.
    void visit(const Call& call);
    /// Adds what stands for messages and for data parallelism. Once, at the end.
    [[nodiscard]] PermutationList finish();

private:
    /// What the next call is held against: the three of set-up, each of which may be missing.
    enum class Step : std::uint8_t { Start, Embedding, Flags, Body, End };

    [[nodiscard]] bool is_world(const std::vector<Rank>& ranks) const;
    [[nodiscard]] bool is_embedding(const std::vector<Rank>& ranks) const;
    [[nodiscard]] Permutation world_ring(const std::vector<Rank>& ranks) const;
    [[nodiscard]] static Permutation shifted(std::int64_t first, std::int64_t end,
                                             std::int64_t shift);
    /// Of the tensor-parallel groups of the ranks from `first` on.
    [[nodiscard]] Permutation tensor_rings(std::int64_t first, std::int64_t end) const;
    [[nodiscard]] Permutation data_rings() const;

    const GroupTable& groups_;
    std::int64_t world_;
    std::int64_t stage_ranks_;
    std::int64_t tp_;
    Shape activation_;  ///< s, b, h
    std::int64_t message_bytes_;
    Step step_ = Step::Start;
    PermutationList list_;
    Permutation all_rings_;
    Permutation first_stage_;
    Permutation last_stage_;
};

}  // namespace npunet::generators::megatron
