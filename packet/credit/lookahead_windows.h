#pragma once

#include "packet/base/credit_account.h"

#include "topology/graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// When the ports of a network have to decide next, node by node: a node's ports lie side by side,
/// and nodes in blocks know the earliest of theirs, so that finding those that are due takes no
/// heap.
///
///     LookaheadWindows windows(graph, 1);
///     windows.wake(port, 5000, nobody);
///     windows.for_each_due(6000, [&](std::uint32_t node) { ... });
///
/// Times in picoseconds.
class LookaheadWindows {
public:
    /// @param graph nodes and links
    /// @param parts into which the nodes are divided, each a range with about as many ports
    LookaheadWindows(const topology::Graph& graph, std::size_t parts)
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
        make_blocks(parts);
    }

    /// @return how many parts there are, none of them empty
    std::uint32_t part_count() const { return static_cast<std::uint32_t>(first_block_.size() - 1); }

    /// @param node a node
    /// @return number of its part
    std::uint32_t part_of(std::uint32_t node) const { return blocks_[block_of_[node]].part; }

    /// @param port an output port
    /// @param at when it has to decide
    /// @param alone the node that is going on and will leave(), or any other number
    void wake(std::uint32_t port, std::int64_t at, std::uint32_t alone) {
        wakes_[place_[port]] = at;
        const std::uint32_t node = node_[port];
        if (node == alone) {
            return;
        }
        nodes_[node] = std::min(nodes_[node], at);
        std::int64_t& earliest = blocks_[block_of_[node]].earliest;
        earliest = std::min(earliest, at);
    }

    /// No port has to decide any more.
    void clear() {
        std::fill(wakes_.begin(), wakes_.end(), never);
        std::fill(nodes_.begin(), nodes_.end(), never);
        for (Block& block : blocks_) {
            block.earliest = never;
        }
    }

    /// @return no port has to decide before; never when none has to
    std::int64_t earliest_output() const {
        std::int64_t earliest = never;
        for (const Block& block : blocks_) {
            earliest = std::min(earliest, block.earliest);
        }
        return earliest;
    }

    /// Calls a function for every node that has something to decide before a time, until none has
    /// or the function does not want to go on.
    /// @param limit the time
    /// @param function of the node; says afterwards, by leave(), when the node is due again, and
    ///        returns whether to go on with others
    template <class Function>
    void for_each_due(std::int64_t limit, Function function) {
        for (std::uint32_t part = 0; part < part_count(); ++part) {
            if (!for_each_due(part, limit, function)) {
                return;
            }
        }
    }

    /// The same for one part.
    /// @param part number of the part
    /// @param limit the time
    /// @param function of the node
    /// @return whether to go on with others
    template <class Function>
    bool for_each_due(std::uint32_t part, std::int64_t limit, Function function) {
        bool goes_on = true;
        for (std::size_t i = first_block_[part]; goes_on && i < first_block_[part + 1]; ++i) {
            Block& block = blocks_[i];
            if (block.earliest < limit) {
                std::int64_t earliest = never;
                // Whoever is woken in a node that is done says so here.
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

    /// The first of the ports of a node that have to decide.
    struct Due {
        std::int64_t first = never;   ///< when it has to
        std::int64_t second = never;  ///< when the next one of the others has to
        std::uint32_t port = 0;       ///< which one
    };

    /// @param node a node
    /// @return its first port
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

    /// Takes back the wish of a port.
    /// @param port the port
    void forget(std::uint32_t port) { wakes_[place_[port]] = never; }

    /// @param port a port
    /// @return when it has to decide
    std::int64_t wake_of(std::uint32_t port) const { return wakes_[place_[port]]; }

    /// Calls a function for every port of a node that has to decide at a time, in ascending order,
    /// and takes the wish back before.
    /// @param node a node
    /// @param at the time
    /// @param function of the port
    template <class Function>
    void for_each_port(std::uint32_t node, std::int64_t at, Function function) {
        for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i) {
            if (wakes_[i] == at) {
                wakes_[i] = never;
                function(ports_[i]);
            }
        }
    }

    /// Calls a function for every port of a node that has to decide before a time, in ascending
    /// order.
    /// @param node a node
    /// @param limit the time
    /// @param function of the port
    template <class Function>
    void for_each_port_before(std::uint32_t node, std::int64_t limit, Function function) {
        for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i) {
            if (wakes_[i] < limit) {
                function(ports_[i]);
            }
        }
    }

    /// @param node a node
    /// @param at when its first port has to decide
    void leave(std::uint32_t node, std::int64_t at) { nodes_[node] = at; }

private:
    static constexpr std::uint32_t nodes_per_block = 32;  ///< at the most

    /// Some nodes of one part.
    struct alignas(64) Block {
        std::int64_t earliest = never;  ///< none of its nodes decides before
        std::uint32_t first = 0;        ///< node
        std::uint32_t end = 0;          ///< node behind the last one
        std::uint32_t part = 0;         ///< number of the part
    };

    /// @param parts wanted
    void make_blocks(std::size_t parts) {
        const auto nodes = static_cast<std::uint32_t>(nodes_.size());
        const std::size_t ports = ports_.size();
        std::uint32_t node = 0;
        for (std::size_t number = 1; number <= parts; ++number) {
            const std::size_t share = ports * number / parts;
            std::uint32_t end = node;
            while (end < nodes && (number == parts || first_[end + 1] <= share)) {
                ++end;
            }
            if (end == node) {
                continue;
            }
            const auto part = static_cast<std::uint32_t>(first_block_.size());
            first_block_.push_back(blocks_.size());
            for (; node < end; node = blocks_.back().end) {
                Block block;
                block.first = node;
                block.end = std::min(node + nodes_per_block, end);
                block.part = part;
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
    std::vector<std::size_t> first_block_;  ///< by part, and one more
};

}  // namespace npunet::packet
