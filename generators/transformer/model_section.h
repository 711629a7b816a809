// One mapping of a model file: looks keys up, converts values, and says where what is wrong.
//
//     const ModelSection moe(model.at("moe"), {"experts", "top_k"});
//     const std::int64_t experts = moe.required_integer("experts");
//
// Everything throws InputError with the file, the line and the key.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/yaml_field.h"

namespace npunet::generators {

class ModelSection {
public:
    /// Refuses what is not a mapping, a key that is not in `known`, and a key twice.
    ModelSection(YamlField map, const std::vector<std::string>& known);

    [[nodiscard]] bool has(const char* key) const { return map_.find(key).has_value(); }
    [[nodiscard]] YamlField at(const char* key) const { return map_.at(key); }

    [[nodiscard]] std::int64_t required_integer(const char* key) const;
    [[nodiscard]] std::int64_t integer(const char* key, std::int64_t otherwise) const;
    /// A finite number above 0.
    [[nodiscard]] double positive_number(const char* key, double otherwise) const;
    [[nodiscard]] bool flag(const char* key, bool otherwise) const;
    /// The text of a single value.
    [[nodiscard]] std::string scalar(const char* key) const;

    template <class T>
    [[nodiscard]] T choice(const char* key, T otherwise,
                           const std::vector<std::pair<std::string, T>>& choices) const {
        if (!has(key)) {
            return otherwise;
        }
        const std::string text = scalar(key);
        std::vector<std::string> names;
        for (const auto& [name, value] : choices) {
            if (name == text) {
                return value;
            }
            names.push_back(name);
        }
        refuse_choice(key, text, names);
    }

    /// Refuses the value of a key.
    [[noreturn]] void refuse(const char* key, std::string found, std::string expected,
                             std::string remedy = "") const;

    /// The error with the line of the key that it names ("hidden", "moe.top_k"), where that stands
    /// in this section or one below it.
    [[nodiscard]] InputError located(const InputError& error) const;

private:
    /// An empty `found` is the field itself.
    [[noreturn]] void fail(const YamlField& field, const std::string& name, std::string found,
                           std::string expected, std::string remedy) const;
    [[noreturn]] void refuse_choice(const char* key, const std::string& text,
                                    const std::vector<std::string>& names) const;
    void check_keys(const std::vector<std::string>& known) const;

    YamlField map_;
    std::string prefix_;  ///< stands before keys in messages: "moe."
};

}  // namespace npunet::generators
