// One further port at every NPU, for injection and ejection: a pure transformation of a network.
//
//     const NetworkDescription split = with_injection(network, Rate(100'000'000'000));
//
// Each NPU becomes the NPU and a router, a node of kind Switch with the name "router-of-NAME",
// joined by a link each way of that rate and without latency. The router has the NPU's former
// links, whose numbers stay; the new links come last: those of NPU i are links() + 2 i (injection)
// and links() + 2 i + 1 (ejection). Switches keep their numbers, routers come last: that of NPU i
// is nodes() + i. Routes pass through the two links, on virtual channel 0, around what they were;
// what passes through an NPU does not. Faults stay with their links. The new links wait for nothing
// but consumption, or are waited for by sources only, so a network that is free of deadlock
// stays so with as many virtual channels.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include "base/quantities.h"
#include "topology/network/network_description.h"

namespace npunet::topology {

/// `rate` is positive. The result does not refer to `network`; its packet.injection is 0.
[[nodiscard]] NetworkDescription with_injection(const NetworkDescription& network, Rate rate);

}  // namespace npunet::topology
