#include "engine/collective/plan.h"

#include <array>

namespace npunet::engine {

Bytes CollectivePlan::chunk_size(std::int64_t chunk) const {
    if (equal_chunk > Bytes()) {
        return equal_chunk;
    }
    const std::int64_t pieces = size.value() / piece.value();
    const Bytes rest(size.value() % piece.value());
    const Bytes whole = (pieces / chunks + (chunk < pieces % chunks ? 1 : 0)) * piece;
    return chunk == pieces % chunks ? whole + rest : whole;
}

Bytes CollectivePlan::stream_size(std::size_t stream) const {
    const auto lane_count = static_cast<std::size_t>(lanes);
    const auto chunk = static_cast<std::int64_t>(stream / lane_count);
    const Bytes whole = chunk_size(chunk);
    return lanes == 1 ? whole
                      : part_of(whole, static_cast<std::int64_t>(stream % lane_count), lanes);
}

CollectivePlan::Turn CollectivePlan::turn(std::int32_t queue, std::size_t number) const {
    // The queues of a lane are those whose number it leaves when divided by all lanes.
    const auto lane_count = static_cast<std::size_t>(lanes);
    const std::size_t lane = static_cast<std::size_t>(queue) % lane_count;
    const auto chunk_count = static_cast<std::size_t>(chunks);
    std::size_t before = number / chunk_count;
    for (std::size_t i = 0; i < phases_per_stream(); ++i) {
        if (phase(lane, i).queue == queue && before-- == 0) {
            return {number % chunk_count * lane_count + lane, i};
        }
    }
    return {0, phases_per_stream()};
}

PhaseShape CollectivePlan::shape(std::size_t stream, std::size_t number) const {
    Bytes bytes = stream_size(stream);
    // Reduce-scatters shrink the buffer, all-gathers enlarge it; one that undoes a reduce-scatter
    // restores that one's buffer.
    std::array<Bytes, 64> scattered;
    std::size_t depth = 0;
    for (std::size_t i = 0;; ++i) {
        const PlannedPhase& planned = phase(stream, i);
        PhaseShape result = planned.shape;
        if (planned.gathers_back && !result.rules.equal_parts) {
            bytes = scattered[--depth];
        } else if (result.kind == CollectiveKind::AllGather ||
                   result.kind == CollectiveKind::Gather) {
            bytes = result.members * bytes;
        }
        result.set_total(bytes);
        if (i == number) {
            result.chunk = static_cast<std::int32_t>(stream / static_cast<std::size_t>(lanes));
            result.chunks = chunks;
            if (planned.alternates) {
                result.lane = static_cast<std::uint8_t>((stream + 1) % 2);
            }
            return result;
        }
        if (result.kind == CollectiveKind::ReduceScatter ||
            result.kind == CollectiveKind::Scatter) {
            scattered[depth++ % scattered.size()] = bytes;
            bytes = result.part(result.me);
        }
    }
}

}  // namespace npunet::engine
