// How a link divides its time between traffic classes, and what a class gets between its inputs.
// Strict: the lowest class takes what it wants, the next ones what is left. By weights: max-min
// fairness in proportion to them, the limit of start-time fair queueing for many packets
// (docs/models.md, "Traffic classes").
//
//     ClassSharer sharer(description.packet.classes);
//     sharer.share(claims, whole_link);       // sets Claim::share
#pragma once

#include <cstdint>
#include <vector>

#include "analytical/fluid/sharing.h"
#include "analytical/fluid/work.h"
#include "topology/parameters/traffic_classes.h"

namespace npunet::analytical {

class ClassSharer {
public:
    /// The classes must outlive the sharer.
    explicit ClassSharer(const topology::TrafficClasses& classes)
        : classes_(classes), portions_(classes.count) {}

    /// Shares that add up to `total` at most.
    void share(std::vector<Claim>& claims, Share total);

private:
    /// Of a class.
    struct Portion {
        Share demand = 0;
        Share share = 0;
    };

    void share_by_weights(Share total);

    const topology::TrafficClasses& classes_;
    std::vector<Portion> portions_;
    std::vector<Claim> some_;
    Sharer sharer_;
};

}  // namespace npunet::analytical
