// A star: every NPU has one link to the line's switch and one from it; every route is two hops.
// A line of one NPU has no switch.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/hop.h"
#include "topology/line_link.h"

namespace npunet::topology {

struct SwitchLine {
    std::int32_t size;

    [[nodiscard]] std::int64_t links() const { return size > 1 ? 2 * std::int64_t{size} : 0; }
    /// Links 0 .. size - 1 go to the switch, the others come from it.
    [[nodiscard]] LineLink link(std::int64_t index) const;
    [[nodiscard]] std::int32_t switches() const { return size > 1 ? 1 : 0; }
    void route(std::int32_t from, std::int32_t to, std::int64_t first_link,
               std::vector<Hop>& hops) const;
    /// The links of the smaller half: the switch counts to the other one.
    [[nodiscard]] std::int64_t links_across_middle() const { return size / 2; }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const { return 1; }
};

}  // namespace npunet::topology
