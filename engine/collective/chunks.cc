#include "engine/collective/plan.h"

#include <algorithm>

namespace npunet::engine {

namespace {

/// Whether a member's part of the buffer is its own, in a phase of a collective of that kind: else
/// the size of the whole counts.
bool divides_its_buffer(const PhaseShape& shape, CollectiveKind kind) {
    const bool moves_all_of_it = shape.algorithm == Algorithm::RecursiveDoubling ||
                                 shape.algorithm == Algorithm::DoubleBinaryTree;
    return shape.kind == CollectiveKind::ReduceScatter || shape.kind == CollectiveKind::AllToAll ||
           (shape.kind == CollectiveKind::Scatter && kind != CollectiveKind::Scatter) ||
           (shape.kind == CollectiveKind::AllReduce && !moves_all_of_it);
}

/// The bytes of which all parts, in all phases of all lanes, have an equal share.
std::int64_t divisible_bytes(const CollectivePlan& plan) {
    std::int64_t most = 1;
    for (std::int32_t lane = 0; lane < plan.lanes; ++lane) {
        std::int64_t parts = 1;
        for (std::size_t i = 0; i < plan.phases_per_stream(); ++i) {
            const PlannedPhase& phase = plan.phase(static_cast<std::size_t>(lane), i);
            const bool divides = !phase.gathers_back && phase.shape.sizes == nullptr &&
                                 divides_its_buffer(phase.shape, plan.kind);
            parts *= divides ? phase.shape.members : 1;
        }
        most = std::max(most, parts);
    }
    return most * plan.lanes;
}

}  // namespace

bool set_chunks(CollectivePlan& plan, std::int64_t splits, bool exact, std::size_t ranks) {
    const std::int64_t size = plan.size.value();
    if (plan.phases.front().shape.sizes != nullptr) {
        plan.chunks = static_cast<std::int32_t>(splits);  // the same for those who send little
        return true;
    }
    if (exact) {
        plan.piece = Bytes(divisible_bytes(plan));
        const std::int64_t pieces = (size + plan.piece.value() - 1) / plan.piece.value();
        plan.chunks =
            static_cast<std::int32_t>(std::max<std::int64_t>(1, std::min(splits, pieces)));
        return true;
    }
    std::int64_t chunk = size / splits;
    std::int64_t total = size;
    const auto npus = static_cast<std::int64_t>(ranks);
    if (plan.kind != CollectiveKind::AllGather && chunk < npus) {
        chunk = npus;
        total = splits * chunk;
    }
    if (chunk == 0) {
        return false;
    }
    plan.equal_chunk = Bytes(chunk);
    plan.chunks = static_cast<std::int32_t>((total + chunk - 1) / chunk);
    return true;
}

}  // namespace npunet::engine
