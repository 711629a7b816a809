// A ring: every NPU is linked with the next and the previous one, the last with the first. A ring
// of two has one link each way, a ring of one none.
//
// Routes go the shorter way round, at equal distance towards the larger coordinate. Packets use
// virtual channel 0 up to the wrap link and 1 from it on (Dally and Seitz, "Deadlock-free message
// routing in multiprocessor interconnection networks", 1987: the dateline). A ring of three needs
// no second channel: every route is one hop, so no link ever waits for another of the same ring.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/hop.h"
#include "topology/line_link.h"

namespace npunet::topology {

struct RingLine {
    std::int32_t size;

    [[nodiscard]] std::int64_t links() const {
        return size > 2 ? 2 * std::int64_t{size} : size == 2 ? 2 : 0;
    }
    [[nodiscard]] LineLink link(std::int64_t index) const;
    [[nodiscard]] std::int32_t switches() const { return 0; }
    void route(std::int32_t from, std::int32_t to, std::int64_t first_link,
               std::vector<Hop>& hops) const;
    [[nodiscard]] std::int64_t links_across_middle() const {
        return size > 2 ? 2 : size > 1 ? 1 : 0;
    }
    /// 2 from size 4 on, where each link in + direction waits for the next one, all round.
    [[nodiscard]] std::uint8_t virtual_channels_needed() const { return size > 3 ? 2 : 1; }
};

}  // namespace npunet::topology
