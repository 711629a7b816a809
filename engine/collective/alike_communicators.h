// Which communicators are alike: an order-preserving renaming of ranks, nodes and links makes one
// of them the other, with the same routes between its members, the same layout and the same
// programs. What a collective does on idle links of the one, it does on those of the other.
//
//     AlikeCommunicators alike(workload, network, system);
//     const std::size_t first = alike.first_like(group, links);   // group itself, if there is none
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/collective/communicator_layout.h"
#include "engine/machine/system_config.h"
#include "engine/program/workload.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

class AlikeCommunicators {
public:
    /// Larger communicators are like no other. Nor are any where switches reduce for some only, or
    /// with each other.
    static constexpr std::size_t most_members = 64;

    /// The references must outlive this.
    AlikeCommunicators(const Workload& workload, const topology::NetworkDescription& network,
                       const SystemConfig& system);

    /// The first that was asked for of those that are like the group, perhaps itself. `links`: that
    /// its messages use, ascending.
    [[nodiscard]] std::size_t first_like(std::size_t group,
                                         const std::vector<std::uint32_t>& links);

private:
    /// Equal for communicators that are alike.
    using Likeness = std::vector<std::int64_t>;
    struct Names;

    [[nodiscard]] bool may_be_alike() const;
    [[nodiscard]] Likeness likeness_of(std::size_t group,
                                       const std::vector<std::uint32_t>& links) const;
    void add_members(std::size_t group, const Names& names, Likeness& likeness) const;
    void add_layout(const std::vector<Rank>& ranks, const Names& names, Likeness& likeness) const;
    void add_links(const Names& names, Likeness& likeness) const;
    void add_nodes(const Names& names, Likeness& likeness) const;
    void add_routes(const std::vector<Rank>& ranks, const Names& names, Likeness& likeness) const;

    const Workload& workload_;
    const topology::NetworkDescription& network_;
    const SystemConfig& system_;
    std::vector<ComputeRate> rates_;                 ///< by rank
    std::vector<std::optional<std::size_t>> first_;  ///< by group
    std::map<Likeness, std::size_t> first_of_;
};

}  // namespace npunet::engine
