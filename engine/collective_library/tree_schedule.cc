#include "engine/collective_library/tree_schedule.h"

#include <algorithm>
#include <utility>

namespace npunet::engine {

TreeSchedule::TreeSchedule(const LibraryCall& call, const ChannelTiming& timing,
                           std::vector<std::int32_t> node_of_member)
    : LibrarySchedule(timing, std::move(node_of_member)),
      size_(call.bytes),
      nodes_(members_by_node()),
      node_of_(static_cast<std::size_t>(call.members)),
      place_of_(static_cast<std::size_t>(call.members)),
      trees_(static_cast<std::int32_t>(nodes_.size())) {
    blocks_ = 2 * timing.timing.use.channels;
    slices_ = timing.ring.work.front().loops;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        for (std::size_t place = 0; place < nodes_[node].size(); ++place) {
            node_of_[nodes_[node][place]] = node;
            place_of_[nodes_[node][place]] = place;
        }
    }
}

std::size_t TreeSchedule::member_at(std::size_t node, std::size_t in_chain,
                                    std::int32_t channel) const {
    const std::vector<std::size_t>& members = nodes_[node];
    return members[(static_cast<std::size_t>(channel / 2) + in_chain) % members.size()];
}

TreeSchedule::Position TreeSchedule::position(std::size_t member, std::int32_t channel) const {
    Position at;
    at.node = node_of_[member];
    const std::size_t size = nodes_[at.node].size();
    at.in_chain = (place_of_[member] + size - static_cast<std::size_t>(channel / 2) % size) % size;
    at.tree = static_cast<std::size_t>(channel % 2);
    at.root = at.in_chain == 0 && trees_.parent(at.tree, at.node) == NodeTrees::none;
    return at;
}

std::vector<std::size_t> TreeSchedule::below(const Position& at, std::int32_t channel) const {
    std::vector<std::size_t> members;
    if (at.in_chain + 1 < nodes_[at.node].size()) {
        members.push_back(member_at(at.node, at.in_chain + 1, channel));
    }
    if (at.in_chain == 0) {
        for (const std::int32_t child : trees_.children(at.tree, at.node)) {
            members.push_back(member_at(static_cast<std::size_t>(child), 0, channel));
        }
    }
    return members;
}

std::size_t TreeSchedule::above(const Position& at, std::int32_t channel) const {
    return at.in_chain > 0
               ? member_at(at.node, at.in_chain - 1, channel)
               : member_at(static_cast<std::size_t>(trees_.parent(at.tree, at.node)), 0, channel);
}

std::int32_t TreeSchedule::place_above(std::size_t member, const Position& at,
                                       std::int32_t channel) const {
    const std::vector<std::size_t> list = below(position(above(at, channel), channel), channel);
    return static_cast<std::int32_t>(std::find(list.begin(), list.end(), member) - list.begin());
}

std::vector<BlockEnd> TreeSchedule::sends_to(std::size_t member, std::int32_t block) const {
    const std::int32_t channel = block / 2;
    const Position at = position(member, channel);
    const bool up = block % 2 == 0;
    if (up && !at.root) {
        return {{above(at, channel), block, place_above(member, at, channel)}};
    }
    std::vector<BlockEnd> ends;
    if (up == at.root) {
        for (const std::size_t to : below(at, channel)) {
            ends.push_back({to, 2 * channel + 1, 0});
        }
    }
    return ends;
}

std::vector<BlockEnd> TreeSchedule::receives_from(std::size_t member, std::int32_t block) const {
    const std::int32_t channel = block / 2;
    const Position at = position(member, channel);
    std::vector<BlockEnd> ends;
    if (block % 2 == 0) {
        for (const std::size_t from : below(at, channel)) {
            ends.push_back({from, block, 0});
        }
    } else if (!at.root) {
        const std::size_t from = above(at, channel);
        const bool from_root = position(from, channel).root;
        ends.push_back({from, 2 * channel + (from_root ? 0 : 1), place_above(member, at, channel)});
    }
    return ends;
}

Bytes TreeSchedule::bytes(std::size_t /*member*/, std::int32_t block,
                          const SliceCursor& cursor) const {
    const std::int64_t whole = part_of_bytes(size_, block / 2, blocks() / 2);
    const std::int64_t chunk = timing().chunk;
    return Bytes(std::clamp<std::int64_t>(whole - cursor.loops * chunk, 0, chunk));
}

}  // namespace npunet::engine
