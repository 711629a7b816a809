#include "planner/search/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/errors.h"

namespace npunet::planner {

namespace {

constexpr std::int64_t max_layers = 1024;
constexpr std::int64_t max_global_batch = 1'000'000'000;
constexpr double max_batch_bytes = 4e18;

std::vector<double> prefix_sums(const std::vector<double>& values) {
    std::vector<double> sums{0};
    for (const double value : values) {
        sums.push_back(sums.back() + value);
    }
    return sums;
}

}  // namespace

std::vector<std::int64_t> divisors_of(std::int64_t number) {
    std::vector<std::int64_t> low, high;
    for (std::int64_t i = 1; i <= number / i; ++i) {
        if (number % i == 0) {
            low.push_back(i);
            if (i != number / i) {
                high.push_back(number / i);
            }
        }
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

Problem::Problem(Cluster cluster, ProfileSet profiles, const TrainingModel& model,
                 std::string profile_folder)
    : cluster_(std::move(cluster)),
      classes_(classes_of(cluster_)),
      profiles_(std::move(profiles)),
      model_(model),
      folder_(std::move(profile_folder)) {
    check_model();
    for (const LayerProfile& profile : profiles_.all()) {
        const auto type = std::find(cluster_.types.begin(), cluster_.types.end(), profile.type);
        if (type == cluster_.types.end() || !model_.allows(profile.tp, profile.batch)) {
            continue;
        }
        check_profile(profile);
        const auto index = static_cast<std::size_t>(type - cluster_.types.begin());
        sums_.emplace(std::tuple(index, profile.tp, profile.batch), sums_of(profile));
    }
    for (std::size_t type = 0; type < cluster_.types.size(); ++type) {
        const auto first = sums_.lower_bound({type, 0, 0});
        if (first == sums_.end() || std::get<0>(first->first) != type) {
            throw InputError({folder_, "",
                              fmt::format("no usable profile of {}", cluster_.types[type]),
                              "a profile of every type of the cluster",
                              fmt::format("Add DeviceType.{}_tp1_bs1.json and others of that type",
                                          cluster_.types[type])});
        }
    }
    parameters_ = prefix_sums(sums_.begin()->second.profile->parameter_bytes);
}

void Problem::check_model() const {
    if (model_.layers < 1 || model_.layers > max_layers) {
        throw InputError({"--total-layers", "", fmt::format("{}", model_.layers),
                          fmt::format("1 to {}", max_layers), "Correct it"});
    }
    if (model_.global_batch < 1 || model_.global_batch > max_global_batch) {
        throw InputError({"--batch", "", fmt::format("{}", model_.global_batch),
                          fmt::format("1 to {} samples", max_global_batch), "Correct it"});
    }
    const double bytes = sample_bytes() * static_cast<double>(model_.global_batch);
    if (!(bytes <= max_batch_bytes)) {
        throw InputError({"--hidden, --seq, --batch", "",
                          fmt::format("activations of {:.3g} bytes a step", bytes),
                          fmt::format("at most {:.3g}", max_batch_bytes), "Correct them"});
    }
}

void Problem::check_profile(const LayerProfile& profile) const {
    const auto layers = static_cast<std::size_t>(model_.layers);
    const auto require = [&](const char* field, std::size_t found, const std::string& remedy) {
        if (found != layers) {
            throw InputError({(std::filesystem::path(folder_) / profile.file_name).string(), field,
                              fmt::format("{} entries", found),
                              fmt::format("{}, one for each layer (--total-layers)", layers),
                              remedy});
        }
    };
    const std::string stretch =
        "Correct --total-layers, or make profiles of that length (npunet plan profiles)";
    require("execution_time.layer_compute_total_ms", profile.layer_ms.size(), stretch);
    require("execution_memory.layer_memory_total_mb", profile.layer_memory_mib.size(), stretch);
    require("model.parameters.parameters_per_layer_bytes", profile.parameter_bytes.size(), stretch);
    if (!profile.layer_activation_mib.empty()) {
        require("execution_memory.layer_activation_mb", profile.layer_activation_mib.size(),
                stretch);
    }
    const LayerProfile& first = sums_.empty() ? profile : *sums_.begin()->second.profile;
    if (profile.parameter_bytes != first.parameter_bytes) {
        throw InputError({(std::filesystem::path(folder_) / profile.file_name).string(),
                          "model.parameters.parameters_per_layer_bytes",
                          fmt::format("other parameters than in {}", first.file_name),
                          "profiles of one model", "Keep the profiles of each model in a folder"});
    }
}

ProfileSums Problem::sums_of(const LayerProfile& profile) const {
    ProfileSums sums;
    sums.profile = &profile;
    const double layers = std::accumulate(profile.layer_ms.begin(), profile.layer_ms.end(), 0.0);
    sums.gap_ms = std::max(0.0, profile.forward_backward_ms - layers);
    sums.memory_mib = prefix_sums(profile.layer_memory_mib);
    sums.activation_mib = prefix_sums(activations_of(profile));
    return sums;
}

std::vector<double> Problem::activations_of(const LayerProfile& profile) const {
    if (!profile.layer_activation_mib.empty()) {
        return profile.layer_activation_mib;
    }
    std::vector<double> slopes(profile.layer_memory_mib.size(), 0.0);
    const bool is_one = profile.batch == 1;
    if (!is_one && profile.batch % 2 != 0) {
        return slopes;
    }
    const LayerProfile* other =
        profiles_.find(profile.type, profile.tp, is_one ? 2 : profile.batch / 2);
    if (other == nullptr || other->layer_memory_mib.size() != slopes.size()) {
        return slopes;
    }
    for (std::size_t l = 0; l < slopes.size(); ++l) {
        const double growth = profile.layer_memory_mib[l] - other->layer_memory_mib[l];
        slopes[l] = std::max(0.0, is_one ? -growth : 2 * growth);
    }
    return slopes;
}

bool Problem::is_profiled(std::int64_t tp, std::int64_t batch) const {
    const auto any = [this](const auto& accepts) {
        return std::any_of(sums_.begin(), sums_.end(),
                           [&](const auto& entry) { return accepts(*entry.second.profile); });
    };
    return any([tp](const LayerProfile& profile) { return profile.tp == tp; }) &&
           any([batch](const LayerProfile& profile) { return profile.batch == batch; });
}

const ProfileSums* Problem::sums(std::size_t type, std::int64_t tp, std::int64_t batch) const {
    const auto found = sums_.find({type, tp, batch});
    return found == sums_.end() ? nullptr : &found->second;
}

}  // namespace npunet::planner
