#include "engine/collective_algorithms/algorithms.h"

#include <algorithm>

namespace npunet::engine::direct {

namespace {

bool sends_outward(CollectiveKind kind) {
    return kind == CollectiveKind::Broadcast || kind == CollectiveKind::Scatter;
}

Exchange rooted(const PhaseShape& shape, std::int32_t step) {
    const bool whole_buffer =
        shape.kind == CollectiveKind::Broadcast || shape.kind == CollectiveKind::Reduce;
    Exchange result;
    const std::int32_t place = shape.behind_root();
    const std::int32_t peer = place == 0 ? shape.member_behind_root(step + 1) : shape.root;
    if (sends_outward(shape.kind) == (place == 0)) {
        result.send_to = peer;
        result.bytes = whole_buffer ? shape.total() : shape.part(place == 0 ? peer : shape.me);
        result.arrives_in = place == 0 ? 0 : place - 1;
    } else {
        result.receive_from = peer;
    }
    return result;
}

}  // namespace

std::int32_t count(const PhaseShape& shape) {
    if (has_root(shape.kind)) {
        return shape.behind_root() == 0 ? shape.members - 1 : 1;
    }
    return (shape.kind == CollectiveKind::AllReduce ? 2 : 1) * (shape.members - 1);
}

std::int32_t window(const PhaseShape& shape) {
    const std::int32_t peers = shape.members - 1;
    return shape.window == 0 ? peers : std::min(shape.window, peers);
}

std::int32_t reductions(const PhaseShape& shape) {
    switch (shape.kind) {
        case CollectiveKind::AllReduce:
        case CollectiveKind::ReduceScatter:
            return shape.members - 1;
        case CollectiveKind::Reduce:
            return shape.behind_root() == 0 ? shape.members - 1 : 0;
        default:
            return 0;
    }
}

Gate gate(const PhaseShape& shape, std::int32_t step) {
    if (has_root(shape.kind)) {
        return {};
    }
    const std::int32_t peers = shape.members - 1;
    const std::int32_t places_free = std::max(0, step - window(shape) + 1);
    if (step < peers) {
        return {places_free, 0};
    }
    // The second half of an all-reduce needs every part; in the reference it only waits for the
    // messages, not for their reduction.
    return shape.rules.every_reduction_is_charged ? Gate{std::max(places_free, peers), 0}
                                                  : Gate{places_free, peers};
}

Exchange at(const PhaseShape& shape, std::int32_t step) {
    if (has_root(shape.kind)) {
        return rooted(shape, step);
    }
    const std::int32_t peers = shape.members - 1;
    const std::int32_t distance = (step < peers ? step : step - peers) + 1;
    Exchange result;
    result.send_to = shape.neighbour(distance);
    result.receive_from = shape.neighbour(-distance);
    result.arrives_in = step;
    if (shape.sizes != nullptr) {
        result.bytes = part_of(Bytes((*shape.sizes)[static_cast<std::size_t>(result.send_to)]),
                               shape.chunk, shape.chunks);
        return result;
    }
    const bool own_part = shape.kind == CollectiveKind::AllGather ||
                          (shape.kind == CollectiveKind::AllReduce && step >= peers);
    result.bytes = shape.part(own_part ? shape.me : result.send_to);
    return result;
}

}  // namespace npunet::engine::direct
