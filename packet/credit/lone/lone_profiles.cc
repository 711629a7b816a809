#include "packet/credit/lone/lone_profiles.h"

#include <algorithm>

namespace npunet::packet {

LoneProfiles::LoneProfiles(const topology::NetworkDescription& description,
                           const CreditNetworkState& state)
    : description_(description), state_(state) {
    packets_.mtu = state.mtu;
    packets_.header = state.header;
    packets_.header_bytes = state.header_bytes();
    packets_.cut_through = description.packet.switching == topology::Switching::CutThrough;
}

std::uint32_t LoneProfiles::look_up(std::uint32_t first_hop, std::int64_t bytes) {
    Route& route = routes_[first_hop];
    if (route.kind == unknown) {
        route.kind = kind_of(first_hop);
    }
    route.bytes = bytes;
    route.emptied = emptied_;
    route.profile = none;
    if (route.kind == none) {
        return none;
    }
    const std::pair key{route.kind, bytes};
    const auto found = by_size_.find(key);
    if (found != by_size_.end()) {
        route.profile = found->second;
    } else {
        if (by_size_.size() == most_kept) {
            empty();
            route.emptied = emptied_;
        }
        const std::uint32_t number = entries_.take();
        entries_[number].profile = lone_profile(links_[route.kind], packets_, bytes);
        entries_[number].kept = true;
        by_size_.emplace(key, number);
        route.profile = number;
    }
    if (!entries_[route.profile].profile.possible) {
        route.profile = none;
    }
    return route.profile;
}

std::uint32_t LoneProfiles::kind_of(std::uint32_t first_hop) {
    std::vector<LoneLink> links;
    std::vector<std::uint32_t> ports;
    for (std::uint32_t hop = first_hop;; ++hop) {
        const PlannedHop& planned = state_.plan[hop];
        // A link that is used twice could meet the message itself.
        if (state_.ports[planned.port].irregular == 1 ||
            std::find(ports.begin(), ports.end(), planned.port) != ports.end()) {
            return none;
        }
        ports.push_back(planned.port);
        const LinkId id(std::size_t{planned.port});
        const topology::Link& link = description_.graph.link(id);
        links.push_back({link.rate, link.latency.ps(), description_.buffer_of(id).value()});
        if (planned.final) {
            break;
        }
    }
    const auto added = kinds_.emplace(links, static_cast<std::uint32_t>(links_.size()));
    if (added.second) {
        links_.push_back(std::move(links));
    }
    return added.first->second;
}

void LoneProfiles::empty() {
    ++emptied_;
    for (const auto& kept : by_size_) {
        Entry& entry = entries_[kept.second];
        entry.kept = false;
        if (entry.uses == 0) {
            entries_.free(kept.second);
        }
    }
    by_size_.clear();
}

}  // namespace npunet::packet
