#include "cli/simulate/simulate_jobs.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "base/errors.h"
#include "base/staged_folder.h"
#include "report/results/link_tables.h"
#include "report/results/results_folder.h"
#include "report/results/results_json.h"
#include "report/tables.h"
#include "study/collective_choices.h"
#include "study/jobs.h"
#include "study/jobs_file.h"

namespace npunet::cli {

namespace {

void check_alone(const RunInputs& inputs) {
    const std::string of_model = inputs.model.first_given();
    const std::string other = !inputs.workload_prefix.empty()   ? "--workload"
                              : !inputs.comm_group_file.empty() ? "--comm-group"
                                                                : of_model;
    if (!other.empty()) {
        throw InputError({"--jobs-file", "", "a file of jobs beside " + other, "one of them",
                          "Each job of the file names its own traces and groups"});
    }
    if (inputs.run_options.flows) {
        throw InputError({"--jobs-file", "", "a file of jobs beside --flows or --messages",
                          "one of them", "Flows are told of a single workload"});
    }
    if (inputs.log_lines_only) {
        throw InputError({"--jobs-file", "", "a file of jobs beside options of ASTRA-sim's",
                          "--system, --network and --memory",
                          "Its log has no place for a job; write our names of the options"});
    }
}

std::vector<report::CollectiveDetail> details_of(const std::vector<study::Job>& jobs,
                                                 const study::Machine& machine) {
    std::vector<report::CollectiveDetail> details;
    for (const study::Job& job : jobs) {
        details.push_back(
            {study::collective_choices(job.workload, study::machine_of(machine, job.npus))});
    }
    return details;
}

}  // namespace

void simulate_jobs(const CommandContext& context, const RunInputs& inputs,
                   const std::string& jobs_file, study::Fidelity fidelity, bool detail,
                   const RunLimits& limits) {
    check_alone(inputs);
    const study::JobsFile file = study::read_jobs_file(jobs_file, inputs.dialect);
    const report::ResultsOwner owner = inputs.owner("results.json");
    for (const study::JobEntry& job : file.jobs) {
        inputs.check_results_of_others(
            owner, std::filesystem::path(inputs.output_dir) / "jobs" / job.name);
    }
    RunInputs own = inputs;
    own.dialect = file.dialect;
    const study::Machine machine = own.machine(context);
    study::check_fidelity(machine, fidelity);
    const std::vector<study::Job> jobs = study::load_jobs(file, machine, inputs.empty_traces);
    inputs.progress(context,
                    fmt::format("simulating {} jobs, {}", jobs.size(), study::name_of(fidelity)));
    RunWatch watch(context.log, limits, inputs.quiet);
    study::RunOptions options = inputs.run_options;
    options.watch = watch.function();
    options.max_time = limits.simulated;
    options.timeline = !inputs.output_dir.empty();
    const engine::JobsResults results = study::simulate_jobs(jobs, machine, fidelity, options);
    if (!inputs.output_dir.empty()) {
        StagedFolder staged(inputs.output_dir);
        report::write_results(
            results, staged, inputs.origin(), inputs.scope(),
            detail ? details_of(jobs, machine) : std::vector<report::CollectiveDetail>());
        owner.discard_others(staged, inputs.output_dir);
        staged.commit(report::completeness_marks);
        inputs.progress(context, "results in " + inputs.output_dir);
    }
    if (inputs.json) {
        context.out << report::results_json(results, report::peak_resident_memory(), owner.command,
                                            inputs.scope());
    } else if (!inputs.quiet) {
        context.out << report::jobs_table(results) << '\n' << report::link_tables(results.all);
    }
    watch.check(results.all);
}

}  // namespace npunet::cli
