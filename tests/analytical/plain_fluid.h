// A plain fluid network to compare the real one with, after docs/models.md, "Fluid network", alone:
// fractions without rounding, every link simulated all the time, and at every event the rates of
// all messages on all links from scratch. It has none of the real one's economies: no quiet links,
// no changes of rates that are not told, no turns of packets computed together.
//
//     const std::vector<Time> delivered = test::run_plain_fluid(plan, description);
//
// What it covers: one route a pair, without a transport, faults, full buffers, congestion control;
// latencies above 0.
#pragma once

#include <vector>

#include "tests/packet/traffic.h"
#include "topology/network/network_description.h"

namespace npunet::test {

/// When each message of the plan is delivered.
[[nodiscard]] std::vector<Time> run_plain_fluid(const packet_test::Plan& plan,
                                                const topology::NetworkDescription& description);

}  // namespace npunet::test
