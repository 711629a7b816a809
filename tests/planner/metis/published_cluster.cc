#include "published_cluster.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace npunet::planner::metis {

namespace {

constexpr std::int64_t most_sampled = 4;
constexpr double sampled_layers = 10;

double sum_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum;
}

std::vector<double> stretched(const std::vector<double>& values, std::int64_t layers) {
    std::vector<double> result(static_cast<std::size_t>(layers), values[1]);
    result.front() = values.front();
    result.back() = values.back();
    return result;
}

LayerProfile stretched(LayerProfile profile, std::int64_t layers) {
    const double gap = profile.forward_backward_ms - sum_of(profile.layer_ms);
    profile.layer_ms = stretched(profile.layer_ms, layers);
    profile.layer_memory_mib = stretched(profile.layer_memory_mib, layers);
    profile.parameter_bytes = stretched(profile.parameter_bytes, layers);
    profile.forward_backward_ms = sum_of(profile.layer_ms) + gap;
    profile.optimizer_ms = profile.optimizer_ms / sampled_layers * static_cast<double>(layers);
    return profile;
}

LayerProfile scaled(LayerProfile profile, double factor) {
    profile.forward_backward_ms *= factor;
    for (double& time : profile.layer_ms) {
        time *= factor;
    }
    return profile;
}

LayerProfile named(LayerProfile profile, const char* type, std::int64_t tp, std::int64_t batch) {
    profile.type = type;
    profile.tp = tp;
    profile.batch = batch;
    profile.file_name = fmt::format("DeviceType.{}_tp{}_bs{}.json", type, tp, batch);
    return profile;
}

}  // namespace

std::filesystem::path published_samples() {
    return std::filesystem::path(NPUNET_SHARED_DIR) / "data/planner/e11_samples_2a/profile";
}

ProfileSet stretched_profiles(std::int64_t layers, std::int64_t most) {
    const ProfileSet samples = read_profiles(published_samples());
    std::vector<LayerProfile> profiles;
    for (std::int64_t tp = 1; tp <= most; tp *= 2) {
        for (std::int64_t batch = 1; batch <= most; batch *= 2) {
            const std::int64_t sampled_tp = std::min(tp, most_sampled);
            const std::int64_t sampled_batch = std::min(batch, most_sampled);
            const LayerProfile profile =
                scaled(stretched(*samples.find("A100", sampled_tp, sampled_batch), layers),
                       static_cast<double>(batch) / static_cast<double>(sampled_batch) *
                           static_cast<double>(sampled_tp) / static_cast<double>(tp));
            profiles.push_back(named(profile, "A100", tp, batch));
            LayerProfile slower = named(scaled(profile, 3.5), "V100", tp, batch);
            slower.optimizer_ms *= 3.5;
            slower.batch_generator_ms *= 3.5;
            profiles.push_back(std::move(slower));
        }
    }
    return {std::move(profiles), "profile"};
}

Inputs published_inputs(std::int64_t layers, std::int64_t devices) {
    constexpr std::int64_t most_profiled = 128;
    Inputs inputs;
    inputs.hostfile = "hostfile";
    inputs.cluster_file = "clusterfile.json";
    inputs.profile_folder = "profile";
    inputs.cluster = {{"0.0.0.1", "V100", 10, 50, 16}, {"0.0.0.4", "A100", 10, 46, 80}};
    for (const ClusterEntry& entry : inputs.cluster) {
        for (std::int64_t node = 0; node < devices / 4; ++node) {
            inputs.hosts.push_back({entry.address, 4, static_cast<int>(inputs.hosts.size()) + 1});
        }
    }
    inputs.profiles = stretched_profiles(layers, most_profiled);
    return inputs;
}

Arguments published_arguments(std::int64_t layers, Strategy strategy) {
    Arguments arguments;
    arguments.num_layers = layers;
    arguments.gbs = 128;
    arguments.max_profiled_tp_degree = 128;
    arguments.max_profiled_batch_size = 128;
    arguments.min_group_scale_variance = 1;
    arguments.max_permute_len = 128;
    arguments.first_profile = "DeviceType.A100_tp128_bs128.json";
    arguments.strategy = strategy;
    return arguments;
}

}  // namespace npunet::planner::metis
