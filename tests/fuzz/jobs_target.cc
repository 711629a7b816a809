// The file of jobs that share a machine.
#include <algorithm>
#include <set>

#include "memory_file.h"
#include "memory_watch.h"
#include "study/jobs_file.h"
#include "targets.h"

namespace npunet::fuzz {

namespace {

/// A value of YAML; and of a span of NPUs each, with the job that has it.
constexpr std::size_t jobs_bytes_for_each = 60;
constexpr std::size_t span_bytes = std::size_t{16} << 20;

/// Spans that are long by their numbers alone cost time and show nothing.
bool has_long_span(std::string_view text) {
    std::size_t digits = 0;
    return std::any_of(text.begin(), text.end(), [&](char c) {
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
        return digits > 5;
    });
}

}  // namespace

void run_jobs(std::string_view input) {
    if (has_long_span(input)) {
        return;
    }
    const MemoryFile file(input);
    const std::string path = file.path().string();
    accepts_written([&] {
        const MemoryWatch watch(memory_limit(jobs_bytes_for_each * input.size(), span_bytes));
        const study::JobsFile jobs = study::read_jobs_file(path);
        watch.check();
        expect(!jobs.jobs.empty(), "a file without jobs");
        std::set<NodeId> taken;
        for (const study::JobEntry& job : jobs.jobs) {
            expect(!job.name.empty() && !job.npus.empty() && job.start >= Time(),
                   "a job of nothing");
            for (const NodeId npu : job.npus) {
                expect(taken.insert(npu).second, "an NPU with two jobs");
            }
        }
    });
}

std::vector<std::string> jobs_seeds() {
    return {"- {name: a, workload: traces/a, ranks: [0, 1]}\n",
            "- name: a\n  workload: traces/a\n  comm_group: groups.json\n  ranks: [0-3, 9]\n"
            "  start: 500ns\n  dialect: npunet\n- {name: b, workload: b, ranks: 4-5, start: 0}\n"};
}

}  // namespace npunet::fuzz
