#include "base/yaml_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "base/errors.h"
#include "base/input_text.h"
#include "base/suggest.h"
#include "base/units.h"
#include "base/yaml_document.h"

namespace npunet {

namespace {

std::string content_of(const std::string& file, const std::string& what) {
    return read_input_text(file, what + " (YAML)", "Check the path");
}

}  // namespace

YamlField::YamlField(std::string file, const YAML::Node& document)
    : YamlField(std::move(file), "", document) {}

YamlField::YamlField(std::string file, std::string path, const YAML::Node& node)
    : file_(std::move(file)), path_(std::move(path)), node_(node) {}

YamlField YamlField::load(const std::string& file, const std::string& what,
                          const std::string& beginning) {
    return parse(file, content_of(file, what), beginning);
}

YamlField YamlField::load_list(const std::string& file, const std::string& what,
                               const std::string& beginning) {
    YamlField root(file, parse_yaml(file, content_of(file, what)));
    if (!root.is_list()) {
        root.refuse(root.found(), "a list", "Begin with '" + beginning + "'");
    }
    return root;
}

YamlField YamlField::parse(const std::string& file, const std::string& text,
                           const std::string& beginning) {
    YamlField root(file, parse_yaml(file, text));
    if (!root.is_map()) {
        root.refuse(root.found(), "keys with values", "Begin with '" + beginning + "'");
    }
    return root;
}

YamlField YamlField::of_text(const std::string& file, const std::string& place,
                             const std::string& text) {
    return YamlField(file, place, YAML::Node(text));
}

YamlField YamlField::with_columns() const {
    YamlField field = *this;
    field.columns_ = true;
    return field;
}

YamlField YamlField::inner(std::string path, const YAML::Node& node) const {
    YamlField field(file_, std::move(path), node);
    field.columns_ = columns_;
    return field;
}

std::optional<YamlField> YamlField::find(const std::string& key) const {
    if (!node_.IsMap()) {
        refuse(found(), "keys with values");
    }
    const YAML::Node value = node_[key];
    if (!value.IsDefined()) {
        return std::nullopt;
    }
    return inner(path_of(key), value);
}

YamlField YamlField::at(const std::string& key) const {
    std::optional<YamlField> field = find(key);
    if (!field) {
        const std::string place = columns_ ? line() + ", " + path_of(key) : path_of(key);
        throw InputError({file_, place, "nothing", fmt::format("the key '{}'", key),
                          fmt::format("Add '{}: ...'", key)});
    }
    return *std::move(field);
}

YamlField YamlField::with_defaults(const YamlField& defaults) const {
    return inner(path_, merged(node_, defaults.node_));
}

YAML::Node YamlField::merged(const YAML::Node& map, const YAML::Node& defaults) {
    if (!map.IsMap() || !defaults.IsMap()) {
        return map;
    }
    YAML::Node all(YAML::NodeType::Map);
    for (const auto& entry : map) {
        const YAML::Node other = defaults[entry.first.Scalar()];
        all.force_insert(entry.first,
                         other.IsDefined() ? merged(entry.second, other) : entry.second);
    }
    for (const auto& entry : defaults) {
        if (!map[entry.first.Scalar()].IsDefined()) {
            all.force_insert(entry.first, entry.second);
        }
    }
    return all;
}

YamlField YamlField::without(const std::string& key) const {
    YAML::Node rest(YAML::NodeType::Map);
    for (const auto& entry : node_) {
        if (!entry.first.IsScalar() || entry.first.Scalar() != key) {
            rest.force_insert(entry.first, entry.second);
        }
    }
    return inner(path_, rest);
}

std::vector<YamlField> YamlField::written_keys() const {
    std::vector<YamlField> fields;
    for (const auto& entry : node_) {
        const bool word = entry.first.IsScalar();
        fields.push_back(inner(word ? path_of(entry.first.Scalar()) : path_, entry.first));
    }
    return fields;
}

std::vector<YamlField> YamlField::keys() const {
    if (!node_.IsMap()) {
        refuse(found(), "keys with values");
    }
    std::vector<YamlField> fields = written_keys();
    std::set<std::string> seen;
    for (const YamlField& key : fields) {
        const std::string& name = key.text("a key");
        if (!seen.insert(name).second) {
            key.refuse(fmt::format("'{}' a second time", name), "every key once");
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
        fields.push_back(inner(fmt::format("{}[{}]", path_, fields.size()), item));
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

Bytes YamlField::size(std::int64_t least, std::int64_t most) const {
    const std::string expected = fmt::format("a size from {} B to {} B", least, most);
    const Bytes bytes = parse_bytes(text(expected), where());
    if (bytes < Bytes(least) || bytes > Bytes(most)) {
        refuse(found(), expected);
    }
    return bytes;
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

std::string YamlField::line() const {
    const YAML::Mark mark = node_.Mark();
    if (mark.line < 0) {
        return "";
    }
    return columns_ ? fmt::format("line {}, column {}", mark.line + 1, mark.column + 1)
                    : fmt::format("line {}", mark.line + 1);
}

std::string YamlField::place() const {
    const std::string at = line();
    if (path_.empty()) {
        return columns_ ? at : "";
    }
    return at.empty() ? path_ : at + ", " + path_;
}

std::string YamlField::path_of(const std::string& key) const {
    return path_.empty() ? key : path_ + "." + key;
}

void YamlField::refuse(const std::string& found, const std::string& expected,
                       const std::string& remedy) const {
    throw InputError({file_, place(), found, expected, remedy});
}

std::string joined(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string one_of(const YamlField& field, const std::vector<std::string>& offered) {
    const std::string& word = field.text("one of " + joined(offered));
    if (std::find(offered.begin(), offered.end(), word) == offered.end()) {
        field.refuse(field.found(), "one of " + joined(offered), did_you_mean(word, offered));
    }
    return word;
}

void check_keys(const YamlField& map, const std::vector<std::string>& known,
                const UnknownKeys& unknown, const std::vector<std::string>& planned) {
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const YamlField& key : map.keys()) {
        const std::string& name = key.text("a key");
        if (has(known, name)) {
            continue;
        }
        if (has(planned, name)) {
            key.refuse(
                fmt::format("'{}', not offered by this version; offered: {}", name, joined(known)),
                "");
        }
        if (!unknown.tolerated) {
            key.refuse(fmt::format("the unknown key '{}'", name), "one of " + joined(known),
                       did_you_mean(name, known));
        }
        if (unknown.warnings != nullptr) {
            unknown.warnings->push_back(
                fmt::format("{}: the unknown key '{}' is left out of account", key.where(), name));
        }
    }
}

}  // namespace npunet
