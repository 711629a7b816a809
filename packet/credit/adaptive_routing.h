// Selects among the next hops that a topology::MultipathRouter offers, by the load of their links,
// and keeps account of the buffer space reserved for packets that have selected. The rule is that
// of topology/routing/multipath.h. Of an oblivious router it takes what is offered, and keeps no
// account.
//
//     routing.choose(path, now);  // the packet will leave by path.hop
//     routing.leave(path);        // it starts there, or selects again
#pragma once

#include "packet/credit/credit_account.h"
#include "packet/credit/credit_path.h"
#include "packet/credit/credit_port.h"
#include "packet/credit/link_timing.h"
#include "packet/routing/least_cost.h"

#include "topology/routing/multipath.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class AdaptiveRouting {
public:
    /// All arguments must outlive this. Ports and rates are by link, credits by link and virtual
    /// channel.
    AdaptiveRouting(const topology::Graph& graph, const std::vector<CreditPort>& ports,
                    const std::vector<Rate>& rates, std::vector<CreditAccount>& credits,
                    const LinkTiming& timing);

    /// The router must outlive this. `channels`: virtual channels of a link, those of all classes.
    void use(const topology::MultipathRouter& router, std::size_t channels);

    /// A packet selects its next hop, or takes the one selected in advance (CreditPath::then).
    void choose(CreditPath& path, std::int64_t now);

    /// A packet starts on the hop that it has selected, or gives it up.
    void leave(const CreditPath& path);

private:
    /// Takes one of the next hops that the router offers.
    void select(CreditPath& path, std::int64_t now);

    bool is_up(const topology::OfferedHop& offered, std::int64_t now) const;

    /// Whether the buffer at its end has unreserved space for the packet.
    bool has_room(const topology::OfferedHop& offered, const CreditPath& path, std::int64_t now);

    LinkLoad load_of(const topology::OfferedHop& offered, const CreditPath& path,
                     std::int64_t now) const;

    /// The index in promised_ and credits_.
    std::size_t channel_of(const topology::Hop& hop, const CreditPath& path) const {
        return hop.link.index() * channels_ + path.first_channel + hop.virtual_channel;
    }

    const topology::Graph& graph_;
    const std::vector<CreditPort>& ports_;  ///< by link
    const std::vector<Rate>& rates_;        ///< by link
    std::vector<CreditAccount>& credits_;   ///< by link and virtual channel
    const LinkTiming& timing_;
    const topology::MultipathRouter* router_ = nullptr;
    bool oblivious_ = false;              ///< the router
    std::size_t channels_ = 0;            ///< virtual channels of a link
    std::vector<std::int64_t> waiting_;   ///< by link: bytes that have selected it, with headers
    std::vector<std::int64_t> promised_;  ///< by link and virtual channel: bytes reserved
    std::vector<topology::OfferedHop> offered_;  ///< to the selecting packet
};

}  // namespace npunet::packet
