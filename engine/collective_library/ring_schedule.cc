#include "engine/collective_library/ring_schedule.h"

#include <algorithm>
#include <utility>

namespace npunet::engine {

RingSchedule::RingSchedule(const LibraryCall& call, const ChannelTiming& timing,
                           std::vector<std::int32_t> node_of_member)
    : LibrarySchedule(timing, std::move(node_of_member)),
      kind_(call.kind),
      size_(call.bytes),
      members_(static_cast<std::size_t>(call.members)),
      exchanges_(call.kind == CollectiveKind::AllToAll),
      sizes_(call.sizes) {
    if (exchanges_) {
        blocks_ = call.members - 1;
    } else {
        blocks_ = timing.timing.use.channels;
        make_rings(blocks_);
    }
    for (const RingLoops& like : timing.ring.work) {
        slices_ += like.loops * like.slices * (calls() - 1);
    }
}

// Ring c enters a node at its c-th member and goes round it; every other node is passed in the
// opposite order, so that a ring enters a node by the NIC of the place by which it left the last
// one.
void RingSchedule::make_rings(std::int32_t channels) {
    const std::vector<std::vector<std::size_t>> nodes = members_by_node();
    const std::size_t each = nodes.front().size();
    const std::size_t different =
        nodes.size() == 1 ? 1 : std::min(each, static_cast<std::size_t>(channels));
    for (std::size_t first = 0; first < different; ++first) {
        std::vector<std::size_t> ring;
        for (std::size_t node = 0; node < nodes.size(); ++node) {
            for (std::size_t i = 0; i < each; ++i) {
                const std::size_t step = node % 2 == 0 ? i : each - 1 - i;
                ring.push_back(nodes[node][(first + step) % each]);
            }
        }
        std::vector<std::size_t> places(members_);
        for (std::size_t i = 0; i < members_; ++i) {
            places[ring[i]] = i;
        }
        rings_.push_back(std::move(ring));
        places_.push_back(std::move(places));
    }
}

std::size_t RingSchedule::neighbour(std::size_t member, std::int32_t block,
                                    std::size_t further) const {
    return exchanges_ ? (member + further) % members_
                      : ring(block)[(place(member, block) + further) % members_];
}

std::vector<BlockEnd> RingSchedule::sends_to(std::size_t member, std::int32_t block) const {
    const std::size_t further = exchanges_ ? static_cast<std::size_t>(block) + 1 : 1;
    return {{neighbour(member, block, further), block, 0}};
}

std::vector<BlockEnd> RingSchedule::receives_from(std::size_t member, std::int32_t block) const {
    const std::size_t further = exchanges_ ? static_cast<std::size_t>(block) + 1 : 1;
    return {{neighbour(member, block, members_ - further), block, 0}};
}

Bytes RingSchedule::bytes(std::size_t member, std::int32_t block, const SliceCursor& cursor) const {
    const auto members = static_cast<std::int64_t>(members_);
    if (exchanges_) {
        const std::size_t to = neighbour(member, block, static_cast<std::size_t>(block) + 1);
        if (sizes_ != nullptr) {
            return Bytes(sizes_->bytes(member, to));
        }
        return Bytes(part_of_bytes(size_.value(), static_cast<std::int64_t>(to), members));
    }
    // A reduce-scatter begins with the part of the member before, and ends with its own.
    const std::int64_t shift = kind_ == CollectiveKind::ReduceScatter ? 1 : 0;
    const auto own = static_cast<std::int64_t>(place(member, block));
    const std::int64_t part = (own - shift - cursor.call % members + 2 * members) % members;
    const std::int64_t whole =
        part_of_bytes(part_of_bytes(size_.value(), block, blocks()), part, members);
    const std::int64_t chunk = timing().chunk;
    const std::int64_t in_call = std::clamp<std::int64_t>(whole - cursor.loops * chunk, 0, chunk);
    if (timing().slices == 1) {
        return Bytes(in_call);
    }
    constexpr std::int64_t least_slice = 32 << 10;
    const std::int64_t half = std::max<std::int64_t>((in_call / 2 + 15) / 16 * 16, least_slice);
    const std::int64_t first = std::min(half, in_call);
    return Bytes(cursor.slice == 0 ? first : in_call - first);
}

// Calls send the part of the member itself, or of the one before, then those before it: of an
// all-reduce each part twice, but for two.
std::vector<std::int64_t> RingSchedule::bytes_sent(std::size_t member, std::int32_t block) const {
    if (exchanges_) {
        return {bytes(member, block, {}).value()};
    }
    const auto members = static_cast<std::int64_t>(members_);
    const std::int64_t data = part_of_bytes(size_.value(), block, blocks());
    const auto part = [&](std::int64_t further) {
        const auto own = static_cast<std::int64_t>(place(member, block));
        return part_of_bytes(data, (own + further) % members, members);
    };
    switch (kind_) {
        case CollectiveKind::ReduceScatter:
            return {data - part(0)};
        case CollectiveKind::AllGather:
            return {data - part(1)};
        default:
            return {2 * data - part(1) - part(2)};
    }
}

}  // namespace npunet::engine
