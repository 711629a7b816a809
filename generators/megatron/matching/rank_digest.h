// All calls of one rank, as far as others must make them too: for each set of ranks, peer and
// direction how many, and a hash over them.
//
//     RankDigest digest(Rank(3));
//     read_call_log(path, Rank(3), groups, [&](const LoggedCall& event) {
//         digest.add(event, groups);
//     });
//
// Memory grows with the groups and peers that the rank uses, not with its calls. A part of
// rendezvous.h.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/groups/group_table.h"
#include "generators/megatron/logs/call_log.h"

namespace npunet::generators::megatron {

/// Calls in order, as one number.
struct CallChain {
    std::uint64_t calls = 0;
    std::uint64_t hash = 0;
    std::uint64_t balance = 0;  ///< adds up to 0 over the members (program/call_comparison.h)

    void add(std::uint64_t digest, std::uint64_t call_balance);
    /// In what each member must be equal.
    [[nodiscard]] bool same_calls(const CallChain& other) const {
        return calls == other.calls && hash == other.hash;
    }
};

/// Of a new_group: its ranks and backend.
[[nodiscard]] std::uint64_t new_group_digest(const LoggedCall& event, const GroupTable& groups);

class RankDigest {
public:
    explicit RankDigest(Rank rank) : rank_(rank) {}

    /// The calls of one log with one table, in order.
    void add(const LoggedCall& event, const GroupTable& groups);

    [[nodiscard]] Rank rank() const { return rank_; }

    struct GroupDigest {
        std::vector<Rank> members;  ///< ascending
        CallChain chain;
        /// Without the last three barriers before the first broadcast, where three stand there.
        CallChain shortened;
        bool can_shorten = false;
        bool broadcast_seen = false;
        std::array<CallChain, 3> earlier{};  ///< before the last three barriers, the latest first
        std::int64_t barriers = 0;           ///< in a row until here
    };
    [[nodiscard]] const std::deque<GroupDigest>& group_digests() const { return group_digests_; }
    /// By peer, and whether the rank sends.
    [[nodiscard]] const std::map<std::pair<Rank, bool>, CallChain>& messages() const {
        return messages_;
    }
    [[nodiscard]] const CallChain& new_groups() const { return new_groups_; }
    /// Collectives without group, receives from anybody.
    [[nodiscard]] std::uint64_t without_group() const { return without_group_; }
    [[nodiscard]] std::uint64_t from_anybody() const { return from_anybody_; }
    /// What is wrong whatever the others do: "event 7: barrier on ranks 0, 1, which ...".
    [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

private:
    void add_collective(const LoggedCall& event, const GroupTable& groups);
    std::size_t place_of_group(std::int32_t group, const GroupTable& groups);
    void note_problem(const LoggedCall& event, const std::string& text);

    Rank rank_;
    std::vector<std::int32_t> places_by_group_;  ///< in group_digests_; -1: not yet
    GroupTable sets_;                            ///< members of the group digests
    std::deque<GroupDigest> group_digests_;
    std::map<std::pair<Rank, bool>, CallChain> messages_;
    CallChain new_groups_;
    std::uint64_t without_group_ = 0;
    std::uint64_t from_anybody_ = 0;
    std::vector<std::string> problems_;
};

/// "ranks 0, 4, 8", long lists shortened.
[[nodiscard]] std::string ranks_text(const std::vector<Rank>& ranks);

}  // namespace npunet::generators::megatron
