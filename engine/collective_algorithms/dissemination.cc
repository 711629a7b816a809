#include "engine/collective_algorithms/algorithms.h"

namespace npunet::engine::dissemination {

std::int32_t count(const PhaseShape& shape) {
    std::int32_t rounds = 0;
    while ((std::int64_t{1} << rounds) < shape.members) {
        ++rounds;
    }
    return rounds;
}

std::int32_t reductions(const PhaseShape&) {
    return 0;
}

Exchange at(const PhaseShape& shape, std::int32_t step) {
    const std::int32_t hop = std::int32_t{1} << step;
    Exchange result;
    result.send_to = shape.neighbour(hop);
    result.receive_from = shape.neighbour(-hop);
    result.arrives_in = step;
    return result;
}

}  // namespace npunet::engine::dissemination
