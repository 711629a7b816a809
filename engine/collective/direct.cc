#include "engine/collective/direct.h"

#include <algorithm>

namespace npunet::engine::direct {

std::int32_t count(const PhaseShape& shape) {
    return (shape.kind == CollectiveKind::AllReduce ? 2 : 1) * (shape.members - 1);
}

std::int32_t window(const PhaseShape& shape) {
    const std::int32_t peers = shape.members - 1;
    return shape.window == 0 ? peers : std::min(shape.window, peers);
}

std::int32_t barrier(const PhaseShape& shape) {
    return shape.members - 1;
}

Exchange at(const PhaseShape& shape, std::int32_t step) {
    const std::int32_t peers = shape.members - 1;
    const std::int32_t distance = step % peers + 1;
    Exchange result;
    result.send_to = shape.neighbour(distance);
    result.receive_from = shape.neighbour(-distance);
    result.reduces = shape.kind == CollectiveKind::ReduceScatter ||
                     (shape.kind == CollectiveKind::AllReduce && step < peers);
    const bool own_part = shape.kind == CollectiveKind::AllGather ||
                          (shape.kind == CollectiveKind::AllReduce && step >= peers);
    result.bytes = shape.part(own_part ? shape.me : result.send_to);
    return result;
}

}  // namespace npunet::engine::direct
