// The LoneProfiles of messages: one for each kind of route and size, kept while in use and, up to a
// bound, for later.
//
//     const std::uint32_t number = profiles.find(first_hop, bytes);
//     if (number != none) { profiles.use(number); ...; profiles.release(number); }
#pragma once

#include "packet/base/constants.h"
#include "packet/credit/lone/lone_profile.h"
#include "packet/credit/network_state.h"

#include "base/pool.h"
#include "topology/network/network_description.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace npunet::packet {

class LoneProfiles {
public:
    /// Both must outlive this.
    LoneProfiles(const topology::NetworkDescription& description, const CreditNetworkState& state);

    /// The profile of a message by its first hop in the RoutePlan, valid until the next find()
    /// unless in use; none: it cannot be computed.
    std::uint32_t find(std::uint32_t first_hop, std::int64_t bytes) {
        Route& route = at_place(routes_, first_hop);
        return route.bytes == bytes && route.emptied == emptied_ ? route.profile
                                                                 : look_up(first_hop, bytes);
    }

    /// A reference is valid until the next find().
    const LoneProfile& operator[](std::uint32_t number) const { return entries_[number].profile; }

    /// A message has the profile.
    void use(std::uint32_t number) { ++entries_[number].uses; }

    /// A message no longer has it.
    void release(std::uint32_t number) {
        if (--entries_[number].uses == 0 && !entries_[number].kept) {
            entries_.free(number);
        }
    }

private:
    /// Profiles kept for later; then the collection begins again.
    static constexpr std::size_t most_kept = 4096;
    static constexpr std::uint32_t unknown = none - 1;  ///< a kind not determined yet

    struct Entry {
        LoneProfile profile;
        std::uint32_t uses = 0;
        bool kept = false;          ///< in by_size_
        std::uint32_t next = none;  ///< in the list of free places
    };

    /// A route, and the profile that was wanted last.
    struct Route {
        std::int64_t bytes = -1;
        std::uint64_t emptied = 0;
        std::uint32_t kind = unknown;  ///< none: its messages cannot be computed
        std::uint32_t profile = none;
    };

    std::uint32_t look_up(std::uint32_t first_hop, std::int64_t bytes);

    std::uint32_t kind_of(std::uint32_t first_hop);

    void empty();

    const topology::NetworkDescription& description_;
    const CreditNetworkState& state_;
    LonePackets packets_;
    std::vector<Route> routes_;  ///< by first hop
    std::map<std::vector<LoneLink>, std::uint32_t> kinds_;
    std::vector<std::vector<LoneLink>> links_;                                 ///< by kind
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> by_size_;  ///< kind and bytes
    Pool<Entry> entries_;
    std::uint64_t emptied_ = 0;  ///< how often
};

}  // namespace npunet::packet
