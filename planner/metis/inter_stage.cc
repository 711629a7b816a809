#include "planner/metis/inter_stage.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "planner/metis/group_sequences.h"

namespace npunet::planner::metis {

namespace {

bool has_groups(std::int64_t devices, std::int64_t stages, const Arguments& arguments) {
    return GroupSequences(devices, stages,
                          least_group(devices, stages, arguments.min_group_scale_variance))
        .next();
}

void check_single_stage(std::int64_t devices, const Arguments& arguments) {
    if (has_groups(devices, 1, arguments)) {
        return;
    }
    if (arguments.min_group_scale_variance > 1) {
        throw InputError({"--min-group-scale-variance", "",
                          fmt::format("{}", arguments.min_group_scale_variance),
                          "0 or 1: above it no group is large enough for a plan of one stage",
                          "Metis ends with an IndexError here"});
    }
    throw InputError({"the hostfile", "", fmt::format("{} devices in all", devices),
                      "a power of two: Metis's groups are powers of two that add up to all devices",
                      "Change the number of nodes, or use the default dialect; Metis ends with an "
                      "IndexError here"});
}

}  // namespace

std::vector<Visit> visits(std::int64_t devices, std::int64_t sequences,
                          const Arguments& arguments) {
    check_single_stage(devices, arguments);
    const std::int64_t most = std::min(devices, arguments.num_layers);
    std::vector<std::int64_t> regular;
    for (std::int64_t stages = 2; stages <= most; ++stages) {
        if (has_groups(devices, stages, arguments)) {
            regular.push_back(stages);
        }
    }
    // The original looks one number of stages further than it may.
    const std::int64_t first = regular.empty() ? most + 1 : regular.front();
    if (sequences > 1 && regular.empty() && !has_groups(devices, first, arguments)) {
        throw InputError({"--min-group-scale-variance, --total-layers", "",
                          fmt::format("no device groups for 2 to {} stages", first),
                          "device groups for two stages: Metis needs them for all node sequences "
                          "but the first",
                          "Metis ends with an IndexError here"});
    }
    std::vector<Visit> result;
    for (std::int64_t sequence = 0; sequence < sequences; ++sequence) {
        result.push_back({sequence, sequence == 0 ? 1 : first, 1});
        for (const std::int64_t stages : regular) {
            result.push_back({sequence, stages, stages});
        }
    }
    return result;
}

std::vector<std::int64_t> divisors_downwards(std::int64_t number) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t divisor = number; divisor >= 1; --divisor) {
        if (number % divisor == 0) {
            divisors.push_back(divisor);
        }
    }
    return divisors;
}

}  // namespace npunet::planner::metis
