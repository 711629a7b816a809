#pragma once

#include "packet/base/credit_account.h"
#include "packet/base/link_timing.h"
#include "packet/routing/credit_port.h"
#include "packet/routing/packet_path.h"

#include "topology/multipath.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Chooses among the ways that a topology::MultipathRouter names, by what the links have to do, and
/// keeps what is promised to those that have chosen. The rule is that of topology/multipath.h.
///
///     chooser.choose(way, now);      // the packet will leave by way.hop
///     chooser.leave(way);            // it does, or chooses anew
class AdaptiveRouting {
public:
    /// All of these must outlive the chooser.
    /// @param graph the network
    /// @param ports by link
    /// @param rates by link
    /// @param credits by link and virtual channel
    /// @param timing of irregular links
    AdaptiveRouting(const topology::Graph& graph, const std::vector<CreditPort>& ports,
                    const std::vector<Rate>& rates, std::vector<CreditAccount>& credits,
                    const LinkTiming& timing);

    /// @param router what names the ways; must outlive this
    /// @param channels virtual channels of every link, those of all classes
    void use(const topology::MultipathRouter& router, std::size_t channels);

    /// A packet chooses its next hop, or takes the one that it has chosen already.
    /// @param path of the packet
    /// @param now in picoseconds
    void choose(PacketPath& path, std::int64_t now);

    /// A packet starts on the hop that it had chosen, or gives it up.
    /// @param path of the packet
    void leave(const PacketPath& path);

private:
    /// @param offered a way
    /// @param now in picoseconds
    /// @return whether its link is up
    bool is_up(const topology::OfferedHop& offered, std::int64_t now) const;

    /// @param offered a way
    /// @param path of the packet
    /// @param now in picoseconds
    /// @return whether there is room at its end that is not promised to others
    bool has_room(const topology::OfferedHop& offered, const PacketPath& path, std::int64_t now);

    /// @param offered a way
    /// @param path of the packet
    /// @param now in picoseconds
    /// @return weight x time in which its link would send all that waits and the packet
    std::int64_t cost_of(const topology::OfferedHop& offered, const PacketPath& path,
                         std::int64_t now) const;

    /// @param hop of a packet
    /// @param path of the packet
    /// @return where what is promised on the hop's channel is kept
    std::size_t channel_of(const topology::Hop& hop, const PacketPath& path) const {
        return hop.link.index() * channels_ + path.first_channel + hop.virtual_channel;
    }

    const topology::Graph& graph_;                       ///< the network
    const std::vector<CreditPort>& ports_;               ///< by link
    const std::vector<Rate>& rates_;                     ///< by link
    std::vector<CreditAccount>& credits_;                ///< by link and virtual channel
    const LinkTiming& timing_;                           ///< of irregular links
    const topology::MultipathRouter* router_ = nullptr;  ///< names the ways
    std::size_t channels_ = 0;                           ///< virtual channels of every link
    std::vector<std::int64_t> waiting_;   ///< by link: bytes that have chosen it, with headers
    std::vector<std::int64_t> promised_;  ///< by link and virtual channel: bytes of room
    std::vector<topology::OfferedHop> offered_;  ///< the ways of the packet that is choosing
};

}  // namespace npunet::packet
