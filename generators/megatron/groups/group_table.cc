#include "generators/megatron/groups/group_table.h"

namespace npunet::generators::megatron {

namespace {

/// FNV-1a over the ranks.
std::uint64_t hash_of(const std::vector<Rank>& ranks) {
    std::uint64_t hash = 14695981039346656037U;
    for (const Rank rank : ranks) {
        hash = (hash ^ static_cast<std::uint64_t>(rank.value())) * 1099511628211U;
    }
    return hash;
}

}  // namespace

std::optional<std::int32_t> GroupTable::find(const std::vector<Rank>& ranks) const {
    const auto [begin, end] = numbers_.equal_range(hash_of(ranks));
    for (auto it = begin; it != end; ++it) {
        if (lists_[static_cast<std::size_t>(it->second)] == ranks) {
            return it->second;
        }
    }
    return std::nullopt;
}

std::int32_t GroupTable::add(const std::vector<Rank>& ranks) {
    if (const std::optional<std::int32_t> known = find(ranks)) {
        return *known;
    }
    const std::int32_t number = size();
    lists_.push_back(ranks);
    numbers_.emplace(hash_of(ranks), number);
    return number;
}

}  // namespace npunet::generators::megatron
