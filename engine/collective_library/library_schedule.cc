#include "engine/collective_library/library_schedule.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/collective_library/collnet_schedule.h"
#include "engine/collective_library/pat_schedule.h"
#include "engine/collective_library/ring_schedule.h"
#include "engine/collective_library/tree_schedule.h"

namespace npunet::engine {

LibrarySchedule::LibrarySchedule(const ChannelTiming& timing,
                                 std::vector<std::int32_t> node_of_member)
    : timing_(timing), node_of_member_(std::move(node_of_member)) {}

void LibrarySchedule::advance(SliceCursor& cursor) const {
    const std::vector<RingLoops>& work = timing_.ring.work;
    if (++cursor.slice < work[cursor.like].slices) {
        return;
    }
    cursor.slice = 0;
    if (++cursor.call < timing_.ring.calls) {
        return;
    }
    cursor.call = 0;
    ++cursor.loops;
    if (++cursor.loop < work[cursor.like].loops) {
        return;
    }
    cursor.loop = 0;
    cursor.done = ++cursor.like == work.size();
}

std::vector<std::vector<std::size_t>> LibrarySchedule::members_by_node() const {
    std::vector<std::vector<std::size_t>> nodes;
    for (std::size_t member = 0; member < node_of_member_.size(); ++member) {
        const auto node = static_cast<std::size_t>(node_of_member_[member]);
        nodes.resize(std::max(nodes.size(), node + 1));
        nodes[node].push_back(member);
    }
    return nodes;
}

std::vector<std::int64_t> LibrarySchedule::bytes_sent(std::size_t member,
                                                      std::int32_t block) const {
    std::vector<std::int64_t> sums(sends_to(member, block).size(), 0);
    for (SliceCursor cursor; !sums.empty() && !cursor.done; advance(cursor)) {
        if (!sends(cursor.call)) {
            continue;
        }
        const std::int64_t each = bytes(member, block, cursor).value();
        const std::int32_t connection = connection_out(cursor.call);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            if (connection == all || static_cast<std::size_t>(connection) == i) {
                sums[i] += each;
            }
        }
    }
    return sums;
}

const topology::ReductionTree& LibrarySchedule::tree(std::int32_t /*block*/) const {
    assert(false && "no block has a connection to switches");
    static const topology::ReductionTree none;
    return none;
}

std::size_t LibrarySchedule::member_of_tree(std::int32_t /*block*/, std::size_t place) const {
    return place;
}

std::int64_t part_of_bytes(std::int64_t bytes, std::int64_t part, std::int64_t parts) {
    __extension__ using Wide = __int128;
    const auto end = [&](std::int64_t i) {
        return static_cast<std::int64_t>(Wide{bytes} * i / parts);
    };
    return end(part + 1) - end(part);
}

std::shared_ptr<const LibrarySchedule> library_schedule(
    const LibraryCall& call, const ChannelTiming& timing,
    const std::vector<std::int32_t>& node_of_member, std::vector<topology::ReductionTree> trees) {
    switch (timing.timing.choice.algorithm) {
        case LibraryAlgorithm::Tree:
            return std::make_shared<const TreeSchedule>(call, timing, node_of_member);
        case LibraryAlgorithm::CollNetDirect:
        case LibraryAlgorithm::CollNetChain:
            return std::make_shared<const CollNetSchedule>(call, timing, node_of_member,
                                                           std::move(trees));
        case LibraryAlgorithm::Pat:
            return std::make_shared<const PatSchedule>(call, timing, node_of_member);
        default:
            return std::make_shared<const RingSchedule>(call, timing, node_of_member);
    }
}

}  // namespace npunet::engine
