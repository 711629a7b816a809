#include "analytical/route_cache.h"

namespace npunet::analytical {

namespace {

constexpr unsigned first_bits = 10;

}  // namespace

RouteCache::RouteCache(const topology::NetworkDescription& description)
    : description_(description), entries_(std::size_t{1} << first_bits), bits_(first_bits) {}

std::size_t RouteCache::slot_of(std::uint64_t pair) const {
    // Fibonacci hashing (Knuth, The Art of Computer Programming 3, section 6.4).
    std::size_t slot = (pair * 0x9e3779b97f4a7c15ULL) >> (64 - bits_);
    while (entries_[slot].pair != empty && entries_[slot].pair != pair) {
        slot = (slot + 1) & (entries_.size() - 1);
    }
    return slot;
}

std::size_t RouteCache::find(NodeId from, NodeId to) {
    const std::uint64_t pair =
        (static_cast<std::uint64_t>(from.value()) << 32) | static_cast<std::uint64_t>(to.value());
    const Entry known = entries_[slot_of(pair)];
    if (known.pair == pair) {
        return known.place;
    }
    if (2 * (pairs_ + 1) > entries_.size()) {
        grow();
    }
    const std::size_t place = links_.size();
    for (const topology::Hop& hop : description_.route(from, to)) {
        links_.push_back(hop.link);
    }
    links_.emplace_back();
    entries_[slot_of(pair)] = {pair, place};
    ++pairs_;
    return place;
}

void RouteCache::grow() {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    ++bits_;
    for (const Entry& entry : old) {
        if (entry.pair != empty) {
            entries_[slot_of(entry.pair)] = entry;
        }
    }
}

}  // namespace npunet::analytical
