#include "planner/json_document.h"

#include <fmt/format.h>

#include <utility>

#include "base/errors.h"
#include "base/json_document.h"

namespace npunet::planner {

namespace {

using Json = nlohmann::ordered_json;

/// Lists and objects only by their type: printing one is recursive.
std::string description_of(const Json& value) {
    return value.is_structured() ? fmt::format("an {}", value.type_name()) : value.dump();
}

}  // namespace

Json read_json_document(const std::filesystem::path& file, const std::string& expected) {
    Json document = read_json<Json>(file, {expected, "Check the path"});
    if (!document.is_object()) {
        throw InputError({file.string(), "", "JSON that is not an object", expected, ""});
    }
    return document;
}

JsonObject::JsonObject(const std::filesystem::path& file, const Json& object, std::string place)
    : file_(&file), object_(&object), place_(std::move(place)) {}

std::string JsonObject::place_of(const std::string& key) const {
    return place_.empty() ? key : place_ + ": " + key;
}

const Json& JsonObject::value(const std::string& key, const std::string& expected) const {
    const auto found = object_->find(key);
    if (found == object_->end()) {
        throw InputError({file_->string(), place_of(key), "no such key", expected, "Add it"});
    }
    return *found;
}

JsonObject JsonObject::object(const std::string& key) const {
    const Json& found = value(key, "an object");
    if (!found.is_object()) {
        throw InputError({file_->string(), place_of(key), description_of(found), "an object", ""});
    }
    return {*file_, found, place_of(key)};
}

std::string JsonObject::text(const std::string& key) const {
    const Json& found = value(key, "a text");
    if (!found.is_string() || found.get_ref<const std::string&>().empty()) {
        throw InputError(
            {file_->string(), place_of(key), description_of(found), "a text in quotes", ""});
    }
    return found.get<std::string>();
}

double JsonObject::checked(const Json& value, const std::string& place,
                           const NumberRange& range) const {
    const bool good = value.is_number() && value.get<double>() >= range.least &&
                      value.get<double>() <= range.most;
    if (!good) {
        throw InputError({file_->string(), place, description_of(value),
                          fmt::format("a number from {:g} to {:g}", range.least, range.most),
                          "Correct the value"});
    }
    return value.get<double>();
}

double JsonObject::number(const std::string& key, const NumberRange& range) const {
    return checked(value(key, "a number"), place_of(key), range);
}

std::vector<double> JsonObject::numbers(const std::string& key, const NumberRange& range) const {
    const Json& list = value(key, "a list of numbers");
    if (!list.is_array() || list.empty()) {
        throw InputError({file_->string(), place_of(key),
                          list.is_array() ? "an empty list" : description_of(list),
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

}  // namespace npunet::planner
