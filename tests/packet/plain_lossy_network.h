// Messages on Ethernet-like switches that drop packets, worked out from the rules that
// docs/transport.md states in full and from nothing else, as the oracle of the tests: there are no
// events, the clock goes from one time at which anything happens to the next, and there all links,
// timers and ports are looked at in turn. Every packet of a queue pair has a state, and what is in
// flight is counted again whenever it is asked for. Store and forward, one path for each pair of
// NPUs, one traffic class, no congestion control, no faults; it shares no code with the packet
// network but the description of the network. Its parts are the senders, the receivers, the queue
// pairs that have one of each, the switches and their buffers (plain_*.h).
//
//     const LossyRun expected = run_plainly(description, plan);
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/network/network.h"
#include "topology/network/network_description.h"
#include "traffic.h"

namespace npunet::packet_test {

/// What a queue pair has done.
struct LossyFlow {
    std::uint64_t packets = 0;
    std::uint64_t repeated = 0;
    std::uint64_t timeouts = 0;
};

struct LossyRun {
    std::vector<Outcome> outcomes;      ///< by message of the plan
    std::vector<engine::LinkUse> uses;  ///< by link
    std::uint64_t packet_hops = 0;
    std::map<std::pair<NodeId, NodeId>, LossyFlow> flows;  ///< by source and destination
    std::string gave_up;  ///< where a queue pair did: when and which; the rest is then not filled
};

[[nodiscard]] LossyRun run_plainly(const topology::NetworkDescription& description,
                                   const Plan& plan);

}  // namespace npunet::packet_test
