// ECN: decides which data packets are marked when they join a queue. Never up to kmin queued
// bytes, always beyond kmax, at random between them; ethernet_network.h states the rule.
#pragma once

#include "engine/clock/state_scan.h"
#include "topology/network/network_description.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class EcnMarks {
public:
    explicit EcnMarks(const topology::NetworkDescription& description);

    /// Whether the congestion control uses marks.
    bool are_wanted() const { return wanted_; }

    /// Of data if are_wanted(), and of datagrams: whether a packet that joins the link's queue is
    /// marked. `number`: of the packet among those accepted there, from 0; `queued`: bytes of its
    /// class already there.
    bool marks(std::uint32_t link, std::uint64_t number, std::int64_t queued);

    /// Random decisions so far at a link.
    std::int64_t draws_at(std::uint32_t link) const { return draws_at_[link]; }

    /// Random marks depend on the packets' numbers, so an interval that drew any does not repeat.
    void scan(engine::StateScan& scan) const { scan.same(draws_); }

private:
    bool wanted_;
    double most_;  ///< probability at kmax
    std::uint64_t seed_;
    std::vector<std::int64_t> kmin_;      ///< by link, in bytes
    std::vector<std::int64_t> kmax_;      ///< by link, in bytes
    std::vector<std::int64_t> draws_at_;  ///< by link
    std::int64_t draws_ = 0;              ///< their sum
};

}  // namespace npunet::packet
