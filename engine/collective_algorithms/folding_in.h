// Groups of n = 2^k + r members for algorithms that want a power of two: the first 2r members form
// r pairs; the second one of a pair hands its data to the first before, and gets its result from it
// after. What is left are 2^k active members.
//
// Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH",
// 2005.
//
//     const FoldingIn folding(6);        // 4 active members: 0, 2, 4, 5; 1 and 3 are folded in
//     folding.active(4) == 2; folding.member(2) == 4; folding.has_partner(0) == true;
//
// C++17-clean.
#pragma once

#include <cstdint>

namespace npunet::engine {

class FoldingIn {
public:
    explicit constexpr FoldingIn(std::int32_t members) {
        while (2 * actives_ <= members) {
            actives_ *= 2;
            ++rounds_;
        }
        pairs_ = members - actives_;
    }

    [[nodiscard]] constexpr std::int32_t actives() const { return actives_; }  ///< 2^k
    [[nodiscard]] constexpr std::int32_t rounds() const { return rounds_; }    ///< k
    /// The member is the second one of a pair; its partner stands before it.
    [[nodiscard]] constexpr bool folded_in(std::int32_t member) const {
        return member < 2 * pairs_ && member % 2 == 1;
    }
    /// The number of a member that is not folded in, 0 .. 2^k - 1.
    [[nodiscard]] constexpr std::int32_t active(std::int32_t member) const {
        return member < 2 * pairs_ ? member / 2 : member - pairs_;
    }
    /// The inverse of active(); also the first part that belongs to the active member; 2^k gives n.
    [[nodiscard]] constexpr std::int32_t member(std::int32_t active) const {
        return active < pairs_ ? 2 * active : active + pairs_;
    }
    [[nodiscard]] constexpr bool has_partner(std::int32_t active) const { return active < pairs_; }

private:
    std::int32_t actives_ = 1;
    std::int32_t rounds_ = 0;
    std::int32_t pairs_ = 0;
};

}  // namespace npunet::engine
