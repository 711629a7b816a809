#include "engine/collective_algorithms/algorithms.h"

#include "engine/collective_algorithms/folding_in.h"

namespace npunet::engine::halving_doubling {

namespace {

bool doubles_whole_buffer(const PhaseShape& shape) {
    return shape.algorithm == Algorithm::RecursiveDoubling &&
           shape.kind == CollectiveKind::AllReduce;
}

std::int32_t bruck_rounds(std::int32_t members) {
    std::int32_t rounds = 0;
    while ((std::int64_t{1} << rounds) < members) {
        ++rounds;
    }
    return rounds;
}

/// Round t moves every block with bit t in its way, by 2^t places. A block that has come so far
/// stands at the place that the lower bits of its way led it to.
Exchange bruck(const PhaseShape& shape, std::int32_t round) {
    const std::int32_t hop = std::int32_t{1} << round;
    Exchange result;
    result.send_to = shape.neighbour(hop);
    result.receive_from = shape.neighbour(-hop);
    result.arrives_in = round;
    for (std::int32_t reach = hop; reach < shape.members; reach += 2 * hop) {
        const std::int32_t blocks = reach + hop <= shape.members ? hop : shape.members - reach;
        // The blocks with this way so far and every lower part: all go to `way` places from here.
        result.bytes += blocks * shape.part(shape.neighbour(reach));
    }
    return result;
}

/// Sizes of the reference: integer halves of the chunk, doubled again on the way back.
Bytes halved(Bytes size, std::int32_t times) {
    return Bytes(size.value() >> times);
}

/// Share [first, first + length) of 2^k equal shares of the buffer.
Bytes shares(const PhaseShape& shape, const FoldingIn& folding, std::int32_t first,
             std::int32_t length) {
    __extension__ using Wide = __int128;
    const Wide total = shape.total().value();
    return Bytes(static_cast<std::int64_t>(total * (first + length) / folding.actives()) -
                 static_cast<std::int64_t>(total * first / folding.actives()));
}

/// The parts of the active members [first, first + length) and their partners.
Bytes parts_of_actives(const PhaseShape& shape, const FoldingIn& folding, std::int32_t first,
                       std::int32_t length) {
    return shape.parts_below(folding.member(first + length)) -
           shape.parts_below(folding.member(first));
}

/// The range of shares that an active member keeps after `round` of halving towards the neighbour
/// first: bit i of its number chooses the half in round i.
std::int32_t range_begin(std::int32_t active, std::int32_t round, std::int32_t actives) {
    std::int32_t begin = 0;
    for (std::int32_t bit = 0; bit <= round; ++bit) {
        begin += ((active >> bit) & 1) * (actives >> (bit + 1));
    }
    return begin;
}

struct Move {
    std::int32_t offset = 0;
    Bytes bytes;
};

Move all_reduce_move(const PhaseShape& shape, const FoldingIn& folding, std::int32_t active,
                     std::int32_t round) {
    const std::int32_t rounds = folding.rounds();
    Move move;
    if (doubles_whole_buffer(shape)) {
        return {std::int32_t{1} << round, shape.total()};
    }
    const bool halving = round < rounds;
    const std::int32_t bit = halving ? round : 2 * rounds - 1 - round;
    move.offset = std::int32_t{1} << bit;
    if (shape.rules.equal_parts) {
        move.bytes = halved(shape.total(), bit + 1);
        return move;
    }
    const std::int32_t kept_by = halving ? active ^ move.offset : active;
    move.bytes = shares(shape, folding, range_begin(kept_by, bit, folding.actives()),
                        folding.actives() >> (bit + 1));
    return move;
}

Move reduce_scatter_move(const PhaseShape& shape, const FoldingIn& folding, std::int32_t active,
                         std::int32_t round) {
    if (shape.rules.halving_begins_nearby) {
        return {std::int32_t{1} << round, halved(shape.total(), round + 1)};
    }
    const std::int32_t length = folding.actives() >> (round + 1);
    const std::int32_t begin = (active ^ length) & ~(length - 1);
    return {length, parts_of_actives(shape, folding, begin, length)};
}

Move all_gather_move(const PhaseShape& shape, const FoldingIn& folding, std::int32_t active,
                     std::int32_t round) {
    if (shape.rules.halving_begins_nearby) {
        return {folding.actives() >> (round + 1), (std::int64_t{1} << round) * shape.part(0)};
    }
    const std::int32_t length = std::int32_t{1} << round;
    const std::int32_t begin = active & ~(length - 1);
    return {length, parts_of_actives(shape, folding, begin, length)};
}

Move move_of(const PhaseShape& shape, const FoldingIn& folding, std::int32_t active,
             std::int32_t round) {
    switch (shape.kind) {
        case CollectiveKind::ReduceScatter:
            return reduce_scatter_move(shape, folding, active, round);
        case CollectiveKind::AllGather:
            return all_gather_move(shape, folding, active, round);
        default:
            return all_reduce_move(shape, folding, active, round);
    }
}

std::int32_t rounds_of(const PhaseShape& shape, const FoldingIn& folding) {
    const bool twice = shape.kind == CollectiveKind::AllReduce && !doubles_whole_buffer(shape);
    return (twice ? 2 : 1) * folding.rounds();
}

/// Hands in everything that is to be reduced or gathered; step 1 brings the result.
Exchange of_folded_in(const PhaseShape& shape, std::int32_t step) {
    Exchange result;
    const std::int32_t partner = shape.me - 1;
    if (step == 0) {
        result.send_to = partner;
        result.bytes =
            shape.kind == CollectiveKind::AllGather ? shape.part(shape.me) : shape.total();
    } else {
        result.receive_from = partner;
    }
    result.arrives_in = 0;
    return result;
}

/// What the partner gets in the end.
Exchange unfolding(const PhaseShape& shape) {
    Exchange result;
    result.send_to = shape.me + 1;
    result.arrives_in = 1;
    const Bytes own = shape.part(shape.me + 1);
    switch (shape.kind) {
        case CollectiveKind::ReduceScatter:
            result.bytes = own;
            break;
        case CollectiveKind::AllGather:
            result.bytes = shape.total() - own;
            break;
        default:
            result.bytes = shape.total();
    }
    return result;
}

}  // namespace

std::int32_t count(const PhaseShape& shape) {
    if (shape.kind == CollectiveKind::AllToAll) {
        return bruck_rounds(shape.members);
    }
    const FoldingIn folding(shape.members);
    if (folding.folded_in(shape.me)) {
        return 2;
    }
    const bool pair = folding.has_partner(folding.active(shape.me));
    return rounds_of(shape, folding) + (pair ? 2 : 0);
}

std::int32_t reductions(const PhaseShape& shape) {
    const bool reduces =
        shape.kind == CollectiveKind::AllReduce || shape.kind == CollectiveKind::ReduceScatter;
    const FoldingIn folding(shape.members);
    if (!reduces || folding.folded_in(shape.me)) {
        return 0;
    }
    return folding.rounds() + (folding.has_partner(folding.active(shape.me)) ? 1 : 0);
}

Exchange at(const PhaseShape& shape, std::int32_t step) {
    if (shape.kind == CollectiveKind::AllToAll) {
        return bruck(shape, step);
    }
    const FoldingIn folding(shape.members);
    if (folding.folded_in(shape.me)) {
        return of_folded_in(shape, step);
    }
    const std::int32_t active = folding.active(shape.me);
    const bool pair = folding.has_partner(active);
    Exchange result;
    if (pair && step == 0) {
        result.receive_from = shape.me + 1;
        return result;
    }
    const std::int32_t round = step - (pair ? 1 : 0);
    if (round == rounds_of(shape, folding)) {
        return unfolding(shape);
    }
    const Move move = move_of(shape, folding, active, round);
    const std::int32_t peer = active ^ move.offset;
    result.send_to = result.receive_from = folding.member(peer);
    result.arrives_in = round + (folding.has_partner(peer) ? 1 : 0);
    result.bytes = move.bytes;
    return result;
}

}  // namespace npunet::engine::halving_doubling
