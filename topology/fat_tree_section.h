// The section `FatTree` of a network.yml.
//
//     FatTree: {levels: 2, radix: 16, npus: 64, oversubscription: [1], bandwidth: [50, 50],
//               latency: [500, 500]}
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topology/fat_tree.h"
#include "topology/link_speed.h"
#include "topology/own_network.h"

namespace npunet::topology {

struct FatTreeParameters {
    FatTreeShape shape;
    std::vector<LinkSpeed> speeds;
};

/// `npus`: as many as there must be; nothing when the section says so itself. Throws InputError
/// for ports that do not come out whole and for more NPUs than the tree holds.
[[nodiscard]] FatTreeParameters fat_tree_at(const YamlField& section, GigaByte gigabyte,
                                            const UnknownKeys& unknown,
                                            std::optional<std::int64_t> npus);

[[nodiscard]] OwnNetwork read_fat_tree(const YamlField& section, GigaByte gigabyte,
                                       const UnknownKeys& unknown);

}  // namespace npunet::topology
