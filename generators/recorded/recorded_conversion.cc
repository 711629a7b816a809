#include "generators/recorded/recorded_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/errors.h"
#include "base/json_document.h"
#include "base/thread_pool.h"
#include "chakra/files/trace_reader.h"
#include "chakra/files/trace_writer.h"
#include "chakra/trace/comm_groups.h"
#include "chakra/validation/workload_validation.h"

namespace npunet::generators::recorded {

namespace {

using Json = nlohmann::json;

constexpr const char* file_name = "recording.json";
constexpr std::int32_t most_ranks = 1 << 20;

std::filesystem::path log_file(const std::filesystem::path& folder, Rank rank) {
    return folder / fmt::format("rank.{}.jsonl", rank.value());
}

/// Whole numbers from 0, below `bound`.
std::vector<std::int32_t> numbers_of(const std::string& file, const Json& list, const char* key,
                                     std::int32_t least, std::int32_t bound) {
    std::vector<std::int32_t> result;
    if (!list.is_array()) {
        throw InputError({file, key, json_excerpt(list), "a list of whole numbers", ""});
    }
    for (const Json& one : list) {
        if (!one.is_number_integer() || one.get<std::int64_t>() < least ||
            one.get<std::int64_t>() >= bound) {
            throw InputError({file, key, json_excerpt(one),
                              fmt::format("a whole number from {} below {}", least, bound), ""});
        }
        result.push_back(one.get<std::int32_t>());
    }
    return result;
}

/// What all ranks share, and where their results come together.
class Conversion {
public:
    Conversion(const Recording& recording, const WorkloadFiles& files,
               const std::function<void()>& written)
        : recording_(recording),
          files_(files),
          written_(written),
          groups_(headers_of(recording)),
          families_(numbered_families()) {
        check_workload_names(files, recording.ranks);
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
    static std::vector<LogHeader> headers_of(const Recording& recording) {
        std::vector<LogHeader> headers;
        for (const Rank rank : recording.recorded) {
            const std::filesystem::path file = log_file(recording.folder, rank);
            headers.push_back(read_log_header(file));
            if (headers.back().rank != rank || headers.back().ranks != recording.ranks) {
                throw InputError({file.string(), "line 1",
                                  fmt::format("rank {} of {}", headers.back().rank.value(),
                                              headers.back().ranks),
                                  fmt::format("rank {} of {}", rank.value(), recording.ranks),
                                  "Record the program again"});
            }
        }
        return headers;
    }

    [[nodiscard]] GroupFamilies numbered_families() const {
        GroupFamilies families;
        for (const std::vector<std::int32_t>& family : recording_.families) {
            std::vector<std::int32_t>& numbers = families.emplace_back();
            for (const std::int32_t group : family) {
                numbers.push_back(groups_.number(recording_.recorded.front(), group));
            }
        }
        return families;
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
        RecordedTrace trace(substitution, rank,
                            [&writer](const chakra::Node& node) { writer.write(node); });
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
        if (written_) {
            written_();
        }
    }

    const Recording& recording_;
    const WorkloadFiles& files_;
    const std::function<void()>& written_;
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

bool Recording::whole() const {
    return std::all_of(log_of.begin(), log_of.end(), [](Rank rank) { return rank.valid(); });
}

Recording open_recording(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / file_name;
    const std::string file = path.string();
    const Json json =
        read_json_object<Json>(path, {"the summary of a recording", "Record the program first"});
    for (const char* key : {"ranks", "recorded", "log_of", "families"}) {
        if (!json.contains(key)) {
            throw InputError(
                {file, "", "no " + std::string(key), "the summary of a recording", ""});
        }
    }
    Recording recording;
    recording.folder = folder;
    recording.ranks =
        numbers_of(file, Json::array({json["ranks"]}), "ranks", 1, most_ranks + 1).front();
    for (const std::int32_t rank :
         numbers_of(file, json["recorded"], "recorded", 0, recording.ranks)) {
        recording.recorded.emplace_back(rank);
    }
    if (recording.recorded.empty() ||
        !std::is_sorted(recording.recorded.begin(), recording.recorded.end())) {
        throw InputError({file, "recorded", "no ranks, or not in order", "ranks in order", ""});
    }
    for (const std::int32_t rank :
         numbers_of(file, json["log_of"], "log_of", -1, recording.ranks)) {
        recording.log_of.emplace_back(rank);
    }
    if (recording.log_of.size() != static_cast<std::size_t>(recording.ranks)) {
        throw InputError({file, "log_of", fmt::format("{} entries", recording.log_of.size()),
                          fmt::format("one for each of {} ranks", recording.ranks), ""});
    }
    const auto groups = static_cast<std::int32_t>(
        read_log_header(log_file(folder, recording.recorded.front())).groups.size());
    if (!json["families"].is_array()) {
        throw InputError({file, "families", json_excerpt(json["families"]), "a list", ""});
    }
    for (const Json& family : json["families"]) {
        recording.families.push_back(numbers_of(file, family, "families", 0, groups));
    }
    return recording;
}

RecordedSummary convert_recording(const Recording& recording, const WorkloadFiles& files,
                                  const std::function<void()>& written) {
    RecordedSummary summary = Conversion(recording, files, written).run();
    require_meeting(recording, files);
    return summary;
}

}  // namespace npunet::generators::recorded
