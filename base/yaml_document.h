// A YAML document as a whole, with errors that name the file and the line. All readers of YAML get
// theirs here: within limits (base/input_text.h), and with the exceptions of the parser told as
// InputError.
//
//     const YAML::Node root = read_yaml("model.yml", "a model file", "Check the path");
//
// C++17-clean.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>

namespace npunet {

/// The one document of a text; a null node when it has none. `file` is its name in messages.
/// Throws InputError for what is not YAML, several documents, a document beyond the limits, and an
/// alias inside of what it names.
[[nodiscard]] YAML::Node parse_yaml(const std::string& file, const std::string& text);

/// The same for a file; `kind` is what it should be ("a model file"), `remedy` what to do where
/// there is none. Throws InputError besides for a file that is missing, a folder, unreadable, too
/// long or empty.
[[nodiscard]] YAML::Node read_yaml(const std::filesystem::path& file, const std::string& kind,
                                   const std::string& remedy);

}  // namespace npunet
