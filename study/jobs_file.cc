#include "study/jobs_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/units.h"
#include "base/yaml_field.h"
#include "engine/machine/dialect.h"

namespace npunet::study {

namespace {

constexpr std::int32_t most_npus = 1 << 21;

bool is_folder_name(std::string_view name) {
    const auto alphanumeric = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    };
    return !name.empty() && name.size() <= 100 && alphanumeric(name.front()) &&
           std::all_of(name.begin(), name.end(),
                       [&](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

/// "3" is 3 to 3, "8-15" is 8 to 15.
std::optional<std::pair<std::int32_t, std::int32_t>> span_of(const std::string& text) {
    std::int32_t first = 0;
    const char* const end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, first);
    std::int32_t last = first;
    if (error == std::errc{} && stop != end && *stop == '-') {
        const auto second = std::from_chars(stop + 1, end, last);
        stop = second.ptr;
        error = second.ec;
    }
    if (error != std::errc{} || stop != end || first < 0 || last < first || last >= most_npus) {
        return std::nullopt;
    }
    return std::pair(first, last);
}

class JobsReader {
public:
    JobsReader(const std::string& file, const std::string& dialect)
        : folder_(std::filesystem::path(file).parent_path()), default_dialect_(dialect) {
        result_.file = file;
    }

    JobsFile read() {
        const YamlField root = YamlField::load_list(
            result_.file, "a list of jobs", "- {name: a, workload: traces/a, ranks: [0, 1]}");
        const std::vector<YamlField> entries = root.items();
        if (entries.empty()) {
            root.refuse("an empty list", "at least one job",
                        "Add '- {name: a, workload: traces/a, ranks: [0, 1]}'");
        }
        for (const YamlField& entry : entries) {
            result_.jobs.push_back(read_job(entry));
        }
        return std::move(result_);
    }

private:
    JobEntry read_job(const YamlField& entry) {
        check_keys(entry, {"name", "workload", "comm_group", "ranks", "start", "dialect"}, {});
        JobEntry job;
        job.name = read_name(entry.at("name"));
        const YamlField workload = entry.at("workload");
        job.workload = path_in(workload, "the prefix of traces");
        job.workload_place = workload.place();
        if (const auto groups = entry.find("comm_group")) {
            job.comm_group = path_in(*groups, "a file of communicator groups");
        }
        const YamlField ranks = entry.at("ranks");
        job.npus = read_npus(ranks, job.name);
        job.ranks_place = ranks.place();
        if (const auto start = entry.find("start")) {
            job.start = parse_time(start->text("a time such as 500ns"), start->where());
        }
        read_dialect(entry, job);
        return job;
    }

    std::string read_name(const YamlField& field) const {
        const std::string& name = field.text("a name");
        if (!is_folder_name(name)) {
            field.refuse(field.found(),
                         "a name for a folder: letters, digits, '-', '_' and '.', the first a "
                         "letter or digit, at most 100");
        }
        for (const JobEntry& other : result_.jobs) {
            if (other.name == name) {
                field.refuse(fmt::format("'{}' a second time", name), "a name for each job");
            }
        }
        return name;
    }

    std::string path_in(const YamlField& field, const std::string& what) const {
        const std::string& text = field.text(what);
        if (text.empty()) {
            field.refuse("''", what);
        }
        return (folder_ / text).string();
    }

    std::vector<NodeId> read_npus(const YamlField& field, const std::string& name) {
        std::vector<NodeId> npus;
        for (const YamlField& item : field.items()) {
            const std::string expected = "the number of an NPU, or the first and the last: 8-15";
            const auto span = span_of(item.text(expected));
            if (!span) {
                item.refuse(item.found(), expected);
            }
            for (std::int32_t npu = span->first; npu <= span->second; ++npu) {
                const auto [owner, is_new] = owner_.emplace(npu, name);
                if (!is_new) {
                    item.refuse(owner->second == name
                                    ? fmt::format("NPU {} a second time", npu)
                                    : fmt::format("NPU {}, which job '{}' has", npu, owner->second),
                                "different NPUs for all ranks of all jobs",
                                "Give job '" + name + "' others");
                }
                npus.emplace_back(npu);
            }
        }
        if (npus.empty()) {
            field.refuse("an empty list", "the NPUs of the job, in the order of its ranks");
        }
        return npus;
    }

    /// Jobs meet on one queue of events, whose order is the dialect's, and on one machine.
    void read_dialect(const YamlField& entry, const JobEntry& job) {
        std::string dialect = default_dialect_;
        if (const auto field = entry.find("dialect")) {
            dialect = one_of(*field, engine::Dialect::names());
        }
        if (result_.jobs.empty()) {
            result_.dialect = dialect;
        } else if (dialect != result_.dialect) {
            entry.refuse(fmt::format("dialect {} of job '{}' beside {} of job '{}'", dialect,
                                     job.name, result_.dialect, result_.jobs.front().name),
                         "one dialect for all jobs",
                         "The machine and the order of its events are the same for all of them");
        }
    }

    std::filesystem::path folder_;
    std::string default_dialect_;
    std::map<std::int32_t, std::string> owner_;  ///< by NPU: the job that has it
    JobsFile result_;
};

}  // namespace

JobsFile read_jobs_file(const std::string& file, const std::string& dialect) {
    return JobsReader(file, dialect).read();
}

}  // namespace npunet::study
