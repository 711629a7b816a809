// When the ports of a network have to decide next, node by node. A node's ports are adjacent, and
// blocks of nodes know their earliest wake, so that finding the due ones needs no heap.
//
//     LookaheadWindows windows(graph, 1);
//     windows.wake(port, 5000, none);
//     windows.for_each_due(6000, [&](std::uint32_t node) { ...; return true; });
//
// Times in picoseconds.
#pragma once

#include "packet/base/constants.h"

#include "topology/graph/graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

class LookaheadWindows {
public:
    /// Divides the nodes into at most `partitions` ranges with about as many ports each.
    LookaheadWindows(const topology::Graph& graph, std::size_t partitions)
        : place_(graph.links()),
          node_(graph.links()),
          first_(graph.nodes() + 1),
          wakes_(graph.links(), never),
          ports_(graph.links()),
          nodes_(graph.nodes(), never),
          block_of_(graph.nodes()) {
        std::uint32_t place = 0;
        for (std::size_t node = 0; node < graph.nodes(); ++node) {
            first_[node] = place;
            for (const LinkId link : graph.links_from(NodeId(node))) {
                ports_[place] = static_cast<std::uint32_t>(link.index());
                node_[link.index()] = static_cast<std::uint32_t>(node);
                place_[link.index()] = place++;
            }
            std::sort(ports_.begin() + first_[node], ports_.begin() + place);
            for (std::uint32_t i = first_[node]; i < place; ++i) {
                place_[ports_[i]] = i;
            }
        }
        first_.back() = place;
        make_blocks(partitions);
    }

    /// None of the partitions is empty.
    std::uint32_t partition_count() const {
        return static_cast<std::uint32_t>(first_block_.size() - 1);
    }

    std::uint32_t partition_of(std::uint32_t node) const {
        return blocks_[block_of_[node]].partition;
    }

    /// An output port has to decide at `at`. `isolated`: the node being advanced by itself, which
    /// will leave(), or none.
    void wake(std::uint32_t port, std::int64_t at, std::uint32_t isolated) {
        wakes_[place_[port]] = at;
        const std::uint32_t node = node_[port];
        if (node == isolated) {
            return;
        }
        nodes_[node] = std::min(nodes_[node], at);
        std::int64_t& earliest = blocks_[block_of_[node]].earliest;
        earliest = std::min(earliest, at);
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

    /// Calls a function for every node with a wake before `limit`, until it returns false. It must
    /// set the node's next wake by leave().
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
        std::int64_t first = never;   ///< of `port`
        std::int64_t second = never;  ///< of the other ports
        std::uint32_t port = 0;
    };

    /// Due::first is never where no port has a wake.
    Due first(std::uint32_t node) const {
        Due due;
        for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i) {
            if (wakes_[i] < due.first) {
                due.second = due.first;
                due.first = wakes_[i];
                due.port = ports_[i];
            } else {
                due.second = std::min(due.second, wakes_[i]);
            }
        }
        return due;
    }

    /// Clears the wake of a port.
    void forget(std::uint32_t port) { wakes_[place_[port]] = never; }

    std::int64_t wake_of(std::uint32_t port) const { return wakes_[place_[port]]; }

    /// Calls a function for every port of a node whose wake is `at`, in ascending order; clears the
    /// wake before.
    template <class Function>
    void for_each_port(std::uint32_t node, std::int64_t at, Function function) {
        for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i) {
            if (wakes_[i] == at) {
                wakes_[i] = never;
                function(ports_[i]);
            }
        }
    }

    /// Calls a function for every port of a node with a wake before `limit`, in ascending order.
    template <class Function>
    void for_each_port_before(std::uint32_t node, std::int64_t limit, Function function) {
        for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i) {
            if (wakes_[i] < limit) {
                function(ports_[i]);
            }
        }
    }

    /// Sets when the first port of a node has to decide.
    void leave(std::uint32_t node, std::int64_t at) { nodes_[node] = at; }

private:
    static constexpr std::uint32_t nodes_per_block = 32;  ///< at most

    /// A range of nodes of one partition.
    struct alignas(64) Block {
        std::int64_t earliest = never;  ///< none of its nodes decides before
        std::uint32_t first = 0;        ///< node
        std::uint32_t end = 0;          ///< node behind the last one
        std::uint32_t partition = 0;
    };

    void make_blocks(std::size_t partitions) {
        const auto nodes = static_cast<std::uint32_t>(nodes_.size());
        const std::size_t ports = ports_.size();
        std::uint32_t node = 0;
        for (std::size_t number = 1; number <= partitions; ++number) {
            const std::size_t share = ports * number / partitions;
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

    std::vector<std::uint32_t> place_;      ///< by port: its place among those of all nodes
    std::vector<std::uint32_t> node_;       ///< by port
    std::vector<std::uint32_t> first_;      ///< by node, and one more: place of its first port
    std::vector<std::int64_t> wakes_;       ///< by place
    std::vector<std::uint32_t> ports_;      ///< by place
    std::vector<std::int64_t> nodes_;       ///< by node: none of its ports decides before
    std::vector<std::uint32_t> block_of_;   ///< by node
    std::vector<Block> blocks_;             ///< in the order of their nodes
    std::vector<std::size_t> first_block_;  ///< by partition, and one more
};

}  // namespace npunet::packet
