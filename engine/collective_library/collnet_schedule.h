// The channels of an all-reduce that switches between nodes add up (CollNet): in every node the
// data of a part go to one member, its head, which pushes them into a tree of switches; the results
// come back over the same connections.
//
// CollNetDirect: each channel has a part for every member of a node, to whose head all others send.
// CollNetChain: a channel is one part, and its node a chain that ends at the head. The heads of
// channels take turns. Block 2 p of a member sends up what belongs to part p, 2 p + 1 down.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collective_library/library_schedule.h"

namespace npunet::engine {

class CollNetSchedule final : public LibrarySchedule {
public:
    /// `timing` is of CollNetDirect or CollNetChain. Without trees only what is sent can be asked.
    CollNetSchedule(const LibraryCall& call, const ChannelTiming& timing,
                    std::vector<std::int32_t> node_of_member,
                    std::vector<topology::ReductionTree> trees);

    [[nodiscard]] std::vector<BlockEnd> sends_to(std::size_t member,
                                                 std::int32_t block) const override {
        return goes_up(block) ? ends_above(member, block) : ends_below(member, block);
    }
    [[nodiscard]] std::vector<BlockEnd> receives_from(std::size_t member,
                                                      std::int32_t block) const override {
        return goes_up(block) ? ends_below(member, block) : ends_above(member, block);
    }
    [[nodiscard]] bool receives(std::int32_t /*call*/) const override { return true; }
    [[nodiscard]] bool sends(std::int32_t /*call*/) const override { return true; }
    [[nodiscard]] Bytes bytes(std::size_t member, std::int32_t block,
                              const SliceCursor& cursor) const override;
    [[nodiscard]] bool has_trees() const override { return !trees_.empty(); }
    [[nodiscard]] const topology::ReductionTree& tree(std::int32_t block) const override {
        return trees_[static_cast<std::size_t>(block / 2) % trees_.size()];
    }
    [[nodiscard]] std::size_t member_of_tree(std::int32_t block, std::size_t place) const override {
        return nodes_[place][head_place(block / 2)];
    }

private:
    [[nodiscard]] std::int32_t heads() const {
        return direct_ ? static_cast<std::int32_t>(nodes_.front().size()) : 1;
    }
    /// In its node.
    [[nodiscard]] std::size_t head_place(std::int32_t part) const {
        return static_cast<std::size_t>(part) % nodes_.front().size();
    }
    /// Steps to the head of a part.
    [[nodiscard]] std::size_t steps(std::size_t member, std::int32_t part) const;
    [[nodiscard]] std::size_t member_at(std::size_t member, std::int32_t part,
                                        std::size_t from_head) const;
    static bool goes_up(std::int32_t block) { return block % 2 == 0; }
    /// Members that are a step further from the head of a part.
    [[nodiscard]] std::vector<std::size_t> below(std::size_t member, std::int32_t part) const;
    [[nodiscard]] std::vector<BlockEnd> ends_below(std::size_t member, std::int32_t block) const;
    /// The member that is a step nearer to the head or, of the head, the switches.
    [[nodiscard]] std::vector<BlockEnd> ends_above(std::size_t member, std::int32_t block) const;

    bool direct_;
    std::int64_t size_;
    std::int32_t channels_;
    std::vector<std::vector<std::size_t>> nodes_;  ///< members
    std::vector<std::size_t> node_of_;
    std::vector<std::size_t> place_of_;
    std::vector<topology::ReductionTree> trees_;  ///< by part, in turn
};

}  // namespace npunet::engine
