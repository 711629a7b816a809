// Postpones queue pairs that begin to send, or go back, by a time drawn uniformly from 0 to
// TransportParameters::start_jitter, so that identical senders do not stay synchronised: packets
// that always reach a full buffer just after those of others are always the ones dropped.
//
// The n-th time, from 0, of a queue pair is floor(d (jitter + 1) / 2^64) ps with
// d = mix(mix(mix(seed xor 0x73746172) + key) + n), where key is QueuePair::key and mix is
// splitmix64(). It depends only on the seed and the history of the queue pair.
#pragma once

#include "packet/transport/queue_pair.h"

#include "base/splitmix64.h"
#include "topology/network/network_description.h"

#include <algorithm>
#include <cstdint>

namespace npunet::packet {

class StartJitter {
public:
    explicit StartJitter(const topology::NetworkDescription& description)
        : most_(description.packet.transport.start_jitter.ps()),
          seed_(splitmix64(description.packet.seed ^ 0x73746172U)) {}

    /// `now` in picoseconds. A later start that was already set remains.
    void put_off(QueuePair& pair, std::int64_t now) const {
        if (most_ == 0) {
            return;
        }
        __extension__ using Wide = unsigned __int128;
        const std::uint64_t drawn = splitmix64(splitmix64(seed_ + pair.key) + pair.starts++);
        const Wide part = Wide{drawn} * (static_cast<std::uint64_t>(most_) + 1) >> 64;
        const Time start = later(Time::ps(now), Time::ps(static_cast<std::int64_t>(part)));
        pair.next_start = std::max(pair.next_start, start.ps());
    }

private:
    std::int64_t most_;   ///< in picoseconds
    std::uint64_t seed_;  ///< mixed
};

}  // namespace npunet::packet
