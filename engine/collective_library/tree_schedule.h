// The channels of a double binary tree: a chain inside each node, whose first member talks to the
// parent and the children of its node in one of two trees. Chunks are added up as they go to the
// root and copied as they come down, one after the other.
//
// Channels 2 k and 2 k + 1 have the same chains, which begin at place k of every node, and
// different trees, so that the NICs of a node share the load. Block 2 c of a member sends up, 2 c +
// 1 down; at the root block 2 c does both.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collective_library/library_schedule.h"
#include "engine/collective_library/node_trees.h"

namespace npunet::engine {

class TreeSchedule final : public LibrarySchedule {
public:
    TreeSchedule(const LibraryCall& call, const ChannelTiming& timing,
                 std::vector<std::int32_t> node_of_member);

    [[nodiscard]] std::vector<BlockEnd> sends_to(std::size_t member,
                                                 std::int32_t block) const override;
    [[nodiscard]] std::vector<BlockEnd> receives_from(std::size_t member,
                                                      std::int32_t block) const override;
    [[nodiscard]] bool receives(std::int32_t /*call*/) const override { return true; }
    [[nodiscard]] bool sends(std::int32_t /*call*/) const override { return true; }
    [[nodiscard]] Bytes bytes(std::size_t member, std::int32_t block,
                              const SliceCursor& cursor) const override;
    [[nodiscard]] std::int32_t channel_of(std::int32_t block) const override { return block / 2; }

private:
    /// A member in the chain of a channel, and its node in the tree of the channel.
    struct Position {
        std::size_t node = 0;
        std::size_t in_chain = 0;
        std::size_t tree = 0;
        bool root = false;
    };
    [[nodiscard]] Position position(std::size_t member, std::int32_t channel) const;
    [[nodiscard]] std::size_t member_at(std::size_t node, std::size_t in_chain,
                                        std::int32_t channel) const;
    /// Who is further from the root, in order: the next one of the chain, then the children of the
    /// node.
    [[nodiscard]] std::vector<std::size_t> below(const Position& at, std::int32_t channel) const;
    /// Who is nearer to the root; not of the root.
    [[nodiscard]] std::size_t above(const Position& at, std::int32_t channel) const;
    /// The place of a member among those below the one above it.
    [[nodiscard]] std::int32_t place_above(std::size_t member, const Position& at,
                                           std::int32_t channel) const;

    std::int64_t size_;
    std::vector<std::vector<std::size_t>> nodes_;  ///< members
    std::vector<std::size_t> node_of_;
    std::vector<std::size_t> place_of_;  ///< in the node
    NodeTrees trees_;
};

}  // namespace npunet::engine
