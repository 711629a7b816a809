#include "generators/transformer/model_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/errors.h"
#include "base/shipped_files.h"
#include "base/suggest.h"
#include "generators/transformer/hf_config.h"
#include "generators/transformer/model_file.h"

namespace npunet::generators {

namespace {

std::filesystem::path models_folder() {
    return shipped_path("configs/models");
}

}  // namespace

std::vector<std::string> known_models() {
    return names_of_files(models_folder(), {".yml"});
}

bool is_model_file(const std::string& name_or_file) {
    return is_file_name(name_or_file, {".yml", ".yaml", ".json"});
}

std::filesystem::path model_file(const std::string& text) {
    const std::filesystem::path path = text;
    std::error_code error;
    return std::filesystem::is_regular_file(path / "config.json", error) ? path / "config.json"
                                                                         : path;
}

bool is_hf_config(const std::filesystem::path& file) {
    return file.extension() == ".json";
}

ModelSpec load_model(const std::string& name_or_file) {
    if (is_model_file(name_or_file)) {
        const std::filesystem::path file = model_file(name_or_file);
        return is_hf_config(file) ? read_hf_config(file) : read_model_file(file);
    }
    const std::vector<std::string> names = known_models();
    if (std::find(names.begin(), names.end(), name_or_file) == names.end()) {
        throw InputError(
            {"--model", "", fmt::format("'{}'", name_or_file),
             fmt::format("a model file (.yml), a config.json or one of {}", fmt::join(names, ", ")),
             did_you_mean(name_or_file, names)});
    }
    return read_model_file(models_folder() / (name_or_file + ".yml"));
}

}  // namespace npunet::generators
