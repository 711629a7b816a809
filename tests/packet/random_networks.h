// Networks of every kind with sizes, rates, latencies and packet parameters drawn at random, read
// as a user's file would be.
#pragma once

#include <random>
#include <string>

#include "topology/network/network_description.h"

namespace npunet::packet_test {

/// A network.yml of 2 to 64 NPUs, without the section packet. `kind`: 0 to network_kinds - 1:
/// products, FatTree, Dragonfly, Rail, Custom.
inline constexpr unsigned network_kinds = 5;
[[nodiscard]] std::string random_network_text(unsigned kind, std::mt19937_64& random);

/// Buffers of one packet to the automatic size, either switching, either arbitration.
[[nodiscard]] topology::NetworkDescription random_network(unsigned kind, std::mt19937_64& random);

}  // namespace npunet::packet_test
