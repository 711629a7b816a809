// What the tests of parallel groups share: plans, and the groups of a plan by plain loops over
// coordinates.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "base/errors.h"
#include "generators/megatron/groups/model_replicas.h"
#include "generators/megatron/groups/process_groups.h"

namespace npunet::generators::megatron {

inline Parallelism sizes(std::int64_t tp, std::int64_t cp, std::int64_t dp, std::int64_t pp,
                         std::int64_t ep = 1, std::int64_t etp = 0) {
    Parallelism p;
    p.tp = tp;
    p.cp = cp;
    p.dp = dp;
    p.pp = pp;
    p.ep = ep;
    p.etp = etp;
    return p;
}

/// Coordinates along tp, cp, ep, dp, pp.
using Coordinates = std::array<std::int64_t, grid_axes>;

/// Of every rank, by counting up the coordinates one at a time, the order's first fastest.
inline std::vector<Coordinates> counted_up(const RankOrder& order, const Coordinates& sizes) {
    std::vector<Coordinates> ranks;
    Coordinates at{};
    for (bool more = true; more;) {
        ranks.push_back(at);
        more = false;
        for (const GridAxis axis : order) {
            std::int64_t& digit = at[static_cast<std::size_t>(axis)];
            if (++digit < sizes[static_cast<std::size_t>(axis)]) {
                more = true;
                break;
            }
            digit = 0;
        }
    }
    return ranks;
}

inline std::vector<Coordinates> dense_coordinates(const Parallelism& p) {
    return counted_up(p.rank_order, {p.tp, p.cp, 1, p.dp, p.pp});
}

inline std::vector<Coordinates> expert_coordinates(const Parallelism& p) {
    const std::int64_t etp = p.etp == 0 ? p.tp : p.etp;
    return counted_up(p.rank_order, {etp, 1, p.ep, p.tp * p.cp * p.dp / (etp * p.ep), p.pp});
}

/// The ranks whose coordinates differ along `axis` alone.
inline RankLists grouped(const std::vector<Coordinates>& ranks, GridAxis axis) {
    std::map<Coordinates, std::vector<Rank>> groups;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        Coordinates rest = ranks[rank];
        rest[static_cast<std::size_t>(axis)] = 0;
        groups[rest].push_back(Rank(rank));
    }
    RankLists lists;
    for (auto& [rest, list] : groups) {
        lists.push_back(list);
    }
    std::sort(lists.begin(), lists.end());
    return lists;
}

/// Calls with every possible plan of random sizes, in `count` draws of sizes and orders.
inline void for_random_plans(int count, const std::function<void(const Parallelism&)>& call) {
    std::mt19937 random(7);
    std::array<std::int64_t, 7> choices = {1, 2, 3, 4, 2, 1, 6};
    RankOrder order = Parallelism{}.rank_order;
    for (int i = 0; i < count;) {
        const auto drawn = [&] { return choices[random() % choices.size()]; };
        Parallelism p = sizes(drawn(), drawn(), drawn(), drawn() % 4, drawn(), drawn());
        std::next_permutation(order.begin(), order.end());
        p.rank_order = order;
        try {
            check_parallelism(p);
        } catch (const InputError&) {
            continue;
        }
        ++i;
        call(p);
    }
}

}  // namespace npunet::generators::megatron
