// How little the rest of a plan can take: proven lower bounds for what is left to be placed.
//
// For a reference type let w(l) be the least device-ms of layer l over all (tp, b) of a number of
// micro-batches, and rho of another type the least ratio over the layers of its device-ms to w. A
// stage of n devices takes at least rho w / n for each of its layers and types, so that its period
// times its capacity, the sum of 1/rho over its devices, is at least the sum of w. Hence, with the
// capacity C of all devices that are left and the work W of all layers that are left,
//
//     the longest period >= W / C,     the sum of periods >= W / min(C, the most of one stage).
//
// Both hold for every reference type; the largest is taken.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/search/problem.h"
#include "planner/search/stage_options.h"

namespace npunet::planner {

class Bounds {
public:
    Bounds(const Problem& problem, std::int64_t micro_batches, std::int64_t chunks);

    /// Some type cannot be placed at all with this number of micro-batches.
    [[nodiscard]] bool is_impossible() const { return impossible_; }

    /// Capacities of devices by type, one for each reference.
    [[nodiscard]] std::vector<double> capacities(const std::vector<std::int64_t>& devices) const;
    /// At least what the longest period is when layers [0, layers) of each round go to devices of
    /// these capacities; infinite when there are layers but no devices.
    [[nodiscard]] double longest(const std::vector<double>& capacities, std::int64_t layers) const;
    /// At least what the periods sum up to.
    [[nodiscard]] double sum(const std::vector<double>& capacities, std::int64_t layers) const;

private:
    struct Reference {
        std::vector<double> work;      ///< of layers [0, l) of every round
        std::vector<double> capacity;  ///< of a device, by type
        double most_of_stage = 0;
    };

    [[nodiscard]] static std::vector<double> least_work(const Problem& problem, std::size_t type,
                                                        std::int64_t samples);

    std::vector<Reference> references_;
    bool impossible_ = false;
};

}  // namespace npunet::planner
