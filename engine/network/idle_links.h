// What a network tells of links on which nothing is under way, so that a collective that has them
// to itself can be simulated elsewhere (engine/collective/remembered_collectives.h).
//
//     std::vector<std::uint64_t> state;
//     if (network.idle_links() != nullptr && network.idle_links()->idle_state(links, state)) { ...
//     }
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"

namespace npunet::engine {

struct LinkUse;

class IdleLinks {
public:
    /// By their numbers.
    using Links = std::vector<std::uint32_t>;
    /// Words; how many a link has is the network's own business.
    using State = std::vector<std::uint64_t>;

    /// Whether nothing is under way on any of these links, and nothing that was there will still
    /// have an effect. Then appends to `state` what of the past decides how the next messages fare
    /// there, in words that are the same whenever messages between them fare the same, but for the
    /// time; of an order-preserving renaming of links and nodes they are the same, too.
    [[nodiscard]] virtual bool idle_state(const Links& links, State& state) = 0;
    /// As idle_state() said of idle links at another time, or of a network of the same kind.
    /// `carried`: by link, what it has carried since it was in a state that was told alike; what
    /// has carried nothing stays as it is. Null: of all links.
    virtual void set_idle_state(const Links& links, const State& state,
                                const std::vector<LinkUse>* carried) = 0;

    /// Whether there is an is_quiet().
    [[nodiscard]] virtual bool has_quiet_messages() const { return false; }
    /// Whether nothing is under way of messages from one NPU to another, nor of answers to them.
    /// `links`: those that they pass. False also where it cannot be told, as of NPUs whose queue
    /// pair has heard of congestion.
    [[nodiscard]] virtual bool is_quiet(NodeId /*from*/, NodeId /*to*/, const Links& /*links*/) {
        return false;
    }

    /// Whether there is a rest_state().
    [[nodiscard]] virtual bool has_rest_state() const { return false; }
    /// When all messages over these links have been delivered, but credits or acknowledgements may
    /// be under way: appends to `state` what decides how the next messages fare there, in words
    /// that are the same whenever they fare the same, as much later. False where it cannot be told.
    [[nodiscard]] virtual bool rest_state(const Links& /*links*/, State& /*state*/) {
        return false;
    }

    /// Network::link_use() of idle links, in their order.
    [[nodiscard]] virtual std::vector<LinkUse> use_of(const Links& links) const = 0;
    /// LinkUse::max_queue of idle links is from now on that of what follows.
    virtual void forget_longest_queues(const Links& links) = 0;

    /// Whether messages that share a node, but no link, may have had an effect on each other there,
    /// or would have if all of this had been carried, too, at any time: by link, what has been
    /// carried elsewhere. False only if they have not.
    [[nodiscard]] virtual bool nodes_matter(const std::vector<LinkUse>& /*elsewhere*/) const {
        return true;
    }

    /// Grows whenever what Network::congestion_times() tells does, of any link, or something is
    /// drawn at random on one of these links.
    [[nodiscard]] virtual Time contention(const Links& /* links */) const { return {}; }

    /// By link, how many packets have been numbered there for random draws; empty where nothing is
    /// drawn.
    [[nodiscard]] virtual std::vector<std::uint64_t> packet_numbers(const Links& /*links*/) const {
        return {};
    }
    /// As if this number of packets more had been numbered.
    virtual void skip_packet_numbers(const Links& /*links*/,
                                     const std::vector<std::uint64_t>& /*packets*/) {}

protected:
    ~IdleLinks() = default;
};

}  // namespace npunet::engine
