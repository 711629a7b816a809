// The packets of the plain simulator of a network that drops packets (plain_lossy_network.h), and
// the mixing of numbers that its draws are made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/quantities.h"
#include "topology/network/network_description.h"

namespace npunet::packet_test::plain {

enum class Kind : std::uint8_t { Data, Answer, GoBack, Pause, Resume };

struct Packet {
    Kind kind = Kind::Data;
    std::size_t pair = 0;    ///< queue pair
    std::size_t number = 0;  ///< data: its own; answers: the one that is expected
    std::size_t cause = 0;   ///< answers: the data that caused it
    const std::vector<LinkId>* route = nullptr;  ///< requests to pause or to resume have none
    std::size_t hop = 0;  ///< place in the route of the link that it waits for or is on
    Bytes payload;
    Bytes wire;
    bool asks = false;
    bool repeated = false;
};

/// What a request to pause or to resume has on the wire.
inline constexpr Bytes request_size(64);

/// Of data with this payload, and of an answer, which has none.
inline Bytes wire_of(Bytes payload, const topology::PacketParameters& parameters) {
    return std::max(payload + parameters.header, Bytes(1));
}

inline Bytes full_packet(const topology::PacketParameters& parameters) {
    return wire_of(parameters.mtu, parameters);
}

/// The finalizer of SplitMix64.
inline std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

}  // namespace npunet::packet_test::plain
