#include "engine/collective/ring.h"

namespace npunet::engine::ring {

namespace {

/// What member i sends on in step s of an all-to-all (s from 0): the blocks that came from
/// i - s and still have n - 1 - s destinations before them, i + 1 to i + n - 1 - s.
Bytes forwarded(const PhaseShape& shape, std::int32_t step) {
    Bytes sum;
    for (std::int32_t distance = 1; distance <= shape.members - 1 - step; ++distance) {
        sum += shape.part(shape.neighbour(distance));
    }
    return sum;
}

}  // namespace

std::int32_t count(const PhaseShape& shape) {
    const std::int32_t n = shape.members;
    switch (shape.kind) {
        case CollectiveKind::AllReduce:
            return 2 * (n - 1);
        case CollectiveKind::AllToAll:
            return shape.ring_all_to_all_aggregates ? n - 1 : n * (n - 1) / 2;
        default:
            return n - 1;
    }
}

std::int32_t window(const PhaseShape&) {
    return 1;
}

std::int32_t barrier(const PhaseShape& shape) {
    return count(shape);
}

Exchange at(const PhaseShape& shape, std::int32_t step) {
    Exchange result;
    result.send_to = shape.neighbour(1);
    result.receive_from = shape.neighbour(-1);
    if (shape.kind == CollectiveKind::AllToAll) {
        result.bytes = shape.ring_all_to_all_aggregates ? forwarded(shape, step) : shape.part(0);
        return result;
    }
    const bool scattering = shape.kind == CollectiveKind::ReduceScatter ||
                            (shape.kind == CollectiveKind::AllReduce && step < shape.members - 1);
    // Reduce-scatter: part me - 1 - s leaves in step s, so that part me arrives last. All-gather
    // then starts with the own part.
    const std::int32_t gather_step =
        shape.kind == CollectiveKind::AllReduce ? step - (shape.members - 1) : step;
    result.bytes = shape.part(shape.neighbour(scattering ? -1 - step : -gather_step));
    result.reduces = scattering;
    return result;
}

}  // namespace npunet::engine::ring
