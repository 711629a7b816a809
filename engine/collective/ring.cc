#include "engine/collective/ring.h"

namespace npunet::engine::ring {

namespace {

/// Parts 0 to index - 1 together.
Bytes parts_below(const PhaseShape& shape, std::int32_t index) {
    __extension__ using Wide = __int128;
    return Bytes(
        static_cast<std::int64_t>(static_cast<Wide>(shape.total.value()) * index / shape.members));
}

/// What member i sends on in step s of an all-to-all (s from 0): the blocks that came from
/// i - s and still have n - 1 - s destinations before them, i + 1 to i + n - 1 - s.
Bytes forwarded(const PhaseShape& shape, std::int32_t step) {
    const std::int32_t blocks = shape.members - 1 - step;
    if (shape.equal_parts) {
        return blocks * shape.part(0);
    }
    // Consecutive parts: the difference of two prefixes, and one more round where they wrap.
    const std::int32_t first = shape.neighbour(1);
    const std::int32_t end = first + blocks;
    const Bytes up_to_end = parts_below(shape, end > shape.members ? end - shape.members : end);
    const Bytes sum = up_to_end - parts_below(shape, first);
    return end > shape.members ? sum + shape.total : sum;
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
