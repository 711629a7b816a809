#include "generators/recorded/recorded_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"

namespace npunet::generators::recorded {

namespace {

bool has(const std::vector<Rank>& ranks, Rank rank) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

}  // namespace

RecordedGroups::RecordedGroups(const std::vector<LogHeader>& headers) {
    std::map<std::vector<Rank>, std::vector<std::int32_t>> known;
    for (const LogHeader& header : headers) {
        std::map<std::vector<Rank>, std::size_t> met;
        std::vector<std::int32_t>& numbers = numbers_[header.rank];
        for (const std::vector<Rank>& ranks : header.groups) {
            std::vector<std::int32_t>& copies = known[ranks];
            const std::size_t copy = met[ranks]++;
            if (copy == copies.size()) {
                copies.push_back(size());
                ranks_.push_back(ranks);
            }
            numbers.push_back(copies[copy]);
        }
    }
}

RankSubstitution::RankSubstitution(const RecordedGroups& groups, const GroupFamilies& families,
                                   Rank logged, Rank rank)
    : groups_(groups), logged_(logged), rank_(rank) {
    if (logged_ == rank_) {
        return;
    }
    for (const std::vector<std::int32_t>& family : families) {
        std::int32_t own = -1;
        std::vector<std::int32_t> of_logged;
        for (const std::int32_t number : family) {
            if (own < 0 && has(groups_.ranks(number), rank_)) {
                own = number;
            }
            if (has(groups_.ranks(number), logged_)) {
                of_logged.push_back(number);
            }
        }
        for (const std::int32_t number : of_logged) {
            counterparts_[number] = own;
        }
    }
}

std::int32_t RankSubstitution::counterpart(std::int32_t number) const {
    if (logged_ == rank_) {
        return number;
    }
    const auto found = counterparts_.find(number);
    if (found == counterparts_.end() || found->second < 0) {
        throw InputError(
            {fmt::format("rank {}", rank_.value()), "",
             fmt::format("no group in place of group {} of rank {}", number, logged_.value()),
             "ranks that take part in the same kinds of groups",
             "Record all ranks: leave out --distinct"});
    }
    return found->second;
}

std::int32_t RankSubstitution::group(std::int32_t logged_group) const {
    return counterpart(groups_.number(logged_, logged_group));
}

Rank RankSubstitution::at_same_place(std::int32_t number, Rank logged) const {
    const std::vector<Rank>& from = groups_.ranks(number);
    const std::vector<Rank>& to = groups_.ranks(counterpart(number));
    const auto place = std::find(from.begin(), from.end(), logged) - from.begin();
    return to[static_cast<std::size_t>(place)];
}

Rank RankSubstitution::root(std::int32_t logged_group, Rank logged_root) const {
    return at_same_place(groups_.number(logged_, logged_group), logged_root);
}

Rank RankSubstitution::peer(Rank logged_peer) const {
    if (logged_ == rank_) {
        return logged_peer;
    }
    std::int32_t smallest = -1;
    for (const auto& [number, own] : counterparts_) {
        const std::vector<Rank>& ranks = groups_.ranks(number);
        if ((smallest < 0 || ranks.size() < groups_.ranks(smallest).size()) &&
            has(ranks, logged_peer)) {
            smallest = number;
        }
    }
    if (smallest < 0) {
        throw InputError(
            {fmt::format("rank {}", rank_.value()), "",
             fmt::format("no rank in place of rank {}, which rank {} sends to or receives from",
                         logged_peer.value(), logged_.value()),
             "a process group that holds both ranks", "Record all ranks: leave out --distinct"});
    }
    return at_same_place(smallest, logged_peer);
}

}  // namespace npunet::generators::recorded
