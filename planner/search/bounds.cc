#include "planner/search/bounds.h"

#include <algorithm>
#include <limits>

namespace npunet::planner {

namespace {

std::int64_t most_devices_of_node(const Problem& problem) {
    std::int64_t most = 1;
    for (const NodeClass& node_class : problem.classes()) {
        most = std::max(most, node_class.node.devices);
    }
    return most;
}

/// The least ratio of a to b; layers that take no time say nothing.
double least_ratio(const std::vector<double>& a, const std::vector<double>& b) {
    double ratio = std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < a.size(); ++l) {
        if (b[l] > 0) {
            ratio = std::min(ratio, a[l] / b[l]);
        }
    }
    return ratio;
}

}  // namespace

std::vector<double> Bounds::least_work(const Problem& problem, std::size_t type,
                                       std::int64_t samples) {
    std::vector<double> least(static_cast<std::size_t>(problem.model().layers),
                              std::numeric_limits<double>::infinity());
    const std::int64_t most_tp = most_devices_of_node(problem);
    for (const std::int64_t batch : divisors_of(samples)) {
        for (std::int64_t tp = 1; tp <= most_tp; ++tp) {
            const ProfileSums* sums = problem.sums(type, tp, batch);
            if (sums == nullptr) {
                continue;
            }
            const auto devices = static_cast<double>(samples / batch * tp);
            for (std::size_t l = 0; l < least.size(); ++l) {
                least[l] = std::min(least[l], devices * sums->profile->layer_ms[l]);
            }
        }
    }
    return least;
}

Bounds::Bounds(const Problem& problem, std::int64_t micro_batches, std::int64_t chunks) {
    const std::int64_t samples = problem.model().global_batch / micro_batches;
    const std::size_t types = problem.cluster().types.size();
    std::vector<std::vector<double>> least;
    for (std::size_t type = 0; type < types; ++type) {
        least.push_back(least_work(problem, type, samples));
        impossible_ =
            impossible_ || least.back().front() == std::numeric_limits<double>::infinity();
    }
    if (impossible_) {
        return;
    }
    const std::int64_t round = problem.model().layers / chunks;
    for (std::size_t r = 0; r < types; ++r) {
        Reference reference;
        double most = 0;
        for (std::size_t type = 0; type < types; ++type) {
            const double ratio = least_ratio(least[type], least[r]);
            // No time on this type or no work on the reference: nothing can be said.
            reference.capacity.push_back(ratio > 0 ? 1 / ratio
                                                   : std::numeric_limits<double>::infinity());
            most = std::max(most, reference.capacity.back());
        }
        reference.most_of_stage =
            most * static_cast<double>(samples * most_devices_of_node(problem));
        reference.work.push_back(0);
        for (std::int64_t l = 0; l < round; ++l) {
            double work = 0;
            for (std::int64_t j = 0; j < chunks; ++j) {
                work += least[r][static_cast<std::size_t>(j * round + l)];
            }
            reference.work.push_back(reference.work.back() + work);
        }
        references_.push_back(std::move(reference));
    }
}

std::vector<double> Bounds::capacities(const std::vector<std::int64_t>& devices) const {
    std::vector<double> capacities;
    for (const Reference& reference : references_) {
        double sum = 0;
        for (std::size_t type = 0; type < devices.size(); ++type) {
            if (devices[type] > 0) {
                sum += static_cast<double>(devices[type]) * reference.capacity[type];
            }
        }
        capacities.push_back(sum);
    }
    return capacities;
}

double Bounds::longest(const std::vector<double>& capacities, std::int64_t layers) const {
    double bound = 0;
    for (std::size_t r = 0; r < references_.size(); ++r) {
        const double work = references_[r].work[static_cast<std::size_t>(layers)];
        if (work > 0) {
            bound = std::max(bound, work / capacities[r]);
        }
    }
    return bound;
}

double Bounds::sum(const std::vector<double>& capacities, std::int64_t layers) const {
    double bound = 0;
    for (std::size_t r = 0; r < references_.size(); ++r) {
        const double work = references_[r].work[static_cast<std::size_t>(layers)];
        if (work > 0) {
            bound = std::max(bound, work / std::min(capacities[r], references_[r].most_of_stage));
        }
    }
    return bound;
}

}  // namespace npunet::planner
