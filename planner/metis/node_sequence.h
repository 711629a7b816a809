// One order of the device types: which type each rank has, in the three ways in which Metis asks.
//
//     NodeSequence sequence(cluster, {1, 0});
//     sequence.ranks().type_at(rank);       // true: by the devices of every node
//     sequence.assumed_ranks();             // with the slots of the first node for all
//     sequence.nodes();                     // by nodes
#pragma once

#include <cstdint>
#include <vector>

#include "planner/metis/cluster.h"

namespace npunet::planner::metis {

/// Places 0, 1, ... of types that stand in consecutive blocks.
class TypeBlocks {
public:
    void add(int type, std::int64_t count);

    [[nodiscard]] std::int64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
    [[nodiscard]] int type_at(std::int64_t place) const { return types_[block_at(place)]; }
    /// The type of all places from `first` to before `end`; -1 where there are several.
    [[nodiscard]] int only_type(std::int64_t first, std::int64_t end) const;
    /// How many of the places are of each type: calls visit(type, count) in order.
    template <class Visit>
    void for_each(std::int64_t first, std::int64_t end, Visit&& visit) const {
        for (std::size_t block = block_at(first); first < end; ++block) {
            const std::int64_t stop = ends_[block] < end ? ends_[block] : end;
            visit(types_[block], stop - first);
            first = stop;
        }
    }

private:
    [[nodiscard]] std::size_t block_at(std::int64_t place) const;

    std::vector<int> types_;
    std::vector<std::int64_t> ends_;
};

class NodeSequence {
public:
    /// `order`: numbers of the cluster's types. The cluster must outlive this.
    NodeSequence(const Cluster& cluster, std::vector<int> order);

    [[nodiscard]] const std::vector<int>& order() const { return order_; }
    [[nodiscard]] const TypeBlocks& ranks() const { return ranks_; }
    [[nodiscard]] const TypeBlocks& assumed_ranks() const { return assumed_ranks_; }
    [[nodiscard]] const TypeBlocks& nodes() const { return nodes_; }

    /// Capacity in MiB of the ranks from `first` to before `end`.
    [[nodiscard]] double memory(std::int64_t first, std::int64_t end) const;
    /// GB/s among all of those ranks.
    [[nodiscard]] double bandwidth(std::int64_t first, std::int64_t end) const;
    /// GB/s of the slowest data-parallel group of those ranks; rank `first` + i is in group i % dp.
    [[nodiscard]] double group_bandwidth(std::int64_t first, std::int64_t end,
                                         std::int64_t dp) const;

private:
    [[nodiscard]] const DeviceType& type(int number) const {
        return cluster_->types()[static_cast<std::size_t>(number)];
    }
    [[nodiscard]] double bandwidth_of_group(std::int64_t first, std::int64_t end,
                                            std::int64_t step) const;

    const Cluster* cluster_;
    std::vector<int> order_;
    TypeBlocks ranks_;
    TypeBlocks assumed_ranks_;
    TypeBlocks nodes_;
};

}  // namespace npunet::planner::metis
