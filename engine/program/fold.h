// NPUs that provably behave alike are simulated once: which rank stands for which.
//
// Ranks are put in classes such that, on a network on which nothing but the NPUs' own ports is
// shared, every rank of a class goes through the same states at the same times. It is the coarsest
// partition that satisfies what is checked here (fold_finder.h): ranks of a class have equal
// programs and equal rates; the i-th exchange of a collective goes, for all of them, to ranks of
// one class, over routes of equal latencies and rates, leaves by corresponding ports, and meets the
// same exchange there; the same holds for what they receive, and for sends and receives. By
// induction over time, whatever happens to one of them happens to all: the engine orders what
// happens at one instant without names of ranks.
//
// A message from a representative then stands for one from each rank of its class. It is delivered
// to the representative of its receiver, which expects one like it.
//
// C++17-clean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace npunet::engine {

/// Different values in the order in which they first came, and the place of each.
template <class Value>
class Listing {
public:
    Listing() = default;
    /// As they come; a value may come several times.
    explicit Listing(std::vector<Value> values) : values_(std::move(values)) {
        const auto by_value = [this](std::uint32_t a, std::uint32_t b) {
            return values_[a] < values_[b];
        };
        std::vector<std::uint32_t> first(values_.size());
        std::iota(first.begin(), first.end(), 0U);
        std::stable_sort(first.begin(), first.end(), by_value);
        first.erase(std::unique(first.begin(), first.end(),
                                [this](std::uint32_t a, std::uint32_t b) {
                                    return values_[a] == values_[b];
                                }),
                    first.end());
        std::sort(first.begin(), first.end());
        for (std::size_t place = 0; place < first.size(); ++place) {
            values_[place] = values_[first[place]];
        }
        values_.resize(first.size());
        values_.shrink_to_fit();
        sorted_.resize(values_.size());
        std::iota(sorted_.begin(), sorted_.end(), 0U);
        std::sort(sorted_.begin(), sorted_.end(), by_value);
    }

    [[nodiscard]] std::optional<std::size_t> place_of(const Value& value) const {
        const auto found = std::lower_bound(
            sorted_.begin(), sorted_.end(), value,
            [this](std::uint32_t place, const Value& wanted) { return values_[place] < wanted; });
        if (found == sorted_.end() || !(values_[*found] == value)) {
            return std::nullopt;
        }
        return *found;
    }
    [[nodiscard]] const Value& operator[](std::size_t place) const { return values_[place]; }
    [[nodiscard]] const std::vector<Value>& values() const { return values_; }

private:
    std::vector<Value> values_;
    std::vector<std::uint32_t> sorted_;  ///< places, by value
};

class Fold {
public:
    /// Send or receive side of point-to-point messages of one pair and tag.
    struct Channel {
        Rank peer;
        std::int64_t tag = 0;
        friend bool operator==(const Channel& a, const Channel& b) {
            return a.peer == b.peer && a.tag == b.tag;
        }
        friend bool operator<(const Channel& a, const Channel& b) {
            return a.peer < b.peer || (a.peer == b.peer && a.tag < b.tag);
        }
    };
    /// What a rank deals with, each in the order in which its program comes to it; the i-th entry
    /// of two ranks of a class correspond.
    struct Surroundings {
        Listing<std::int32_t> groups;
        Listing<Channel> receives;
        Listing<Channel> sends;
        std::vector<LinkId> out_ports;
        std::vector<LinkId> in_ports;
        std::vector<Rank> destinations;
    };

    /// Every rank stands for itself.
    Fold() = default;
    /// `class_of` by rank, classes counted from 0 in order of their lowest rank.
    Fold(const std::vector<std::uint32_t>& class_of, std::vector<Surroundings> surroundings);

    [[nodiscard]] static const Fold& everyone_for_itself();

    [[nodiscard]] bool trivial() const { return representatives_.empty(); }
    /// The lowest rank of its class.
    [[nodiscard]] Rank representative(Rank rank) const {
        return trivial() ? rank : representatives_[rank.index()];
    }
    [[nodiscard]] bool represents(Rank rank) const { return representative(rank) == rank; }
    /// The ranks of the class of a representative, itself first.
    [[nodiscard]] const std::vector<Rank>& like(Rank representative) const;
    /// How many ranks are simulated, of so many.
    [[nodiscard]] std::size_t simulated(std::size_t ranks) const;

    /// The group that corresponds, at the representative of a member, to a group of the member.
    [[nodiscard]] std::int32_t group_like(std::int32_t group, Rank member) const;
    /// The channel that corresponds, at the representative of `receiver`, to the one from `sender`;
    /// its `peer` is a sender.
    [[nodiscard]] Channel receive_channel_like(Rank sender, Rank receiver, std::int64_t tag) const;
    /// The link into the representative of a receiver that corresponds to a link into the receiver.
    [[nodiscard]] LinkId in_port_like(LinkId link, Rank receiver) const;
    /// The number of a receiver among those of a sender, and the receiver of that number of
    /// another rank of its class.
    [[nodiscard]] std::size_t number_of_receiver(Rank sender, Rank receiver) const;
    /// All receivers of a sender, by number.
    [[nodiscard]] const std::vector<Rank>& receivers(Rank sender) const {
        return surroundings_[sender.index()].destinations;
    }
    [[nodiscard]] Rank receiver(Rank sender, std::size_t number) const {
        return surroundings_[sender.index()].destinations[number];
    }

private:
    std::vector<Rank> representatives_;       ///< by rank; empty: trivial
    std::vector<std::vector<Rank>> like_;     ///< by rank; empty but for representatives
    std::vector<Surroundings> surroundings_;  ///< by rank
};

}  // namespace npunet::engine
