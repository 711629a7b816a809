#include "profiles/string_table.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

namespace npunet::profiles {

namespace {

constexpr StringId empty_slot = std::numeric_limits<StringId>::max();
constexpr std::size_t first_slots = 1024;
constexpr std::size_t block_bytes = std::size_t{1} << 16;

}  // namespace

StringTable::StringTable() : slots_(first_slots, empty_slot) {
    intern("");
}

StringId StringTable::intern(std::string_view text) {
    const std::size_t hash = std::hash<std::string_view>{}(text);
    const std::size_t slot = slot_of(text, hash);
    if (slots_[slot] != empty_slot) {
        return slots_[slot];
    }
    const auto id = static_cast<StringId>(texts_.size());
    texts_.push_back(keep(text));
    hashes_.push_back(static_cast<std::uint32_t>(hash));
    slots_[slot] = id;
    if (texts_.size() * 2 > slots_.size()) {
        grow();
    }
    return id;
}

std::optional<StringId> StringTable::find(std::string_view text) const {
    const StringId id = slots_[slot_of(text, std::hash<std::string_view>{}(text))];
    return id == empty_slot ? std::nullopt : std::optional(id);
}

std::size_t StringTable::slot_of(std::string_view text, std::size_t hash) const {
    const auto low = static_cast<std::uint32_t>(hash);
    std::size_t slot = low & (slots_.size() - 1);
    while (slots_[slot] != empty_slot &&
           (hashes_[slots_[slot]] != low || texts_[slots_[slot]] != text)) {
        slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
}

std::string_view StringTable::keep(std::string_view text) {
    if (text.size() > left_ || blocks_.empty()) {
        left_ = std::max(block_bytes, text.size());
        blocks_.push_back(std::make_unique<char[]>(left_));
        if (text.size() >= block_bytes) {
            std::memcpy(blocks_.back().get(), text.data(), text.size());
            left_ = 0;
            return {blocks_.back().get(), text.size()};
        }
    }
    char* place = blocks_.back().get() + (block_bytes - left_);
    std::copy(text.begin(), text.end(), place);
    left_ -= text.size();
    return {place, text.size()};
}

void StringTable::grow() {
    slots_.assign(slots_.size() * 2, empty_slot);
    for (StringId id = 0; id < texts_.size(); ++id) {
        std::size_t slot = hashes_[id] & (slots_.size() - 1);
        while (slots_[slot] != empty_slot) {
            slot = (slot + 1) & (slots_.size() - 1);
        }
        slots_[slot] = id;
    }
}

}  // namespace npunet::profiles
