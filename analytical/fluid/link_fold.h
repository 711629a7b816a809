// Links that carry alike, where NPUs are folded (engine/program/fold.h): which link stands for
// which.
//
// A message from a representative stands for one from each rank of its class; link h of their
// routes is one class of links. Classes with a link in common are one. The links of a class carry
// alike if each is crossed by as many of the messages for which one stands, for every message and
// place on its route. That is checked; then, by induction over time, whatever comes to one link of
// a class comes to all of them.
//
// Where a link is shared out (quiet_links.cc), what comes by which input counts as well: messages
// that come to one link of a class by one input have to do so at all of them. Links of which one
// stands for several messages of a place cannot be shared out; runs in which they would have to be
// are not folded. What happens at several links in one instant does not depend on their numbers
// (FluidNetwork::schedule(), share_out()).
//
//     const std::optional<LinkFold> links = LinkFold::find(description, fold);
//     if (links) { links->representative(link); }
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "engine/program/fold.h"
#include "topology/network/network_description.h"

namespace npunet::analytical {

class LinkFold {
public:
    /// Nothing where links of a class do not carry alike, or virtual channels differ. The fold
    /// must outlive the result.
    [[nodiscard]] static std::optional<LinkFold> find(
        const topology::NetworkDescription& description, const engine::Fold& fold);

    /// The lowest link of the class.
    [[nodiscard]] std::uint32_t representative(LinkId link) const {
        return representatives_[link.index()];
    }
    [[nodiscard]] const std::vector<std::uint32_t>& representatives() const {
        return representatives_;
    }
    /// Messages that queue together at a link h > 0 of a plane have the same number; cannot_queue
    /// where links of the class differ in that.
    [[nodiscard]] std::uint32_t queue(NodeId source, NodeId destination, std::size_t plane,
                                      std::size_t h) const;
    static constexpr std::uint32_t cannot_queue = 0xffffffff;

    /// A message at link `hop` of a plane of its routes.
    struct Place {
        NodeId source;
        NodeId destination;
        std::size_t plane = 0;
        std::size_t hop = 0;
        [[nodiscard]] bool operator<(const Place& other) const {
            return std::tuple(source.value(), destination.value(), plane, hop) <
                   std::tuple(other.source.value(), other.destination.value(), other.plane,
                              other.hop);
        }
    };
    /// Over how many more links two messages go that cross one link of a class, each place crossing
    /// each of them once; nothing: it is not the same for all links of the class.
    [[nodiscard]] std::optional<std::size_t> shared_hops(const Place& a, const Place& b) const;

    /// How many of the messages for which one of this NPU stands cross each link of the class.
    [[nodiscard]] std::uint32_t copies(NodeId source, LinkId link) const {
        return senders_of(source) / sizes_[representative(link)];
    }
    [[nodiscard]] std::uint32_t senders_of(NodeId source) const {
        return static_cast<std::uint32_t>(fold_->like(rank_of_npu_[source.index()]).size());
    }
    /// The routes, plane by plane, of the messages for which one stands, or those back: fn(planes),
    /// the message's own first.
    template <class Function>
    void each_route(NodeId source, NodeId destination, Function fn, bool back = false) const {
        const Rank sender = rank_of_npu_[source.index()];
        const std::size_t receiver =
            fold_->number_of_receiver(sender, rank_of_npu_[destination.index()]);
        for (const Rank other : fold_->like(sender)) {
            const NodeId from = description_->npu_of_rank[other.index()];
            const NodeId to = description_->npu_of_rank[fold_->receiver(other, receiver).index()];
            fn(back ? description_->routes(to, from) : description_->routes(from, to));
        }
    }

private:
    LinkFold(const topology::NetworkDescription& description, const engine::Fold& fold);

    void join(std::uint32_t a, std::uint32_t b);
    [[nodiscard]] std::uint32_t top(std::uint32_t link);
    /// fn(source, destination) for all whose messages are simulated.
    template <class Function>
    void each_pair(Function fn) const;
    [[nodiscard]] bool join_routes();
    [[nodiscard]] bool join_planes(const topology::PlaneRoutes& planes,
                                   const topology::PlaneRoutes& own);
    /// By place: those of the messages for which one stands.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> links_of(NodeId source,
                                                                   NodeId destination,
                                                                   bool back) const;
    [[nodiscard]] bool carry_alike();
    /// Whether each link of the class is crossed as often; `crossed`: zeroes by link.
    [[nodiscard]] bool cross(const std::vector<std::uint32_t>& links,
                             std::vector<std::uint32_t>& crossed) const;
    void number_queues();
    [[nodiscard]] static std::uint64_t pair(NodeId source, NodeId destination) {
        return (static_cast<std::uint64_t>(source.value()) << 32) |
               static_cast<std::uint32_t>(destination.value());
    }

    /// A message of a place, counted over all pairs, crosses a link behind another one.
    struct Crossing {
        std::uint32_t link;
        std::uint32_t input;  ///< the link before and its channel
        std::uint32_t place;
    };
    /// The places of a pair: plane by plane.
    struct Places {
        std::uint32_t first = 0;
        std::uint32_t hops = 0;
    };
    /// More are not looked at: it would take longer than it may save.
    static constexpr std::size_t most_crossings = std::size_t{1} << 25;

    const topology::NetworkDescription* description_;
    const engine::Fold* fold_;
    bool answers_;  ///< acknowledgements take the routes back
    std::vector<Rank> rank_of_npu_;
    std::vector<std::uint32_t> representatives_;        ///< by link
    std::vector<std::uint32_t> sizes_;                  ///< of the classes, by representative
    std::vector<Crossing> crossings_;                   ///< until queues are numbered
    std::unordered_map<std::uint64_t, Places> places_;  ///< by pair
    std::vector<std::uint32_t> queues_;                 ///< by place
};

}  // namespace npunet::analytical
