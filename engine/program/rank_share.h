// Which ranks this process simulates, where several processes share a simulation. Every process
// knows all programs; what goes from one of its ranks to one of another process crosses a network
// that is split alike.
//
//     RankShare share({true, true, false, false});
//     share.has(Rank(2));                               // false: another process does
//
// C++17-clean.
#pragma once

#include <utility>
#include <vector>

#include "base/ids.h"

namespace npunet::engine {

class RankShare {
public:
    /// All ranks.
    RankShare() = default;
    /// By rank: whether this process simulates it.
    explicit RankShare(std::vector<bool> here) : here_(std::move(here)) {}

    [[nodiscard]] bool whole() const { return here_.empty(); }
    [[nodiscard]] bool has(Rank rank) const { return here_.empty() || here_[rank.index()]; }

private:
    std::vector<bool> here_;  ///< empty: whole
};

}  // namespace npunet::engine
