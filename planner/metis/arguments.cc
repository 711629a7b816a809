#include "planner/metis/arguments.h"

#include <fmt/format.h>

#include "base/errors.h"

namespace npunet::planner::metis {

Inputs read_inputs(const std::filesystem::path& hostfile, const std::filesystem::path& cluster_file,
                   const std::filesystem::path& profile_folder) {
    return {read_hostfile(hostfile, HostfileRules::Metis),
            read_cluster_file(cluster_file, ClusterFileRules::Metis),
            read_profiles(profile_folder),
            hostfile,
            cluster_file,
            profile_folder};
}

void check(const Arguments& arguments) {
    const auto within = [](const char* option, std::int64_t value, std::int64_t least,
                           std::int64_t most) {
        if (value < least || value > most) {
            throw InputError({option, "", fmt::format("{}", value),
                              fmt::format("a whole number from {} to {}", least, most), ""});
        }
    };
    constexpr std::int64_t most = 1'000'000'000;
    within("--total-layers", arguments.num_layers, 2, 4096);
    within("--batch", arguments.gbs, 1, 1'000'000);
    within("--hidden", arguments.hidden_size, 1, most);
    within("--seq", arguments.sequence_length, 1, most);
    within("--vocab", arguments.vocab_size, 1, most);
    within("--max-tp", arguments.max_profiled_tp_degree, 1, most);
    within("--max-micro-batch", arguments.max_profiled_batch_size, 1, most);
    within("--min-group-scale-variance", arguments.min_group_scale_variance, 0, most);
    within("--max-permute-len", arguments.max_permute_len, 1, most);
}

}  // namespace npunet::planner::metis
