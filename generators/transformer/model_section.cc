#include "generators/transformer/model_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/suggest.h"

namespace npunet::generators {

ModelSection::ModelSection(YamlField map, const std::vector<std::string>& known)
    : map_(std::move(map)), prefix_(map_.path().empty() ? "" : map_.path() + ".") {
    if (!map_.is_map()) {
        fail(map_, map_.path(), "", "a mapping of keys to values", "");
    }
    check_keys(known);
}

std::int64_t ModelSection::required_integer(const char* key) const {
    if (!has(key)) {
        throw InputError({map_.file(), prefix_ + key, "nothing", "a whole number",
                          fmt::format("Add the line '{}: NUMBER'{}", key,
                                      prefix_.empty() ? "" : " below " + prefix_)});
    }
    return integer(key, 0);
}

std::int64_t ModelSection::integer(const char* key, std::int64_t otherwise) const {
    if (!has(key)) {
        return otherwise;
    }
    std::int64_t value = 0;
    const std::string text = scalar(key);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        refuse(key, fmt::format("'{}'", text), "a whole number");
    }
    return value;
}

double ModelSection::positive_number(const char* key, double otherwise) const {
    if (!has(key)) {
        return otherwise;
    }
    const std::string text = scalar(key);
    const std::optional<double> value = at(key).number();
    if (!value || !(*value > 0.0) || *value > 1e6) {
        refuse(key, fmt::format("'{}'", text), "a number above 0, at most a million");
    }
    return *value;
}

bool ModelSection::flag(const char* key, bool otherwise) const {
    return choice<bool>(key, otherwise, {{"true", true}, {"false", false}});
}

std::string ModelSection::scalar(const char* key) const {
    if (!at(key).is_text()) {
        refuse(key, "", "a single value");
    }
    return at(key).text("");
}

void ModelSection::refuse(const char* key, std::string found, std::string expected,
                          std::string remedy) const {
    fail(at(key), prefix_ + key, std::move(found), std::move(expected), std::move(remedy));
}

void ModelSection::refuse_choice(const char* key, const std::string& text,
                                 const std::vector<std::string>& names) const {
    refuse(key, fmt::format("'{}'", text), "one of " + joined(names), did_you_mean(text, names));
}

void ModelSection::fail(const YamlField& field, const std::string& name, std::string found,
                        std::string expected, std::string remedy) const {
    const std::string line = field.line();
    if (found.empty()) {
        found = field.is_map() ? "a mapping" : field.found();
    }
    const std::string separator = line.empty() || name.empty() ? "" : ", ";
    throw InputError({map_.file(), line + separator + name, std::move(found), std::move(expected),
                      std::move(remedy)});
}

InputError ModelSection::located(const InputError& error) const {
    InputProblem problem = error.problem();
    std::optional<YamlField> field = map_;
    for (std::size_t start = 0; start != std::string::npos;) {
        const std::size_t dot = problem.place.find('.', start);
        const auto value =
            field->is_map() ? field->find(problem.place.substr(start, dot - start)) : std::nullopt;
        if (!value) {
            return error;
        }
        field.emplace(*value);  // to assign a node is to change the document
        start = dot == std::string::npos ? dot : dot + 1;
    }
    problem.place = fmt::format("{}, {}", field->line(), problem.place);
    return InputError(std::move(problem));
}

void ModelSection::check_keys(const std::vector<std::string>& known) const {
    std::set<std::string> seen;
    for (const YamlField& key : map_.written_keys()) {
        if (!key.is_text()) {
            fail(key, prefix_, "a key that is not a word", "a key of a model file", "");
        }
        const std::string& name = key.text("");
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            fail(key, key.path(), "an unknown key", "one of " + joined(known),
                 did_you_mean(name, known));
        }
        if (!seen.insert(name).second) {
            fail(key, key.path(), "the key a second time", "each key once", "");
        }
    }
}

}  // namespace npunet::generators
