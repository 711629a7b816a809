// What the channels of a collective do, member by member, for a simulation of their messages: who
// sends what to whom, in which slices, and what a slice costs at its endpoints. Only the wire is
// left to the network.
//
// A block is one thread block of a member: of a ring one for each channel, of an all-to-all one for
// each peer. It makes the calls of a loop in order, loop after loop; each but the first receives,
// each but the last sends on. A slice waits for its data and for a slot of its connection, then it
// takes its time; what it sends is on its way meanwhile, and may be used one hop after it ends, or
// when the network has delivered it, whichever is later.
//
//     const LibrarySchedule schedule(model, call, machine, nodes);
//     schedule.bytes(member, block, loop, call, slice)
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantities.h"
#include "engine/collective_library/channel_ring.h"
#include "engine/collective_library/library_model.h"

namespace npunet::engine {

class LibrarySchedule {
public:
    /// All-reduce, all-gather, reduce-scatter or all-to-all of at least two members, as `timing`
    /// says: Ring, or sends and receives. `node_of_member`: from 0, the same number of members in
    /// each.
    LibrarySchedule(const LibraryCall& call, const ChannelTiming& timing,
                    std::vector<std::int32_t> node_of_member);

    [[nodiscard]] std::int32_t blocks() const { return blocks_; }
    [[nodiscard]] std::int32_t calls() const { return timing_.ring.calls; }
    [[nodiscard]] const std::vector<RingLoops>& work() const { return timing_.ring.work; }
    [[nodiscard]] Time start() const { return timing_.start; }
    /// Slices of a connection that may be under way.
    [[nodiscard]] std::int32_t slots() const { return timing_.slots; }
    [[nodiscard]] std::int64_t slices_of_block() const { return slices_; }

    [[nodiscard]] std::size_t sends_to(std::size_t member, std::int32_t block) const;
    [[nodiscard]] std::size_t receives_from(std::size_t member, std::int32_t block) const;
    [[nodiscard]] Time hop(std::size_t from, std::size_t to) const {
        return node_of_member_[from] == node_of_member_[to] ? timing_.ring.hop : timing_.far_hop;
    }
    /// Of a slice that a call sends.
    [[nodiscard]] Bytes bytes(std::size_t member, std::int32_t block, std::int64_t loop,
                              std::int32_t call, std::int32_t slice) const;

private:
    [[nodiscard]] const std::vector<std::size_t>& ring(std::int32_t channel) const {
        return rings_[static_cast<std::size_t>(channel) % rings_.size()];
    }
    [[nodiscard]] std::size_t place(std::size_t member, std::int32_t channel) const {
        return places_[static_cast<std::size_t>(channel) % places_.size()][member];
    }
    [[nodiscard]] std::size_t neighbour(std::size_t member, std::int32_t block,
                                        std::size_t further) const;
    void make_rings(std::int32_t channels);

    CollectiveKind kind_;
    Bytes size_;
    std::size_t members_;
    std::int32_t blocks_;
    bool exchanges_;  ///< all-to-all
    std::int64_t slices_ = 0;
    ChannelTiming timing_;
    std::vector<std::int32_t> node_of_member_;
    std::vector<std::vector<std::size_t>> rings_;   ///< members in order
    std::vector<std::vector<std::size_t>> places_;  ///< the inverse
};

}  // namespace npunet::engine
