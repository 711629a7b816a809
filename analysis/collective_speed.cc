#include "analysis/collective_speed.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/rank_profile.h"
#include "analysis/time_spans.h"

namespace npunet::analysis {

using profiles::absent;
using profiles::CollectiveArgs;

namespace {

/// What a name holds, small letters alone: the first that fits.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> types = {
    {{"allreduce", "all_reduce"},
     {"reducescatter", "reduce_scatter"},
     {"allgather", "all_gather"},
     {"alltoall", "all_to_all"},
     {"sendrecv", "send_recv"},
     {"broadcast", "broadcast"},
     {"barrier", "barrier"},
     {"allreducecoalesced", "all_reduce"},
     {"gather", "gather"},
     {"scatter", "scatter"},
     {"reduce", "reduce"},
     {"send", "send_recv"},
     {"recv", "send_recv"},
     {"coalesced", "send_recv"}}};

std::string type_in(std::string_view text) {
    std::string letters;
    for (const char c : text.substr(0, text.find('('))) {
        if (c != '_' && c != '-') {
            letters += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        }
    }
    for (const auto& [part, type] : types) {
        if (letters.find(part) != std::string::npos) {
            return std::string(type);
        }
    }
    return "unknown";
}

/// The whole buffer: the larger of what goes in and what comes out.
std::int64_t bytes_of(const EventTable& trace, const CollectiveArgs& args) {
    const auto element = profiles::element_bytes(trace.strings[args.dtype]);
    const std::int64_t most = std::max(args.in_elements, args.out_elements);
    constexpr std::int64_t too_many = std::int64_t{1} << 50;
    return element && most > 0 && most < too_many ? most * *element : 0;
}

double bus_factor(const std::string& type, double n) {
    if (type == "all_reduce") {
        return 2 * (n - 1) / n;
    }
    const bool shared = type == "all_gather" || type == "reduce_scatter" || type == "all_to_all";
    return shared ? (n - 1) / n : 1;
}

}  // namespace

CollectiveRun collective_run(const EventTable& trace, const ClassifiedKernel& kernel,
                             const TimeSpan& span) {
    CollectiveRun run;
    run.dimension = kernel.dimension;
    run.span = span;
    if (kernel.collective == nullptr) {
        run.type = type_in(trace.name_of(kernel.event));
        return run;
    }
    const CollectiveArgs& args = *kernel.collective;
    run.type = type_in(trace.strings[args.collective]);
    if (run.type == "unknown") {
        run.type = type_in(trace.name_of(kernel.event));
    }
    run.bytes = bytes_of(trace, args);
    auto ranks = profiles::ranks_of(trace.strings[args.group_ranks]);
    if (!ranks || ranks->empty()) {
        for (const profiles::ProcessGroup& group : trace.groups) {
            if (group.name == trace.strings[args.group_name]) {
                ranks = group.ranks;
            }
        }
    }
    run.ranks = ranks.value_or(std::vector<std::int32_t>{});
    std::sort(run.ranks.begin(), run.ranks.end());
    run.group_size =
        args.group_size != absent ? args.group_size : static_cast<std::int64_t>(run.ranks.size());
    return run;
}

std::vector<MatchedCollective> match_collectives(const std::vector<const RankProfile*>& ranks) {
    using Key = std::pair<std::string, std::vector<std::int32_t>>;
    std::map<Key, std::vector<std::pair<std::size_t, std::vector<std::size_t>>>> of_groups;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        std::map<Key, std::vector<std::size_t>> own;
        for (std::size_t k = 0; k < ranks[i]->collectives.size(); ++k) {
            const CollectiveRun& run = ranks[i]->collectives[k];
            if (run.ranks.size() > 1) {
                own[{run.type, run.ranks}].push_back(k);
            }
        }
        for (auto& [key, runs] : own) {
            of_groups[key].push_back({i, std::move(runs)});
        }
    }
    std::vector<MatchedCollective> matched;
    for (const auto& [key, members] : of_groups) {
        std::size_t most = 0;
        for (const auto& [rank, runs] : members) {
            most = std::max(most, runs.size());
        }
        for (std::size_t k = most; k > 0; --k) {
            MatchedCollective one;
            for (const auto& [rank, runs] : members) {
                if (runs.size() >= k) {
                    one.parts.push_back({rank, runs[runs.size() - k]});
                }
            }
            matched.push_back(std::move(one));
        }
    }
    return matched;
}

std::vector<CollectiveSpeed> collective_speeds(const std::vector<const RankProfile*>& ranks,
                                               const std::vector<MatchedCollective>& matched) {
    struct Times {
        std::vector<std::int64_t> transfers;
        std::vector<std::int64_t> durations;
        bool all_ranks = true;
    };
    using Key = std::tuple<std::string, ParallelDimension, std::int64_t, std::int64_t>;
    std::map<Key, Times> by_key;
    for (const MatchedCollective& one : matched) {
        const auto run_of = [&](const MatchedCollective::Part& part) -> const CollectiveRun& {
            return ranks[part.rank]->collectives[part.run];
        };
        const CollectiveRun& first = run_of(one.parts.front());
        if (first.bytes == 0 || first.group_size < 2) {
            continue;
        }
        Times& times = by_key[{first.type, first.dimension, first.group_size, first.bytes}];
        std::int64_t shortest = first.span.end - first.span.start;
        for (const auto& part : one.parts) {
            const TimeSpan& span = run_of(part).span;
            times.durations.push_back(span.end - span.start);
            shortest = std::min(shortest, span.end - span.start);
        }
        times.transfers.push_back(shortest);
        times.all_ranks = times.all_ranks && one.parts.size() == first.ranks.size();
    }
    std::vector<CollectiveSpeed> speeds;
    for (const auto& [key, times] : by_key) {
        CollectiveSpeed speed;
        std::tie(speed.type, speed.dimension, speed.group_size, speed.bytes) = key;
        speed.count = times.transfers.size();
        speed.all_ranks = times.all_ranks;
        speed.transfer_ns = median(times.transfers);
        speed.duration_ns = median(times.durations);
        speed.bus_GBps = speed.transfer_ns == 0
                             ? 0
                             : static_cast<double>(speed.bytes) /
                                   static_cast<double>(speed.transfer_ns) *
                                   bus_factor(speed.type, static_cast<double>(speed.group_size));
        speeds.push_back(std::move(speed));
    }
    return speeds;
}

}  // namespace npunet::analysis
