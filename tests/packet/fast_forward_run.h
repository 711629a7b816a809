// Runs with and without the fast-forward of periodic traffic, and traffic that it is good for.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/clock/event_queue.h"
#include "packet/base/packet_network.h"
#include "traffic.h"

namespace npunet::packet_test {

/// All that a run has told.
struct Told {
    std::string transcript;
    std::uint64_t events = 0;
    std::uint64_t packet_hops = 0;
};

/// Runs a plan and reads the network's figures at the times `looks`: alternately when NPUs issue
/// and before anything arrives.
[[nodiscard]] Told run_and_look(const Plan& plan, const std::vector<Time>& looks,
                                engine::EventQueue& queue, packet::PacketNetwork& machine);

/// Events of a run with fast-forward for each packet-hop; it must tell what the one without does.
[[nodiscard]] double events_per_packet_hop(const Told& without, const Told& with);

/// Long messages, alone and in competition, that start at any time or when others have arrived, and
/// short ones between them.
struct LongMessages {
    std::int64_t count = 1;
    std::int64_t spread = 1;   ///< ps in which they start
    std::int64_t least = 0;    ///< packets of a long one,
    std::int64_t longest = 1;  ///< and how many more at the most
    int brief_one_in = 1;
    int following_one_in = 1;

    /// Adds one of `pair`, source and destination.
    void add_to(Plan& plan, std::pair<int, int> pair, std::int64_t mtu,
                std::mt19937_64& random) const;
};

/// Up to `most` times before 200 us.
[[nodiscard]] std::vector<Time> draw_looks(unsigned most, std::mt19937_64& random);

}  // namespace npunet::packet_test
