// Runs planned traffic on the fluid network.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analytical/fluid/fluid_network.h"
#include "tests/analytical/traffic_networks.h"
#include "tests/packet/traffic.h"

namespace npunet::test {

inline NaiveRun run_fluid(const packet_test::Plan& plan,
                          const topology::NetworkDescription& description,
                          std::optional<std::uint64_t> shuffle = std::nullopt) {
    return run_network<analytical::FluidNetwork>(plan, description, shuffle);
}

/// When each message is delivered.
inline std::vector<Time> fluid_deliveries(const packet_test::Plan& plan,
                                          const topology::NetworkDescription& description) {
    std::vector<Time> times;
    for (const packet_test::Outcome& outcome : run_fluid(plan, description).outcomes) {
        times.push_back(outcome.delivered);
    }
    return times;
}

}  // namespace npunet::test
