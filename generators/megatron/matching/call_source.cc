#include "generators/megatron/matching/call_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "generators/megatron/matching/rank_digest.h"
#include "generators/megatron/program/call_comparison.h"

namespace npunet::generators::megatron {

namespace {

/// Tells the calls of a stream from a rank's others.
class StreamFilter {
public:
    StreamFilter(const CallStream& stream, const GroupTable& groups)
        : stream_(stream), groups_(groups) {}

    [[nodiscard]] bool takes(const Call& call) {
        switch (stream_.kind) {
            case CallStream::Kind::NewGroup:
                return call.operation == Operation::NewGroup;
            case CallStream::Kind::Send:
                return is_send(call.operation) && call.peer == stream_.peer;
            case CallStream::Kind::Receive:
                return is_receive(call.operation) && call.peer == stream_.peer;
            case CallStream::Kind::Collective:
                break;
        }
        return is_collective(call.operation) && call.group >= 0 && is_set(call.group);
    }

private:
    bool is_set(std::int32_t group) {
        const auto number = static_cast<std::size_t>(group);
        if (number >= known_.size()) {
            known_.resize(number + 1);
        }
        if (!known_[number]) {
            std::vector<Rank> members = groups_.ranks(group);
            std::sort(members.begin(), members.end());
            known_[number] = members == stream_.members;
        }
        return *known_[number];
    }

    const CallStream& stream_;
    const GroupTable& groups_;
    std::vector<std::optional<bool>> known_;  ///< by group
};

struct StreamCall {
    std::uint64_t digest = 0;
    std::int64_t call_id = 0;
    Operation operation = Operation::Barrier;
};

std::vector<StreamCall> calls_of(const CallSource& source, Rank rank, const CallStream& stream) {
    std::vector<StreamCall> calls;
    GroupTable groups;
    StreamFilter filter(stream, groups);
    source.read(rank, groups, [&](const LoggedCall& event) {
        if (filter.takes(event.call)) {
            const bool is_group = event.call.operation == Operation::NewGroup;
            calls.push_back({is_group ? new_group_digest(event, groups) : digest_of(event.call),
                             event.call_id, event.call.operation});
        }
    });
    if (stream.shortened) {
        const auto broadcast = std::find_if(calls.begin(), calls.end(), [](const StreamCall& call) {
            return call.operation == Operation::Broadcast;
        });
        calls.erase(broadcast - std::min<std::ptrdiff_t>(3, broadcast - calls.begin()), broadcast);
    }
    return calls;
}

struct FoundEvent {
    LoggedCall event;
    std::string text;  ///< "comm_log_rank_1.json event 17 (barrier)"
};

FoundEvent event_of(const CallSource& source, Rank rank, std::int64_t call_id) {
    FoundEvent found;
    GroupTable groups;
    source.read(rank, groups, [&](const LoggedCall& event) {
        if (event.call_id == call_id) {
            found.event = event;
        }
    });
    std::string call = description_of(found.event.call);
    if (found.event.call.operation == Operation::NewGroup) {
        call += " of " + ranks_text(groups.ranks(found.event.call.group));
    }
    found.text = fmt::format("{} event {} ({})", source.name(rank), call_id, call);
    return found;
}

}  // namespace

std::string first_difference(const CallSource& source, Rank a, const CallStream& stream_a, Rank b,
                             const CallStream& stream_b) {
    const std::vector<StreamCall> calls_a = calls_of(source, a, stream_a);
    const std::vector<StreamCall> calls_b = calls_of(source, b, stream_b);
    const std::size_t both = std::min(calls_a.size(), calls_b.size());
    std::size_t at = 0;
    while (at < both && calls_a[at].digest == calls_b[at].digest) {
        ++at;
    }
    if (at < both) {
        const FoundEvent event_a = event_of(source, a, calls_a[at].call_id);
        const FoundEvent event_b = event_of(source, b, calls_b[at].call_id);
        const std::string what = differences(event_a.event.call, event_b.event.call);
        return fmt::format("{} and {} differ in {}", event_a.text, event_b.text,
                           what.empty() ? "ranks" : what);
    }
    const bool a_longer = calls_a.size() > calls_b.size();
    const Rank longer = a_longer ? a : b;
    const std::vector<StreamCall>& calls = a_longer ? calls_a : calls_b;
    return fmt::format("{} has {} such calls, {} has {}: {} meets none", source.name(a),
                       calls_a.size(), source.name(b), calls_b.size(),
                       event_of(source, longer, calls[at].call_id).text);
}

std::string first_imbalance(const CallSource& source, const std::vector<Rank>& members) {
    std::vector<std::uint64_t> sums;
    const CallStream stream{CallStream::Kind::Collective, members};
    for (const Rank rank : members) {
        GroupTable groups;
        StreamFilter filter(stream, groups);
        std::size_t at = 0;
        source.read(rank, groups, [&](const LoggedCall& event) {
            if (filter.takes(event.call)) {
                sums.resize(std::max(sums.size(), at + 1));
                sums[at++] += balance_of(event.call, members.size());
            }
        });
    }
    const auto first = std::find_if(sums.begin(), sums.end(), [](auto sum) { return sum != 0; });
    if (first == sums.end()) {
        return fmt::format("on {}: what the members hand in is not what they take out",
                           ranks_text(members));
    }
    const std::vector<StreamCall> calls = calls_of(source, members.front(), stream);
    const auto at = static_cast<std::size_t>(first - sums.begin());
    return fmt::format("on {}: {}: what the members hand in is not what they take out",
                       ranks_text(members),
                       event_of(source, members.front(), calls[at].call_id).text);
}

}  // namespace npunet::generators::megatron
