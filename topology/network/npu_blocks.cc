#include "topology/network/npu_blocks.h"

#include <numeric>
#include <optional>

namespace npunet::topology {

NpuBlocks::NpuBlocks(const Graph& graph, const Neighbours& links)
    : npus_(graph.npus()),
      count_(graph.npus()),
      neighbours_(mutual_neighbours(links)),
      level_of_(graph.nodes(), none),
      block_of_(graph.nodes(), none),
      npu_of_(graph.nodes(), none) {
    for (std::size_t npu = 0; npu < npus_; ++npu) {
        block_of_[npu] = static_cast<std::int32_t>(npu);
        npu_of_[npu] = static_cast<std::int32_t>(npu);
    }
    set_levels();
    take_in_switches();
}

std::vector<std::int32_t> NpuBlocks::by_npu() const {
    return {block_of_.begin(), block_of_.begin() + static_cast<std::ptrdiff_t>(npus_)};
}

void NpuBlocks::join(const std::vector<std::int32_t>& new_numbers, std::size_t count) {
    for (std::int32_t& block : block_of_) {
        block = block == none ? none : new_numbers[static_cast<std::size_t>(block)];
    }
    count_ = count;
    take_in_switches();
}

/// Breadth first from all NPUs.
void NpuBlocks::set_levels() {
    std::vector<std::int32_t> open(npus_);
    std::iota(open.begin(), open.end(), 0);
    std::fill_n(level_of_.begin(), npus_, 0);
    for (std::size_t i = 0; i < open.size(); ++i) {
        const std::int32_t node = open[i];
        for (const Neighbour& next : neighbours_of(node)) {
            if (level_of(next.node) == none) {
                level_of_[static_cast<std::size_t>(next.node)] = level_of(node) + 1;
                open.push_back(next.node);
            }
        }
    }
    switches_.assign(open.begin() + static_cast<std::ptrdiff_t>(npus_), open.end());
}

/// Switches above a single block belong to it; lower ones come first.
void NpuBlocks::take_in_switches() {
    for (const std::int32_t node : switches_) {
        if (block_of(node) != none) {
            continue;
        }
        std::optional<std::int32_t> block;
        std::optional<std::int32_t> npu;
        const bool one = all_below(node, [&](std::int32_t lower) {
            block = block.value_or(block_of(lower));
            npu = npu.value_or(npu_of(lower)) == npu_of(lower) ? npu_of(lower) : none;
            return block_of(lower) != none && block_of(lower) == *block;
        });
        if (one) {
            block_of_[static_cast<std::size_t>(node)] = block.value_or(none);
            npu_of_[static_cast<std::size_t>(node)] = npu.value_or(none);
        }
    }
}

}  // namespace npunet::topology
