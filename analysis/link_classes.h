// The links of a run by what they are for (Results::link_classes): how busy each class was, and
// which links were busiest.
//
//     for (const LinkClassUse& use : use_by_class(results)) { use.mean_percent; use.drops; }
//     for (const engine::LinkResult* link : busiest_links(results)) { ... }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/results/results.h"

namespace npunet::analysis {

/// Counts and bytes are sums over the links of a class.
struct LinkClassUse {
    std::string name;
    std::size_t links = 0;
    double mean_percent = 0;  ///< utilization, of all links of the class
    double max_percent = 0;
    Bytes payload;
    Bytes wire;
    Bytes max_queue;    ///< of a link
    Time credit_stall;  ///< sum
    std::uint64_t packets = 0;
    std::uint64_t retransmissions = 0;
    std::uint64_t pauses = 0;
    std::uint64_t marked = 0;
    std::uint64_t drops = 0;
    std::uint64_t notifications = 0;

    void add(const engine::LinkResult& link);
};

/// In the order of Results::link_classes.
[[nodiscard]] std::vector<LinkClassUse> use_by_class(const engine::Results& results);

/// The name of a link's class; empty where it has none.
[[nodiscard]] std::string class_of(const engine::Results& results, const engine::LinkResult& link);

/// Of all links together, without a name.
[[nodiscard]] LinkClassUse use_of_all(const engine::Results& results);

/// Those that carried something, busiest first; of equals the one with more bytes, then the first
/// in the topology. Pointers are into the results.
[[nodiscard]] std::vector<const engine::LinkResult*> busiest_links(const engine::Results& results);

}  // namespace npunet::analysis
