#include "report/results/results_folder.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "analysis/simulated_timeline.h"
#include "base/atomic_file.h"
#include "report/html/report_pages.h"
#include "report/results/csv.h"
#include "report/results/flow_csv.h"
#include "report/results/results_json.h"
#include "report/timeline/perfetto_trace.h"
#include "report/timeline/timeline_excerpt.h"
#include "report/timeline/timeline_file.h"

namespace npunet::report {

namespace {

/// Bytes of a list, at most.
std::size_t most_of(const OutputScope& scope) {
    constexpr std::size_t most = 20'000'000;
    return scope.full_lists ? std::numeric_limits<std::size_t>::max() : most;
}

void write_whole(const std::filesystem::path& path, const std::string& text) {
    AtomicFile file(path);
    file.stream() << text;
    file.commit();
}

/// The timeline, or what is kept of it.
void write_timelines(const engine::Results& results, const analysis::RunTimeline& timeline,
                     const InputList& inputs, const OutputScope& scope,
                     const std::filesystem::path& folder) {
    const std::optional<analysis::RunTimeline> excerpt =
        scope.full_timeline ? std::nullopt : excerpt_of(timeline, results.npus);
    const analysis::RunTimeline& kept = excerpt ? *excerpt : timeline;
    write_perfetto_trace(kept, folder / "timeline.perfetto-trace");
    write_timeline_file(kept, inputs, &results, folder / "timeline.pb");
}

/// Writes a list of rows behind a heading, and notes in `scope` where it has fewer than `rows`.
void write_list(const std::filesystem::path& path, const std::string& csv, std::size_t rows,
                OutputScope& scope) {
    write_whole(path, csv);
    const auto lines = static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n'));
    if (lines < rows + 1) {
        scope.cut_files.push_back(path.filename().string());
    }
}

/// What is known of the NPUs, and the page.
void write_npu_files(const engine::Results& results, const analysis::RunTimeline& timeline,
                     const std::string& page, const RunOrigin& origin, OutputScope scope,
                     const std::filesystem::path& folder) {
    write_whole(folder / "npus.csv", npus_csv(results));
    if (scope.detail != nullptr) {
        write_whole(folder / "collectives.csv", collective_parts_csv(results));
    } else {
        write_list(folder / "collectives.csv", collectives_csv(results, most_of(scope)),
                   results.collectives.size(), scope);
    }
    write_timelines(results, timeline, origin.inputs, scope, folder);
    write_whole(folder / "report.html", page);
    write_whole(folder / "results.json",
                results_json(results, peak_resident_memory(), origin.command, scope));
}

}  // namespace

void write_results(const engine::Results& results, StagedFolder& staged,
                   const std::filesystem::path& inner, const RunOrigin& origin,
                   const OutputScope& scope) {
    const std::filesystem::path folder = staged.path() / inner;
    OutputScope written = scope;
    write_list(folder / "links.csv", links_csv(results, most_of(scope)), results.links.size(),
               written);
    if (results.flows) {
        AtomicFile file(folder / "flows.csv");
        write_flows_csv(file.stream(), *results.flows);
        file.commit();
    } else {
        staged.discard(inner / "flows.csv");
    }
    const analysis::RunTimeline timeline = analysis::simulated_timeline(results);
    write_npu_files(results, timeline, results_page(results, timeline, origin.inputs), origin,
                    written, folder);
}

void discard_results(StagedFolder& staged, const std::filesystem::path& inner) {
    for (const char* file :
         {"results.json", "links.csv", "flows.csv", "npus.csv", "collectives.csv",
          "timeline.perfetto-trace", "timeline.pb", "report.html"}) {
        staged.discard(inner / file);
    }
}

void write_results_folder(const engine::Results& results, const std::filesystem::path& folder,
                          const RunOrigin& origin, const OutputScope& scope) {
    StagedFolder staged(folder);
    write_results(results, staged, "", origin, scope);
    staged.commit(completeness_marks);
}

void write_results(const engine::JobsResults& results, StagedFolder& staged,
                   const RunOrigin& origin, const OutputScope& scope,
                   const std::vector<CollectiveDetail>& details) {
    for (std::size_t i = 0; i < results.jobs.size(); ++i) {
        const engine::JobResult& job = results.jobs[i];
        const analysis::RunTimeline timeline = analysis::simulated_timeline(job.results);
        OutputScope of_job = scope;
        of_job.detail = details.empty() ? nullptr : &details[i];
        write_npu_files(job.results, timeline, job_page(job, timeline, origin.inputs), origin,
                        of_job, staged.path() / "jobs" / job.name);
    }
    OutputScope written = scope;
    write_list(staged.path() / "links.csv", links_csv(results.all, most_of(scope)),
               results.all.links.size(), written);
    write_whole(staged.path() / "report.html", results_page(results, origin.inputs));
    write_whole(staged.path() / "results.json",
                results_json(results, peak_resident_memory(), origin.command, written));
}

void write_results_folder(const engine::JobsResults& results, const std::filesystem::path& folder,
                          const RunOrigin& origin, const OutputScope& scope,
                          const std::vector<CollectiveDetail>& details) {
    StagedFolder staged(folder);
    write_results(results, staged, origin, scope, details);
    staged.commit(completeness_marks);
}

}  // namespace npunet::report
