// When the nodes of a network act next, each independently for the length of a lookahead window.
// What can happen at a node has a slot: a port that decides, a link that delivers. A node's slots
// are adjacent, and blocks of nodes know their earliest time, so that finding the due ones needs no
// heap.
//
//     LookaheadWindows windows({0, 0, 1}, 2, 1);  // slots 0 and 1 at node 0, slot 2 at node 1
//     windows.wake(slot, 5000, none);
//     windows.for_each_due(6000, [&](std::uint32_t node) { ...; return true; });
//
// Times in picoseconds.
#pragma once

#include "packet/base/constants.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

class LookaheadWindows {
public:
    /// `nodes_of_slots`: by slot, below `nodes`. Divides the nodes into at most `partitions` ranges
    /// with about as many slots each.
    LookaheadWindows(const std::vector<std::uint32_t>& nodes_of_slots, std::size_t nodes,
                     std::size_t partitions)
        : places_(nodes_of_slots.size()),
          first_(nodes + 1),
          wakes_(nodes_of_slots.size(), never),
          slots_(nodes_of_slots.size()),
          nodes_(nodes, never),
          block_of_(nodes) {
        for (const std::uint32_t node : nodes_of_slots) {
            ++first_[node + 1];
        }
        for (std::size_t node = 0; node < nodes; ++node) {
            first_[node + 1] += first_[node];
        }
        make_blocks(partitions);
        std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
        for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
            const std::uint32_t node = nodes_of_slots[slot];
            places_[slot] = {next[node]++, node, block_of_[node]};
            slots_[places_[slot].number] = slot;
        }
    }

    /// None of the partitions is empty.
    std::uint32_t partition_count() const {
        return static_cast<std::uint32_t>(first_block_.size() - 1);
    }

    std::uint32_t partition_of(std::uint32_t node) const {
        return blocks_[block_of_[node]].partition;
    }

    /// A slot is due at `at`. `isolated`: the node being advanced by itself, which will leave(), or
    /// none.
    void wake(std::uint32_t slot, std::int64_t at, std::uint32_t isolated) {
        const Place place = places_[slot];
        wakes_[place.number] = at;
        if (place.node == isolated) {
            return;
        }
        nodes_[place.node] = std::min(nodes_[place.node], at);
        std::int64_t& earliest = blocks_[place.block].earliest;
        earliest = std::min(earliest, at);
    }

    /// The same for a slot of the node being advanced. Returns its place among those of the node.
    std::uint32_t wake_own(std::uint32_t slot, std::int64_t at) {
        wakes_[places_[slot].number] = at;
        return place_in_node(slot);
    }

    /// The place of a slot among those of its node.
    std::uint32_t place_in_node(std::uint32_t slot) const {
        return places_[slot].number - first_[places_[slot].node];
    }

    /// The slot at a place of a node.
    std::uint32_t slot_at(std::uint32_t node, std::uint32_t place) const {
        return slots_[first_[node] + place];
    }

    /// The slot at a place of a node, whose wake is cleared; none: it is not due at `at`.
    std::uint32_t take_due(std::uint32_t node, std::uint32_t place, std::int64_t at) {
        const std::uint32_t number = first_[node] + place;
        if (wakes_[number] != at) {
            return none;
        }
        wakes_[number] = never;
        return slots_[number];
    }

    /// Clears all wakes.
    void clear() {
        std::fill(wakes_.begin(), wakes_.end(), never);
        std::fill(nodes_.begin(), nodes_.end(), never);
        for (Block& block : blocks_) {
            block.earliest = never;
        }
    }

    /// A lower bound of all wakes; never where there are none.
    std::int64_t earliest_wake() const {
        std::int64_t earliest = never;
        for (const Block& block : blocks_) {
            earliest = std::min(earliest, block.earliest);
        }
        return earliest;
    }

    /// Calls a function for every node with a wake before `limit`, until it returns false. If it
    /// changes what is due, it must set the node's next wake by leave().
    template <class Function>
    void for_each_due(std::int64_t limit, Function function) {
        for (std::uint32_t partition = 0; partition < partition_count(); ++partition) {
            if (!for_each_due(partition, limit, function)) {
                return;
            }
        }
    }

    /// The same for one partition. False if the function has ended it.
    template <class Function>
    bool for_each_due(std::uint32_t partition, std::int64_t limit, Function function) {
        bool goes_on = true;
        for (std::size_t i = first_block_[partition]; goes_on && i < first_block_[partition + 1];
             ++i) {
            Block& block = blocks_[i];
            if (block.earliest < limit) {
                std::int64_t earliest = never;
                // Ports that are woken in nodes done already lower it again.
                block.earliest = never;
                for (std::uint32_t node = block.first; node < block.end; ++node) {
                    if (goes_on && nodes_[node] < limit) {
                        goes_on = function(node);
                    }
                    earliest = std::min(earliest, nodes_[node]);
                }
                block.earliest = std::min(block.earliest, earliest);
            }
        }
        return goes_on;
    }

    /// The earliest wakes of a node.
    struct Due {
        std::int64_t first = never;   ///< of `slot`
        std::int64_t second = never;  ///< of the other slots
        std::uint32_t slot = 0;
    };

    /// Due::first is never where no slot has a time.
    Due first(std::uint32_t node) const {
        Due due;
        for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i) {
            if (wakes_[i] < due.first) {
                due.second = due.first;
                due.first = wakes_[i];
                due.slot = slots_[i];
            } else {
                due.second = std::min(due.second, wakes_[i]);
            }
        }
        return due;
    }

    /// The earliest wake of a node, or never.
    std::int64_t earliest_of(std::uint32_t node) const {
        std::int64_t earliest = never;
        for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i) {
            earliest = std::min(earliest, wakes_[i]);
        }
        return earliest;
    }

    /// Clears the wake of a slot.
    void forget(std::uint32_t slot) { wakes_[places_[slot].number] = never; }

    std::int64_t wake_of(std::uint32_t slot) const { return wakes_[places_[slot].number]; }

    /// Calls a function for every slot of a node whose wake is `at`, in ascending order; clears the
    /// wake before.
    template <class Function>
    void for_each_slot(std::uint32_t node, std::int64_t at, Function function) {
        for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i) {
            if (wakes_[i] == at) {
                wakes_[i] = never;
                function(slots_[i]);
            }
        }
    }

    /// Calls a function for every slot of a node with a wake before `limit`, in ascending order.
    template <class Function>
    void for_each_slot_before(std::uint32_t node, std::int64_t limit, Function function) {
        for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i) {
            if (wakes_[i] < limit) {
                function(slots_[i]);
            }
        }
    }

    /// Sets when the first slot of a node is due.
    void leave(std::uint32_t node, std::int64_t at) { nodes_[node] = at; }

private:
    static constexpr std::uint32_t nodes_per_block = 32;  ///< at most

    /// Of a slot.
    struct Place {
        std::uint32_t number = 0;  ///< among those of all nodes, one node after the other
        std::uint32_t node = 0;
        std::uint32_t block = 0;
    };

    /// A range of nodes of one partition.
    struct alignas(64) Block {
        std::int64_t earliest = never;  ///< none of its nodes has a slot due before
        std::uint32_t first = 0;        ///< node
        std::uint32_t end = 0;          ///< node behind the last one
        std::uint32_t partition = 0;
    };

    void make_blocks(std::size_t partitions) {
        const auto nodes = static_cast<std::uint32_t>(nodes_.size());
        const std::size_t slots = slots_.size();
        std::uint32_t node = 0;
        for (std::size_t number = 1; number <= partitions; ++number) {
            const std::size_t share = slots * number / partitions;
            std::uint32_t end = node;
            while (end < nodes && (number == partitions || first_[end + 1] <= share)) {
                ++end;
            }
            if (end == node) {
                continue;
            }
            const auto partition = static_cast<std::uint32_t>(first_block_.size());
            first_block_.push_back(blocks_.size());
            for (; node < end; node = blocks_.back().end) {
                Block block;
                block.first = node;
                block.end = std::min(node + nodes_per_block, end);
                block.partition = partition;
                for (std::uint32_t i = block.first; i < block.end; ++i) {
                    block_of_[i] = static_cast<std::uint32_t>(blocks_.size());
                }
                blocks_.push_back(block);
            }
        }
        first_block_.push_back(blocks_.size());
    }

    std::vector<Place> places_;             ///< by slot
    std::vector<std::uint32_t> first_;      ///< by node, and one more: place of its first slot
    std::vector<std::int64_t> wakes_;       ///< by place
    std::vector<std::uint32_t> slots_;      ///< by place
    std::vector<std::int64_t> nodes_;       ///< by node: none of its slots is due before
    std::vector<std::uint32_t> block_of_;   ///< by node
    std::vector<Block> blocks_;             ///< in the order of their nodes
    std::vector<std::size_t> first_block_;  ///< by partition, and one more
};

}  // namespace npunet::packet
