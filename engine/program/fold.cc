#include "engine/program/fold.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace npunet::engine {

namespace {

template <class Value>
std::size_t place_of(const std::vector<Value>& list, const Value& value) {
    const auto found = std::find(list.begin(), list.end(), value);
    assert(found != list.end() && "listed when the fold was found");
    return static_cast<std::size_t>(found - list.begin());
}

template <class Value>
std::size_t place_of(const Listing<Value>& list, const Value& value) {
    const auto place = list.place_of(value);
    assert(place && "listed when the fold was found");
    return *place;
}

}  // namespace

Fold::Fold(const std::vector<std::uint32_t>& class_of, std::vector<Surroundings> surroundings)
    : representatives_(class_of.size()),
      like_(class_of.size()),
      surroundings_(std::move(surroundings)) {
    std::vector<Rank> lowest;
    for (std::size_t rank = 0; rank < class_of.size(); ++rank) {
        if (class_of[rank] == lowest.size()) {
            lowest.emplace_back(rank);
        }
        representatives_[rank] = lowest[class_of[rank]];
        like_[representatives_[rank].index()].emplace_back(rank);
    }
}

const Fold& Fold::everyone_for_itself() {
    static const Fold fold;
    return fold;
}

const std::vector<Rank>& Fold::like(Rank representative) const {
    return like_[representative.index()];
}

std::size_t Fold::simulated(std::size_t ranks) const {
    if (trivial()) {
        return ranks;
    }
    return static_cast<std::size_t>(std::count_if(
        like_.begin(), like_.end(), [](const std::vector<Rank>& list) { return !list.empty(); }));
}

std::int32_t Fold::group_like(std::int32_t group, Rank member) const {
    if (trivial()) {
        return group;
    }
    const std::size_t place = place_of(surroundings_[member.index()].groups, group);
    return surroundings_[representative(member).index()].groups[place];
}

Fold::Channel Fold::receive_channel_like(Rank sender, Rank receiver, std::int64_t tag) const {
    const Channel channel{sender, tag};
    if (trivial()) {
        return channel;
    }
    const std::size_t place = place_of(surroundings_[receiver.index()].receives, channel);
    return surroundings_[representative(receiver).index()].receives[place];
}

LinkId Fold::in_port_like(LinkId link, Rank receiver) const {
    if (trivial()) {
        return link;
    }
    const std::size_t place = place_of(surroundings_[receiver.index()].in_ports, link);
    return surroundings_[representative(receiver).index()].in_ports[place];
}

std::size_t Fold::number_of_receiver(Rank sender, Rank receiver) const {
    return place_of(surroundings_[sender.index()].destinations, receiver);
}

}  // namespace npunet::engine
