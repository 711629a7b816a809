#include "engine/json_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/errors.h"
#include "base/input_text.h"
#include "base/json_document.h"
#include "base/suggest.h"
#include "base/units.h"

namespace npunet::engine {

namespace {

using nlohmann::json;

bool contains(const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

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

/// A string without a unit is ambiguous.
void require_unit(std::string_view text, const std::string& where, const JsonUnit& unit) {
    if (text.empty() || !is_letter(text.back())) {
        throw InputError(
            {where, "", fmt::format("'{}'", text),
             fmt::format("a number of {}, or with a unit: \"{}\"", unit.name, unit.example),
             "Write the number without quotes, or with its unit"});
    }
}

}  // namespace

namespace json_units {

const JsonUnit tflops{"TFLOP/s (10^12 operations per second)", "989 TFLOPS", 1e12, parse_tflops};
const JsonUnit gigabytes{"GB", "80GB", 1e9, [](std::string_view text, std::string_view where) {
                             return static_cast<double>(parse_bytes(text, where).value()) / 1e9;
                         }};
const JsonUnit gigabytes_per_second{
    "GB/s", "3.35TB/s", 1e9, [](std::string_view text, std::string_view where) {
        return static_cast<double>(parse_rate(text, where).bytes_per_second()) / 1e9;
    }};
const JsonUnit nanoseconds{"ns", "0.5us", 1, [](std::string_view text, std::string_view where) {
                               return static_cast<double>(parse_time(text, where).ps()) / 1e3;
                           }};

}  // namespace json_units

json read_json_object(const std::string& path, const char* expected_file, const char* remedy) {
    const std::string text = read_input_text(path, expected_file, remedy);
    refuse_yaml(path, text, expected_file);
    json document = parse_json<json>(path, text, {"a JSON object", ""});
    if (!document.is_object()) {
        throw InputError({path, "", "JSON that is not an object", "a JSON object", ""});
    }
    if (has_groups_alone(document)) {
        throw InputError({path, document.begin().key(), "communicator groups", expected_file,
                          "Groups go with --comm-group"});
    }
    return document;
}

void check_json_keys(const std::string& path, const json& document,
                     const std::vector<std::string>& known, const std::vector<std::string>& ignored,
                     bool tolerant, std::vector<std::string>& warnings) {
    for (const auto& [key, value] : document.items()) {
        if (contains(known, key) || contains(ignored, key)) {
            continue;
        }
        const std::string suggestion = did_you_mean(key, known, "'");
        const std::string remedy = suggestion.empty() ? "Remove it" : suggestion;
        if (!tolerant) {
            throw InputError({path, key, "an unknown key", "a key of docs/inputs.md", remedy});
        }
        warnings.push_back(path + ": unknown key '" + key + "' has no effect. " + remedy);
    }
}

std::string describe(const json& value) {
    return value.is_structured() ? fmt::format("an {}", value.type_name()) : value.dump();
}

void JsonFields::refuse(const std::string& key, const json& found, std::string expected,
                        const std::string& remedy) const {
    throw InputError({path_, key, describe(found), std::move(expected), remedy});
}

double JsonFields::quantity(const char* key, const JsonUnit& unit, double fallback, double least,
                            double most) const {
    if (!contains(key)) {
        return fallback;
    }
    const json& value = object_[key];
    double number = value.is_number() ? value.get<double>() : -1;
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        const std::string where = path_ + ": " + key;
        require_unit(text, where, unit);
        number = unit.of_text(text, where);
    }
    const auto in_range = [&](double x) { return x == 0 || (x >= least && x <= most); };
    if (!in_range(number)) {
        const double meant = number / unit.step;
        refuse(key, value,
               fmt::format("0 (not given) or a number of {} from {} to {}, or with a unit: \"{}\"",
                           unit.name, least, most, unit.example),
               value.is_number() && number > most && in_range(meant)
                   ? fmt::format("Did you mean {}?", meant)
                   : "Correct the value");
    }
    return number;
}

std::int64_t JsonFields::integer(const char* key, std::int64_t fallback, std::int64_t least,
                                 std::int64_t most) const {
    if (!contains(key)) {
        return fallback;
    }
    const json& value = object_[key];
    if (!value.is_number_integer() || value.get<std::int64_t>() < least ||
        value.get<std::int64_t>() > most) {
        refuse(key, value, fmt::format("a whole number from {} to {}", least, most));
    }
    return value.get<std::int64_t>();
}

bool JsonFields::flag(const char* key) const {
    if (!contains(key)) {
        return false;
    }
    const json& value = object_[key];
    if (value.is_boolean()) {
        return value.get<bool>();
    }
    if (value.is_number_integer() && (value == 0 || value == 1)) {
        return value == 1;
    }
    refuse(key, value, "0, 1, true or false");
}

}  // namespace npunet::engine
