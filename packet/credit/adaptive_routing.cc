#include "packet/credit/adaptive_routing.h"

#include "base/quantities.h"

namespace npunet::packet {

AdaptiveRouting::AdaptiveRouting(const topology::Graph& graph, const std::vector<CreditPort>& ports,
                                 const std::vector<Rate>& rates,
                                 std::vector<CreditAccount>& credits, const LinkTiming& timing)
    : graph_(graph), ports_(ports), rates_(rates), credits_(credits), timing_(timing) {}

void AdaptiveRouting::use(const topology::MultipathRouter& router, std::size_t channels) {
    router_ = &router;
    oblivious_ = router.is_oblivious();
    channels_ = channels;
    waiting_.resize(graph_.links());
    promised_.resize(graph_.links() * channels);
}

bool AdaptiveRouting::is_up(const topology::OfferedHop& offered, std::int64_t now) const {
    const auto link = static_cast<std::uint32_t>(offered.hop.link.index());
    return ports_[link].irregular == 0 || timing_.up_at(link, now) == now;
}

bool AdaptiveRouting::has_room(const topology::OfferedHop& offered, const CreditPath& path,
                               std::int64_t now) {
    const std::size_t channel = channel_of(offered.hop, path);
    return credits_[channel].has(promised_[channel] + path.wire, now);
}

LinkLoad AdaptiveRouting::load_of(const topology::OfferedHop& offered, const CreditPath& path,
                                  std::int64_t now) const {
    const std::size_t link = offered.hop.link.index();
    return {is_up(offered, now), ports_[link].busy_until > now ? ports_[link].full_time : 0,
            waiting_[link] + path.wire, rates_[link]};
}

void AdaptiveRouting::choose(CreditPath& path, std::int64_t now) {
    path.promised = false;
    if (!path.take_planned()) {
        select(path, now);
    }
    if (oblivious_) {
        return;
    }
    waiting_[path.hop.link.index()] += path.wire;
    if (path.promised) {
        promised_[channel_of(path.hop, path)] += path.wire;
    }
}

void AdaptiveRouting::select(CreditPath& path, std::int64_t now) {
    router_->list_next_hops(graph_, path.place, offered_);
    if (oblivious_) {
        path.take(offered_.front());
        return;
    }
    LeastCost choice;
    for (const topology::OfferedHop& offered : offered_) {
        if (!offered.escape && (!offered.needs_room || has_room(offered, path, now))) {
            choice.consider(offered, load_of(offered, path, now));
        }
    }
    for (const topology::OfferedHop& offered : offered_) {
        if (offered.escape &&
            (choice.best() == nullptr || (!choice.best_is_up() && is_up(offered, now)))) {
            choice.consider(offered, load_of(offered, path, now));
        }
    }
    const topology::OfferedHop& best = *choice.best();
    path.take(best);
    path.promised = best.needs_room;
}

void AdaptiveRouting::leave(const CreditPath& path) {
    if (oblivious_) {
        return;
    }
    waiting_[path.hop.link.index()] -= path.wire;
    if (path.promised) {
        promised_[channel_of(path.hop, path)] -= path.wire;
    }
}

}  // namespace npunet::packet
