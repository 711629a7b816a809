#include "engine/collective_library/pat_schedule.h"

#include <algorithm>
#include <utility>

namespace npunet::engine {

std::vector<std::int32_t> pat_distances(CollectiveKind kind, std::int32_t members) {
    std::vector<std::int32_t> distances;
    for (std::int32_t distance = 1; distance < members; distance *= 2) {
        distances.push_back(distance);
    }
    if (kind == CollectiveKind::AllGather) {
        std::reverse(distances.begin(), distances.end());
    }
    return distances;
}

std::int32_t pat_chunks(std::int32_t distance, std::int32_t members) {
    // Multiples of 2 d from 0 on, which are below n - d.
    return (members - distance + 2 * distance - 1) / (2 * distance);
}

PatSchedule::PatSchedule(const LibraryCall& call, const ChannelTiming& timing,
                         std::vector<std::int32_t> node_of_member)
    : LibrarySchedule(timing, std::move(node_of_member)),
      size_(call.bytes),
      members_(call.members),
      gathers_(call.kind == CollectiveKind::AllGather),
      distances_(pat_distances(call.kind, call.members)) {
    blocks_ = timing.timing.use.channels;
    for (const RingLoops& like : timing.ring.work) {
        slices_ += like.loops;
    }
}

std::vector<BlockEnd> PatSchedule::peers(std::size_t member, std::int32_t block, bool after) const {
    std::vector<BlockEnd> ends;
    const auto own = static_cast<std::int32_t>(member);
    for (const std::int32_t distance : distances_) {
        const std::int32_t peer = (own + (after ? distance : members_ - distance)) % members_;
        ends.push_back(
            {static_cast<std::size_t>(peer), block, static_cast<std::int32_t>(ends.size())});
    }
    return ends;
}

std::vector<BlockEnd> PatSchedule::sends_to(std::size_t member, std::int32_t block) const {
    return peers(member, block, gathers_);
}

std::vector<BlockEnd> PatSchedule::receives_from(std::size_t member, std::int32_t block) const {
    return peers(member, block, !gathers_);
}

Bytes PatSchedule::bytes(std::size_t member, std::int32_t block, const SliceCursor& cursor) const {
    const std::int32_t distance = distances_[static_cast<std::size_t>(cursor.call)];
    const std::int64_t of_channel = part_of_bytes(size_, block, blocks());
    const std::int64_t chunk = timing().chunk;
    // Sums go to the member before, for it and for those that are multiples of 2 d before it.
    const std::int32_t first = static_cast<std::int32_t>(member) - (gathers_ ? 0 : distance);
    std::int64_t bytes = 0;
    for (std::int32_t before = 0; before + distance < members_; before += 2 * distance) {
        const std::int64_t owner = (first - before + 2 * members_) % members_;
        const std::int64_t whole = part_of_bytes(of_channel, owner, members_);
        bytes += std::clamp<std::int64_t>(whole - cursor.loops * chunk, 0, chunk);
    }
    return Bytes(bytes);
}

}  // namespace npunet::engine
