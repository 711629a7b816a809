#include "cli/analyze/analyze_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <optional>

#include "analysis/kernel_classes.h"
#include "analysis/measured_timeline.h"
#include "analysis/overlapping_tables.h"
#include "analysis/reference_measures.h"
#include "base/atomic_file.h"
#include "base/errors.h"
#include "base/thread_pool.h"
#include "profiles/parallel_groups_reader.h"
#include "profiles/profile_reader.h"
#include "report/html/report_pages.h"
#include "report/profile/column_table.h"
#include "report/profile/reference_pictures.h"
#include "report/profile/reference_tables.h"
#include "report/profile/run_output.h"
#include "report/timeline/perfetto_trace.h"
#include "report/timeline/timeline_file.h"
#include "report/timeline/timeline_pictures.h"

namespace npunet::cli {

namespace fs = std::filesystem;

using analysis::Iteration;
using analysis::KernelTable;
using analysis::RankProfile;
using analysis::ReferenceView;
using profiles::EventTable;
using profiles::ParallelGroupsFile;

namespace {

bool wants(const AnalyzeOptions& options, const char* format) {
    return std::find(options.formats.begin(), options.formats.end(), format) !=
           options.formats.end();
}

void write(const fs::path& path, const std::string& contents) {
    AtomicFile file(path);
    file.stream() << contents;
    file.commit();
}

/// The file of an iteration: the one that the options name, else the one beside its profiles or in
/// the folder above; none is no error.
std::optional<ParallelGroupsFile> groups_of(const AnalyzeOptions& options,
                                            const Iteration& iteration, std::string& note) {
    if (!options.groups_file.empty()) {
        return profiles::read_parallel_groups(fs::path(options.groups_file));
    }
    profiles::GroupsFilePlace place;
    try {
        place = profiles::find_parallel_groups(iteration.folder);
    } catch (const InputError&) {
        return std::nullopt;
    }
    if (place.candidates > 1) {
        note = fmt::format("{} files of groups: {} is the newest and was taken", place.candidates,
                           place.path.filename().string());
    }
    return profiles::read_parallel_groups(place.path);
}

/// The rank given by the profile; 0 for a single profile.
std::int32_t rank_of(const EventTable& trace, const Iteration& iteration) {
    if (!trace.rank && iteration.files.size() > 1) {
        throw InputError({trace.file, "", "a profile that does not say its rank, beside others",
                          "distributedInfo.rank in it, or a rank in its name",
                          "Rename it: rank_0000.pt.trace.json; or leave it out with --pattern"});
    }
    return trace.rank.value_or(0);
}

/// One profile from its file to what is kept of it.
class ProfileAnalysis {
public:
    ProfileAnalysis(const AnalyzeOptions& options, const analysis::PatternTable& patterns,
                    fs::path outputs)
        : options_(options), patterns_(patterns), outputs_(std::move(outputs)) {}

    [[nodiscard]] RankProfile analyze(const Iteration& iteration, const fs::path& file,
                                      const ParallelGroupsFile* groups) const {
        profiles::ProfileReadOptions reading;
        reading.strict = options_.strict;
        EventTable trace = profiles::read_profile(file, reading);
        trace.rank = rank_of(trace, iteration);
        const analysis::KernelClasses classes = analysis::classify(trace, patterns_, groups);
        RankProfile profile = measure_rank(trace, classes);
        if (!outputs_.empty()) {
            profile.timeline = rank_timeline(trace, classes);
        }
        profile.iteration = iteration.name;
        if (options_.traceviz()) {
            add_reference(trace, iteration, file, profile);
        }
        return profile;
    }

private:
    void add_reference(const EventTable& trace, const Iteration& iteration, const fs::path& file,
                       RankProfile& profile) const {
        ReferenceView view = analysis::overlapping_tables(trace, patterns_);
        for (std::size_t i = 0; i < analysis::kernel_table_count; ++i) {
            if (!wanted(static_cast<KernelTable>(i))) {
                view.tables[i].clear();
            }
        }
        take_reference(trace, view, options_.kernels, profile);
        if (!outputs_.empty() && !profile.by_class.empty()) {
            write_reference(
                trace, view,
                outputs_ / iteration.name /
                    (analysis::profile_stem(file.filename().string()) + "_kernel_analysis"),
                profile);
        }
    }

    [[nodiscard]] bool wanted(KernelTable table) const {
        return options_.files.empty() || std::find(options_.files.begin(), options_.files.end(),
                                                   name_of(table)) != options_.files.end();
    }

    void write_reference(const EventTable& trace, const ReferenceView& view, const fs::path& folder,
                         RankProfile& profile) const {
        const std::int32_t rank = *trace.rank;
        std::vector<report::ColumnTable> tables;
        for (std::size_t i = 0; i < analysis::kernel_table_count; ++i) {
            if (!view.tables[i].empty()) {
                tables.push_back(report::reference_table(trace, view, static_cast<KernelTable>(i)));
            }
        }
        if (wants(options_, "parquet")) {
            for (const report::ColumnTable& table : tables) {
                write(folder / (table.name + ".parquet"), report::parquet_of(table));
            }
        }
        profile.reference_steps = analysis::step_statistics(trace, view);
        report::ColumnTable statistics = report::statistics_table(profile.reference_steps);
        report::ColumnTable overlaps =
            report::overlap_table(analysis::step_overlaps(trace, view, false));
        if (wants(options_, "csv")) {
            write(folder / fmt::format("Rank{}_statistics.csv", rank),
                  report::csv_of(statistics, report::CsvTexts::Kept));
            write(folder / fmt::format("Rank{}_commcompOverlap_analysis.csv", rank),
                  report::csv_of(overlaps, report::CsvTexts::Kept));
        }
        if (wants(options_, "sqlite")) {
            tables.push_back(std::move(statistics));
            if (!overlaps.columns.empty()) {
                tables.push_back(std::move(overlaps));
            }
            write(folder / fmt::format("Rank{}.db", rank), report::sqlite_of(tables));
        }
        report::write_rank_pictures(rank, profile.reference_steps,
                                    analysis::step_overlaps(trace, view, true), folder);
        for (analysis::StepStatistics& step : profile.reference_steps) {
            step.start_ns += trace.base_time_ns;
            step.end_ns += trace.base_time_ns;
        }
    }

    const AnalyzeOptions& options_;
    const analysis::PatternTable& patterns_;
    fs::path outputs_;
};

void check_ranks(const std::vector<RankProfile>& ranks, const Iteration& iteration) {
    std::map<std::int32_t, const RankProfile*> files;
    for (const RankProfile& rank : ranks) {
        const auto [before, is_new] = files.emplace(rank.rank, &rank);
        if (!is_new) {
            throw InputError(
                {iteration.folder.string(), fs::path(rank.file).filename().string(),
                 fmt::format("a second profile of rank {}, the first is {}", rank.rank,
                             fs::path(before->second->file).filename().string()),
                 "one profile of a rank in an iteration",
                 "Choose with --pattern, or put each iteration into a folder of its own"});
        }
    }
}

void write_tables(const AnalyzeOptions& options, const std::vector<analysis::RunProfile>& runs,
                  const fs::path& outputs) {
    const std::vector<report::ColumnTable> tables = report::run_tables(runs);
    for (const report::ColumnTable& table : tables) {
        if (wants(options, "csv")) {
            write(outputs / (table.name + ".csv"), report::csv_of(table));
        }
        if (wants(options, "parquet")) {
            write(outputs / (table.name + ".parquet"), report::parquet_of(table));
        }
    }
    if (wants(options, "sqlite")) {
        write(outputs / "analysis.db", report::sqlite_of(tables));
    }
}

bool ranks_without_work(const analysis::RunProfile& run) {
    return std::all_of(run.ranks.begin(), run.ranks.end(),
                       [](const RankProfile& rank) { return rank.timeline.rows.empty(); });
}

/// What a results folder of a simulation has of its timeline.
void write_timeline(const AnalyzeOptions& options, const analysis::RunProfile& run,
                    const fs::path& folder) {
    const report::InputList inputs = {{"DIR", options.folder},
                                      {"--dialect", options.dialect},
                                      {"--time-alignment", options.alignment}};
    const analysis::RunTimeline timeline = measured_timeline(run);
    report::write_timeline_file(timeline, inputs, nullptr, folder / "timeline.pb");
    report::write_perfetto_trace(timeline, folder / "timeline.perfetto-trace");
    write(folder / "report.html", report::timeline_page(timeline, inputs));
    (void)report::write_pictures(timeline, folder / "figures");
}

analysis::TimeAlignment alignment_of(const AnalyzeOptions& options) {
    return options.alignment == "individual"  ? analysis::TimeAlignment::Individual
           : options.alignment == "corrected" ? analysis::TimeAlignment::Corrected
                                              : analysis::TimeAlignment::Global;
}

/// "15" of "iteration_15"; the place where the name has no number.
std::string number_of(const std::string& name, std::size_t place) {
    const std::size_t last = name.find_last_of("0123456789");
    if (last == std::string::npos) {
        return std::to_string(place);
    }
    const std::size_t before = name.find_last_not_of("0123456789", last);
    return name.substr(before + 1, last - before);
}

}  // namespace

std::vector<analysis::RunProfile> analyze(const AnalyzeOptions& options,
                                          const std::vector<Iteration>& iterations,
                                          const fs::path& outputs,
                                          const std::function<void()>& done) {
    analysis::PatternTable patterns =
        options.traceviz() ? analysis::PatternTable::of_traceviz() : analysis::PatternTable();
    if (!options.patterns_file.empty()) {
        patterns.read(options.patterns_file);
    }
    const ProfileAnalysis one(options, patterns, outputs);
    std::vector<analysis::RunProfile> runs;
    std::mutex mutex;
    for (const Iteration& iteration : iterations) {
        std::string note;
        const std::optional<ParallelGroupsFile> groups = groups_of(options, iteration, note);
        const ParallelGroupsFile* known = groups ? &*groups : nullptr;
        std::vector<RankProfile> ranks(iteration.files.size());
        for_each_in_parallel(
            ranks.size(),
            [&](std::size_t i) {
                ranks[i] = one.analyze(iteration, iteration.files[i].path, known);
                const std::lock_guard lock(mutex);
                done();
            },
            options.threads);
        check_ranks(ranks, iteration);
        runs.push_back(measure_run(std::move(ranks), known, alignment_of(options)));
        if (!outputs.empty() && !ranks_without_work(runs.back())) {
            write_timeline(options, runs.back(),
                           iterations.size() == 1 ? outputs : outputs / iteration.name);
        }
        if (!outputs.empty() && options.traceviz()) {
            report::write_group_pictures(runs.back(), outputs / iteration.name, options.threads);
        }
        for (RankProfile& rank : runs.back().ranks) {
            rank.timeline = {};
            rank.reference_steps = {};
        }
        if (!note.empty()) {
            runs.back().notes.push_back(std::move(note));
        }
    }
    if (!outputs.empty()) {
        write_tables(options, runs, outputs);
    }
    return runs;
}

std::size_t arrange(const std::vector<Iteration>& iterations, const fs::path& outputs) {
    std::size_t links = 0;
    for (std::size_t i = 0; i < iterations.size(); ++i) {
        const Iteration& iteration = iterations[i];
        const std::string number = number_of(iteration.name, i);
        const fs::path folder = outputs / ("iteration_" + number);
        fs::create_directories(folder);
        for (const analysis::ProfileFile& file : iteration.files) {
            const std::string name = file.path.filename().string();
            std::optional<std::int32_t> rank = profiles::rank_in_name(name);
            if (!rank) {
                rank = rank_of(profiles::read_profile(file.path), iteration);
            }
            const std::string ending = name.substr(analysis::profile_stem(name).size());
            const fs::path link =
                folder / fmt::format("rank_{:04}_iter_{}.pt.trace{}", *rank, number, ending);
            if (fs::exists(fs::symlink_status(link))) {
                throw InputError({file.path.string(), "",
                                  fmt::format("a second profile of rank {} for {}", *rank,
                                              folder.filename().string()),
                                  "one profile of a rank in an iteration",
                                  "Choose with --pattern or --folders"});
            }
            fs::create_symlink(fs::absolute(file.path), link);
            ++links;
        }
        try {
            const auto place = profiles::find_parallel_groups(iteration.folder);
            const fs::path link = outputs / place.path.filename();
            if (!fs::exists(fs::symlink_status(link))) {
                fs::create_symlink(fs::absolute(place.path), link);
            }
        } catch (const InputError&) {
            continue;  // a run without a file of groups
        }
    }
    return links;
}

}  // namespace npunet::cli
