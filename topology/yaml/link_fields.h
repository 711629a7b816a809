// Bandwidths and latencies of links, as every section of a network.yml writes them.
//
//     LinkSpeed speed{bandwidth_at(entry.at("bandwidth"), gigabyte).rate,
//                     latency_at(entry.at("latency")).time};
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/quantities.h"
#include "base/yaml_field.h"
#include "topology/graph/graph.h"
#include "topology/network/network_description.h"

namespace npunet::topology {

struct Bandwidth {
    Rate rate;
    double gbps = 0;  ///< in the file's GB/s
};

struct Latency {
    Time time;
    double ns = 0;
};

/// Of a link, in bytes per second: 1000 TB/s, a thousand times what links of our day have. Numbers
/// beyond it are mostly bytes per second that stand for GB/s.
constexpr std::int64_t most_link_rate = 1'000'000'000'000'000;

/// A plain number counts in the file's GB/s; above 0, at most most_link_rate.
[[nodiscard]] Bandwidth bandwidth_at(const YamlField& field, GigaByte gigabyte);

/// Of a link: 1000 s.
constexpr double most_latency_ns = 1e12;

/// A plain number counts in ns; 0 to most_latency_ns.
[[nodiscard]] Latency latency_at(const YamlField& field);

/// The keys `bandwidth` and `latency` of a section with one value for each of the `places`
/// ("host", "up1", ...), or one value for all of them.
[[nodiscard]] std::vector<LinkSpeed> link_speeds_at(const YamlField& section, GigaByte gigabyte,
                                                    const std::vector<std::string>& places);

}  // namespace npunet::topology
