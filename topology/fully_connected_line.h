// A clique: every NPU is linked with every other one, and every route is one hop.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/hop.h"
#include "topology/line_link.h"

namespace npunet::topology {

struct FullyConnectedLine {
    std::int32_t size;

    [[nodiscard]] std::int64_t links() const { return std::int64_t{size} * (size - 1); }
    [[nodiscard]] LineLink link(std::int64_t index) const;
    [[nodiscard]] std::int32_t switches() const { return 0; }
    void route(std::int32_t from, std::int32_t to, std::int64_t first_link,
               std::vector<Hop>& hops) const;
    [[nodiscard]] std::int64_t links_across_middle() const {
        return std::int64_t{size / 2} * (size - size / 2);
    }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const { return 1; }
};

}  // namespace npunet::topology
