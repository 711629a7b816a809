#include "engine/json_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "base/input_text.h"
#include "base/json_document.h"
#include "base/suggest.h"

namespace npunet::engine {

namespace {

using nlohmann::json;

bool contains(const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

json read_json_object(const std::string& path, const char* expected_file, const char* remedy) {
    json document =
        parse_json<json>(path, read_input_text(path, expected_file, remedy), {"a JSON object", ""});
    if (!document.is_object()) {
        throw InputError({path, "", "JSON that is not an object", "a JSON object", ""});
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

void JsonFields::refuse(const std::string& key, const json& found, std::string expected) const {
    throw InputError({path_, key, describe(found), std::move(expected), "Correct the value"});
}

double JsonFields::number(const char* key, double fallback, double least, double most) const {
    if (!contains(key)) {
        return fallback;
    }
    const json& value = object_[key];
    const double number = value.is_number() ? value.get<double>() : -1;
    if (number != 0 && !(number >= least && number <= most)) {
        refuse(key, value, fmt::format("0 (not given) or a number from {} to {}", least, most));
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
