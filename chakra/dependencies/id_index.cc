#include "chakra/dependencies/id_index.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace npunet::chakra {

IdIndex::IdIndex(const std::vector<std::uint64_t>& ids) {
    assert(ids.size() < absent);
    if (ids.empty()) {
        return;
    }
    bool counted = true;
    std::uint64_t highest = lowest_ = ids.front();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        counted &= ids[i] - ids.front() == i;
        lowest_ = std::min(lowest_, ids[i]);
        highest = std::max(highest, ids[i]);
    }
    const std::uint64_t span = highest - lowest_;
    if (counted && span == ids.size() - 1) {
        counted_ = ids.size();
    } else if (span / 4 < ids.size()) {
        build_dense(ids, span);
    } else {
        build_sorted(ids);
    }
}

void IdIndex::build_dense(const std::vector<std::uint64_t>& ids, std::uint64_t span) {
    dense_.assign(static_cast<std::size_t>(span) + 1, absent);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        Place& slot = dense_[static_cast<std::size_t>(ids[i] - lowest_)];
        if (slot == absent) {
            slot = static_cast<Place>(i);
        } else {
            duplicates_.push_back({slot, static_cast<Place>(i)});
        }
    }
}

void IdIndex::build_sorted(const std::vector<std::uint64_t>& ids) {
    sorted_places_.resize(ids.size());
    std::iota(sorted_places_.begin(), sorted_places_.end(), Place{0});
    if (!std::is_sorted(ids.begin(), ids.end())) {
        std::sort(sorted_places_.begin(), sorted_places_.end(),
                  [&](Place a, Place b) { return ids[a] != ids[b] ? ids[a] < ids[b] : a < b; });
    }
    std::size_t kept = 0;
    for (const Place place : sorted_places_) {
        if (kept > 0 && ids[sorted_places_[kept - 1]] == ids[place]) {
            duplicates_.push_back({sorted_places_[kept - 1], place});
        } else {
            sorted_places_[kept++] = place;
        }
    }
    sorted_places_.resize(kept);
    sorted_ids_.reserve(kept);
    for (const Place place : sorted_places_) {
        sorted_ids_.push_back(ids[place]);
    }
    std::sort(duplicates_.begin(), duplicates_.end(),
              [](const Duplicate& a, const Duplicate& b) { return a.second < b.second; });
}

IdIndex::Place IdIndex::find_sorted(std::uint64_t id) const {
    const auto found = std::lower_bound(sorted_ids_.begin(), sorted_ids_.end(), id);
    return found != sorted_ids_.end() && *found == id
               ? sorted_places_[static_cast<std::size_t>(found - sorted_ids_.begin())]
               : absent;
}

}  // namespace npunet::chakra
