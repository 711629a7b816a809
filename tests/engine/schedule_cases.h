// Every schedule there is: algorithms x collectives x lanes x group sizes x roots.
//
//     for_each_phase(8, [](const SharedPhase& phase) { ... phase.shape(me) ... });
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/collective_algorithms/phase.h"
#include "engine/machine/dialect.h"

namespace npunet::test {

using engine::Algorithm;
using engine::CollectiveKind;
using engine::PhaseShape;

/// A phase as all of its members see it.
struct SharedPhase {
    Algorithm algorithm = Algorithm::Ring;
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::uint8_t lane = 0;
    std::int32_t members = 2;
    std::int32_t root = 0;
    Bytes total;
    std::int32_t window = 0;
    engine::ScheduleRules rules;

    [[nodiscard]] PhaseShape shape(std::int32_t me) const {
        PhaseShape result;
        result.algorithm = algorithm;
        result.kind = kind;
        result.lane = lane;
        result.rules = rules;
        result.members = members;
        result.me = me;
        result.root = root;
        result.window = window;
        result.set_total(total);
        return result;
    }
    [[nodiscard]] std::string text() const {
        engine::Implementation implementation;
        implementation.algorithm = algorithm;
        return std::string(implementation.name()) + " " + engine::name_of(kind) + " n " +
               std::to_string(members) + " lane " + std::to_string(lane) + " root " +
               std::to_string(root) + " bytes " + std::to_string(total.value());
    }
};

inline const std::vector<Algorithm>& all_algorithms() {
    static const std::vector<Algorithm> list{Algorithm::Ring,
                                             Algorithm::Direct,
                                             Algorithm::HalvingDoubling,
                                             Algorithm::RecursiveDoubling,
                                             Algorithm::DoubleBinaryTree,
                                             Algorithm::BinomialTree,
                                             Algorithm::Dissemination};
    return list;
}

inline const std::vector<CollectiveKind>& all_kinds() {
    static const std::vector<CollectiveKind> list{
        CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
        CollectiveKind::AllToAll,  CollectiveKind::Broadcast, CollectiveKind::Reduce,
        CollectiveKind::Gather,    CollectiveKind::Scatter,   CollectiveKind::Barrier};
    return list;
}

/// 2 to 33, and beyond.
inline std::vector<std::int32_t> group_sizes() {
    std::vector<std::int32_t> list;
    for (std::int32_t n = 2; n <= 33; ++n) {
        list.push_back(n);
    }
    list.insert(list.end(), {48, 64, 100});
    return list;
}

inline bool does(Algorithm algorithm, CollectiveKind kind) {
    engine::Implementation implementation;
    implementation.algorithm = algorithm;
    return implementation.does(kind);
}

inline bool has_lanes(Algorithm algorithm, CollectiveKind kind) {
    return algorithm == Algorithm::DoubleBinaryTree ||
           (algorithm == Algorithm::Ring && !engine::has_root(kind));
}

/// Totals that n divides and totals that it does not.
inline std::vector<Bytes> totals(std::int64_t n) {
    return {Bytes(96 * n), Bytes(96 * n + 1), Bytes(7 * n - 2), Bytes(1)};
}

/// The roots 0, 1, n / 2 and n - 1 where there is one.
inline std::set<std::int32_t> roots(CollectiveKind kind, std::int32_t n) {
    return engine::has_root(kind) ? std::set<std::int32_t>{0, 1, n / 2, n - 1}
                                  : std::set<std::int32_t>{0};
}

/// Those of the astra-sim dialect.
inline engine::ScheduleRules reference_rules() {
    return engine::Dialect::named("astra-sim").schedules;
}

/// Calls action(phase) for every schedule of a group of n.
template <class Action>
void for_each_phase(std::int32_t n, const Action& action) {
    for (const Algorithm algorithm : all_algorithms()) {
        for (const CollectiveKind kind : all_kinds()) {
            if (!does(algorithm, kind)) {
                continue;
            }
            const bool windows = algorithm == Algorithm::Direct && !engine::has_root(kind);
            const std::uint8_t lanes = has_lanes(algorithm, kind) ? 2 : 1;
            for (const std::int32_t window : windows ? std::set{0, 1, 3} : std::set{0}) {
                for (std::uint8_t lane = 0; lane < lanes; ++lane) {
                    for (const std::int32_t root : roots(kind, n)) {
                        for (const Bytes total : totals(n)) {
                            action(SharedPhase{algorithm, kind, lane, n, root, total, window, {}});
                        }
                    }
                }
            }
        }
    }
}

}  // namespace npunet::test
