#include "tests/engine/published_contents.h"

namespace npunet::test {

namespace {

Members only(std::int32_t member) {
    return Members().set(static_cast<std::size_t>(member));
}

Members everybody(std::int32_t n) {
    Members result;
    for (std::int32_t member = 0; member < n; ++member) {
        result.set(static_cast<std::size_t>(member));
    }
    return result;
}

bool halves(const SharedPhase& phase) {
    return phase.algorithm == Algorithm::HalvingDoubling ||
           phase.algorithm == Algorithm::RecursiveDoubling;
}

/// How many segments a buffer has.
std::int32_t segments_of(const SharedPhase& phase) {
    const bool whole = phase.kind == CollectiveKind::Broadcast ||
                       phase.kind == CollectiveKind::Reduce ||
                       phase.algorithm == Algorithm::DoubleBinaryTree;
    if (whole) {
        return 1;
    }
    if (phase.kind == CollectiveKind::AllReduce && halves(phase)) {
        return phase.algorithm == Algorithm::RecursiveDoubling ? 1 : power_within(phase.members);
    }
    return phase.members;
}

std::vector<std::int32_t> first_segments(std::int32_t count) {
    std::vector<std::int32_t> list;
    for (std::int32_t i = 0; i < count; ++i) {
        list.push_back(i);
    }
    return list;
}

std::vector<std::int32_t> everything(const Holding& holding) {
    std::vector<std::int32_t> list;
    for (const auto& [segment, members] : holding) {
        list.push_back(segment);
    }
    return list;
}

std::int32_t modulo(std::int32_t value, std::int32_t n) {
    return ((value % n) + n) % n;
}

/// Step e: reduce-scatter passes on the part that comes to rest at this member last of all but
/// n - 1 - e; then, or in an all-gather, every member passes on what it has got last.
std::vector<std::int32_t> ring(const SharedPhase& phase, std::int32_t me, std::int32_t e,
                               const Holding& holding) {
    const std::int32_t n = phase.members;
    const std::int32_t way = phase.lane == 0 ? 1 : -1;
    switch (phase.kind) {
        case CollectiveKind::AllToAll: {
            std::vector<std::int32_t> list;
            for (const auto& [segment, members] : holding) {
                if (segment % n != me) {
                    list.push_back(segment);
                }
            }
            return list;
        }
        case CollectiveKind::ReduceScatter:
            return {modulo(me - way * (1 + e), n)};
        case CollectiveKind::AllReduce:
            return {e < n - 1 ? modulo(me - way * (1 + e), n) : modulo(me - way * (e - n + 1), n)};
        case CollectiveKind::AllGather:
            return {modulo(me - way * e, n)};
        default:
            return {0};
    }
}

std::vector<std::int32_t> direct(const SharedPhase& phase, std::int32_t me, std::int32_t e,
                                 std::int32_t to) {
    switch (phase.kind) {
        case CollectiveKind::AllToAll:
            return {me * phase.members + to};
        case CollectiveKind::ReduceScatter:
        case CollectiveKind::Scatter:
            return {to};
        case CollectiveKind::AllReduce:
            return {e < phase.members - 1 ? to : me};
        case CollectiveKind::AllGather:
        case CollectiveKind::Gather:
            return {me};
        default:
            return {0};
    }
}

std::vector<std::int32_t> bruck(const SharedPhase& phase, std::int32_t me, std::int32_t round,
                                const Holding& holding) {
    std::vector<std::int32_t> list;
    for (const auto& [segment, members] : holding) {
        const std::int32_t distance = modulo(segment % phase.members - me, phase.members);
        if (((distance >> round) & 1) != 0) {
            list.push_back(segment);
        }
    }
    return list;
}

/// Members of the folded group: r pairs, then the others.
class Folded {
public:
    explicit Folded(std::int32_t n) : actives(power_within(n)), pairs(n - actives) {}

    [[nodiscard]] std::int32_t active(std::int32_t member) const {
        return member < 2 * pairs ? member / 2 : member - pairs;
    }
    [[nodiscard]] bool hands_in(std::int32_t member) const {
        return member < 2 * pairs && member % 2 == 1;
    }
    [[nodiscard]] bool paired(std::int32_t member) const { return member < 2 * pairs; }

    std::int32_t actives;
    std::int32_t pairs;
};

/// All-reduce: bit t of the number keeps the lower or the upper half in round t; on the way back
/// every range goes out in the reverse order.
std::vector<std::int32_t> halving_and_doubling(std::int32_t active, std::int32_t actives,
                                               std::int32_t round) {
    struct Range {
        std::int32_t begin;
        std::int32_t end;
    };
    std::vector<Range> kept{{0, actives}};
    std::vector<Range> given;
    for (std::int32_t bit = 1; bit < actives; bit *= 2) {
        const Range now = kept.back();
        const std::int32_t middle = (now.begin + now.end) / 2;
        const bool upper = (active & bit) != 0;
        kept.push_back(upper ? Range{middle, now.end} : Range{now.begin, middle});
        given.push_back(upper ? Range{now.begin, middle} : Range{middle, now.end});
    }
    const auto rounds = static_cast<std::int32_t>(given.size());
    const Range range = round < rounds ? given[static_cast<std::size_t>(round)]
                                       : kept[static_cast<std::size_t>(2 * rounds - round)];
    std::vector<std::int32_t> list;
    for (std::int32_t share = range.begin; share < range.end; ++share) {
        list.push_back(share);
    }
    return list;
}

/// Reduce-scatter: parts of the members of the other half of this one's half, quarter, ...
std::vector<std::int32_t> halving(const SharedPhase& phase, const Folded& folded,
                                  std::int32_t active, std::int32_t round) {
    const std::int32_t group = folded.actives >> round;
    std::vector<std::int32_t> list;
    for (std::int32_t member = 0; member < phase.members; ++member) {
        const std::int32_t other = folded.active(member);
        const bool same_group = other / group == active / group;
        const bool other_half = other / (group / 2) != active / (group / 2);
        if (same_group && other_half) {
            list.push_back(member);
        }
    }
    return list;
}

std::vector<std::int32_t> doubling(const SharedPhase& phase, std::int32_t me, std::int32_t e,
                                   const Holding& holding, std::int32_t to) {
    const Folded folded(phase.members);
    if (folded.hands_in(me)) {
        return everything(holding);
    }
    if (folded.paired(me) && to == me + 1) {
        std::vector<std::int32_t> list = everything(holding);
        if (phase.kind == CollectiveKind::ReduceScatter) {
            list = {to};
        } else if (phase.kind == CollectiveKind::AllGather) {
            list.erase(std::find(list.begin(), list.end(), to));
        }
        return list;
    }
    const std::int32_t round = e - (folded.paired(me) ? 1 : 0);
    const std::int32_t active = folded.active(me);
    switch (phase.kind) {
        case CollectiveKind::ReduceScatter:
            return halving(phase, folded, active, round);
        case CollectiveKind::AllGather:
            return everything(holding);
        default:
            return phase.algorithm == Algorithm::RecursiveDoubling
                       ? std::vector<std::int32_t>{0}
                       : halving_and_doubling(active, folded.actives, round);
    }
}

/// A scatter sends a child what is for its subtree: 2^j places from a child whose lowest bit is j.
std::vector<std::int32_t> binomial(const SharedPhase& phase, const Holding& holding,
                                   std::int32_t to) {
    if (phase.kind != CollectiveKind::Scatter) {
        return phase.kind == CollectiveKind::Gather ? everything(holding)
                                                    : std::vector<std::int32_t>{0};
    }
    const std::int32_t child = modulo(to - phase.root, phase.members);
    std::vector<std::int32_t> list;
    for (std::int32_t place = child; place < child + (child & -child); ++place) {
        if (place < phase.members) {
            list.push_back(modulo(phase.root + place, phase.members));
        }
    }
    return list;
}

}  // namespace

std::int32_t power_within(std::int32_t n) {
    std::int32_t power = 1;
    while (2 * power <= n) {
        power *= 2;
    }
    return power;
}

bool segments_move(const SharedPhase& phase) {
    return phase.kind == CollectiveKind::AllToAll;
}

Bytes segment_size(const SharedPhase& phase, std::int32_t segment) {
    if (phase.kind == CollectiveKind::Barrier) {
        return Bytes();
    }
    const std::int32_t count = segments_of(phase);
    return part_of(phase.total, segment % count, count);
}

Holding holding_at_first(const SharedPhase& phase, std::int32_t me) {
    Holding holding;
    switch (phase.kind) {
        case CollectiveKind::AllGather:
        case CollectiveKind::Gather:
        case CollectiveKind::Barrier:
            return {{me, only(me)}};
        case CollectiveKind::AllToAll:
            for (std::int32_t to = 0; to < phase.members; ++to) {
                holding[me * phase.members + to] = only(me);
            }
            return holding;
        case CollectiveKind::Broadcast:
        case CollectiveKind::Scatter:
            if (me != phase.root) {
                return {};
            }
            break;
        default:
            break;
    }
    for (const std::int32_t segment : first_segments(segments_of(phase))) {
        holding[segment] = only(me);
    }
    return holding;
}

Holding holding_at_last(const SharedPhase& phase, std::int32_t me) {
    const std::int32_t n = phase.members;
    Holding holding;
    switch (phase.kind) {
        case CollectiveKind::ReduceScatter:
            return {{me, everybody(n)}};
        case CollectiveKind::Broadcast:
            return {{0, only(phase.root)}};
        case CollectiveKind::Scatter:
            return {{me, only(phase.root)}};
        case CollectiveKind::AllReduce:
        case CollectiveKind::Reduce:
            for (const std::int32_t segment : first_segments(segments_of(phase))) {
                if (phase.kind == CollectiveKind::AllReduce || me == phase.root) {
                    holding[segment] = everybody(n);
                }
            }
            return holding;
        default:
            break;
    }
    for (std::int32_t from = 0; from < n; ++from) {
        if (phase.kind != CollectiveKind::Gather || me == phase.root) {
            holding[segments_move(phase) ? from * n + me : from] = only(from);
        }
    }
    return holding;
}

std::vector<std::int32_t> segments_sent(const SharedPhase& phase, std::int32_t me, std::int32_t e,
                                        const Holding& holding, std::int32_t to) {
    switch (phase.algorithm) {
        case Algorithm::Ring:
            return ring(phase, me, e, holding);
        case Algorithm::Direct:
            return direct(phase, me, e, to);
        case Algorithm::HalvingDoubling:
        case Algorithm::RecursiveDoubling:
            return segments_move(phase) ? bruck(phase, me, e, holding)
                                        : doubling(phase, me, e, holding, to);
        case Algorithm::DoubleBinaryTree:
            return {0};
        case Algorithm::BinomialTree:
            return binomial(phase, holding, to);
        case Algorithm::Dissemination:
            break;
    }
    return everything(holding);
}

}  // namespace npunet::test
