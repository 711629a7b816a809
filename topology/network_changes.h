// A network.yml of which some keys are said elsewhere, on a command line say.
//
//     NetworkChanges changes;
//     changes.placement = "snake";
//     NetworkDescription network =
//         read_network("net.yml", GigaByte::Decimal, false, nullptr, changes);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/network_description.h"

namespace npunet::topology {

/// What stands instead of what the file says.
struct NetworkChanges {
    /// linear, snake, NPUs with commas between them, or a file with such a list, relative to the
    /// working directory; empty: as the file says. `placement_from` names the place in errors.
    std::string placement;
    std::string placement_from = "--placement";
    std::optional<std::uint64_t> seed;  ///< packet.seed, at most 2^53
};

/// read_network() with changes.
[[nodiscard]] NetworkDescription read_network(const std::string& path, GigaByte gigabyte,
                                              bool tolerant, std::vector<std::string>* warnings,
                                              const NetworkChanges& changes);

}  // namespace npunet::topology
