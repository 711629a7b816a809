#include "cli/command/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/errors.h"
#include "cli/command/command_text.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/command/output_options.h"
#include "cli/console/progress_line.h"
#include "cli/console/stop_request.h"
#include "cli/simulate/run_inputs.h"
#include "report/results/results_owner.h"
#include "study/sweep/design_space.h"
#include "study/sweep/message_port.h"
#include "study/sweep/point_runner.h"
#include "study/sweep/process_workers.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_results.h"

namespace npunet::cli {

namespace {

using study::MessagePort;

struct SweepOptions {
    std::string spec;
    std::string output_dir;
    std::int64_t confirm = 0;  ///< 0: not given
    std::int64_t jobs = 0;
    bool restart = false;
    bool force = false;
    bool mpi = false;
    bool json = false;
    bool quiet = false;
    std::string command;  ///< command line to run again; empty without output_dir
    study::RunOptions run;

    SweepOptions() { run.timeline = false; }

    [[nodiscard]] study::DesignSpace read_space() const {
        return study::read_design_space(
            spec, confirm > 0 ? std::optional(static_cast<std::size_t>(confirm)) : std::nullopt);
    }

    /// Under mpirun there is a process for each core already.
    [[nodiscard]] std::size_t threads(const MessagePort* port) const {
        if (jobs > 0) {
            return static_cast<std::size_t>(jobs);
        }
        return port != nullptr && port->size() > 1
                   ? 1
                   : std::max(1U, std::thread::hardware_concurrency());
    }
};

class Observer final : public study::SweepObserver {
public:
    explicit Observer(ProgressLine& progress) : progress_(progress) {}

    void started(std::size_t points, std::size_t done_before) override {
        progress_.start(stage_++ == 0 ? "points" : "points of the second stage", points,
                        done_before);
    }
    void finished(std::size_t /*number*/, const study::Outcome& outcome) override {
        progress_.step(!outcome.ok());
    }

private:
    ProgressLine& progress_;
    int stage_ = 0;
};

void say(const CommandContext& context, const SweepOptions& options, const std::string& text) {
    if (!options.quiet) {
        log_line(context.log, text);
    }
}

/// A process other than the first: works until it is told that the sweep is over, and leaves it to
/// the first one to say what went wrong.
void assist(MessagePort& port, const SweepOptions& options) {
    // Ctrl-C reaches every process; the first one decides what is finished.
    const StopRequest deaf;
    try {
        const study::DesignSpace space = options.read_space();
        const std::size_t threads = options.threads(&port);
        study::PointRunner runner(space, threads, options.run);
        static_cast<void>(runner.prepare());
        study::serve(port, space.fingerprint, runner, threads);
    } catch (const InputError& error) {
        study::report_unable(port, error.what(), false);
    } catch (const MachineError& error) {
        study::report_unable(port, error.what(), true);
    }
}

void check_all_failed(const study::DesignSpace& space, const study::SweepResults& results) {
    if (results.ranking.groups.empty()) {
        const study::Outcome& first = *results.outcomes.front();
        throw InputError({space.file, space.describe(space.points.front()), first.message,
                          fmt::format("a point that runs; all {} fail", space.points.size()), ""});
    }
}

void print(const CommandContext& context, const SweepOptions& options,
           const study::DesignSpace& space, const study::SweepResults& results) {
    if (options.json) {
        context.out << study::sweep_json(space, results, options.command);
    } else if (!options.quiet) {
        context.out << study::sweep_table(space, results);
        if (!options.output_dir.empty()) {
            context.out << fmt::format(
                "\nIn {}: results.csv, results.json, time_memory.svg/.png, breakdown.svg/.png\n",
                options.output_dir);
        }
    }
}

/// Null without --output-dir.
std::unique_ptr<study::Journal> open_journal(const SweepOptions& options,
                                             const study::DesignSpace& space) {
    if (options.output_dir.empty()) {
        return nullptr;
    }
    const report::ResultsOwner owner{options.command, "results.json", options.force};
    if (options.force) {
        owner.remove_others(options.output_dir);
    } else {
        owner.check_of_sweep(options.output_dir);
    }
    using Existing = study::Journal::Existing;
    auto journal =
        std::make_unique<study::Journal>(options.output_dir, space.fingerprint,
                                         options.restart ? Existing::Discard : Existing::Continue);
    if (options.restart) {
        study::remove_sweep_results(options.output_dir);
    }
    return journal;
}

std::unique_ptr<study::Workers> make_workers(MessagePort* port, study::PointRunner& runner,
                                             const study::DesignSpace& space, std::size_t threads) {
    if (port != nullptr && port->size() > 1) {
        return std::make_unique<study::ProcessWorkers>(*port, space.fingerprint);
    }
    return std::make_unique<study::ThreadWorkers>(runner, threads);
}

void lead(const CommandContext& context, const SweepOptions& options, MessagePort* port) {
    study::DesignSpace space;
    std::optional<study::PointRunner> runner;
    std::unique_ptr<study::Journal> journal;
    const std::size_t threads = options.threads(port);
    try {
        space = options.read_space();
        runner.emplace(space, threads, options.run);
        for (const std::string& warning : runner->prepare()) {
            say(context, options, "warning: " + warning);
        }
        journal = open_journal(options, space);
    } catch (...) {
        if (port != nullptr) {
            study::dismiss(*port);
        }
        throw;
    }
    if (!journal) {
        say(context, options,
            "without --output-dir nothing is kept: a sweep that is stopped starts over");
    }
    const StopRequest stop;
    bool said = false;
    const std::function<bool()> asked = [&] {
        if (stop.signal() != 0 && !said) {
            said = true;
            say(context, options,
                "stopping when the running points have finished; interrupt again to stop at once");
        }
        return stop.signal() != 0;
    };
    const std::unique_ptr<study::Workers> workers = make_workers(port, *runner, space, threads);
    ProgressLine progress(context.log, options.quiet);
    Observer observer(progress);
    const study::SweepResults results =
        study::run_sweep(space, *workers, journal.get(), observer, asked);
    progress.end();
    if (results.stopped) {
        throw Stopped(stop.signal(), journal ? "run the same command again to continue"
                                             : "without --output-dir nothing has been kept");
    }
    if (journal) {
        study::write_sweep_folder(space, results, options.output_dir, options.command);
    }
    check_all_failed(space, results);
    print(context, options, space, results);
}

void run(const CommandContext& context, const SweepOptions& options) {
    std::unique_ptr<MessagePort> port;
    if (options.mpi && !study::under_mpirun()) {
        throw InputError({"--mpi", "", "a process that mpirun has not started", "one that it has",
                          "mpirun -n 4 npunet sweep ..."});
    }
    if (study::under_mpirun()) {
        port = study::open_mpi_port();
    }
    if (port && port->rank() > 0) {
        assist(*port, options);
    } else {
        lead(context, options, port.get());
    }
}

}  // namespace

void add_sweep_command(CLI::App& program, CommandContext& context) {
    auto options = std::make_shared<SweepOptions>();
    CLI::App* command = program.add_subcommand(
        "sweep", "Run a design space, and show its best and Pareto-best plans");
    command->add_option("SPEC", options->spec, "What varies over what (sweep.yml)")->required();
    command
        ->add_option("--output-dir", options->output_dir,
                     "Write results and figures here, and keep what is done: the same command "
                     "continues a sweep that was stopped")
        ->check(output_folder());
    command
        ->add_option("--confirm", options->confirm,
                     "Run the best K points of each task again with packets: short for then: "
                     "{fidelity: packet, top: K} in the spec")
        ->type_name("K")
        ->check(whole_number(1, 1000000));
    command
        ->add_option("--jobs", options->jobs,
                     "Threads (default: one a core; under mpirun one a process)")
        ->check(whole_number(1, 4096));
    command->add_flag("--restart", options->restart,
                      "Start over, and drop what --output-dir holds of a sweep");
    add_force_flag(*command, options->force);
    command->add_flag("--mpi", options->mpi,
                      "Insist on running under mpirun, which is noticed without it");
    command->add_flag("--json", options->json, "Print one JSON document and nothing else");
    command->add_flag("--quiet", options->quiet, "No progress and no table");
    add_shortcut_flags(*command, options->run);
    command->footer(
        "Example:\n"
        "  npunet sweep examples/sweep/transformer.yml --output-dir out/sweep");
    command->callback([options, command, &context] {
        options->command = options->output_dir.empty() ? "" : command_text(*command);
        run(context, *options);
    });
}

}  // namespace npunet::cli
