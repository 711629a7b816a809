// A row of a mesh: every NPU is linked with its neighbours, the ends are not joined. Routes walk
// along the row; one virtual channel suffices, for no link is reached twice.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/hop.h"
#include "topology/line_link.h"

namespace npunet::topology {

struct Mesh1DLine {
    std::int32_t size;

    [[nodiscard]] std::int64_t links() const { return 2 * (std::int64_t{size} - 1); }
    /// Links 2i and 2i + 1 are the two directions between positions i and i + 1.
    [[nodiscard]] LineLink link(std::int64_t index) const;
    [[nodiscard]] std::int32_t switches() const { return 0; }
    void route(std::int32_t from, std::int32_t to, std::int64_t first_link,
               std::vector<Hop>& hops) const;
    [[nodiscard]] std::int64_t links_across_middle() const { return size > 1 ? 1 : 0; }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const { return 1; }
};

}  // namespace npunet::topology
