#include "engine/collective_library/collnet_schedule.h"

#include <algorithm>
#include <utility>

namespace npunet::engine {

CollNetSchedule::CollNetSchedule(const LibraryCall& call, const ChannelTiming& timing,
                                 std::vector<std::int32_t> node_of_member,
                                 std::vector<topology::ReductionTree> trees)
    : LibrarySchedule(timing, std::move(node_of_member)),
      direct_(timing.timing.choice.algorithm == LibraryAlgorithm::CollNetDirect),
      size_(call.bytes),
      channels_(timing.timing.use.channels),
      nodes_(members_by_node()),
      node_of_(static_cast<std::size_t>(call.members)),
      place_of_(static_cast<std::size_t>(call.members)),
      trees_(std::move(trees)) {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        for (std::size_t place = 0; place < nodes_[node].size(); ++place) {
            node_of_[nodes_[node][place]] = node;
            place_of_[nodes_[node][place]] = place;
        }
    }
    blocks_ = 2 * channels_ * heads();
    slices_ = timing.ring.work.front().loops;
}

std::size_t CollNetSchedule::steps(std::size_t member, std::int32_t part) const {
    const std::size_t size = nodes_.front().size();
    const std::size_t distance = (place_of_[member] + size - head_place(part)) % size;
    return direct_ ? std::min<std::size_t>(distance, 1) : distance;
}

std::size_t CollNetSchedule::member_at(std::size_t member, std::int32_t part,
                                       std::size_t from_head) const {
    const std::vector<std::size_t>& node = nodes_[node_of_[member]];
    return node[(head_place(part) + from_head) % node.size()];
}

std::vector<std::size_t> CollNetSchedule::below(std::size_t member, std::int32_t part) const {
    const std::size_t size = nodes_.front().size();
    const std::size_t own = steps(member, part);
    std::vector<std::size_t> members;
    if (direct_) {
        for (std::size_t i = 1; own == 0 && i < size; ++i) {
            members.push_back(member_at(member, part, i));
        }
    } else if (own + 1 < size) {
        members.push_back(member_at(member, part, own + 1));
    }
    return members;
}

std::vector<BlockEnd> CollNetSchedule::ends_below(std::size_t member, std::int32_t block) const {
    std::vector<BlockEnd> ends;
    for (const std::size_t other : below(member, block / 2)) {
        ends.push_back({other, block, 0});
    }
    return ends;
}

std::vector<BlockEnd> CollNetSchedule::ends_above(std::size_t member, std::int32_t block) const {
    const std::int32_t part = block / 2;
    const std::size_t own = steps(member, part);
    if (own == 0) {
        return {{BlockEnd::switches, block ^ 1, 0}};
    }
    const std::size_t above = member_at(member, part, own - 1);
    const std::vector<std::size_t> list = below(above, part);
    const auto place = std::find(list.begin(), list.end(), member) - list.begin();
    return {{above, block, static_cast<std::int32_t>(place)}};
}

Bytes CollNetSchedule::bytes(std::size_t /*member*/, std::int32_t block,
                             const SliceCursor& cursor) const {
    const std::int32_t part = block / 2;
    const std::int64_t whole =
        part_of_bytes(part_of_bytes(size_, part / heads(), channels_), part % heads(), heads());
    const std::int64_t chunk = timing().chunk;
    return Bytes(std::clamp<std::int64_t>(whole - cursor.loops * chunk, 0, chunk));
}

}  // namespace npunet::engine
