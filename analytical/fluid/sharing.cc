#include "analytical/fluid/sharing.h"

#include <algorithm>
#include <cstddef>

namespace npunet::analytical {

namespace {

/// Max-min fairness on one level. Each round, what wants no more than an even part of the rest gets
/// what it wants; in the last one all the others get an even part, rounded down.
template <class Item>
void fill(Item* begin, Item* end, Share total) {
    auto waiting = static_cast<Share>(end - begin);
    for (Item* item = begin; item != end; ++item) {
        item->share = -1;
    }
    Share left = total;
    bool changed = true;
    while (changed && waiting > 0) {
        changed = false;
        const Share even = left / waiting;
        for (Item* item = begin; item != end; ++item) {
            if (item->share < 0 && item->demand <= even) {
                item->share = item->demand;
                left -= item->demand;
                --waiting;
                changed = true;
            }
        }
    }
    const Share even = waiting > 0 ? left / waiting : 0;
    for (Item* item = begin; item != end; ++item) {
        if (item->share < 0) {
            item->share = even;
        }
    }
}

Share sum(Share a, Share b) {
    return a > no_limit - b ? no_limit : a + b;
}

}  // namespace

void Sharer::share(std::vector<Claim>& claims, Share total) {
    if (claims.size() == 1) {
        claims.front().share = std::min(claims.front().demand, total);
        return;
    }
    inputs_.clear();
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (i == 0 || claims[i].input != claims[i - 1].input) {
            inputs_.push_back({i, i, 0, 0});
        }
        inputs_.back().end = i + 1;
        inputs_.back().demand = sum(inputs_.back().demand, claims[i].demand);
    }
    fill(inputs_.data(), inputs_.data() + inputs_.size(), total);
    for (const Input& input : inputs_) {
        fill(claims.data() + input.begin, claims.data() + input.end, input.share);
    }
}

}  // namespace npunet::analytical
