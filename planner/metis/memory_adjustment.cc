#include "planner/metis/memory_adjustment.h"

#include <fmt/format.h>

#include "base/errors.h"

namespace npunet::planner::metis {

namespace {

constexpr double crumb = 0.001;
constexpr double enough = 0.01;

}  // namespace

bool MemoryAdjustment::adjust(std::vector<double>& performance, const std::vector<double>& capacity,
                              const std::vector<double>& demand) {
    const std::size_t stages = performance.size();
    room_.resize(stages);
    kept_.resize(stages);
    double needed = 0;
    double room = 0;
    for (std::size_t s = 0; s < stages; ++s) {
        const double share = performance[s];
        if (capacity[s] > demand[s]) {
            kept_[s] = share;
            room_[s] = share * capacity[s] / demand[s] - share;
        } else {
            kept_[s] = share * (capacity[s] / demand[s]) * 0.9;
            room_[s] = 0;
            needed += share - kept_[s];
        }
        room += room_[s];
    }
    if (room < needed) {
        return false;
    }
    hand_out(performance, needed);
    for (std::size_t s = 0; s < stages; ++s) {
        performance[s] = added_[s] + kept_[s];
    }
    return true;
}

void MemoryAdjustment::hand_out(const std::vector<double>& performance, double needed) {
    const std::size_t stages = performance.size();
    added_.assign(stages, 0.0);
    ratio_.resize(stages);
    while (needed > enough) {
        double total = 0;
        for (std::size_t s = 0; s < stages; ++s) {
            total += room_[s] > crumb ? performance[s] : 0.0;
        }
        bool moved = false;
        for (std::size_t s = 0; s < stages; ++s) {
            ratio_[s] = room_[s] > crumb ? performance[s] / total : 0.0;
        }
        for (std::size_t s = 0; s < stages; ++s) {
            const double wanted = needed * ratio_[s];
            const double taken = wanted > room_[s] ? room_[s] : wanted;
            added_[s] += taken;
            room_[s] -= taken;
            needed -= taken;
            moved = moved || taken != 0;
        }
        if (!moved) {
            throw InputError(
                {"the cluster file", "memory",
                 fmt::format("stages short of {} of the whole model's work, and in no other stage "
                             "room for more than {}",
                             needed, crumb),
                 "memory that can be shared out: Metis's loop has no end here",
                 "Give more memory, fewer layers or a smaller batch, or use the default dialect"});
        }
    }
}

}  // namespace npunet::planner::metis
