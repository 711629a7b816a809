// A YAML file as a whole, with errors that name the file and the line.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>

namespace npunet::generators {

/// `kind` is what the file should be ("a model file"), `remedy` what to do where there is none.
/// Throws InputError for a file that is missing, a folder, unreadable, empty or not YAML.
[[nodiscard]] YAML::Node read_yaml(const std::filesystem::path& file, const std::string& kind,
                                   const std::string& remedy);

}  // namespace npunet::generators
