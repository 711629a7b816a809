#include "generators/megatron/matching/rendezvous.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/thread_pool.h"
#include "generators/megatron/program/call_comparison.h"

namespace npunet::generators::megatron {

namespace {

/// The chain that most members have; of equally frequent ones that of the lowest rank.
template <class Members>
std::size_t most_frequent(const Members& members) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> counts;
    for (const auto& member : members) {
        ++counts[{member.chain.calls, member.chain.hash}];
    }
    std::size_t best = 0;
    std::size_t best_count = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const std::size_t count = counts[{members[i].chain.calls, members[i].chain.hash}];
        if (count > best_count) {
            best = i;
            best_count = count;
        }
    }
    return best;
}

template <class Members>
std::size_t deviating(const Members& members) {
    const CallChain& most = members[most_frequent(members)].chain;
    return static_cast<std::size_t>(
        std::count_if(members.begin(), members.end(),
                      [&](const auto& member) { return !member.chain.same_calls(most); }));
}

}  // namespace

Rendezvous::Rendezvous(const CallSource& source, Dialect dialect, std::int64_t tensor_parallel)
    : source_(source),
      dialect_(dialect),
      tensor_parallel_(tensor_parallel),
      takes_from_anybody_(static_cast<std::size_t>(source.ranks())) {}

void Rendezvous::add(const RankDigest& digest) {
    const Rank rank = digest.rank();
    for (const RankDigest::GroupDigest& group : digest.group_digests()) {
        const auto set = static_cast<std::size_t>(sets_.add(group.members));
        if (set == members_.size()) {
            members_.emplace_back();
        }
        if (group.chain.calls > 0) {
            members_[set].push_back({rank, group.chain, group.shortened, group.can_shorten});
        }
    }
    for (const auto& [partner, chain] : digest.messages()) {
        const auto& [peer, sends] = partner;
        if (sends) {
            messages_[{rank, peer}].sent = chain;
        } else {
            messages_[{peer, rank}].received = chain;
        }
    }
    if (dialect_ == Dialect::Genstack) {
        new_groups_.push_back({rank, digest.new_groups(), {}, false});
    }
    for (const std::string& problem : digest.problems()) {
        problems_.emplace_back(rank, problem);
    }
    takes_from_anybody_[rank.index()] = digest.from_anybody() > 0;
    without_group_ += digest.without_group();
}

template <class Describe>
void Rendezvous::find(Describe&& describe) {
    if (result_.findings.size() < most_findings) {
        result_.findings.push_back(describe());
    } else {
        ++result_.more_findings;
    }
}

bool Rendezvous::has_extra_barriers(Rank rank) const {
    // The dialect numbers ranks with tp fastest.
    return rank.value() % tensor_parallel_ == 0;
}

void Rendezvous::check_same(const CallStream& stream, const std::vector<Member>& members,
                            bool shortened) {
    const Member& most = members[most_frequent(members)];
    const auto stream_of = [&](Rank rank) {
        CallStream own = stream;
        own.shortened = shortened && has_extra_barriers(rank);
        return own;
    };
    for (const Member& member : members) {
        if (!member.chain.same_calls(most.chain)) {
            find([&] {
                const std::string difference = first_difference(
                    source_, member.rank, stream_of(member.rank), most.rank, stream_of(most.rank));
                return stream.kind == CallStream::Kind::NewGroup
                           ? difference
                           : fmt::format("on {}: {}", ranks_text(stream.members), difference);
            });
        }
    }
}

void Rendezvous::check_new_groups() {
    if (!new_groups_.empty()) {
        std::sort(new_groups_.begin(), new_groups_.end(),
                  [](const Member& a, const Member& b) { return a.rank < b.rank; });
        check_same({CallStream::Kind::NewGroup}, new_groups_, false);
    }
}

std::vector<Rendezvous::Member> Rendezvous::all_of(const std::vector<Rank>& ranks,
                                                   std::vector<Member> calling) {
    std::sort(calling.begin(), calling.end(),
              [](const Member& a, const Member& b) { return a.rank < b.rank; });
    std::vector<Member> all;
    all.reserve(ranks.size());
    auto next = calling.begin();
    for (const Rank rank : ranks) {
        const bool calls = next != calling.end() && next->rank == rank;
        all.push_back(calls ? *next++ : Member{rank, {}, {}, false});
    }
    return all;
}

bool Rendezvous::shorten(std::vector<Member>& members) {
    const bool world = static_cast<std::int64_t>(members.size()) == source_.ranks();
    const std::size_t apart = deviating(members);
    if (apart == 0 || !world || dialect_ != Dialect::Genstack || tensor_parallel_ == 1) {
        return false;
    }
    std::vector<Member> shortened = members;
    std::int64_t extra = 0;
    for (Member& member : shortened) {
        if (has_extra_barriers(member.rank) && member.can_shorten) {
            member.chain = member.shortened;
            ++extra;
        }
    }
    if (deviating(shortened) >= apart) {
        return false;
    }
    members = std::move(shortened);
    ranks_with_extra_barriers_ = extra;
    return true;
}

void Rendezvous::check_set(const std::vector<Rank>& ranks, std::vector<Member> calling) {
    if (calling.empty()) {
        return;
    }
    if (ranks.back().value() >= source_.ranks()) {
        const auto first =
            std::min_element(calling.begin(), calling.end(),
                             [](const Member& a, const Member& b) { return a.rank < b.rank; });
        find([&] {
            return fmt::format("{} calls on {}, but there are logs of ranks 0 to {} only",
                               source_.name(first->rank), ranks_text(ranks), source_.ranks() - 1);
        });
        return;
    }
    std::vector<Member> members = all_of(ranks, std::move(calling));
    const bool shortened = shorten(members);
    result_.collectives += members[most_frequent(members)].chain.calls;
    check_same({CallStream::Kind::Collective, ranks}, members, shortened);
    if (deviating(members) == 0) {
        check_balance(ranks, members);
    }
}

void Rendezvous::check_balance(const std::vector<Rank>& ranks, const std::vector<Member>& members) {
    std::uint64_t sum = 0;
    for (const Member& member : members) {
        sum += member.chain.balance;
    }
    if (sum == 0) {
        return;
    }
    find([&] { return first_imbalance(source_, ranks); });
}

void Rendezvous::check_messages() {
    for (const auto& [ends, chains] : messages_) {
        const auto [from, to] = ends;
        const std::string direction =
            fmt::format("from rank {} to rank {}", from.value(), to.value());
        const Rank beyond = from < to ? to : from;
        if (beyond.value() >= source_.ranks()) {
            find([&, here = from < to ? from : to] {
                return fmt::format("{} has messages {}, but there are logs of ranks 0 to {} only",
                                   source_.name(here), direction, source_.ranks() - 1);
            });
        } else if (takes_from_anybody_[to.index()]) {
            continue;
        } else if (chains.sent.same_calls(chains.received)) {
            result_.messages += chains.sent.calls;
        } else {
            find([&, sender = from, receiver = to] {
                return fmt::format(
                    "messages {}: {}", direction,
                    first_difference(source_, sender, {CallStream::Kind::Send, {}, receiver},
                                     receiver, {CallStream::Kind::Receive, {}, sender}));
            });
        }
    }
}

RendezvousResult Rendezvous::check() {
    std::sort(problems_.begin(), problems_.end());
    for (const auto& [rank, problem] : problems_) {
        find([&, of = rank, &text = problem] {
            return fmt::format("{} {}", source_.name(of), text);
        });
    }
    check_new_groups();
    // By content: the sets are numbered in the order in which ranks came.
    std::map<std::vector<Rank>, std::size_t> in_order;
    for (std::size_t set = 0; set < members_.size(); ++set) {
        in_order.emplace(sets_.ranks(static_cast<std::int32_t>(set)), set);
    }
    for (const auto& [ranks, set] : in_order) {
        check_set(ranks, std::move(members_[set]));
    }
    check_messages();
    if (ranks_with_extra_barriers_ > 0) {
        result_.notes.push_back(fmt::format(
            "the {} ranks of tensor place 0 meet three barriers of the world more than the "
            "others, as the tracer has it: a run that waits in barriers would stand still",
            ranks_with_extra_barriers_));
    }
    if (without_group_ > 0) {
        result_.notes.push_back(
            fmt::format("{} collectives name no ranks and were not compared", without_group_));
    }
    const auto anybody = std::count(takes_from_anybody_.begin(), takes_from_anybody_.end(), true);
    if (anybody > 0) {
        result_.notes.push_back(fmt::format(
            "{} ranks receive from anybody: messages to them were not compared", anybody));
    }
    return std::move(result_);
}

RendezvousResult check_rendezvous(const CallSource& source, Dialect dialect,
                                  std::int64_t tensor_parallel) {
    Rendezvous rendezvous(source, dialect, tensor_parallel);
    std::mutex mutex;
    for_each_in_parallel(static_cast<std::size_t>(source.ranks()), [&](std::size_t number) {
        const Rank rank(number);
        GroupTable groups;
        RankDigest digest(rank);
        source.read(rank, groups, [&](const LoggedCall& event) { digest.add(event, groups); });
        const std::lock_guard<std::mutex> lock(mutex);
        rendezvous.add(digest);
    });
    return rendezvous.check();
}

}  // namespace npunet::generators::megatron
