// A whole training step at packet level on several networks, with the results of runs packet by
// packet, which take half a minute each: packet_steps.txt, a line "NETWORK FINISH PACKET-HOPS
// DIGEST" each, recorded by scripts/record packet-steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/results/results.h"

namespace npunet::study {

struct PacketStep {
    std::string network;
    std::int64_t finish_ps = 0;
    std::uint64_t packet_hops = 0;
    std::uint64_t digest = 0;  ///< of everything that is found of NPUs, collectives and links
};

[[nodiscard]] std::vector<PacketStep> recorded_steps();
/// Replaces the file in the repository.
void record_steps(const std::vector<PacketStep>& steps);

/// The sanity workload of the exercise: 16 NPUs, 1.1 TB of messages.
[[nodiscard]] engine::Results run_step(const std::string& network, bool fast_forward);

[[nodiscard]] PacketStep step_of(const std::string& network, const engine::Results& results);

}  // namespace npunet::study
