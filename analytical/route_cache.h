// The routes of a network as runs of link numbers in one flat array, worked out when first asked
// for. Looking one up again allocates nothing.
//
//     RouteCache routes(description);
//     for (std::size_t at = routes.find(from, to); routes.link(at).valid(); ++at) { ... }
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "topology/network_description.h"

namespace npunet::analytical {

class RouteCache {
public:
    /// The description must outlive the cache.
    explicit RouteCache(const topology::NetworkDescription& description);

    /// Where the route begins; it ends before the first invalid link. Places stay as they are.
    [[nodiscard]] std::size_t find(NodeId from, NodeId to);

    [[nodiscard]] LinkId link(std::size_t place) const { return links_[place]; }

private:
    struct Entry {
        std::uint64_t pair = empty;
        std::size_t place = 0;
    };
    static constexpr std::uint64_t empty = ~std::uint64_t{0};

    /// Where the pair stands in entries_, or the free entry where it belongs.
    [[nodiscard]] std::size_t slot_of(std::uint64_t pair) const;
    void grow();

    const topology::NetworkDescription& description_;
    std::vector<Entry> entries_;  ///< open addressing; a power of two, at most half full
    unsigned bits_;
    std::size_t pairs_ = 0;
    std::vector<LinkId> links_;
};

}  // namespace npunet::analytical
