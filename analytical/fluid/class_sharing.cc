#include "analytical/fluid/class_sharing.h"

#include <algorithm>
#include <cstddef>

namespace npunet::analytical {

void ClassSharer::share(std::vector<Claim>& claims, Share total) {
    if (classes_.count == 1) {
        sharer_.share(claims, total);
        return;
    }
    std::fill(portions_.begin(), portions_.end(), Portion());
    for (const Claim& claim : claims) {
        Share& demand = portions_[claim.traffic_class].demand;
        demand = claim.demand > no_limit - demand ? no_limit : demand + claim.demand;
    }
    if (classes_.weights.empty()) {
        Share left = total;
        for (Portion& portion : portions_) {
            portion.share = std::min(portion.demand, left);
            left -= portion.share;
        }
    } else {
        share_by_weights(total);
    }
    for (std::uint32_t number = 0; number < classes_.count; ++number) {
        some_.clear();
        for (const Claim& claim : claims) {
            if (claim.traffic_class == number) {
                some_.push_back(claim);
            }
        }
        if (some_.empty()) {
            continue;
        }
        sharer_.share(some_, portions_[number].share);
        std::size_t next = 0;
        for (Claim& claim : claims) {
            if (claim.traffic_class == number) {
                claim.share = some_[next++].share;
            }
        }
    }
}

void ClassSharer::share_by_weights(Share total) {
    constexpr Share open = -1;
    Work weights = 0;
    for (std::size_t i = 0; i < portions_.size(); ++i) {
        portions_[i].share = open;
        weights += classes_.weights[i];
    }
    Share left = total;
    // Each round, classes that want no more than their part of the rest get what they want.
    for (bool changed = true; changed;) {
        changed = false;
        const Share rest = left;
        const Work all = weights;
        for (std::size_t i = 0; i < portions_.size(); ++i) {
            Portion& portion = portions_[i];
            if (portion.share == open &&
                portion.demand <= static_cast<Work>(rest) * classes_.weights[i] / all) {
                portion.share = portion.demand;
                left -= portion.demand;
                weights -= classes_.weights[i];
                changed = true;
            }
        }
        changed = changed && weights > 0;
    }
    for (std::size_t i = 0; i < portions_.size(); ++i) {
        if (portions_[i].share == open) {
            portions_[i].share =
                static_cast<Share>(static_cast<Work>(left) * classes_.weights[i] / weights);
        }
    }
}

}  // namespace npunet::analytical
