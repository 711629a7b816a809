// The sends and receives of one group, brought together.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/errors.h"
#include "generators/profiler/process_group.h"

namespace npunet::generators::profiler {

namespace {

struct Ends {
    std::vector<CallPlace> sends;
    std::vector<CallPlace> receives;
};

class MessageMatching {
public:
    MessageMatching(const ProcessGroup& group, MatchingState& state)
        : group_(group), state_(state) {}

    void match() {
        global_ = peers_are_global();
        for (const CallPlace& place : group_.messages) {
            add(place);
        }
        for (const auto& [ranks, ends] : ends_) {
            meet(ranks.first, ranks.second, ends);
        }
        if (left_out_ > 0) {
            state_.run.warnings.push_back(fmt::format(
                "{}: left out, since their other end is not there: sends and receives, {}",
                group_.name(), left_out_));
        }
    }

private:
    /// Peers are either ranks of the job or places in the group: ranks, if all of them are members.
    [[nodiscard]] bool peers_are_global() const {
        return std::all_of(group_.messages.begin(), group_.messages.end(),
                           [&](const CallPlace& place) {
                               const std::int64_t peer = state_.call(place).peer;
                               return peer != state_.graphs[place.graph].rank.value() &&
                                      std::find(group_.ranks.begin(), group_.ranks.end(), peer) !=
                                          group_.ranks.end();
                           });
    }

    void add(const CallPlace& place) {
        const CommunicationCall& call = state_.call(place);
        const RankGraph& graph = state_.graphs[place.graph];
        std::int64_t peer = call.peer;
        if (!global_) {
            const bool fits = peer >= 0 && peer < static_cast<std::int64_t>(group_.ranks.size());
            peer = fits ? group_.ranks[static_cast<std::size_t>(peer)] : unknown;
        }
        if (peer < 0) {
            throw InputError(
                {graph.file, state_.where(place),
                 call.kind == CallKind::Send ? "a send without a destination"
                                             : "a receive without a source",
                 "\"Dst Rank\" or \"Src Rank\", or an annotation like 'nccl:send 0->1'",
                 "Record with a PyTorch that names them, or give the execution traces"});
        }
        for (std::size_t other = 0; other < state_.graphs.size(); ++other) {
            if (state_.graphs[other].rank.value() == peer && other != place.graph) {
                const auto own = static_cast<std::int32_t>(place.graph);
                const auto its = static_cast<std::int32_t>(other);
                if (call.kind == CallKind::Send) {
                    ends_[{own, its}].sends.push_back(place);
                } else {
                    ends_[{its, own}].receives.push_back(place);
                }
                return;
            }
        }
        ++left_out_;
    }

    [[nodiscard]] std::int64_t size(const CallPlace& place) const {
        return comm_size(state_.call(place), 0);
    }

    void meet(std::int32_t source, std::int32_t destination, const Ends& ends) {
        const std::size_t messages = std::min(ends.sends.size(), ends.receives.size());
        for (std::size_t k = 0; k < messages; ++k) {
            const std::int64_t sent = size(ends.sends[k]);
            const std::int64_t received = size(ends.receives[k]);
            const std::int64_t bytes = std::max(sent, received);
            if (bytes < 0 || bytes > chakra::largest_comm_size ||
                (sent >= 0 && received >= 0 && sent != received)) {
                refuse(ends, k, sent, received);
            }
            const std::int32_t meeting = state_.run.meetings++;
            const std::int32_t tag = tags_[{source, destination}]++;
            for (const CallPlace& place : {ends.sends[k], ends.receives[k]}) {
                MatchedCall& matched = state_.matched(place);
                matched.kind = state_.call(place).kind == CallKind::Send
                                   ? MatchedCall::Kind::Send
                                   : MatchedCall::Kind::Receive;
                matched.meeting = meeting;
                matched.comm_size = bytes;
                matched.source = Rank(source);
                matched.destination = Rank(destination);
                matched.tag = tag;
            }
        }
        left_out_ += static_cast<std::int64_t>(ends.sends.size() + ends.receives.size()) -
                     2 * static_cast<std::int64_t>(messages);
    }

    [[noreturn]] void refuse(const Ends& ends, std::size_t k, std::int64_t sent,
                             std::int64_t received) const {
        const RankGraph& sender = state_.graphs[ends.sends[k].graph];
        const RankGraph& receiver = state_.graphs[ends.receives[k].graph];
        if (std::max(sent, received) > chakra::largest_comm_size) {
            throw InputError({sender.file, state_.where(ends.sends[k]),
                              fmt::format("a send of {} bytes", std::max(sent, received)),
                              fmt::format("at most {}", chakra::largest_comm_size),
                              "Is the file what the profiler has written?"});
        }
        if (sent < 0 && received < 0) {
            throw InputError({sender.file, state_.where(ends.sends[k]),
                              "a send whose size nothing tells",
                              "\"In msg nelems\" and \"dtype\", or the shape of its tensor",
                              "Record with record_shapes=True, or give the execution traces"});
        }
        throw InputError({receiver.file,
                          fmt::format("{}, {}", group_.name(), state_.where(ends.receives[k])),
                          fmt::format("a receive of {} bytes", received),
                          fmt::format("{}, which the message from rank {} has ({})", sent,
                                      sender.rank.value(), state_.where(ends.sends[k])),
                          "Are the profiles of the same steps of one run?"});
    }

    const ProcessGroup& group_;
    MatchingState& state_;
    bool global_ = true;
    std::map<std::pair<std::int32_t, std::int32_t>, Ends> ends_;  ///< by source and destination
    std::int64_t left_out_ = 0;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t>& tags_ = state_.tags;
};

}  // namespace

void match_messages(const ProcessGroup& group, MatchingState& state) {
    MessageMatching(group, state).match();
}

}  // namespace npunet::generators::profiler
