#include "generators/recorded/recorded_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/errors.h"
#include "base/thread_pool.h"
#include "chakra/files/trace_reader.h"
#include "chakra/files/trace_writer.h"
#include "chakra/trace/comm_groups.h"
#include "chakra/validation/workload_validation.h"

namespace npunet::generators::recorded {

namespace {

/// What all ranks share, and where their results come together.
class Conversion {
public:
    Conversion(const Recording& recording, const WorkloadFiles& files,
               const profiler::OperatorNest* kernels)
        : recording_(recording),
          files_(files),
          groups_(headers_of(recording)),
          families_(families_of(recording, groups_)) {
        check_workload_names(files, recording.ranks);
        if (kernels != nullptr) {
            times_ = kernels->times(operations_of(recording));
        }
    }

    RecordedSummary run() {
        std::map<Rank, std::vector<Rank>> ranks_of_log;
        for (std::int32_t rank = 0; rank < recording_.ranks; ++rank) {
            const Rank logged = recording_.log_of[static_cast<std::size_t>(rank)];
            if (logged.valid()) {
                ranks_of_log[logged].emplace_back(rank);
                ++summary_.traces;
            }
        }
        const std::vector<std::pair<Rank, std::vector<Rank>>> logs(ranks_of_log.begin(),
                                                                   ranks_of_log.end());
        for_each_in_parallel(logs.size(),
                             [&](std::size_t i) { write(logs[i].first, logs[i].second); });
        chakra::CommGroups groups;
        for (const std::int32_t number : used_) {
            groups[group_name(number)] = groups_.ranks(number);
        }
        chakra::write_comm_groups(files_.folder / files_.groups, groups);
        summary_.groups = static_cast<std::int64_t>(groups.size());
        for (const auto& [name, operations] : summary_.totals.matches.unmatched) {
            if (times_ && times_->count(name) > 0) {
                summary_.known_operators.insert(name);
            }
        }
        std::set<std::pair<std::string, std::string>> warnings;
        for (const auto& [rank, of_rank] : warnings_) {
            for (const LogWarning& one : of_rank) {
                if (warnings.insert({one.place, one.message}).second) {
                    summary_.warnings.push_back(one);
                }
            }
        }
        return std::move(summary_);
    }

private:
    /// The names of all operations: an operator of the profile is one of these, or part of one.
    static std::set<std::string> operations_of(const Recording& recording) {
        std::set<std::string> names;
        for (const Rank rank : recording.recorded) {
            read_recorded_log(log_file(recording.folder, rank),
                              [&names](const RecordedEvent& event) {
                                  if (event.kind == RecordedEvent::Kind::Operation) {
                                      names.insert(event.operation);
                                  }
                              });
        }
        return names;
    }

    /// The traces of all ranks that do what this one was recorded to do.
    void write(Rank logged, const std::vector<Rank>& ranks) {
        std::vector<RecordedEvent> events;
        std::vector<LogWarning> warnings =
            read_recorded_log(log_file(recording_.folder, logged),
                              [&events](const RecordedEvent& event) { events.push_back(event); });
        for (const Rank rank : ranks) {
            write_trace(logged, rank, events);
        }
        const std::lock_guard lock(mutex_);
        warnings_[logged] = std::move(warnings);
    }

    void write_trace(Rank logged, Rank rank, const std::vector<RecordedEvent>& events) {
        chakra::TraceWriter writer(trace_file(files_, rank), {}, files_.form);
        const RankSubstitution substitution(groups_, families_, logged, rank);
        RecordedTrace trace(
            substitution, rank, [&writer](const chakra::Node& node) { writer.write(node); },
            times_ ? &*times_ : nullptr);
        for (const RecordedEvent& event : events) {
            trace.add(event);
        }
        writer.commit();
        const std::lock_guard lock(mutex_);
        summary_.totals.add(trace.totals());
        used_.insert(trace.groups().begin(), trace.groups().end());
        for (const auto& [reason, nodes] : writer.losses()) {
            summary_.losses[reason] += nodes;
        }
    }

    const Recording& recording_;
    const WorkloadFiles& files_;
    std::optional<profiler::OperatorTimes> times_;
    RecordedGroups groups_;
    GroupFamilies families_;
    std::mutex mutex_;
    std::set<std::int32_t> used_;
    std::map<Rank, std::vector<LogWarning>> warnings_;
    RecordedSummary summary_;
};

/// The line of the program that a node is of, as its name tells: "send train.py:57".
std::string place_of(const std::filesystem::path& file, std::uint64_t id) {
    chakra::TraceReader reader(file);
    for (chakra::Node node; reader.next(node);) {
        if (node.id == id) {
            return node.name.substr(node.name.find(' ') + 1);
        }
    }
    return "";
}

/// Calls that do not meet would stall every simulation.
void require_meeting(const Recording& recording, const WorkloadFiles& files) {
    if (!recording.whole()) {
        return;
    }
    chakra::ValidationInput input;
    for (std::int32_t rank = 0; rank < recording.ranks; ++rank) {
        input.traces.push_back({trace_file(files, Rank(rank)), Rank(rank)});
    }
    input.whole_workload = true;
    input.groups = files.folder / files.groups;
    const chakra::ValidationResult result = chakra::validate_traces(input);
    for (const chakra::Finding& finding : result.findings.findings()) {
        if (finding.severity == chakra::Severity::Error) {
            std::string rank;
            std::string place = "the program";
            if (finding.trace != chakra::no_trace) {
                rank = fmt::format("rank {}", finding.trace);
                if (finding.node) {
                    place = place_of(trace_file(files, Rank(finding.trace)), *finding.node);
                }
            }
            throw InputError({place, rank, finding.message, "calls of all ranks that meet",
                              "The program would stall, or its ranks differ: correct it"});
        }
    }
}

}  // namespace

RecordedSummary convert_recording(const Recording& recording, const WorkloadFiles& files,
                                  const profiler::OperatorNest* kernels) {
    RecordedSummary summary = Conversion(recording, files, kernels).run();
    require_meeting(recording, files);
    return summary;
}

}  // namespace npunet::generators::recorded
