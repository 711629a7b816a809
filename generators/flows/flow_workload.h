// Traces of flows that begin at random (base/flows/random_flows.h).
//
//     GeneratedWorkload workload = workload_of(flows_of(traffic, "--"), traffic.npus);
//
// A rank's trace is a chain of compute nodes that last from one beginning to the next, with a send
// behind each, which nothing waits for; its receives wait for nothing. Flows of one NPU to another
// go in the order in which they begin.
#pragma once

#include <cstdint>
#include <vector>

#include "base/flows/random_flows.h"
#include "generators/workload.h"

namespace npunet::generators {

/// The flows of flows_of(). Names and tags have their numbers.
[[nodiscard]] GeneratedWorkload workload_of(const std::vector<RandomFlow>& flows,
                                            std::int32_t npus);

}  // namespace npunet::generators
