// The choice among next hops that a topology::MultipathRouter offers: the one whose link would have
// sent the packet first, weighted; a failed link only if all candidates have failed; of equals the
// first. The rule is that of topology/routing/multipath.h.
//
//     LeastCost choice;
//     for (const topology::OfferedHop& offered : offers) {
//         choice.consider(offered, {up, busy, bytes, rate});
//     }
//     path.hop = choice.best()->hop;
#pragma once

#include "packet/base/constants.h"

#include "base/quantities.h"
#include "topology/routing/multipath.h"

#include <cstdint>

namespace npunet::packet {

/// Of the link of an offered next hop, at the time of the choice.
struct LinkLoad {
    bool up = true;
    std::int64_t busy = 0;   ///< of the packet that is being sent, in ps; 0: none
    std::int64_t bytes = 0;  ///< waiting, with those of the packet that chooses and headers
    Rate rate;
};

class LeastCost {
public:
    void consider(const topology::OfferedHop& offered, const LinkLoad& load) {
        const std::int64_t drained =
            later(Time::ps(load.busy), transfer_time(Bytes(load.bytes), load.rate)).ps();
        const std::int64_t cost =
            drained > never / offered.weight ? never - 1 : drained * offered.weight;
        if (best_ == nullptr || (load.up && !best_is_up_) ||
            (load.up == best_is_up_ && cost < least_)) {
            best_ = &offered;
            least_ = cost;
            best_is_up_ = load.up;
        }
    }

    /// Null before the first candidate.
    const topology::OfferedHop* best() const { return best_; }
    bool best_is_up() const { return best_is_up_; }

private:
    const topology::OfferedHop* best_ = nullptr;
    std::int64_t least_ = never;
    bool best_is_up_ = false;
};

}  // namespace npunet::packet
