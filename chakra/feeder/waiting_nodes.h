// Nodes that wait, each remembered with one node that has to end first; beyond a number of them on
// disk. For the sources of chakra only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "chakra/feeder/sorted_runs.h"

namespace npunet::chakra {

class WaitingNodes {
public:
    struct Waiter {
        std::uint64_t id = 0;
        std::uint64_t offset = 0;  ///< of its frame; below 2^63
        bool only = false;         ///< it waits for nothing else
    };

    WaitingNodes(std::size_t most_in_memory, std::filesystem::path folder)
        : most_in_memory_(most_in_memory), spilled_(std::move(folder)) {}

    void add(std::uint64_t dep, const Waiter& waiter);
    /// Forgets those that wait for `dep` and calls `use` with each, which may add nodes that wait
    /// for others. However many there are, only those in memory and a few more are held.
    void take(std::uint64_t dep, const std::function<void(const Waiter&)>& use);
    [[nodiscard]] bool empty() const { return in_memory_ == 0 && spilled_.size() == 0; }

private:
    using Place = std::uint32_t;

    void spill();
    void take_spilled(std::uint64_t dep, const std::function<void(const Waiter&)>& use);

    struct Listed {
        Waiter waiter;
        Place next;
    };

    std::size_t most_in_memory_;
    std::size_t in_memory_ = 0;
    std::unordered_map<std::uint64_t, Place> first_;  // of the list of each dependency
    std::vector<Listed> listed_;
    std::vector<Place> free_;
    SortedRuns spilled_;
    std::vector<Waiter> taken_;
    std::vector<SpilledRecord> taken_records_;
};

}  // namespace npunet::chakra
