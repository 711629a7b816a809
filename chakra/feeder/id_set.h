// A set of node ids that is small where ids are dense, as they are in traces.
//
//     IdSet finished;
//     finished.insert(7);
//     if (finished.contains(7)) { ... }
//
// Ids with the same upper 48 bits share a part: at first a sorted list, then a map of 65 536 bits,
// and nothing but a note once the part is full. A trace of a billion nodes with consecutive ids
// takes less than a megabyte; the worst is a bit an id in dense traces, some 100 bytes an id where
// they are scattered over all 64 bits.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace npunet::chakra {

class IdSet {
public:
    IdSet() = default;
    IdSet(const IdSet&) = delete;
    IdSet& operator=(const IdSet&) = delete;

    /// False when the id was there already.
    bool insert(std::uint64_t id);
    [[nodiscard]] bool contains(std::uint64_t id) const;
    [[nodiscard]] std::uint64_t size() const { return size_; }

private:
    /// Ids that differ in their lower 16 bits only.
    struct Part {
        std::uint32_t count = 0;
        std::vector<std::uint16_t> listed;  // while count <= most_listed
        std::vector<std::uint64_t> bits;    // after that, unless the part is full

        bool insert(std::uint16_t low);
        [[nodiscard]] bool contains(std::uint16_t low) const;
    };

    std::map<std::uint64_t, Part> parts_;
    std::uint64_t size_ = 0;
    // The part of the last insertion: ids come in runs.
    std::uint64_t last_key_ = 0;
    Part* last_ = nullptr;
};

}  // namespace npunet::chakra
