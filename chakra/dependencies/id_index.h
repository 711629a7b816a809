// Node ids, which are any 64-bit numbers, to the places of the nodes in their file.
//
//     const IdIndex index(ids);                       // in the order of the file
//     const IdIndex::Place place = index.find(4711);  // IdIndex::absent when there is none
//     for (const IdIndex::Duplicate& again : index.duplicates()) { ... }
//
// Most traces count their nodes: those need no table at all; nearly consecutive ids take 4 bytes an
// id, scattered ones 12 and a binary search.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace npunet::chakra {

class IdIndex {
public:
    using Place = std::uint32_t;
    static constexpr Place absent = std::numeric_limits<Place>::max();

    /// Two nodes of one id.
    struct Duplicate {
        Place first = 0;   ///< the node that find() gives
        Place second = 0;  ///< one that stands later
    };

    IdIndex() = default;
    /// Fewer than 2^32 - 1 ids.
    explicit IdIndex(const std::vector<std::uint64_t>& ids);

    /// The first node of this id; absent when there is none.
    [[nodiscard]] Place find(std::uint64_t id) const {
        const std::uint64_t offset = id - lowest_;  // wraps to a large number when id < lowest_
        if (counted_ > 0) {
            return offset < counted_ ? static_cast<Place>(offset) : absent;
        }
        if (!dense_.empty()) {
            return offset < dense_.size() ? dense_[static_cast<std::size_t>(offset)] : absent;
        }
        return find_sorted(id);
    }

    /// Every node whose id an earlier one has, in the order of the file.
    [[nodiscard]] const std::vector<Duplicate>& duplicates() const { return duplicates_; }

private:
    void build_dense(const std::vector<std::uint64_t>& ids, std::uint64_t span);
    void build_sorted(const std::vector<std::uint64_t>& ids);
    [[nodiscard]] Place find_sorted(std::uint64_t id) const;

    std::uint64_t lowest_ = 0;
    std::size_t counted_ = 0;   // ids are lowest_, lowest_ + 1, ...: so many; else 0
    std::vector<Place> dense_;  // by id - lowest_
    std::vector<std::uint64_t> sorted_ids_;
    std::vector<Place> sorted_places_;
    std::vector<Duplicate> duplicates_;
};

}  // namespace npunet::chakra
