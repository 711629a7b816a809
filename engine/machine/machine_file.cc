#include "engine/machine/machine_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/errors.h"
#include "base/input_text.h"
#include "base/json_document.h"
#include "topology/yaml/machine.h"

namespace npunet::engine {

namespace {

using nlohmann::json;

/// Start of the first line that is not empty, a comment or a YAML document marker.
std::size_t begin_of_content(const std::string& text) {
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t first = text.find_first_not_of(" \t\r\n", begin);
        if (first == std::string::npos) {
            return text.size();
        }
        if (text[first] != '#' && text.compare(first, 3, "---") != 0) {
            return first;
        }
        begin = std::min(text.find('\n', first), text.size());
    }
    return begin;
}

/// JSON documents begin with a bracket and keys are quoted; YAML has unquoted keys.
void refuse_yaml(const std::string& path, const std::string& text, const char* expected_file) {
    std::size_t at = begin_of_content(text);
    if (at < text.size() && text[at] == '{') {
        at = std::min(text.find_first_not_of(" \t\r\n", at + 1), text.size());
    }
    const std::size_t colon = std::min(text.find(':', at), text.size());
    const std::string key = text.substr(at, colon - at);
    const bool word = std::all_of(key.begin(), key.end(), [](char c) {
        return is_letter(c) || is_digit(c) || c == '-' || c == '_';
    });
    if (colon == text.size() || key.empty() || !is_letter(key.front()) || !word) {
        return;
    }
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    const bool network = key == "topology" || key == "npus_count";
    throw InputError({path, fmt::format("line {}, {}", line, key), "YAML",
                      fmt::format("{} in JSON, such as {{\"{}\": 1}}", expected_file,
                                  network ? "peak-perf" : key),
                      network ? "A network goes with --network"
                              : "Put braces around it all, quotes around keys and words, commas "
                                "between the entries"});
}

/// Whether the document is a group file: {"1": [0, 1], "2": [2, 3]}
bool has_groups_alone(const json& document) {
    return !document.empty() &&
           std::all_of(document.begin(), document.end(), [](const json& value) {
               return value.is_array() && !value.empty() &&
                      std::all_of(value.begin(), value.end(),
                                  [](const json& rank) { return rank.is_number_integer(); });
           });
}

}  // namespace

json read_machine_file(const std::string& path, const char* expected_file, const char* remedy) {
    const std::string text = topology::names_machine(path)
                                 ? topology::read_machine(path, "--system").system
                                 : read_input_text(path, expected_file, remedy);
    refuse_yaml(path, text, expected_file);
    json document = parse_json_object<json>(path, text, {"a JSON object", ""});
    if (has_groups_alone(document)) {
        throw InputError({path, document.begin().key(), "communicator groups", expected_file,
                          "Groups go with --comm-group"});
    }
    return document;
}

}  // namespace npunet::engine
