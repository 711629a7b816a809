// What is wrong with a network: links that are slow, late or down for a while, NPUs that compute
// slowly. The section `faults` of a network.yml, resolved to links and NPUs.
//
//     network.faults.links.push_back({link, Time::ns(500), Time::ns(900), Factor{0}});   // down
//     network.faults.npus.push_back({NodeId(5), Factor{1'300'000'000}});                 // x 1.3
//
// A link fault holds from `at` until just before `until`. Faults of one link that overlap multiply
// their factors, in the order of the list, and add their latencies.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"

namespace npunet::topology {

/// A decimal factor without rounding: 1.3 is 1 300 000 000 billionths. Not negative.
struct Factor {
    static constexpr std::int64_t one = 1'000'000'000;
    std::int64_t billionths = one;
};

struct LinkFault {
    LinkId link;
    Time at;
    Time until = Time::max();  ///< Time::max(): for ever
    Factor bandwidth;          ///< of the link's rate, up to 1000; 0: the link is down
    Time latency_add;
};

struct NpuFault {
    NodeId npu;
    Factor slowdown;  ///< of every compute time; positive
};

struct Faults {
    std::vector<LinkFault> links;
    std::vector<NpuFault> npus;  ///< each NPU at most once

    [[nodiscard]] bool empty() const { return links.empty() && npus.empty(); }
    /// Whether some link is down at some time.
    [[nodiscard]] bool take_links_down() const {
        for (const LinkFault& fault : links) {
            if (fault.bandwidth.billionths == 0) {
                return true;
            }
        }
        return false;
    }
};

/// The rate of a slowed link: rate x factor, rounded to the nearest byte per second and at least 1,
/// at most 4 x 10^18; 0 when the factor is 0.
[[nodiscard]] constexpr std::int64_t scaled_rate(std::int64_t bytes_per_second, Factor factor) {
    __extension__ using Wide = unsigned __int128;
    constexpr Wide most = 4'000'000'000'000'000'000ULL;
    if (bytes_per_second == 0 || factor.billionths == 0) {
        return 0;
    }
    const Wide product = static_cast<Wide>(bytes_per_second) * static_cast<Wide>(factor.billionths);
    const Wide rounded = (product + Factor::one / 2) / Factor::one;
    return static_cast<std::int64_t>(rounded < 1 ? Wide{1} : rounded > most ? most : rounded);
}

/// span x factor, rounded up to a picosecond; clamped to Time::max().
[[nodiscard]] constexpr Time scaled_time(Time span, Factor factor) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(span.ps()) * static_cast<Wide>(factor.billionths);
    const Wide rounded = (product + Factor::one - 1) / Factor::one;
    return rounded > static_cast<Wide>(Time::max().ps())
               ? Time::max()
               : Time::ps(static_cast<std::int64_t>(rounded));
}

}  // namespace npunet::topology
