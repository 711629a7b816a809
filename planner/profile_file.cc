#include "planner/profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "base/json_object.h"
#include "base/staged_folder.h"
#include "planner/python_json.h"

namespace npunet::planner {

namespace {

using Json = nlohmann::ordered_json;

/// Doubles up to here that are whole are exact as integers.
constexpr double largest_whole = 9007199254740992.0;

/// Sizes are whole numbers wherever they can be; times never are.
Json size(double value) {
    return value == std::floor(value) && std::abs(value) <= largest_whole
               ? Json(static_cast<std::int64_t>(value))
               : Json(value);
}

Json sizes(const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values) {
        list.push_back(size(value));
    }
    return list;
}

double sum(const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) {
        total += value;
    }
    return total;
}

/// The rest of what stands in the file of a profile.
ProfileFile whole_file(const LayerProfile& profile, const std::filesystem::path& path) {
    for (const auto& [name, list] :
         {std::pair{"layer_compute_total_ms", &profile.layer_ms},
          std::pair{"layer_memory_total_mb", &profile.layer_memory_mib},
          std::pair{"parameters_per_layer_bytes", &profile.parameter_bytes}}) {
        if (list->size() < 3) {
            throw InputError({path.string(), name, fmt::format("{} numbers", list->size()),
                              "at least 3: embedding, blocks, output layer", ""});
        }
    }
    const Json document = read_json_object<Json>(path, {"a profile", "Check the path"});
    const JsonObject root(path, document);
    const JsonObject time = root.object("execution_time");
    const NumberRange milliseconds{0, most_profile_ms};
    ProfileFile file{profile, root.object("model").text("model_name")};
    file.layernorm_all_reduce_ms = time.number("layernorm_grads_all_reduce_time_ms", milliseconds);
    file.embedding_all_reduce_ms = time.number("embedding_grads_all_reduce_time_ms", milliseconds);
    file.between_ms = file.forward_backward_ms - sum(file.layer_ms);
    file.total_ms = sum_of_times(file);
    return file;
}

}  // namespace

double sum_of_times(const ProfileFile& file) {
    return file.forward_backward_ms + file.batch_generator_ms + file.layernorm_all_reduce_ms +
           file.embedding_all_reduce_ms + file.optimizer_ms;
}

std::string name_of(const ProfileFile& file) {
    return fmt::format("DeviceType.{}_tp{}_bs{}.json", file.type, file.tp, file.batch);
}

bool is_type_name(const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    });
}

std::string text_of(const ProfileFile& file) {
    Json document;
    document["model"] = {{"model_name", file.model_name},
                         {"num_layers", file.layer_ms.size()},
                         {"parameters",
                          {{"total_parameters_bytes", size(sum(file.parameter_bytes))},
                           {"parameters_per_layer_bytes", sizes(file.parameter_bytes)}}},
                         {"num_MHA_layers", file.layer_ms.size() - 2}};
    document["execution_time"] = {
        {"total_time_ms", file.total_ms},
        {"forward_backward_time_ms", file.forward_backward_ms},
        {"batch_generator_time_ms", file.batch_generator_ms},
        {"layernorm_grads_all_reduce_time_ms", file.layernorm_all_reduce_ms},
        {"embedding_grads_all_reduce_time_ms", file.embedding_all_reduce_ms},
        {"optimizer_time_ms", file.optimizer_ms},
        {"layer_compute_total_ms", file.layer_ms},
        {"between_forward_backward_time_ms", file.between_ms}};
    Json& memory = document["execution_memory"];
    memory["total_memory"] = size(sum(file.layer_memory_mib));
    memory["layer_memory_total_mb"] = sizes(file.layer_memory_mib);
    if (!file.layer_activation_mib.empty()) {
        memory["layer_activation_mb"] = sizes(file.layer_activation_mib);
    }
    return python_json(document);
}

std::vector<ProfileFile> read_profile_files(const std::filesystem::path& folder) {
    std::vector<ProfileFile> files;
    const ProfileSet profiles = read_profiles(folder);
    for (const LayerProfile& profile : profiles.all()) {
        files.push_back(whole_file(profile, folder / profile.file_name));
    }
    return files;
}

void write_profile_files(const std::vector<ProfileFile>& files,
                         const std::filesystem::path& folder) {
    StagedFolder staged(folder);
    for (const ProfileFile& file : files) {
        AtomicFile written(staged.path() / name_of(file));
        written.stream() << text_of(file);
        written.commit();
    }
    staged.commit();
}

}  // namespace npunet::planner
