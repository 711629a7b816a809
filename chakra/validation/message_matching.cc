#include "chakra/validation/rank_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace npunet::chakra {

namespace {

/// One end of a message.
struct End {
    std::int32_t source = 0;
    std::int32_t destination = 0;
    std::int64_t tag = 0;
    std::uint64_t node = 0;
    std::int64_t bytes = 0;
    TraceNumber trace = no_trace;

    [[nodiscard]] auto channel() const { return std::tie(source, destination, tag); }
};

/// The first message without a partner on the other side, for each way of coming close.
class NearMisses {
public:
    explicit NearMisses(const std::vector<End>& unmatched) {
        for (const End& end : unmatched) {
            pairs_.emplace(std::make_tuple(end.source, end.destination, end.bytes), &end);
            pairs_.emplace(std::make_tuple(end.source, end.destination, any_size), &end);
            at_destination_.emplace(std::make_pair(end.destination, end.tag), &end);
            at_source_.emplace(std::make_pair(end.source, end.tag), &end);
        }
    }

    /// Another tag, best of the same size; another source; another destination. Null: none.
    [[nodiscard]] const End* of(const End& end) const {
        for (const std::int64_t bytes : {end.bytes, any_size}) {
            const auto found = pairs_.find({end.source, end.destination, bytes});
            if (found != pairs_.end()) {
                return found->second;
            }
        }
        const auto there = at_destination_.find({end.destination, end.tag});
        if (there != at_destination_.end()) {
            return there->second;
        }
        const auto here = at_source_.find({end.source, end.tag});
        return here == at_source_.end() ? nullptr : here->second;
    }

private:
    static constexpr std::int64_t any_size = -1;

    std::map<std::tuple<std::int32_t, std::int32_t, std::int64_t>, const End*> pairs_;
    std::map<std::pair<std::int32_t, std::int64_t>, const End*> at_destination_;
    std::map<std::pair<std::int32_t, std::int64_t>, const End*> at_source_;
};

class Matching {
public:
    Matching(const std::vector<ComparedRank>& ranks, FindingList& findings) : findings_(findings) {
        for (const ComparedRank& rank : ranks) {
            for (const MessageRecord& message : rank.communication->messages) {
                if (compared(ranks, message.peer) && message.peer != rank.rank) {
                    add(rank, message);
                }
            }
        }
        const auto by_channel = [](const End& a, const End& b) {
            return a.channel() < b.channel();
        };
        std::stable_sort(sends_.begin(), sends_.end(), by_channel);
        std::stable_sort(receives_.begin(), receives_.end(), by_channel);
    }

    void run() {
        auto send = sends_.begin();
        auto receive = receives_.begin();
        std::vector<End> lonely_sends;
        std::vector<End> lonely_receives;
        while (send != sends_.end() || receive != receives_.end()) {
            if (receive == receives_.end() ||
                (send != sends_.end() && send->channel() < receive->channel())) {
                lonely_sends.push_back(*send++);
            } else if (send == sends_.end() || receive->channel() < send->channel()) {
                lonely_receives.push_back(*receive++);
            } else {
                compare_sizes(*send++, *receive++);
            }
        }
        const NearMisses receives(lonely_receives);
        for (const End& end : lonely_sends) {
            report_lonely(end, true, receives.of(end));
        }
        const NearMisses sends(lonely_sends);
        for (const End& end : lonely_receives) {
            report_lonely(end, false, sends.of(end));
        }
    }

private:
    static bool compared(const std::vector<ComparedRank>& ranks, Rank rank) {
        const auto found =
            std::lower_bound(ranks.begin(), ranks.end(), rank,
                             [](const ComparedRank& a, Rank wanted) { return a.rank < wanted; });
        return found != ranks.end() && found->rank == rank;
    }

    void add(const ComparedRank& rank, const MessageRecord& message) {
        const std::int32_t own = rank.rank.value();
        const std::int32_t peer = message.peer.value();
        (message.send ? sends_ : receives_)
            .push_back({message.send ? own : peer, message.send ? peer : own, message.tag,
                        message.node, message.bytes, rank.trace});
    }

    void compare_sizes(const End& send, const End& receive) {
        if (send.bytes == receive.bytes) {
            return;
        }
        findings_.add(
            Severity::Error, FindingCode::MessageSizeMismatch, receive.trace, receive.node, [&] {
                return fmt::format(
                    "awaits {} bytes with tag {}, but node {} of rank {} sends {}. Sends and "
                    "receives match in order for each source, destination and tag",
                    receive.bytes, receive.tag, send.node, send.source, send.bytes);
            });
    }

    void report_lonely(const End& end, bool send, const End* near) {
        const auto code = send ? FindingCode::UnmatchedSend : FindingCode::UnmatchedReceive;
        findings_.add(Severity::Error, code, end.trace, end.node, [&] {
            std::string text =
                send ? fmt::format(
                           "sends {} bytes with tag {} to rank {}, which has no such "
                           "receive left",
                           end.bytes, end.tag, end.destination)
                     : fmt::format(
                           "awaits {} bytes with tag {} from rank {}, which has no such "
                           "send left",
                           end.bytes, end.tag, end.source);
            if (near != nullptr) {
                text +=
                    send ? fmt::format(
                               "; nearest: node {} of rank {} awaits {} bytes with tag "
                               "{} from rank {}",
                               near->node, near->destination, near->bytes, near->tag, near->source)
                         : fmt::format(
                               "; nearest: node {} of rank {} sends {} bytes with tag "
                               "{} to rank {}",
                               near->node, near->source, near->bytes, near->tag, near->destination);
            }
            return text + (send ? ". Add the receive or remove the send"
                                : ". Add the send or remove the receive");
        });
    }

    FindingList& findings_;
    std::vector<End> sends_;
    std::vector<End> receives_;
};

}  // namespace

void match_messages(const std::vector<ComparedRank>& ranks, FindingList& findings) {
    Matching(ranks, findings).run();
}

}  // namespace npunet::chakra
