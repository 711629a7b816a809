#include "engine/collective_algorithms/algorithms.h"

namespace npunet::engine::ring {

namespace {

bool goes_back(const PhaseShape& shape) {
    return shape.lane % 2 == 1;
}

/// The member `distance` further on in the direction of travel.
std::int32_t onward(const PhaseShape& shape, std::int32_t distance) {
    return shape.neighbour(goes_back(shape) ? -distance : distance);
}

/// What is sent on in step s of an all-to-all (s from 0): the blocks that came from s places back
/// and still have n - 1 - s destinations before them, the next member and those after it.
Bytes forwarded(const PhaseShape& shape, std::int32_t step) {
    const std::int32_t blocks = shape.members - 1 - step;
    return goes_back(shape) ? shape.parts_from(shape.neighbour(-blocks), blocks)
                            : shape.parts_from(shape.neighbour(1), blocks);
}

Bytes bytes_sent(const PhaseShape& shape, std::int32_t step) {
    if (shape.kind == CollectiveKind::AllToAll && shape.rules.ring_all_to_all_aggregates) {
        return forwarded(shape, step);
    }
    if (shape.even() || shape.kind == CollectiveKind::AllToAll) {
        return shape.part(0);
    }
    // Reduce-scatter: the part of the member before leaves in step 0, so that the own part arrives
    // last. All-gather then starts with the own part.
    const std::int32_t scatters = shape.kind == CollectiveKind::AllGather ? 0 : shape.members - 1;
    return shape.part(onward(shape, step < scatters ? -1 - step : scatters - step));
}

/// A chain from the root through all members, or, to reduce, from the last one to the root.
Exchange chain(const PhaseShape& shape, std::int32_t step) {
    const std::int32_t place = shape.behind_root();
    const std::int32_t last = shape.members - 1;
    const bool inward = shape.kind == CollectiveKind::Reduce;
    const bool begins = place == (inward ? last : 0);
    Exchange result;
    if (step == 0 && !begins) {
        result.receive_from = shape.member_behind_root(inward ? place + 1 : place - 1);
    } else {
        result.send_to = shape.member_behind_root(inward ? place - 1 : place + 1);
        result.bytes = shape.total();
    }
    return result;
}

}  // namespace

std::int32_t count(const PhaseShape& shape) {
    const std::int32_t n = shape.members;
    switch (shape.kind) {
        case CollectiveKind::AllReduce:
            return 2 * (n - 1);
        case CollectiveKind::AllToAll:
            return shape.rules.ring_all_to_all_aggregates
                       ? n - 1
                       : static_cast<std::int32_t>(std::int64_t{n} * (n - 1) / 2);
        case CollectiveKind::Broadcast:
        case CollectiveKind::Reduce: {
            const std::int32_t place = shape.behind_root();
            return place == 0 || place == n - 1 ? 1 : 2;
        }
        default:
            return n - 1;
    }
}

std::int32_t reductions(const PhaseShape& shape) {
    switch (shape.kind) {
        case CollectiveKind::AllReduce:
        case CollectiveKind::ReduceScatter:
            return shape.members - 1;
        case CollectiveKind::Reduce:
            return shape.behind_root() == shape.members - 1 ? 0 : 1;
        default:
            return 0;
    }
}

Exchange at(const PhaseShape& shape, std::int32_t step) {
    if (has_root(shape.kind)) {
        return chain(shape, step);
    }
    const std::int32_t after = shape.me + 1 == shape.members ? 0 : shape.me + 1;
    const std::int32_t before = shape.me == 0 ? shape.members - 1 : shape.me - 1;
    const bool back = goes_back(shape);
    return {back ? before : after, back ? after : before, bytes_sent(shape, step), step};
}

bool alike(const PhaseShape& shape) {
    const bool blocks_one_by_one =
        shape.kind == CollectiveKind::AllToAll && !shape.rules.ring_all_to_all_aggregates;
    return !has_root(shape.kind) && shape.even() &&
           (shape.kind != CollectiveKind::AllToAll || blocks_one_by_one);
}

}  // namespace npunet::engine::ring
