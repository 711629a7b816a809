// What all networks without dimensions begin with: NPUs npu0, npu1, ... and linear placement.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <string>

#include "topology/network_description.h"
#include "topology/placement.h"

namespace npunet::topology {

/// A graph of NPUs alone; nodes and links are how many there will be in the end.
[[nodiscard]] inline NetworkDescription network_of_npus(std::string name, std::int64_t npus,
                                                        std::size_t nodes, std::size_t links) {
    NetworkDescription network;
    network.name = std::move(name);
    network.graph.reserve(nodes, links);
    for (std::int64_t i = 0; i < npus; ++i) {
        network.graph.add_node(NodeKind::Npu, "npu" + std::to_string(i));
    }
    network.npu_of_rank = linear_placement(static_cast<std::size_t>(npus));
    return network;
}

}  // namespace npunet::topology
