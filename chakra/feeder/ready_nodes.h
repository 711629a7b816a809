// Nodes that may begin, lowest id first; beyond a number of them on disk. For the sources of this
// folder only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "chakra/feeder/sorted_runs.h"

namespace npunet::chakra {

class ReadyNodes {
public:
    struct Ready {
        std::uint64_t id = 0;
        std::uint64_t offset = 0;  ///< of its frame
    };

    ReadyNodes(std::size_t most_in_memory, std::filesystem::path folder)
        : most_in_memory_(most_in_memory), spilled_(std::move(folder)) {}

    void add(const Ready& node);
    [[nodiscard]] bool empty() const { return heap_.empty() && spilled_.size() == 0; }
    [[nodiscard]] std::uint64_t lowest();
    [[nodiscard]] Ready take_lowest();

private:
    void spill();
    [[nodiscard]] bool lowest_is_spilled();

    std::size_t most_in_memory_;
    std::vector<Ready> heap_;
    SortedRuns spilled_;
};

}  // namespace npunet::chakra
