#include "planner/synthetic_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/errors.h"

namespace npunet::planner {

namespace {

/// first, second, ..., second, last.
std::vector<double> stretched(const std::vector<double>& list, std::int64_t layers) {
    std::vector<double> result(static_cast<std::size_t>(layers), list[1]);
    result.front() = list.front();
    result.back() = list.back();
    return result;
}

/// Forward and backward pass, and with them the total.
void sum_up(ProfileFile& file) {
    double layers = 0;
    for (const double time : file.layer_ms) {
        layers += time;
    }
    file.forward_backward_ms = layers + file.between_ms;
    file.total_ms = sum_of_times(file);
}

/// The same at another degree or batch, by which the passes take `factor` as long.
ProfileFile derived(const ProfileFile& from, std::int64_t tp, std::int64_t batch, double factor) {
    ProfileFile file = from;
    file.tp = tp;
    file.batch = batch;
    for (double& time : file.layer_ms) {
        time *= factor;
    }
    file.between_ms *= factor;
    file.forward_backward_ms *= factor;
    file.total_ms = sum_of_times(file);
    return file;
}

/// Files of one type by tp and batch.
using Grid = std::map<std::pair<std::int64_t, std::int64_t>, ProfileFile>;

/// The degrees and batches that the samples have, in ascending order.
struct Sampled {
    std::set<std::int64_t> degrees;
    std::set<std::int64_t> batches;
};

Sampled sampled_in(const Grid& grid) {
    Sampled sampled;
    for (const auto& [key, file] : grid) {
        sampled.degrees.insert(key.first);
        sampled.batches.insert(key.second);
    }
    return sampled;
}

void check_complete(const Grid& grid, const Sampled& sampled) {
    for (const std::int64_t tp : sampled.degrees) {
        for (const std::int64_t batch : sampled.batches) {
            if (grid.count({tp, batch}) == 0) {
                ProfileFile missing = grid.begin()->second;
                missing.tp = tp;
                missing.batch = batch;
                throw InputError({"--from", "", fmt::format("no {}", name_of(missing)),
                                  "a sample for each degree of tensor parallelism with each batch",
                                  "Add it, or take the other samples of that degree away"});
            }
        }
    }
}

void complete(Grid& grid, const ProfileGrid& wanted) {
    const Sampled sampled = sampled_in(grid);
    check_complete(grid, sampled);
    std::set<std::int64_t> batches = sampled.batches;
    for (std::int64_t batch = 2 * *sampled.batches.rbegin(); batch <= wanted.max_batch;
         batch *= 2) {
        for (const std::int64_t tp : sampled.degrees) {
            grid[{tp, batch}] = derived(grid.at({tp, batch / 2}), tp, batch, 2);
        }
        batches.insert(batch);
    }
    for (std::int64_t tp = 2 * *sampled.degrees.rbegin(); tp <= wanted.max_tp; tp *= 2) {
        for (const std::int64_t batch : batches) {
            grid[{tp, batch}] = derived(grid.at({tp / 2, batch}), tp, batch, 0.5);
        }
    }
}

ProfileFile scaled(const ProfileFile& file, const ScaledType& scale) {
    ProfileFile copy = file;
    copy.type = scale.type;
    for (double& time : copy.layer_ms) {
        time *= scale.factor;
    }
    for (double* time : {&copy.between_ms, &copy.forward_backward_ms, &copy.batch_generator_ms,
                         &copy.layernorm_all_reduce_ms, &copy.embedding_all_reduce_ms,
                         &copy.optimizer_ms, &copy.total_ms}) {
        *time *= scale.factor;
    }
    return copy;
}

std::set<std::string> types_of(const std::vector<ProfileFile>& files) {
    std::set<std::string> types;
    for (const ProfileFile& file : files) {
        types.insert(file.type);
    }
    return types;
}

}  // namespace

ProfileFile with_layers(const ProfileFile& sample, std::int64_t layers) {
    ProfileFile file = sample;
    const auto sampled = static_cast<double>(sample.layer_ms.size());
    const auto wanted = static_cast<double>(layers);
    file.parameter_bytes = stretched(sample.parameter_bytes, layers);
    file.layer_ms = stretched(sample.layer_ms, layers);
    file.layer_memory_mib = stretched(sample.layer_memory_mib, layers);
    if (sample.layer_activation_mib.size() > 2) {
        file.layer_activation_mib = stretched(sample.layer_activation_mib, layers);
    }
    // Division first, as the generator does: the other order rounds differently.
    file.optimizer_ms = sample.optimizer_ms / sampled * wanted;
    file.layernorm_all_reduce_ms = sample.layernorm_all_reduce_ms / sampled * wanted;
    sum_up(file);
    return file;
}

std::vector<ProfileFile> stretched_profiles(const std::vector<ProfileFile>& samples,
                                            const ProfileGrid& grid) {
    std::map<std::string, Grid> types;
    for (const ProfileFile& sample : samples) {
        types[sample.type][{sample.tp, sample.batch}] = with_layers(sample, grid.layers);
    }
    std::vector<ProfileFile> files;
    for (auto& [type, profiles] : types) {
        complete(profiles, grid);
        for (const auto& [key, file] : profiles) {
            if (key.first <= grid.max_tp && key.second <= grid.max_batch) {
                files.push_back(file);
            }
        }
    }
    return files;
}

void add_scaled_types(std::vector<ProfileFile>& files, const std::vector<ScaledType>& scales,
                      const std::string& source) {
    if (scales.empty()) {
        return;
    }
    std::set<std::string> types = types_of(files);
    if (types.size() != 1) {
        throw InputError(
            {source, "",
             fmt::format("profiles of {} types: {}", types.size(), fmt::join(types, ", ")),
             "profiles of one type, which is multiplied",
             "Give a folder with the samples of one type"});
    }
    const std::vector<ProfileFile> originals = files;
    for (const ScaledType& scale : scales) {
        if (!types.insert(scale.type).second) {
            throw InputError({source, "", fmt::format("{} a second time", scale.type),
                              "a type that is not there yet", "Choose another name"});
        }
        for (const ProfileFile& file : originals) {
            files.push_back(scaled(file, scale));
        }
    }
}

}  // namespace npunet::planner
