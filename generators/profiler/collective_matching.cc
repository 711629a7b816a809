// The collectives of one group, brought together.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/errors.h"
#include "generators/profiler/process_group.h"

namespace npunet::generators::profiler {

namespace {

using chakra::CollectiveType;

/// Of a meeting: the place of each member's call.
using Meeting = std::vector<CallPlace>;

class CollectiveMatching {
public:
    CollectiveMatching(const ProcessGroup& group, std::string name, MatchingState& state)
        : group_(group), name_(std::move(name)), state_(state) {
        for (const std::int32_t rank : group.ranks) {
            present_.push_back(
                std::any_of(group.members.begin(), group.members.end(), [&](std::int32_t member) {
                    return state.graphs[static_cast<std::size_t>(member)].rank.value() == rank;
                }));
        }
    }

    void match() {
        const std::vector<Meeting> meetings = by_number() ? numbered() : counted();
        for (const Meeting& meeting : meetings) {
            set(meeting);
        }
        if (left_out_ > 0) {
            state_.run.warnings.push_back(fmt::format(
                "{}: left out, since not all members have them at the begin or end of their "
                "profiles: {} collectives",
                group_.name(), left_out_));
        }
        if (estimated_ > 0) {
            state_.run.warnings.push_back(fmt::format(
                "{}: all-to-alls of unequal sizes without splits, which execution traces have, so "
                "that each pair of ranks is given its share of what both send and receive: {}",
                group_.name(), estimated_));
        }
        if (largest_ > 0) {
            state_.run.warnings.push_back(fmt::format(
                "{}: collectives with parts of unequal size, all taken as the largest: {}",
                group_.name(), largest_));
        }
    }

private:
    [[nodiscard]] std::size_t members() const { return group_.members.size(); }
    [[nodiscard]] std::int64_t number(const CallPlace& place) const {
        return state_.call(place).sequence;
    }

    /// Whether every call has a number, and they ascend.
    [[nodiscard]] bool by_number() const {
        return std::all_of(
            group_.collectives.begin(), group_.collectives.end(), [&](const auto& calls) {
                return std::all_of(calls.begin(), calls.end(),
                                   [&](const CallPlace& one) { return number(one) >= 0; }) &&
                       std::adjacent_find(calls.begin(), calls.end(),
                                          [&](const CallPlace& a, const CallPlace& b) {
                                              return number(a) >= number(b);
                                          }) == calls.end();
            });
    }

    /// Meetings by number: what lies outside of the numbers that all members have is left out.
    std::vector<Meeting> numbered() {
        std::int64_t first = 0;
        std::int64_t last = std::numeric_limits<std::int64_t>::max();
        for (const auto& calls : group_.collectives) {
            first = std::max(first, calls.empty() ? last : number(calls.front()));
            last = std::min(last, calls.empty() ? -1 : number(calls.back()));
        }
        std::vector<std::vector<CallPlace>> kept(members());
        for (std::size_t member = 0; member < members(); ++member) {
            for (const CallPlace& one : group_.collectives[member]) {
                if (number(one) >= first && number(one) <= last) {
                    kept[member].push_back(one);
                } else {
                    ++left_out_;
                }
            }
        }
        std::vector<Meeting> meetings;
        for (std::size_t k = 0; k < kept.front().size(); ++k) {
            Meeting meeting;
            for (const auto& calls : kept) {
                if (k >= calls.size() || number(calls[k]) != number(kept.front()[k])) {
                    refuse_hole(kept, k);
                }
                meeting.push_back(calls[k]);
            }
            meetings.push_back(std::move(meeting));
        }
        for (const auto& calls : kept) {
            if (calls.size() != meetings.size()) {
                refuse_hole(kept, meetings.size());
            }
        }
        return meetings;
    }

    /// For the first member that has not the least of the k-th numbers.
    [[noreturn]] void refuse_hole(const std::vector<std::vector<CallPlace>>& kept,
                                  std::size_t k) const {
        constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
        const auto number_at = [&](std::size_t member) {
            return k < kept[member].size() ? number(kept[member][k]) : none;
        };
        std::int64_t least = none;
        std::size_t without = 0;
        for (std::size_t member = 0; member < members(); ++member) {
            least = std::min(least, number_at(member));
            without = number_at(member) > number_at(without) ? member : without;
        }
        throw InputError({graph(without).file, group_.name(),
                          fmt::format("no collective number {}", least),
                          "it, since it is in another member's profile and later ones are in both",
                          "Are the profiles whole, and of one run?"});
    }

    /// Meetings by count.
    std::vector<Meeting> counted() {
        std::size_t least = std::numeric_limits<std::size_t>::max();
        for (const auto& calls : group_.collectives) {
            least = std::min(least, calls.size());
        }
        std::vector<Meeting> meetings(least);
        for (const auto& calls : group_.collectives) {
            for (std::size_t k = 0; k < least; ++k) {
                meetings[k].push_back(calls[k]);
            }
            left_out_ += static_cast<std::int64_t>(calls.size() - least);
        }
        return meetings;
    }

    [[nodiscard]] const RankGraph& graph(std::size_t member) const {
        return state_.graphs[static_cast<std::size_t>(group_.members[member])];
    }
    [[nodiscard]] std::int64_t size(const CallPlace& place) const {
        return comm_size(state_.call(place), static_cast<std::int64_t>(group_.ranks.size()));
    }

    void set(const Meeting& meeting) {
        const CollectiveType type = state_.call(meeting.front()).collective;
        for (std::size_t member = 1; member < meeting.size(); ++member) {
            if (state_.call(meeting[member]).collective != type) {
                refuse_difference(meeting, member, std::string(name_of(type)),
                                  std::string(name_of(state_.call(meeting[member]).collective)));
            }
        }
        const std::int32_t number = state_.run.meetings++;
        std::vector<std::vector<std::int64_t>> parts;
        const std::vector<std::int64_t> sizes = sizes_of(meeting, type, parts);
        for (std::size_t member = 0; member < meeting.size(); ++member) {
            MatchedCall& matched = state_.matched(meeting[member]);
            matched.kind = MatchedCall::Kind::Collective;
            matched.meeting = number;
            matched.group = name_;
            matched.comm_size = sizes[member];
            if (!parts.empty()) {
                matched.comm_sizes = std::move(parts[member]);
            }
            matched.root = root_of(meeting);
            matched.before = before_.empty() ? -1 : static_cast<std::int32_t>(before_[member].node);
        }
        before_ = meeting;
    }

    /// The bytes of each member, and of unequal all-to-alls those to each other member.
    std::vector<std::int64_t> sizes_of(const Meeting& meeting, CollectiveType type,
                                       std::vector<std::vector<std::int64_t>>& parts) {
        std::vector<std::int64_t> sizes;
        std::int64_t largest = unknown;
        for (const CallPlace& place : meeting) {
            sizes.push_back(size(place));
            largest = std::max(largest, sizes.back());
        }
        if (largest > chakra::largest_comm_size) {
            throw InputError({graph(0).file, state_.where(meeting.front()),
                              fmt::format("{} of {} bytes", name_of(type), largest),
                              fmt::format("at most {}", chakra::largest_comm_size),
                              "Is the file what the profiler has written?"});
        }
        if (largest < 0) {
            throw InputError({graph(0).file, state_.where(meeting.front()),
                              fmt::format("{} whose size nothing tells", name_of(type)),
                              "\"In msg nelems\" and \"dtype\", or the shapes of its tensors",
                              "Record with record_shapes=True, or give the execution traces"});
        }
        for (std::int64_t& one : sizes) {
            one = one < 0 ? largest : one;
        }
        if (type == CollectiveType::AllToAll) {
            set_parts(meeting, sizes, parts);
            return sizes;
        }
        const bool equal =
            std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) == sizes.end();
        if (!equal) {
            take_largest(meeting, type, sizes, largest);
        }
        return sizes;
    }

    void take_largest(const Meeting& meeting, CollectiveType type, std::vector<std::int64_t>& sizes,
                      std::int64_t largest) {
        const bool parted = type == CollectiveType::AllGather || type == CollectiveType::Gather ||
                            type == CollectiveType::ReduceScatter ||
                            type == CollectiveType::Scatter;
        for (std::size_t member = 0; member < sizes.size() && !parted; ++member) {
            if (sizes[member] != sizes.front()) {
                refuse_difference(meeting, member,
                                  fmt::format("{} of {} bytes", name_of(type), sizes.front()),
                                  fmt::format("{} of {} bytes", name_of(type), sizes[member]));
            }
        }
        sizes.assign(sizes.size(), largest);
        ++largest_;
    }

    void set_parts(const Meeting& meeting, std::vector<std::int64_t>& sizes,
                   std::vector<std::vector<std::int64_t>>& parts) {
        const std::size_t n = group_.ranks.size();
        std::vector<std::int64_t> received;
        bool split = false;
        bool equal = true;
        for (std::size_t member = 0; member < meeting.size(); ++member) {
            const CommunicationCall& call = state_.call(meeting[member]);
            split = split || call.in_split.size() == n;
            received.push_back(call.out_bytes >= 0 ? call.out_bytes : sizes[member]);
            equal = equal && sizes[member] == sizes.front() && received.back() == sizes.front();
        }
        if (equal && !split) {
            const auto present = static_cast<std::int64_t>(meeting.size());
            for (std::int64_t& one : sizes) {
                one = present == static_cast<std::int64_t>(n)
                          ? one
                          : one / static_cast<std::int64_t>(n) * present;
            }
            return;
        }
        bool estimated = false;
        for (std::size_t member = 0; member < meeting.size(); ++member) {
            const CommunicationCall& call = state_.call(meeting[member]);
            parts.push_back(told_parts(call, sizes[member]));
            if (parts.back().empty()) {
                parts.back() = estimated_parts(sizes[member], received);
                estimated = true;
            }
            sizes[member] = 0;
            for (const std::int64_t part : parts.back()) {
                sizes[member] += part;
            }
        }
        estimated_ += estimated ? 1 : 0;
        const bool all_equal =
            std::all_of(parts.begin(), parts.end(), [&](const std::vector<std::int64_t>& one) {
                return std::all_of(one.begin(), one.end(), [&](std::int64_t part) {
                    return part == parts.front().front();
                });
            });
        if (all_equal) {
            parts.clear();
        }
    }

    /// Bytes to each member by the call's own list; empty when it has none that fits its size.
    [[nodiscard]] std::vector<std::int64_t> told_parts(const CommunicationCall& call,
                                                       std::int64_t bytes) const {
        std::vector<std::int64_t> parts;
        if (call.in_split.size() != group_.ranks.size() || call.element_bytes <= 0) {
            return parts;
        }
        std::int64_t left = bytes / call.element_bytes;
        for (std::size_t i = 0; i < group_.ranks.size(); ++i) {
            const std::int64_t part = std::max<std::int64_t>(call.in_split[i], 0);
            if (part > left) {
                return {};
            }
            left -= part;
            if (present_[i]) {
                parts.push_back(part * call.element_bytes);
            }
        }
        return left == 0 ? parts : std::vector<std::int64_t>();
    }

    /// Bytes to each member in proportion to what it receives; they sum to `bytes`.
    [[nodiscard]] static std::vector<std::int64_t> estimated_parts(
        std::int64_t bytes, const std::vector<std::int64_t>& received) {
        __extension__ using Wide = __int128;
        Wide total = 0;
        for (const std::int64_t one : received) {
            total += one;
        }
        std::vector<std::int64_t> parts;
        Wide before = 0;
        std::int64_t given = 0;
        for (std::size_t i = 0; i < received.size(); ++i) {
            before += total == 0 ? 1 : received[i];
            const Wide whole = total == 0 ? static_cast<Wide>(received.size()) : total;
            const auto until = static_cast<std::int64_t>(bytes * before / whole);
            parts.push_back(until - given);
            given = until;
        }
        return parts;
    }

    /// The root by its place in the group; none where no member's call tells it.
    [[nodiscard]] Rank root_of(const Meeting& meeting) const {
        for (const CallPlace& place : meeting) {
            const std::int64_t peer = state_.call(place).peer;
            if (peer >= 0 && peer < static_cast<std::int64_t>(group_.ranks.size())) {
                const std::int32_t rank = group_.ranks[static_cast<std::size_t>(peer)];
                for (const std::int32_t graph : group_.members) {
                    if (state_.graphs[static_cast<std::size_t>(graph)].rank.value() == rank) {
                        return Rank(graph);
                    }
                }
            }
        }
        return {};
    }

    [[noreturn]] void refuse_difference(const Meeting& meeting, std::size_t member,
                                        const std::string& expected,
                                        const std::string& found) const {
        throw InputError(
            {graph(member).file,
             fmt::format("{}, {}", group_.name(), state_.where(meeting[member])), found,
             fmt::format("{}, as rank {} has it there", expected, graph(0).rank.value()),
             "Are the profiles of the same steps of one run?"});
    }

    const ProcessGroup& group_;
    std::string name_;
    MatchingState& state_;
    std::vector<bool> present_;  ///< by place in the group
    Meeting before_;
    std::int64_t left_out_ = 0;
    std::int64_t estimated_ = 0;
    std::int64_t largest_ = 0;
};

}  // namespace

void match_collectives(const ProcessGroup& group, const std::string& name, MatchingState& state) {
    CollectiveMatching(group, name, state).match();
}

}  // namespace npunet::generators::profiler
