// Names that occur many times, kept once: a number stands for each.
//
//     NameTable names;
//     const std::uint32_t number = names.number_of("layer_3_weights");
//     names[number];                     // "layer_3_weights"
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace npunet::engine {

class NameTable {
public:
    /// The number of a name, counted from 0 in order of first use.
    [[nodiscard]] std::uint32_t number_of(const std::string& name) {
        const auto [entry, is_new] =
            numbers_.emplace(name, static_cast<std::uint32_t>(names_.size()));
        if (is_new) {
            names_.push_back(name);
        }
        return entry->second;
    }

    [[nodiscard]] const std::string& operator[](std::uint32_t number) const {
        return names_[number];
    }

    /// How many names there are.
    [[nodiscard]] std::size_t size() const { return names_.size(); }

private:
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<std::string> names_;
};

}  // namespace npunet::engine
