// The groups of all recorded ranks, and what a rank does in place of another one.
//
//     RecordedGroups groups(headers);                       // one header a log
//     groups.number(Rank(3), 7);                            // of group 7 of rank 3's log
//     const RankSubstitution same(groups, families, Rank(3), Rank(11));
//     same.group(7);                                        // what rank 11 has in its place
//
// Programs may make several groups of the same ranks: each is a communicator of its own.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "generators/recorded/recorded_log.h"

namespace npunet::generators::recorded {

class RecordedGroups {
public:
    explicit RecordedGroups(const std::vector<LogHeader>& headers);

    [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(ranks_.size()); }
    [[nodiscard]] const std::vector<Rank>& ranks(std::int32_t number) const {
        return ranks_[static_cast<std::size_t>(number)];
    }
    /// The number of a group by that of the rank's log.
    [[nodiscard]] std::int32_t number(Rank logged, std::int32_t group) const {
        return numbers_.at(logged)[static_cast<std::size_t>(group)];
    }

private:
    std::vector<std::vector<Rank>> ranks_;
    std::map<Rank, std::vector<std::int32_t>> numbers_;
};

/// Groups of the same kind, such as all tensor-parallel groups: they share no rank. By number.
using GroupFamilies = std::vector<std::vector<std::int32_t>>;

/// Where `rank` does what `logged` was recorded to do, in its own groups.
class RankSubstitution {
public:
    /// `groups` must outlive this. With rank == logged everything stays.
    RankSubstitution(const RecordedGroups& groups, const GroupFamilies& families, Rank logged,
                     Rank rank);

    /// The number of the group, given that of the log. Throws InputError where the rank is in no
    /// group of that kind.
    [[nodiscard]] std::int32_t group(std::int32_t logged_group) const;
    /// The rank in place of a root within a group of the log.
    [[nodiscard]] Rank root(std::int32_t logged_group, Rank logged_root) const;
    /// The rank in place of the other one of a message: as the smallest group with both has it.
    [[nodiscard]] Rank peer(Rank logged_peer) const;

private:
    [[nodiscard]] std::int32_t counterpart(std::int32_t number) const;
    [[nodiscard]] Rank at_same_place(std::int32_t number, Rank logged) const;

    const RecordedGroups& groups_;
    Rank logged_;
    Rank rank_;
    /// Of the groups with the logged rank by number: what the rank has in place; -1 for none.
    std::map<std::int32_t, std::int32_t> counterparts_;
};

}  // namespace npunet::generators::recorded
