#include "generators/megatron/matching/log_summary.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "base/thread_pool.h"
#include "generators/megatron/groups/process_groups.h"
#include "generators/megatron/logs/repeated_events.h"

namespace npunet::generators::megatron {

namespace {

void add_to(std::int64_t& sum, std::int64_t amount) {
    sum = amount > std::numeric_limits<std::int64_t>::max() - sum
              ? std::numeric_limits<std::int64_t>::max()
              : sum + amount;
}

/// Calls and bytes of one rank.
struct Tally {
    std::int64_t calls = 0;
    std::int64_t bytes = 0;

    void add(const Call& call) {
        ++calls;
        add_to(bytes, payload_bytes(call));
    }
};

/// By the name in the log and the group's number.
using GroupTallies = std::map<std::pair<std::string, std::int32_t>, Tally>;

struct RankTally {
    std::int64_t events = 0;
    std::array<Tally, operations> by_operation{};
    GroupTable groups;
    GroupTallies by_group;
};

/// What all ranks' tallies add up to.
class SummaryBuilder {
public:
    SummaryBuilder(const LogFolder& folder, LogSummary& summary)
        : roles_(folder.run.parallelism), summary_(summary) {}

    void add(const RankTally& tally) {
        const bool first = summary_.ranks++ == 0;
        widen(summary_.events, tally.events, first);
        for (std::size_t i = 0; i < operations; ++i) {
            OperationSummary& operation = summary_.by_operation[i];
            widen(operation.calls, tally.by_operation[i].calls, first);
            widen(operation.bytes, tally.by_operation[i].bytes, first);
        }
        for (const auto& [group, sums] : tally.by_group) {
            const std::vector<Rank>& ranks = tally.groups.ranks(group.second);
            const std::string name = group.first.empty() ? role_of(ranks) : group.first;
            Kind& kind = kinds_[{name, ranks.size()}];
            kind.groups.insert(sets_.add(ranks));
            add_to(kind.sums.calls, sums.calls);
            add_to(kind.sums.bytes, sums.bytes);
        }
    }

    void finish() {
        for (const auto& [name, kind] : kinds_) {
            summary_.groups.push_back({name.first, static_cast<std::int64_t>(name.second),
                                       static_cast<std::int64_t>(kind.groups.size()),
                                       kind.sums.calls, kind.sums.bytes});
        }
    }

private:
    struct Kind {
        std::set<std::int32_t> groups;
        Tally sums;
    };

    static void widen(Spread& spread, std::int64_t amount, bool first) {
        spread.min = first ? amount : std::min(spread.min, amount);
        spread.max = first ? amount : std::max(spread.max, amount);
        add_to(spread.sum, amount);
    }
    /// The first role that has such a group.
    std::string role_of(const std::vector<Rank>& ranks) const {
        std::vector<Rank> members = ranks;
        std::sort(members.begin(), members.end());
        if (members.back().value() < roles_.world()) {
            for (std::size_t role = 0; role < group_roles; ++role) {
                if (roles_.of(static_cast<GroupRole>(role), members.front()) == members) {
                    return std::string(name_of(static_cast<GroupRole>(role)));
                }
            }
        }
        return "other";
    }

    ProcessGroups roles_;
    LogSummary& summary_;
    GroupTable sets_;
    std::map<std::pair<std::string, std::size_t>, Kind> kinds_;
};

}  // namespace

LogSummary summarize_logs(const LogFolder& folder, const std::function<void()>& read) {
    LogSummary summary;
    const LogSource source(folder.logs);
    const Dialect dialect = folder.run.dialect;
    Rendezvous rendezvous(source, dialect, folder.run.parallelism.tp);
    SummaryBuilder builder(folder, summary);
    std::mutex mutex;
    for_each_in_parallel(folder.logs.size(), [&](std::size_t number) {
        const Rank rank(number);
        RankTally tally;
        RankDigest digest(rank);
        RepeatedEvents once(dialect, [&](const LoggedCall& event) {
            const Call& call = event.call;
            tally.by_operation[static_cast<std::size_t>(call.operation)].add(call);
            if (is_collective(call.operation) && call.group >= 0) {
                tally.by_group[{event.group_name, call.group}].add(call);
            }
        });
        source.read(rank, tally.groups, [&](const LoggedCall& event) {
            ++tally.events;
            digest.add(event, tally.groups);
            once.add(event);
        });
        once.finish();
        const std::lock_guard<std::mutex> lock(mutex);
        rendezvous.add(digest);
        builder.add(tally);
        read();
    });
    builder.finish();
    summary.rendezvous = rendezvous.check();
    return summary;
}

}  // namespace npunet::generators::megatron
