#include "generators/transformer/model_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/errors.h"
#include "base/suggest.h"
#include "generators/transformer/model_file.h"

namespace npunet::generators {

namespace {

/// Of the installed program, PREFIX/bin/npunet; else the one of the sources.
std::filesystem::path models_folder() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path installed =
        program.parent_path().parent_path() / "share/npunet/configs/models";
    return !error && std::filesystem::exists(installed, error) ? installed : NPUNET_MODELS_DIR;
}

bool is_model_file(const std::filesystem::path& path) {
    return path.extension() == ".yml" || path.extension() == ".yaml";
}

}  // namespace

std::vector<std::string> known_models() {
    std::vector<std::string> names;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(models_folder(), missing)) {
        if (is_model_file(entry.path())) {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

ModelSpec load_model(const std::string& name_or_file) {
    if (is_model_file(name_or_file) || name_or_file.find('/') != std::string::npos) {
        return read_model_file(name_or_file);
    }
    const std::vector<std::string> names = known_models();
    if (std::find(names.begin(), names.end(), name_or_file) == names.end()) {
        throw InputError({"--model", "", fmt::format("'{}'", name_or_file),
                          fmt::format("a model file (.yml) or one of {}", fmt::join(names, ", ")),
                          did_you_mean(name_or_file, names)});
    }
    return read_model_file(models_folder() / (name_or_file + ".yml"));
}

}  // namespace npunet::generators
