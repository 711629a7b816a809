#include "planner/metis/multiset_permutations.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace npunet::planner::metis {

MultisetPermutations::MultisetPermutations(std::vector<int> items) : value_(std::move(items)) {
    std::sort(value_.begin(), value_.end(), std::greater<>());
    const int count = static_cast<int>(value_.size());
    for (int node = 0; node < count; ++node) {
        next_.push_back(node + 1 < count ? node + 1 : none);
    }
    i_ = std::max(0, count - 2);
    j_ = count - 1;
}

bool MultisetPermutations::next() {
    if (after(j_) == none && value(j_) >= value(head_)) {
        return false;
    }
    const int s = after(j_) != none && value(i_) >= value(after(j_)) ? j_ : i_;
    const int moved = after(s);
    after(s) = after(moved);
    after(moved) = head_;
    if (value(moved) < value(head_)) {
        i_ = moved;
    }
    j_ = after(i_);
    head_ = moved;
    return true;
}

}  // namespace npunet::planner::metis
