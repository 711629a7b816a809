// What the channels of a collective do, member by member, for a simulation of their messages: who
// sends what to whom, in which slices, and what a slice costs at its endpoints. Only the wire is
// left to the network.
//
// A block is one thread block of a member, or the half of one that works by itself: of a ring one
// for each channel, of a tree two (up and down), of an all-to-all one for each peer. It makes the
// calls of a loop in order, loop after loop. A slice waits for its data from all that the call
// receives from, and for a slot of every connection by which it sends; then it takes its time. What
// it sends is under way meanwhile, and may be used one hop after it ends, or when the network has
// delivered it, whichever is later.
//
//     const std::shared_ptr<const LibrarySchedule> schedule = library_schedule(call, timing,
//     nodes); schedule->bytes(member, block, loop, call, slice)
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/quantities.h"
#include "engine/collective_library/channel_ring.h"
#include "engine/collective_library/library_model.h"
#include "topology/network/reduction_tree.h"

namespace npunet::engine {

/// The other end of a connection of a block.
struct BlockEnd {
    /// In place of a member: a tree of switches, which adds up what the blocks of all members with
    /// such a connection send. The result comes to `block` of the same member.
    static constexpr std::size_t switches = static_cast<std::size_t>(-1);

    std::size_t member = 0;
    std::int32_t block = 0;
    std::int32_t place = 0;  ///< of the connection, among those that go in or out there
};

/// The slice that a block makes next, or is making.
struct SliceCursor {
    std::size_t like = 0;    ///< of the schedule's work
    std::int64_t loop = 0;   ///< of those that are alike
    std::int64_t loops = 0;  ///< of all
    std::int32_t call = 0;   ///< of the loop
    std::int32_t slice = 0;  ///< of the call
    bool done = false;       ///< with all slices
};

class LibrarySchedule {
public:
    virtual ~LibrarySchedule() = default;

    /// Of every member; some may have nothing to do.
    [[nodiscard]] std::int32_t blocks() const { return blocks_; }
    [[nodiscard]] Time takes(const SliceCursor& cursor) const {
        return timing_.ring.work[cursor.like].takes(cursor.call, timing_.ring.calls);
    }
    [[nodiscard]] Time start() const { return timing_.start; }
    [[nodiscard]] std::size_t nodes() const { return members_by_node().size(); }
    /// Slices of a connection that may be under way.
    [[nodiscard]] std::int32_t slots() const { return timing_.slots; }
    /// That go over a connection in all.
    [[nodiscard]] std::int64_t slices() const { return slices_; }
    [[nodiscard]] Time hop(std::size_t from, std::size_t to) const {
        if (to == BlockEnd::switches) {
            return timing_.far_hop;
        }
        return node_of_member_[from] == node_of_member_[to] ? timing_.ring.hop : timing_.far_hop;
    }
    void advance(SliceCursor& cursor) const;

    [[nodiscard]] virtual std::vector<BlockEnd> sends_to(std::size_t member,
                                                         std::int32_t block) const = 0;
    [[nodiscard]] virtual std::vector<BlockEnd> receives_from(std::size_t member,
                                                              std::int32_t block) const = 0;
    /// Whether the slices of a call are received, and sent, where the block has connections.
    [[nodiscard]] virtual bool receives(std::int32_t call) const = 0;
    [[nodiscard]] virtual bool sends(std::int32_t call) const = 0;
    /// Of a call that receives, and of one that sends: the connection that it uses, among those of
    /// the block; `all` where it uses all of them.
    static constexpr std::int32_t all = -1;
    [[nodiscard]] virtual std::int32_t connection_in(std::int32_t /*call*/) const { return all; }
    [[nodiscard]] virtual std::int32_t connection_out(std::int32_t /*call*/) const { return all; }
    /// Of a slice that is sent.
    [[nodiscard]] virtual Bytes bytes(std::size_t member, std::int32_t block,
                                      const SliceCursor& cursor) const = 0;
    /// Of all slices, by connection by which the block sends. Time: proportional to its slices,
    /// where nothing better is known.
    [[nodiscard]] virtual std::vector<std::int64_t> bytes_sent(std::size_t member,
                                                               std::int32_t block) const;
    /// Blocks of a channel are one thread block.
    [[nodiscard]] virtual std::int32_t channel_of(std::int32_t block) const { return block; }
    /// Whether the trees of connections to switches are known.
    [[nodiscard]] virtual bool has_trees() const { return false; }
    /// Of a block with a connection to switches: their tree, and who its members are.
    [[nodiscard]] virtual const topology::ReductionTree& tree(std::int32_t block) const;
    [[nodiscard]] virtual std::size_t member_of_tree(std::int32_t block, std::size_t place) const;

protected:
    LibrarySchedule(const ChannelTiming& timing, std::vector<std::int32_t> node_of_member);

    [[nodiscard]] const ChannelTiming& timing() const { return timing_; }
    [[nodiscard]] std::int32_t calls() const { return timing_.ring.calls; }
    /// The members of each node, in the communicator's order.
    [[nodiscard]] std::vector<std::vector<std::size_t>> members_by_node() const;

    std::int32_t blocks_ = 0;
    std::int64_t slices_ = 0;

private:
    ChannelTiming timing_;
    std::vector<std::int32_t> node_of_member_;
};

/// Part i of n of a buffer: parts differ by a byte at most.
[[nodiscard]] std::int64_t part_of_bytes(std::int64_t bytes, std::int64_t part, std::int64_t parts);

/// All-reduce, all-gather, reduce-scatter or all-to-all of at least two members, as `timing` says:
/// Ring, Tree, CollNet, PAT, or sends and receives. `node_of_member`: from 0, the same number of
/// members in each. `trees`: of CollNet, over one member of each node, in the order of nodes; of
/// part p of the data number p, modulo their number.
[[nodiscard]] std::shared_ptr<const LibrarySchedule> library_schedule(
    const LibraryCall& call, const ChannelTiming& timing,
    const std::vector<std::int32_t>& node_of_member,
    std::vector<topology::ReductionTree> trees = {});

}  // namespace npunet::engine
