// What members send each other in an unequal all-to-all that goes along the tiers.
//
// In tier 0 a member gives to each member of its line what the line's members together have for
// destinations that face that one: in a server, what leaves on its rail (PXN of NCCL 2.12). In tier
// k it has, in addition to its own, what the tiers before have brought, and gives on what does not
// end in its block. Every byte crosses each tier at most once, in the line where source and
// destination have different places.
//
//     const TieredAmounts amounts(layout, rows);
//     const std::vector<std::int64_t>& to_each = amounts.of(member, factor);
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/collective/communicator_layout.h"

namespace npunet::engine {

class TieredAmounts {
public:
    /// `rows[i]`: the bytes from member i to each member, in listed order; not negative, all
    /// together at most 2^62. Time: proportional to factors and the square of the members. Memory:
    /// 8 bytes a number, numbers() of them; while it is made, twice the square of the members more.
    TieredAmounts(const CommunicatorLayout& layout,
                  const std::vector<const std::vector<std::int64_t>*>& rows);

    /// By place in the member's line of that factor.
    [[nodiscard]] const std::vector<std::int64_t>& of(std::size_t member,
                                                      std::size_t factor) const {
        return amounts_[factor][member];
    }

    /// How many are kept: the members times the sizes of their lines in all factors.
    [[nodiscard]] std::size_t numbers() const { return numbers_; }

private:
    std::vector<std::vector<std::vector<std::int64_t>>> amounts_;  ///< by factor and member
    std::size_t numbers_ = 0;
};

}  // namespace npunet::engine
