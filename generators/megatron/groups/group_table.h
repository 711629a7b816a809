// Lists of ranks, each kept once and known by a number.
//
//     GroupTable groups;
//     const std::int32_t all = groups.add({Rank(0), Rank(1)});
//     groups.ranks(all);                  // 0, 1
//     groups.add({Rank(0), Rank(1)});     // the same number
//
// Lists of the same ranks in another order are different lists: the order is that of rings.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/ids.h"

namespace npunet::generators::megatron {

class GroupTable {
public:
    /// The list's number, counted from 0 in the order in which lists are first added.
    std::int32_t add(const std::vector<Rank>& ranks);

    /// The number of a list that is there.
    [[nodiscard]] std::optional<std::int32_t> find(const std::vector<Rank>& ranks) const;

    [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(lists_.size()); }
    /// Valid as long as the table is.
    [[nodiscard]] const std::vector<Rank>& ranks(std::int32_t number) const {
        return lists_[static_cast<std::size_t>(number)];
    }

private:
    std::deque<std::vector<Rank>> lists_;
    std::unordered_multimap<std::uint64_t, std::int32_t> numbers_;  ///< by hash of the list
};

}  // namespace npunet::generators::megatron
