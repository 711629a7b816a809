#include "generators/profiler/communication_matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/errors.h"
#include "generators/profiler/process_group.h"

namespace npunet::generators::profiler {

namespace {

/// "1, 2 and 5 more" of ranks.
std::string some_of(const std::vector<std::int32_t>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < ranks.size() && i < 8; ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
    }
    return ranks.size() <= 8 ? text : fmt::format("{} and {} more", text, ranks.size() - 8);
}

class Matching {
public:
    Matching(const std::vector<RankGraph>& graphs, const MatchingOptions& options)
        : state_{graphs, options, {}, {}} {
        for (std::size_t i = 0; i < graphs.size(); ++i) {
            graph_of_[graphs[i].rank.value()] = static_cast<std::int32_t>(i);
            state_.run.calls.emplace_back(graphs[i].calls.size());
        }
    }

    MatchedRun match() {
        find_world();
        check_ranks();
        for (std::size_t graph = 0; graph < state_.graphs.size(); ++graph) {
            collect(static_cast<std::uint32_t>(graph));
        }
        warn_of_guesses();
        std::int32_t number = 0;
        for (auto& [key, group] : groups_) {
            const bool used = std::any_of(group.collectives.begin(), group.collectives.end(),
                                          [](const auto& calls) { return !calls.empty(); });
            if (used) {
                const std::string name = std::to_string(++number);
                for (const std::int32_t graph : group.members) {
                    state_.run.groups[name].emplace_back(graph);
                }
                match_collectives(group, name, state_);
            }
            match_messages(group, state_);
        }
        return std::move(state_.run);
    }

private:
    /// All ranks that anything names.
    void find_world() {
        for (const RankGraph& graph : state_.graphs) {
            const std::int32_t told = std::max(graph.world_size, graph.rank.value());
            if (told > most_ranks || graph.rank.value() >= most_ranks) {
                throw InputError({graph.file, "distributedInfo", fmt::format("{}", told),
                                  fmt::format("at most {} ranks", most_ranks),
                                  "Is the file what the profiler has written?"});
            }
            world_ = std::max({world_, graph.world_size, graph.rank.value() + 1});
            const std::vector<Rank>* seen = nullptr;
            for (const CommunicationCall& call : graph.calls) {
                if (call.ranks == nullptr || call.ranks.get() == seen) {
                    continue;
                }
                seen = call.ranks.get();
                for (const Rank rank : *seen) {
                    world_ = std::max(world_, rank.value() + 1);
                }
            }
        }
    }

    void check_ranks() {
        std::vector<std::int32_t> missing;
        for (std::int32_t rank = 0; rank < world_; ++rank) {
            if (graph_of_.count(rank) == 0) {
                missing.push_back(rank);
            }
        }
        if (missing.empty()) {
            return;
        }
        if (!state_.options.missing_left_out) {
            throw InputError(
                {state_.graphs.front().file, "the folder of this profile",
                 fmt::format("no profile of rank {}", some_of(missing)),
                 fmt::format("one of each of the {} ranks of the run", world_),
                 "Give them all: a simulated rank would wait for one that is not there for ever. "
                 "--missing-ranks leave-out converts the ranks that are there alone: collectives "
                 "are then among these, and messages with the others take no time"});
        }
        state_.run.warnings.push_back(fmt::format(
            "no profile of rank {} (of {} ranks): collectives are among the other ranks alone, "
            "which are numbered from 0 again, and messages with those take no time",
            some_of(missing), world_));
    }

    void collect(std::uint32_t graph) {
        const RankGraph& rank = state_.graphs[graph];
        for (std::uint32_t node = 0; node < rank.nodes.size(); ++node) {
            if (rank.nodes[node].call < 0) {
                continue;
            }
            const CallPlace place{graph, static_cast<std::uint32_t>(rank.nodes[node].call), node};
            const CommunicationCall& call = state_.call(place);
            if (call.kind == CallKind::Unknown) {
                take_unknown(place);
                continue;
            }
            ProcessGroup& group = group_of(place);
            if (call.kind == CallKind::Collective) {
                const auto member = std::find(group.members.begin(), group.members.end(),
                                              static_cast<std::int32_t>(graph));
                group.collectives[static_cast<std::size_t>(member - group.members.begin())]
                    .push_back(place);
            } else {
                group.messages.push_back(place);
            }
        }
    }

    void take_unknown(const CallPlace& place) {
        if (!state_.options.unknown_as_compute) {
            throw InputError(
                {state_.graphs[place.graph].file, state_.where(place),
                 "a communication of which nothing tells what it is",
                 "arguments of its kernel, or record_param_comms around its launch",
                 "Record the CPU side too, or give the execution traces. --unknown-communication "
                 "compute takes such kernels as computation of the time that they took, waiting "
                 "for other ranks included"});
        }
        state_.matched(place).kind = MatchedCall::Kind::Compute;
        ++unknown_;
    }

    ProcessGroup& group_of(const CallPlace& place) {
        const CommunicationCall& call = state_.call(place);
        guessed_ += call.ranks == nullptr && call.group_size != world_ ? 1 : 0;
        const auto [known, is_new] = known_groups_.try_emplace(
            std::tuple(place.graph, call.ranks.get(), call.group_description), nullptr);
        if (is_new || call.ranks == nullptr) {
            known->second = &group_of(place, ranks_of(place));
        }
        return *known->second;
    }

    [[nodiscard]] std::vector<std::int32_t> ranks_of(const CallPlace& place) const {
        const CommunicationCall& call = state_.call(place);
        std::vector<std::int32_t> ranks;
        if (call.ranks != nullptr) {
            for (const Rank rank : *call.ranks) {
                ranks.push_back(rank.value());
            }
            return ranks;
        }
        if (call.group_size > 0 && call.group_size != world_) {
            throw InputError({state_.graphs[place.graph].file, state_.where(place),
                              fmt::format("a group of {} of the {} ranks, and not which",
                                          call.group_size, world_),
                              "\"Process Group Ranks\", or the group in distributedInfo",
                              "Give the execution traces, which may tell them"});
        }
        for (std::int32_t rank = 0; rank < world_; ++rank) {
            ranks.push_back(rank);
        }
        return ranks;
    }

    ProcessGroup& group_of(const CallPlace& place, const std::vector<std::int32_t>& ranks) {
        const std::int32_t own = state_.graphs[place.graph].rank.value();
        std::vector<std::int32_t> sorted = ranks;
        std::sort(sorted.begin(), sorted.end());
        const bool once = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
        if (!once || !std::binary_search(sorted.begin(), sorted.end(), own)) {
            throw InputError(
                {state_.graphs[place.graph].file, state_.where(place),
                 once ? fmt::format("a group without rank {}", own)
                      : "a group that has a rank twice",
                 "groups of which the profile's rank is a member once",
                 "Is the profile of the rank that its name or distributedInfo tells?"});
        }
        const std::string& description = state_.call(place).group_description;
        const auto [entry, is_new] = groups_.try_emplace(std::pair(ranks, description));
        if (is_new) {
            fill(entry->second, ranks, description);
        }
        return entry->second;
    }

    void fill(ProcessGroup& group, const std::vector<std::int32_t>& ranks,
              const std::string& description) {
        group.ranks = ranks;
        group.description = description;
        for (const std::int32_t rank : ranks) {
            if (const auto graph = graph_of_.find(rank); graph != graph_of_.end()) {
                group.members.push_back(graph->second);
            }
        }
        group.collectives.resize(group.members.size());
    }

    void warn_of_guesses() {
        if (guessed_ > 0 && world_ > 1) {
            state_.run.warnings.push_back(
                fmt::format("communications without a group, taken to be of all {} ranks: {}",
                            world_, guessed_));
        }
        if (unknown_ > 0) {
            state_.run.warnings.push_back(fmt::format(
                "communications of which nothing tells what they are, taken to last as measured, "
                "waiting included: {}",
                unknown_));
        }
    }

    MatchingState state_;
    std::map<std::int32_t, std::int32_t> graph_of_;  ///< by rank
    std::int32_t world_ = 1;
    std::map<std::pair<std::vector<std::int32_t>, std::string>, ProcessGroup> groups_;
    /// The same by graph and list, which is found sooner.
    std::map<std::tuple<std::uint32_t, const std::vector<Rank>*, std::string>, ProcessGroup*>
        known_groups_;
    std::int64_t guessed_ = 0;
    std::int64_t unknown_ = 0;
};

}  // namespace

std::string MatchingState::where(const CallPlace& place) const {
    const RankGraph& graph = graphs[place.graph];
    const GraphNode& node = graph.nodes[place.node];
    return fmt::format("{} at {:.3f} ms",
                       graph.names[node.name].substr(0, graph.names[node.name].find('(')),
                       static_cast<double>(node.span.begin_ns - graph.span.begin_ns) * 1e-6);
}

MatchedRun match_communication(const std::vector<RankGraph>& graphs,
                               const MatchingOptions& options) {
    return Matching(graphs, options).match();
}

}  // namespace npunet::generators::profiler
