// What a collective by NVLS does, member by member, for a simulation of its messages. Each member
// of a node is the head of a part of the data. In every loop of a channel all members copy a chunk
// of every part to where the switch reaches it; the head of a part reads the sum of its chunk from
// the switch, and writes it to all members through the switch; they copy it out. Between nodes the
// heads of a part are a tree, over which the sums go up and come down.
//
// A chunk goes in units of what a request to the switch may have.
//
//     const NvlsSchedule schedule(call, timing, nodes, unit);
//     schedule.bytes(member, channel, loop, 0)
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantities.h"
#include "engine/collective_library/library_model.h"
#include "engine/collective_library/node_trees.h"

namespace npunet::engine {

class NvlsSchedule {
public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    /// All-reduce, all-gather or reduce-scatter. `node_of_member` as for LibrarySchedule; `unit`:
    /// bytes of a request, at most.
    NvlsSchedule(const LibraryCall& call, const NvlsTiming& timing,
                 const std::vector<std::int32_t>& node_of_member, Bytes unit);

    [[nodiscard]] bool reduces() const { return kind_ != CollectiveKind::AllGather; }
    [[nodiscard]] bool multicasts() const { return kind_ != CollectiveKind::ReduceScatter; }
    [[nodiscard]] std::int32_t channels() const { return timing_.timing.use.channels; }
    [[nodiscard]] std::int64_t loops() const { return timing_.loops; }
    [[nodiscard]] Time start() const { return timing_.start; }
    [[nodiscard]] Time stage() const { return timing_.stage; }
    [[nodiscard]] Time hop() const { return timing_.hop; }

    [[nodiscard]] std::size_t node_of(std::size_t member) const { return node_of_[member]; }
    /// Of a node, in the communicator's order.
    [[nodiscard]] const std::vector<std::size_t>& members_of(std::size_t node) const {
        return nodes_[node];
    }
    [[nodiscard]] std::size_t place_in_node(std::size_t member) const { return place_of_[member]; }

    [[nodiscard]] std::size_t nodes() const { return nodes_.size(); }

    /// Bytes of a head on a channel, in all loops.
    [[nodiscard]] std::int64_t part(std::size_t head, std::int32_t channel) const;
    /// Units of a head's chunk in a loop.
    [[nodiscard]] std::int64_t units(std::size_t head, std::int32_t channel,
                                     std::int64_t loop) const;
    /// Of all heads of its node.
    [[nodiscard]] std::int64_t units_of_node(std::size_t head, std::int32_t channel,
                                             std::int64_t loop) const;
    /// Of all loops of all channels of all heads of its node.
    [[nodiscard]] std::int64_t units_in_all(std::size_t head) const;
    [[nodiscard]] Bytes bytes(std::size_t head, std::int32_t channel, std::int64_t loop,
                              std::int64_t unit) const;
    /// Units are counted on from loop to loop, at most this number in each.
    [[nodiscard]] std::int64_t stride() const { return stride_; }

    /// The heads of the same part in other nodes, in the channel's tree; none of the root.
    [[nodiscard]] std::size_t parent(std::size_t head, std::int32_t channel) const;
    [[nodiscard]] std::vector<std::size_t> children(std::size_t head, std::int32_t channel) const;

private:
    [[nodiscard]] std::int64_t chunk(std::size_t head, std::int32_t channel,
                                     std::int64_t loop) const;

    CollectiveKind kind_;
    std::int64_t size_;
    NvlsTiming timing_;
    std::int64_t unit_;
    std::int64_t stride_;
    std::vector<std::vector<std::size_t>> nodes_;
    std::vector<std::size_t> node_of_;
    std::vector<std::size_t> place_of_;
    NodeTrees trees_;
};

}  // namespace npunet::engine
