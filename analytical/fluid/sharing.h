// How a link divides its time: evenly between the inputs that have something for it, and what an
// input gets evenly between its messages; what one does not need goes to the others (max-min
// fairness on two levels: D. Bertsekas and R. Gallager, Data Networks, 1992, section 6.5.2). This
// is the limit of a round robin of packets over the queues of an output port, for many packets.
//
//     sharer.share(claims);       // sets Claim::share
#pragma once

#include <cstdint>
#include <vector>

#include "analytical/fluid/work.h"

namespace npunet::analytical {

/// Rates that links tell each other are exact to this part of the rate of a link, 2^-9: a link that
/// more comes in for by less than that has no queue to speak of.
constexpr int told_rate_bits = 9;

/// What a message wants of a link.
struct Claim {
    std::uint32_t input = 0;  ///< claims of one input are neighbours
    Share demand = no_limit;
    Share share = 0;  ///< the answer
    std::uint32_t traffic_class = 0;
};

class Sharer {
public:
    /// Shares that add up to `total` at most.
    void share(std::vector<Claim>& claims, Share total = whole_link);

private:
    /// One input: its claims are [begin, end).
    struct Input {
        std::size_t begin = 0;
        std::size_t end = 0;
        Share demand = 0;
        Share share = 0;
    };

    std::vector<Input> inputs_;
};

}  // namespace npunet::analytical
