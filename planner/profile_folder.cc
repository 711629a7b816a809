// read_profiles: what stands in the names of the files and in them.
#include <charconv>
#include <optional>
#include <string_view>

#include "base/ascii.h"
#include "base/errors.h"
#include "base/json_object.h"
#include "planner/profile.h"

namespace npunet::planner {

namespace {

namespace fs = std::filesystem;

constexpr NumberRange milliseconds{0, most_profile_ms};
/// Memory and parameters of a layer, up to one exbibyte.
constexpr NumberRange layer_mebibytes{0, 0x1p40};
constexpr NumberRange layer_bytes{0, 0x1p60};

bool is_word(char letter) {
    return is_digit(letter) || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || letter == '_';
}

/// The shortest word between "DeviceType." and "_"; empty where there is none.
std::string type_in(std::string_view name) {
    constexpr std::string_view before = "DeviceType.";
    for (auto at = name.find(before); at != std::string_view::npos;
         at = name.find(before, at + 1)) {
        const std::string_view rest = name.substr(at + before.size());
        for (std::size_t i = 0; i < rest.size() && is_word(rest[i]); ++i) {
            if (i > 0 && rest[i] == '_') {
                return std::string(rest.substr(0, i));
            }
        }
    }
    return {};
}

/// The number after the first `key` that has one; 0 where there is none or a larger one than any
/// degree or batch.
std::int64_t number_after(std::string_view key, std::string_view name) {
    for (auto at = name.find(key); at != std::string_view::npos; at = name.find(key, at + 1)) {
        const std::string_view rest = name.substr(at + key.size());
        if (!rest.empty() && is_digit(rest.front())) {
            std::int32_t number = 0;
            const auto [end, error] =
                std::from_chars(rest.data(), rest.data() + rest.size(), number);
            return error == std::errc() ? number : 0;
        }
    }
    return 0;
}

LayerProfile profile_in(const fs::path& file) {
    LayerProfile profile;
    profile.file_name = file.filename().string();
    profile.type = type_in(profile.file_name);
    profile.tp = number_after("tp", profile.file_name);
    profile.batch = number_after("bs", profile.file_name);
    if (profile.type.empty() || profile.tp < 1 || profile.batch < 1) {
        throw InputError({file.string(), "name of the file", "'" + profile.file_name + "'",
                          "DeviceType.TYPE_tpT_bsB.json, T and B from 1",
                          "Rename it, or move it to another folder"});
    }
    const auto document =
        read_json_object<nlohmann::ordered_json>(file, {"a profile", "Check the path"});
    const JsonObject root(file, document);
    const JsonObject time = root.object("execution_time");
    profile.layer_ms = time.numbers("layer_compute_total_ms", milliseconds);
    profile.forward_backward_ms = time.number("forward_backward_time_ms", milliseconds);
    profile.optimizer_ms = time.number("optimizer_time_ms", milliseconds);
    profile.batch_generator_ms = time.number("batch_generator_time_ms", milliseconds);
    const JsonObject memory = root.object("execution_memory");
    profile.layer_memory_mib = memory.numbers("layer_memory_total_mb", layer_mebibytes);
    if (memory.contains("layer_activation_mb")) {
        profile.layer_activation_mib = memory.numbers("layer_activation_mb", layer_mebibytes);
    }
    profile.parameter_bytes = root.object("model")
                                  .object("parameters")
                                  .numbers("parameters_per_layer_bytes", layer_bytes);
    return profile;
}

}  // namespace

ProfileSet read_profiles(const fs::path& folder) {
    std::error_code error;
    fs::directory_iterator files(folder, error);
    if (error) {
        throw InputError(
            {folder.string(), "", "no readable folder", "a folder of profiles", "Check the path"});
    }
    std::vector<LayerProfile> profiles;
    for (const fs::directory_entry& entry : files) {
        if (entry.path().extension() == ".json") {
            profiles.push_back(profile_in(entry.path()));
        }
    }
    if (profiles.empty()) {
        throw InputError({folder.string(), "", "no profile",
                          "files named DeviceType.TYPE_tpT_bsB.json", "Check the path"});
    }
    return {std::move(profiles), folder};
}

}  // namespace npunet::planner
