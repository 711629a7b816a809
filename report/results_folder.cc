#include "report/results_folder.h"

#include <string>

#include "base/atomic_file.h"
#include "report/csv.h"
#include "report/perfetto_trace.h"
#include "report/results_json.h"

namespace npunet::report {

namespace {

void write_whole(const std::filesystem::path& path, const std::string& text) {
    AtomicFile file(path);
    file.stream() << text;
    file.commit();
}

/// What is known of the NPUs; results.json last.
void write_npu_files(const engine::Results& results, const std::filesystem::path& folder) {
    write_whole(folder / "npus.csv", npus_csv(results));
    write_whole(folder / "collectives.csv", collectives_csv(results));
    write_perfetto_trace(results, folder / "timeline.perfetto-trace");
    write_whole(folder / "results.json", results_json(results));
}

}  // namespace

void write_results_folder(const engine::Results& results, const std::filesystem::path& folder) {
    write_whole(folder / "links.csv", links_csv(results));
    write_npu_files(results, folder);
}

void write_results_folder(const engine::JobsResults& results, const std::filesystem::path& folder) {
    for (const engine::JobResult& job : results.jobs) {
        write_npu_files(job.results, folder / "jobs" / job.name);
    }
    write_whole(folder / "links.csv", links_csv(results.all));
    write_whole(folder / "results.json", results_json(results));
}

}  // namespace npunet::report
