#pragma once

#include "engine/state_scan.h"
#include "topology/network_description.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Which packets are marked when they join a queue (explicit congestion notification): never up to
/// kmin bytes in it, always beyond kmax, and between them by chance. EthernetNetwork has the rule.
class EcnMarks {
public:
    /// @param description the network
    explicit EcnMarks(const topology::NetworkDescription& description);

    /// @return whether anybody looks at marks
    bool are_wanted() const { return wanted_; }

    /// Marks are wanted.
    /// @param link whose queue a packet joins
    /// @param number of the packet, from 0, of those that have found room there
    /// @param queued bytes that are there in its class
    /// @return whether it is marked
    bool marks(std::uint32_t link, std::uint64_t number, std::int64_t queued);

    /// Whether a packet is marked by chance depends on how many came before it.
    /// @param scan of the whole network
    void scan(engine::StateScan& scan) const { scan.same(draws_); }

private:
    bool wanted_;                     ///< somebody looks at them
    double most_;                     ///< probability at kmax
    std::uint64_t seed_;              ///< of what is drawn
    std::vector<std::int64_t> kmin_;  ///< by link, in bytes
    std::vector<std::int64_t> kmax_;  ///< by link, in bytes
    std::int64_t draws_ = 0;          ///< so far
};

}  // namespace npunet::packet
