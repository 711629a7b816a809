// The same network with links of other rates and latencies: what a run asks that wants to know what
// faster links would bring.
//
//     for (const LinkGroup& group : link_groups(network)) {
//         const NetworkDescription faster = with_rates(network, group.links, twice);
//     }
//
// Nodes, routes, buffers and thresholds that network.yml gives as numbers stay; those that it
// leaves to be derived from rates and latencies follow. C++17-clean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/network/faults.h"
#include "topology/network/network_description.h"

namespace npunet::topology {

/// Links that one would replace together.
struct LinkGroup {
    enum class Kind : std::uint8_t {
        All,  ///< of a network whose links are of one tier, or of equal dimensions
        /// Those within servers: of NetworkDescription::scale_up, or as it would be. Of a product
        /// without it: dimension 0 of two, of which the other one is a Switch with slower links.
        ScaleUp,
        ScaleOut,   ///< the others, up to the outermost switches
        Dimension,  ///< of a product whose dimensions have different links
    };

    Kind kind = Kind::All;
    std::vector<std::string> classes;  ///< names of topology/network/link_kinds.h
    std::vector<bool> links;           ///< by link
};

/// From the inside to the outside; together all links, each once. None without links.
[[nodiscard]] std::vector<LinkGroup> link_groups(const NetworkDescription& network);

/// These links at this multiple of their rate, as is the rate at which switches add up that have
/// one of them. `links` by link; `factor` is positive.
[[nodiscard]] NetworkDescription with_rates(const NetworkDescription& network,
                                            const std::vector<bool>& links, Factor factor);

/// All links, and switches that add up, at this multiple of their latency.
[[nodiscard]] NetworkDescription with_latencies(const NetworkDescription& network, Factor factor);

}  // namespace npunet::topology
