#include "base/json_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/errors.h"
#include "base/suggest.h"
#include "base/units.h"

namespace npunet {

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

namespace {

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

template <class Json>
JsonObject<Json>::JsonObject(std::string file, const Json& object, std::string place)
    : file_(std::move(file)), object_(&object), place_(std::move(place)) {}

template <class Json>
const Json& JsonObject<Json>::at(const std::string& key, const std::string& expected) const {
    const auto found = object_->find(key);
    if (found == object_->end()) {
        throw InputError({file_, place_of(key), "no such key", expected, "Add it"});
    }
    return *found;
}

template <class Json>
JsonObject<Json> JsonObject<Json>::object(const std::string& key) const {
    const Json& found = at(key, "an object");
    if (!found.is_object()) {
        refuse(key, found, "an object", "");
    }
    return {file_, found, place_of(key)};
}

template <class Json>
std::string JsonObject<Json>::text(const std::string& key) const {
    const Json& found = at(key, "a text");
    if (!found.is_string() || found.template get_ref<const std::string&>().empty()) {
        refuse(key, found, "a text in quotes", "");
    }
    return found.template get<std::string>();
}

template <class Json>
double JsonObject<Json>::number(const std::string& key, const NumberRange& range) const {
    return checked(at(key, "a number"), place_of(key), range);
}

template <class Json>
std::vector<double> JsonObject<Json>::numbers(const std::string& key,
                                              const NumberRange& range) const {
    const Json& list = at(key, "a list of numbers");
    if (!list.is_array() || list.empty()) {
        throw InputError({file_, place_of(key),
                          list.is_array() ? "an empty list" : describe_json(list),
                          "a list of numbers", "Give one number a layer"});
    }
    std::vector<double> numbers;
    numbers.reserve(list.size());
    for (const Json& entry : list) {
        numbers.push_back(
            checked(entry, fmt::format("{}[{}]", place_of(key), numbers.size()), range));
    }
    return numbers;
}

template <class Json>
double JsonObject<Json>::checked(const Json& value, std::string place,
                                 const NumberRange& range) const {
    const bool good = value.is_number() && value.template get<double>() >= range.least &&
                      value.template get<double>() <= range.most;
    if (!good) {
        throw InputError({file_, std::move(place), describe_json(value),
                          fmt::format("a number from {:g} to {:g}", range.least, range.most),
                          "Correct the value"});
    }
    return value.template get<double>();
}

template <class Json>
double JsonObject<Json>::quantity(const std::string& key, const JsonUnit& unit, double fallback,
                                  const NumberRange& range) const {
    if (!contains(key)) {
        return fallback;
    }
    const Json& value = (*this)[key];
    double number = value.is_number() ? value.template get<double>() : -1;
    if (value.is_string()) {
        const auto& text = value.template get_ref<const std::string&>();
        const std::string where = file_ + ": " + place_of(key);
        require_unit(text, where, unit);
        number = unit.of_text(text, where);
    }
    const auto in_range = [&](double x) { return x == 0 || (x >= range.least && x <= range.most); };
    if (!in_range(number)) {
        const double meant = number / unit.step;
        refuse(key, value,
               fmt::format("0 (not given) or a number of {} from {} to {}, or with a unit: \"{}\"",
                           unit.name, range.least, range.most, unit.example),
               value.is_number() && number > range.most && in_range(meant)
                   ? fmt::format("Did you mean {}?", meant)
                   : "Correct the value");
    }
    return number;
}

template <class Json>
std::int64_t JsonObject<Json>::integer(const std::string& key, std::int64_t fallback,
                                       std::int64_t least, std::int64_t most) const {
    if (!contains(key)) {
        return fallback;
    }
    const Json& value = (*this)[key];
    if (!value.is_number_integer() || value.template get<std::int64_t>() < least ||
        value.template get<std::int64_t>() > most) {
        refuse(key, value, fmt::format("a whole number from {} to {}", least, most));
    }
    return value.template get<std::int64_t>();
}

template <class Json>
bool JsonObject<Json>::flag(const std::string& key) const {
    if (!contains(key)) {
        return false;
    }
    const Json& value = (*this)[key];
    if (value.is_boolean()) {
        return value.template get<bool>();
    }
    if (value.is_number_integer() && (value == 0 || value == 1)) {
        return value == 1;
    }
    refuse(key, value, "0, 1, true or false");
}

template <class Json>
void JsonObject<Json>::check_keys(const std::vector<std::string>& known,
                                  const std::vector<std::string>& ignored, bool tolerant,
                                  std::vector<std::string>& warnings) const {
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const auto& [key, value] : object_->items()) {
        if (has(known, key) || has(ignored, key)) {
            continue;
        }
        const std::string suggestion = did_you_mean(key, known, "'");
        const std::string remedy = suggestion.empty() ? "Remove it" : suggestion;
        if (!tolerant) {
            throw InputError(
                {file_, place_of(key), "an unknown key", "a key of docs/inputs.md", remedy});
        }
        warnings.push_back(file_ + ": unknown key '" + place_of(key) + "' has no effect. " +
                           remedy);
    }
}

template <class Json>
void JsonObject<Json>::refuse(const std::string& key, const Json& found, std::string expected,
                              std::string remedy) const {
    throw InputError(
        {file_, place_of(key), describe_json(found), std::move(expected), std::move(remedy)});
}

template <class Json>
std::string JsonObject<Json>::place_of(const std::string& key) const {
    return place_.empty() ? key : place_ + ": " + key;
}

template class JsonObject<nlohmann::json>;
template class JsonObject<nlohmann::ordered_json>;

}  // namespace npunet
