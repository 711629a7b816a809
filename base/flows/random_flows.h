// Flows that begin at random, as studies of congestion control have them: each NPU begins flows by
// a Poisson process, whose rate is such that it offers a share of what its links carry.
//
//     FlowTraffic traffic{64, load_sizes("web-search", "--sizes")};
//     traffic.load = 0.5;
//     traffic.rate = parse_rate("100Gbps", "--rate");
//     traffic.duration = Time::ns(10'000'000);
//     const std::vector<RandomFlow> flows = flows_of(traffic, "--");
//
// C++17-clean: used in the ns-3 module.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/flows/size_distribution.h"
#include "base/ids.h"
#include "base/quantities.h"

namespace npunet {

/// Where flows go.
enum class FlowPattern {
    Uniform,     ///< each to another NPU at random
    Permutation  ///< those of an NPU to one other, which receives from no third
};

/// Every pattern with its name: "uniform" first.
[[nodiscard]] const std::vector<std::pair<std::string, FlowPattern>>& flow_patterns();

struct FlowTraffic {
    static constexpr std::int32_t most_npus = 1 << 16;
    static constexpr std::int64_t most_flows = std::int64_t{1} << 22;

    std::int32_t npus = 0;  ///< 2 to most_npus
    SizeDistribution sizes;
    double load = 0.5;   ///< bytes that an NPU offers, without headers, over what `rate` carries
    Rate rate = {};      ///< above 0, of all links of an NPU together
    Time duration = {};  ///< flows begin before
    FlowPattern pattern = FlowPattern::Uniform;
    std::uint64_t seed = 1;
};

struct RandomFlow {
    std::int64_t start_ns = 0;
    Rank source;
    Rank destination;
    std::int64_t bytes = 0;
};

/// By source, then start. Throws InputError for numbers out of range, and where more than
/// most_flows are expected, or none begins; `prefix`: what the names of the numbers begin with in
/// errors.
[[nodiscard]] std::vector<RandomFlow> flows_of(const FlowTraffic& traffic,
                                               const std::string& prefix);

}  // namespace npunet
