// Texts that are kept once and known by number.
//
//     StringTable strings;
//     const StringId name = strings.intern("aten::mm");     // the same text, the same number
//     strings[name];                                        // "aten::mm"
//
// Number 0 is the empty text. Views stay valid as long as the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace npunet::profiles {

/// The number of a text in its StringTable.
using StringId = std::uint32_t;

class StringTable {
public:
    StringTable();

    /// The number of a text, a new one when it was not there.
    StringId intern(std::string_view text);
    /// The number of a text; none when it is not there.
    [[nodiscard]] std::optional<StringId> find(std::string_view text) const;

    [[nodiscard]] std::string_view operator[](StringId id) const { return texts_[id]; }
    /// Numbers are below this.
    [[nodiscard]] std::size_t size() const { return texts_.size(); }

private:
    [[nodiscard]] std::size_t slot_of(std::string_view text, std::size_t hash) const;
    [[nodiscard]] std::string_view keep(std::string_view text);
    void grow();

    std::vector<std::string_view> texts_;
    std::vector<std::uint32_t> hashes_;  ///< the low bits, which spare most comparisons
    std::vector<StringId> slots_;        ///< open addressing; a power of two of them
    std::vector<std::unique_ptr<char[]>> blocks_;
    std::size_t left_ = 0;  ///< free characters of the last block
};

}  // namespace npunet::profiles
