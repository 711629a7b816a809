#include "generators/transformer/model_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/suggest.h"

namespace npunet::generators {

ModelSection::ModelSection(std::string file, std::string prefix, const YAML::Node& node,
                           const std::vector<std::string>& known)
    : file_(std::move(file)), prefix_(std::move(prefix)), node_(node) {
    if (!node_.IsMap()) {
        fail(node_, prefix_.substr(0, prefix_.find('.')), "", "a mapping of keys to values", "");
    }
    check_keys(known);
}

std::int64_t ModelSection::required_integer(const char* key) const {
    if (!has(key)) {
        throw InputError({file_, prefix_ + key, "nothing", "a whole number",
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
    double value = 0.0;
    const std::string text = scalar(key);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value > 0.0) || value > 1e6) {
        refuse(key, fmt::format("'{}'", text), "a number above 0, at most a million");
    }
    return value;
}

bool ModelSection::flag(const char* key, bool otherwise) const {
    return choice<bool>(key, otherwise, {{"true", true}, {"false", false}});
}

std::string ModelSection::scalar(const char* key) const {
    if (!at(key).IsScalar()) {
        refuse(key, "", "a single value");
    }
    return at(key).Scalar();
}

void ModelSection::refuse(const char* key, std::string found, std::string expected,
                          std::string remedy) const {
    fail(at(key), prefix_ + key, std::move(found), std::move(expected), std::move(remedy));
}

void ModelSection::refuse_choice(const char* key, const std::string& text,
                                 const std::vector<std::string>& names) const {
    refuse(key, fmt::format("'{}'", text), fmt::format("one of {}", fmt::join(names, ", ")),
           did_you_mean(text, names));
}

namespace {

std::string described(const YAML::Node& node) {
    if (node.IsScalar()) {
        return fmt::format("'{}'", node.Scalar());
    }
    return node.IsSequence() ? fmt::format("a list of {}", node.size())
           : node.IsMap()    ? "a mapping"
                             : "nothing";
}

}  // namespace

void ModelSection::fail(const YAML::Node& node, const std::string& key, std::string found,
                        std::string expected, std::string remedy) const {
    const std::string line =
        node.Mark().is_null() ? "" : fmt::format("line {}", node.Mark().line + 1);
    if (found.empty()) {
        found = described(node);
    }
    const std::string separator = line.empty() || key.empty() ? "" : ", ";
    throw InputError(
        {file_, line + separator + key, std::move(found), std::move(expected), std::move(remedy)});
}

InputError ModelSection::located(const InputError& error) const {
    InputProblem problem = error.problem();
    YAML::Node node = node_;
    for (std::size_t start = 0; start != std::string::npos;) {
        const std::size_t dot = problem.place.find('.', start);
        const YAML::Node known = node;  // a lookup in one that is not const would add the key
        if (!known.IsMap() || !known[problem.place.substr(start, dot - start)].IsDefined()) {
            return error;
        }
        node.reset(known[problem.place.substr(start, dot - start)]);
        start = dot == std::string::npos ? dot : dot + 1;
    }
    problem.place = fmt::format("line {}, {}", node.Mark().line + 1, problem.place);
    return InputError(std::move(problem));
}

void ModelSection::check_keys(const std::vector<std::string>& known) const {
    std::set<std::string> seen;
    for (const auto& entry : node_) {
        if (!entry.first.IsScalar()) {
            fail(entry.first, prefix_, "a key that is not a word", "a key of a model file", "");
        }
        const std::string key = entry.first.Scalar();
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            fail(entry.first, prefix_ + key, "an unknown key",
                 fmt::format("one of {}", fmt::join(known, ", ")), did_you_mean(key, known));
        }
        if (!seen.insert(key).second) {
            fail(entry.first, prefix_ + key, "the key a second time", "each key once", "");
        }
    }
}

}  // namespace npunet::generators
