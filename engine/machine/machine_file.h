// The JSON files of a machine: system.json and remote_memory.json.
//
//     const nlohmann::json document = read_machine_file(path, "a system.json", "Check --system");
//     const JsonObject fields(path, document);  // base/json_object.h
//
// C++17-clean.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace npunet::engine {

/// The object in the file. Throws InputError when the file is missing, not JSON or not an object,
/// and when it is recognised as a file for another option, which the message names.
[[nodiscard]] nlohmann::json read_machine_file(const std::string& path, const char* expected_file,
                                               const char* remedy);

}  // namespace npunet::engine
