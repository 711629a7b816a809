// The calls of a program with the groups and peers of one rank.
//
//     GroupTable table;
//     const RankCalls calls(groups, table);
//     const Call call = calls.of(item, Rank(11));     // item.kind is Call
//
// Every group of every role has its number in the table from the beginning, so that equal lists of
// ranks have equal numbers whatever their roles.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/groups/group_table.h"
#include "generators/megatron/groups/process_groups.h"
#include "generators/megatron/program/call.h"
#include "generators/megatron/program/program.h"

namespace npunet::generators::megatron {

class RankCalls {
public:
    /// Adds all groups to the table. `groups` has to outlive this.
    RankCalls(const ProcessGroups& groups, GroupTable& table);

    /// item.call with what is the rank's own: group (-1 where the item has none) and peer.
    [[nodiscard]] Call of(const ProgramItem& item, Rank rank) const;
    /// The number of the rank's group; -1 where it is in none.
    [[nodiscard]] std::int32_t group(GroupRole role, Rank rank) const;
    /// The rank's neighbour, or the root.
    [[nodiscard]] Rank peer(PeerRole role, Rank rank) const;

private:
    const ProcessGroups& groups_;
    std::array<std::vector<std::int32_t>, group_roles> numbers_;  ///< by role and rank
};

}  // namespace npunet::generators::megatron
