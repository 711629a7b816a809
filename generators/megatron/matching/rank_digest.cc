#include "generators/megatron/matching/rank_digest.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/splitmix64.h"
#include "generators/megatron/program/call_comparison.h"

namespace npunet::generators::megatron {

namespace {

/// So many problems of a rank are described.
constexpr std::size_t most_problems = 8;
constexpr std::size_t most_listed_ranks = 8;
/// What ranks of tensor place 0 have more (rendezvous.h).
constexpr std::int64_t extra_barriers = 3;

}  // namespace

void CallChain::add(std::uint64_t digest, std::uint64_t call_balance) {
    ++calls;
    hash = splitmix64(hash + digest);
    // Weighted by the place, so that one call's surplus does not hide another's want.
    balance += splitmix64(calls) * call_balance;
}

std::uint64_t new_group_digest(const LoggedCall& event, const GroupTable& groups) {
    std::uint64_t digest = 0;
    for (const char letter : event.backend) {
        digest = splitmix64(digest + static_cast<unsigned char>(letter));
    }
    for (const Rank rank : groups.ranks(event.call.group)) {
        digest = splitmix64(digest + static_cast<std::uint64_t>(rank.value()) + 256);
    }
    return digest;
}

std::string ranks_text(const std::vector<Rank>& ranks) {
    std::string text = ranks.size() == 1 ? "rank" : "ranks";
    for (std::size_t i = 0; i < std::min(ranks.size(), most_listed_ranks); ++i) {
        text += fmt::format("{} {}", i == 0 ? "" : ",", ranks[i].value());
    }
    return ranks.size() <= most_listed_ranks
               ? text
               : text + fmt::format(", ... ({} in all)", ranks.size());
}

void RankDigest::note_problem(const LoggedCall& event, const std::string& text) {
    if (problems_.size() < most_problems) {
        problems_.push_back(
            fmt::format("event {}: {} {}", event.call_id, description_of(event.call), text));
    }
}

std::size_t RankDigest::place_of_group(std::int32_t group, const GroupTable& groups) {
    const auto number = static_cast<std::size_t>(group);
    if (number >= places_by_group_.size()) {
        places_by_group_.resize(number + 1, -1);
    }
    std::int32_t& place = places_by_group_[number];
    if (place < 0) {
        std::vector<Rank> members = groups.ranks(group);
        std::sort(members.begin(), members.end());
        place = sets_.add(members);
        if (static_cast<std::size_t>(place) == group_digests_.size()) {
            group_digests_.emplace_back().members = std::move(members);
        }
    }
    return static_cast<std::size_t>(place);
}

void RankDigest::add_collective(const LoggedCall& event, const GroupTable& groups) {
    const Call& call = event.call;
    if (call.group < 0) {
        ++without_group_;
        return;
    }
    GroupDigest& group = group_digests_[place_of_group(call.group, groups)];
    const std::vector<Rank>& members = group.members;
    const auto is_member = [&](Rank rank) {
        return std::binary_search(members.begin(), members.end(), rank);
    };
    if (!is_member(rank_)) {
        note_problem(event,
                     fmt::format("on {}, which the rank is not one of", ranks_text(members)));
        return;
    }
    if (call.peer.valid() && !is_member(call.peer)) {
        note_problem(event,
                     fmt::format("on {}, which the root is not one of", ranks_text(members)));
    }
    if (call.operation == Operation::Barrier) {
        ++group.barriers;
        group.earlier = {group.chain, group.earlier[0], group.earlier[1]};
    } else {
        if (call.operation == Operation::Broadcast && !group.broadcast_seen) {
            group.broadcast_seen = true;
            group.can_shorten = group.barriers >= extra_barriers;
            group.shortened = group.earlier.back();
        }
        group.barriers = 0;
    }
    const std::uint64_t digest = digest_of(call);
    const std::uint64_t balance = balance_of(call, members.size());
    group.chain.add(digest, balance);
    if (group.can_shorten) {
        group.shortened.add(digest, balance);
    }
}

void RankDigest::add(const LoggedCall& event, const GroupTable& groups) {
    const Call& call = event.call;
    if (call.operation == Operation::NewGroup) {
        new_groups_.add(new_group_digest(event, groups), 0);
    } else if (is_send(call.operation) || is_receive(call.operation)) {
        if (!call.peer.valid()) {
            ++from_anybody_;
            return;
        }
        if (call.peer == rank_) {
            note_problem(event, "is a message of the rank to itself");
            return;
        }
        messages_[{call.peer, is_send(call.operation)}].add(digest_of(call), 0);
    } else if (is_collective(call.operation)) {
        add_collective(event, groups);
    }
}

}  // namespace npunet::generators::megatron
