#include "chakra/validation/validated_groups.h"

#include <fmt/format.h>

#include <algorithm>

namespace npunet::chakra {

ValidatedGroups::ValidatedGroups(std::optional<CommGroups> file) : from_file_(file.has_value()) {
    groups_.push_back({"", std::nullopt, {}});
    if (file) {
        for (auto& [name, members] : *file) {
            numbers_.emplace(name, static_cast<Number>(groups_.size()));
            std::vector<Rank> sorted = members;
            std::sort(sorted.begin(), sorted.end());
            groups_.push_back({name, std::move(members), std::move(sorted)});
        }
    }
}

ValidatedGroups::Number ValidatedGroups::number_of(std::string_view name) {
    if (name.empty()) {
        return world;
    }
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) {
        return found->second;
    }
    if (name == "0") {
        return world;
    }
    if (from_file_) {
        return unknown;
    }
    const auto number = static_cast<Number>(groups_.size());
    numbers_.emplace(name, number);
    groups_.push_back({std::string(name), std::nullopt, {}});
    return number;
}

std::string ValidatedGroups::describe(Number group) const {
    return group == world
               ? "all ranks"
               : fmt::format("communicator '{}'", groups_[static_cast<std::size_t>(group)].name);
}

const std::vector<Rank>* ValidatedGroups::members(Number group) const {
    const auto& members = groups_[static_cast<std::size_t>(group)].members;
    return members ? &*members : nullptr;
}

bool ValidatedGroups::has(Number group, Rank rank) const {
    const Group& known = groups_[static_cast<std::size_t>(group)];
    return !known.members || std::binary_search(known.sorted.begin(), known.sorted.end(), rank);
}

}  // namespace npunet::chakra
