#include "planner/metis/node_sequence.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace npunet::planner::metis {

void TypeBlocks::add(int type, std::int64_t count) {
    ends_.push_back(size() + count);
    types_.push_back(type);
}

std::size_t TypeBlocks::block_at(std::int64_t place) const {
    std::size_t block = 0;
    while (ends_[block] <= place) {
        ++block;
    }
    return block;
}

int TypeBlocks::only_type(std::int64_t first, std::int64_t end) const {
    const std::size_t block = block_at(first);
    return end <= ends_[block] ? types_[block] : -1;
}

NodeSequence::NodeSequence(const Cluster& cluster, std::vector<int> order)
    : cluster_(&cluster), order_(std::move(order)) {
    for (const int number : order_) {
        ranks_.add(number, type(number).devices);
        assumed_ranks_.add(number, type(number).nodes * cluster.slots());
        nodes_.add(number, type(number).nodes);
    }
}

double NodeSequence::memory(std::int64_t first, std::int64_t end) const {
    double memory = 0;
    ranks_.for_each(first, end, [&](int number, std::int64_t count) {
        memory += type(number).memory_mib * static_cast<double>(count);
    });
    return memory;
}

double NodeSequence::bandwidth(std::int64_t first, std::int64_t end) const {
    const std::int64_t first_node = first / cluster_->slots();
    const std::int64_t last_node = (end - 1) / cluster_->slots();
    if (first_node == last_node) {
        return type(nodes_.type_at(first_node)).first_bandwidth;
    }
    double least = std::numeric_limits<double>::infinity();
    nodes_.for_each(first_node, last_node + 1, [&](int number, std::int64_t /*count*/) {
        least = std::min(least, type(number).least_bandwidth);
    });
    return least;
}

double NodeSequence::bandwidth_of_group(std::int64_t first, std::int64_t end,
                                        std::int64_t step) const {
    const std::int64_t first_node = first / cluster_->slots();
    bool several = false;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t rank = first; rank < end; rank += step) {
        const std::int64_t node = rank / cluster_->slots();
        several = several || node != first_node;
        least = std::min(least, type(nodes_.type_at(node)).least_bandwidth);
    }
    return several ? least : type(nodes_.type_at(first_node)).first_bandwidth;
}

double NodeSequence::group_bandwidth(std::int64_t first, std::int64_t end, std::int64_t dp) const {
    const int only = nodes_.only_type(first / cluster_->slots(), (end - 1) / cluster_->slots() + 1);
    if (only >= 0 && type(only).first_bandwidth == type(only).least_bandwidth) {
        return type(only).first_bandwidth;
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t group = 0; group < dp; ++group) {
        least = std::min(least, bandwidth_of_group(first + group, end, dp));
    }
    return least;
}

}  // namespace npunet::planner::metis
