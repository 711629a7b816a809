#include "made_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace npunet::planner::metis {

namespace {

struct Kind {
    const char* name;
    double slowness;
    double bandwidth;
    double memory_gib;
};

constexpr std::array kinds{Kind{"A100", 1, 46, 80}, Kind{"V100", 3.5, 50, 16},
                           Kind{"P100", 5.25, 40, 15}, Kind{"T4", 7.125, 32, 15}};

LayerProfile made_profile(const Kind& kind, std::int64_t layers, std::int64_t tp,
                          std::int64_t batch) {
    LayerProfile profile;
    profile.file_name = fmt::format("DeviceType.{}_tp{}_bs{}.json", kind.name, tp, batch);
    profile.type = kind.name;
    profile.tp = tp;
    profile.batch = batch;
    const double work = kind.slowness * static_cast<double>(batch) / static_cast<double>(tp);
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        const bool edge = layer == 0 || layer == layers - 1;
        profile.layer_ms.push_back(edge ? 0.75 * work
                                        : (8.5 + 0.125 * static_cast<double>(layer)) * work + 0.3);
        profile.forward_backward_ms += profile.layer_ms.back();
        profile.layer_memory_mib.push_back(edge ? 7000 : 4000);
        profile.parameter_bytes.push_back(edge ? 3.9e8 : 2e8);
    }
    profile.forward_backward_ms += 2.5 * work;
    profile.optimizer_ms = 11 * kind.slowness;
    profile.batch_generator_ms = 0.9;
    return profile;
}

}  // namespace

Inputs made_inputs(const std::vector<std::pair<std::string, std::int64_t>>& nodes,
                   std::int64_t layers, std::int64_t most_tp, std::int64_t most_batch) {
    Inputs inputs;
    inputs.hostfile = "hostfile";
    inputs.cluster_file = "clusterfile.json";
    inputs.profile_folder = "profiles";
    for (const auto& [type, slots] : nodes) {
        inputs.hosts.push_back({"at-" + type, slots, static_cast<int>(inputs.hosts.size()) + 1});
    }
    std::vector<LayerProfile> profiles;
    for (const Kind& kind : kinds) {
        inputs.cluster.push_back(
            {std::string("at-") + kind.name, kind.name, 10, kind.bandwidth, kind.memory_gib});
        for (std::int64_t tp = 1; tp <= most_tp; tp *= 2) {
            for (std::int64_t batch = 1; batch <= most_batch; batch *= 2) {
                profiles.push_back(made_profile(kind, layers, tp, batch));
            }
        }
    }
    inputs.profiles = ProfileSet(std::move(profiles), "profiles");
    return inputs;
}

Arguments made_arguments(std::int64_t layers, std::int64_t gbs, std::int64_t most_tp,
                         std::int64_t most_batch) {
    Arguments arguments;
    arguments.num_layers = layers;
    arguments.gbs = gbs;
    arguments.max_profiled_tp_degree = most_tp;
    arguments.max_profiled_batch_size = most_batch;
    arguments.max_permute_len = 6;
    return arguments;
}

}  // namespace npunet::planner::metis
