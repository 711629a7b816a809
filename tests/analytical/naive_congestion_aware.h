// A plain congestion-aware network to hold the real one against: no events, no queues, no pools. It
// looks for the next instant at which anything can happen, and there goes through everything.
// Latencies must not be 0.
#pragma once

#include <string>
#include <vector>

#include "engine/network/network.h"
#include "tests/packet/traffic.h"
#include "topology/network/network_description.h"

namespace npunet::test {

struct NaiveRun {
    std::vector<packet_test::Outcome> outcomes;
    std::vector<engine::LinkUse> links;
};

[[nodiscard]] NaiveRun run_naively(const packet_test::Plan& plan,
                                   const topology::NetworkDescription& description);

/// As text, for comparing with a readable difference.
[[nodiscard]] std::string transcript(const std::vector<packet_test::Outcome>& outcomes,
                                     const std::vector<engine::LinkUse>& links);

}  // namespace npunet::test
