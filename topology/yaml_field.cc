#include "topology/yaml_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "base/errors.h"
#include "base/input_text.h"
#include "base/suggest.h"
#include "base/yaml_document.h"

namespace npunet::topology {

namespace {

std::string content_of(const std::string& file, const std::string& what) {
    return read_input_text(file, what + " (YAML)", "Check the path");
}

}  // namespace

YamlField::YamlField(std::string file, std::string path, YAML::Node node)
    : file_(std::move(file)), path_(std::move(path)), node_(std::move(node)) {}

YamlField YamlField::load(const std::string& file, const std::string& what,
                          const std::string& beginning) {
    return parse(file, content_of(file, what), beginning);
}

YamlField YamlField::load_list(const std::string& file, const std::string& what,
                               const std::string& beginning) {
    YamlField root = document(file, content_of(file, what));
    if (!root.is_list()) {
        root.refuse(root.found(), "a list", "Begin with '" + beginning + "'");
    }
    return root;
}

YamlField YamlField::parse(const std::string& file, const std::string& text,
                           const std::string& beginning) {
    YamlField root = document(file, text);
    if (!root.is_map()) {
        root.refuse(root.found(), "keys with values", "Begin with '" + beginning + "'");
    }
    return root;
}

YamlField YamlField::document(const std::string& file, const std::string& text) {
    return YamlField(file, "", parse_yaml(file, text));
}

YamlField YamlField::of_text(const std::string& file, const std::string& place,
                             const std::string& text) {
    return YamlField(file, place, YAML::Node(text));
}

std::optional<YamlField> YamlField::find(const std::string& key) const {
    if (!node_.IsMap()) {
        refuse(found(), "keys with values");
    }
    const YAML::Node value = node_[key];
    if (!value.IsDefined()) {
        return std::nullopt;
    }
    return YamlField(file_, path_.empty() ? key : path_ + "." + key, value);
}

YamlField YamlField::at(const std::string& key) const {
    std::optional<YamlField> field = find(key);
    if (!field) {
        throw InputError({file_, path_.empty() ? key : path_ + "." + key, "nothing",
                          fmt::format("the key '{}'", key), fmt::format("Add '{}: ...'", key)});
    }
    return *std::move(field);
}

std::vector<YamlField> YamlField::keys() const {
    if (!node_.IsMap()) {
        refuse(found(), "keys with values");
    }
    std::vector<YamlField> fields;
    std::set<std::string> seen;
    for (const auto& entry : node_) {
        const YamlField key(file_, path_, entry.first);
        const std::string& name = key.text("a key");
        fields.push_back(YamlField(file_, path_.empty() ? name : path_ + "." + name, entry.first));
        if (!seen.insert(name).second) {
            fields.back().refuse(fmt::format("'{}' a second time", name), "every key once");
        }
    }
    return fields;
}

std::vector<YamlField> YamlField::items() const {
    if (!node_.IsSequence()) {
        return {*this};
    }
    std::vector<YamlField> fields;
    for (const YAML::Node& item : node_) {
        fields.push_back(YamlField(file_, fmt::format("{}[{}]", path_, fields.size()), item));
    }
    return fields;
}

const std::string& YamlField::text(const std::string& expected) const {
    if (!node_.IsScalar()) {
        refuse(found(), expected);
    }
    return node_.Scalar();
}

std::optional<double> YamlField::number() const {
    if (!node_.IsScalar()) {
        return std::nullopt;
    }
    const std::string& text = node_.Scalar();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

std::int64_t YamlField::whole(std::int64_t least, std::int64_t most,
                              const std::string& expected) const {
    const std::optional<double> value = number();
    if (!value || *value != std::floor(*value) || *value < static_cast<double>(least) ||
        *value > static_cast<double>(most)) {
        refuse(found(), fmt::format("{}, a whole number from {} to {}", expected, least, most));
    }
    return static_cast<std::int64_t>(*value);
}

std::string YamlField::found() const {
    if (node_.IsScalar()) {
        return fmt::format("'{}'", node_.Scalar());
    }
    if (node_.IsSequence()) {
        return fmt::format("a list of {}", node_.size());
    }
    return node_.IsMap() ? "a map" : "nothing";
}

std::string YamlField::place() const {
    const int line = node_.Mark().line;
    if (line < 0 || path_.empty()) {
        return path_;
    }
    return fmt::format("line {}, {}", line + 1, path_);
}

void YamlField::refuse(const std::string& found, const std::string& expected,
                       const std::string& remedy) const {
    throw InputError({file_, place(), found, expected, remedy});
}

std::string joined(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string did_you_mean(const std::string& text, const std::vector<std::string>& known) {
    const std::string name = nearest(text, known);
    return name.empty() ? "" : fmt::format("Did you mean {}?", name);
}

std::string one_of(const YamlField& field, const std::vector<std::string>& offered) {
    const std::string& word = field.text("one of " + joined(offered));
    if (std::find(offered.begin(), offered.end(), word) == offered.end()) {
        field.refuse(field.found(), "one of " + joined(offered), did_you_mean(word, offered));
    }
    return word;
}

}  // namespace npunet::topology
