#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <ostream>
#include <sstream>
#include <system_error>

#include "base/errors.h"
#include "base/printable.h"
#include "cli/command/commands.h"
#include "cli/command/help_text.h"
#include "cli/command/parse_errors.h"
#include "cli/console/safe_output.h"
#include "cli/console/stop_request.h"
#include "cli/record/recorder_process.h"
#include "cli/simulate/run_watch.h"

namespace npunet::cli {

namespace {

enum ExitCode : int { done = 0, our_bug = 1, bad_input = 2, stalled = 3, machine_failed = 4 };

/// --output_dir and --output-dir are the same option; values keep their underscores. --no-trains is
/// the former name of --no-fast-forward.
void normalize_option_name(std::string& argument) {
    if (argument.rfind("--", 0) != 0) {
        return;
    }
    const std::size_t length = std::min(argument.find('='), argument.size());
    std::replace(argument.begin() + 2, argument.begin() + static_cast<std::ptrdiff_t>(length), '_',
                 '-');
    if (argument.compare(0, length, "--no-trains") == 0) {
        argument.replace(0, length, "--no-fast-forward");
    }
}

/// Names of nodes and files stand in explanations as they are; lines end where we say so.
int fail(std::ostream& log, const char* kind, const char* message, int code) {
    std::istringstream lines(message);
    log << "npunet: " << kind << ": ";
    for (std::string line; std::getline(lines, line);) {
        log << printable(line) << '\n';
    }
    return code;
}

/// Output that a full disk or a closed pipe swallowed must not count as done.
int written(std::ostream& out, const SafeOutput& buffer, std::ostream& log) {
    out.flush();
    if (out) {
        return done;
    }
    const std::string why =
        buffer.error() == 0 ? "" : std::string(": ") + std::strerror(buffer.error());
    return fail(log, "I/O error",
                ("standard output cannot be written" + why + ". Check the free space").c_str(),
                machine_failed);
}

}  // namespace

int run_program(std::vector<std::string> arguments, std::ostream& raw_out, std::ostream& log) {
    SafeOutput safe(raw_out);
    std::ostream out(&safe);
    CLI::App program(
        "Training of large models on networks of NPUs, simulated at packet level and "
        "analytically from the same inputs.",
        "npunet");
    program.require_subcommand(1);
    // Before the subcommands: they inherit them.
    program.set_help_flag("-h,--help", "Print what most people need, and exit");
    program.set_help_all_flag("--help-all", "Print all options, and exit");
    program.formatter(std::make_shared<HelpText>());
    CommandContext context{out, log};
    add_generate_command(program, context);
    add_megatron_command(program, context);
    add_record_command(program, context);
    add_simulate_command(program, context);
    add_collective_command(program, context);
    add_compare_command(program, context);
    add_sweep_command(program, context);
    add_plan_command(program, context);
    add_analyze_command(program, context);
    add_report_command(program, context);
    add_topology_command(program, context);
    add_trace_command(program, context);
    add_device_command(program, context);
    add_validate_command(program, context);
    add_help_command(program, context);
    add_completion_command(program, context);
    add_manual_command(program, context);
    // After the subcommands: they would inherit it.
    program.footer(
        "Example:\n"
        "  npunet generate collective --type all_reduce --size 64MiB --npus 8 --output-dir traces\n"
        "  npunet simulate --workload traces/workload --network configs/networks/ring-8.yml \\\n"
        "      --fidelity packet --output-dir out/ring");
    program.set_version_flag("--version", version_and_build(), "Print which npunet this is");
    for (std::string& argument : arguments) {
        if (argument == "--") {
            break;  // what comes behind is a command of the user's
        }
        normalize_option_name(argument);
    }
    try {
        check_subcommands(program, arguments);
        std::reverse(arguments.begin(), arguments.end());
        program.parse(arguments);
        return written(out, safe, log);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            program.exit(error, out, log);
            return written(out, safe, log);
        }
        return fail(log, "bad input", bad_input_of(error, program).what(), bad_input);
    } catch (const InputError& error) {
        return fail(log, "bad input", error.what(), bad_input);
    } catch (const StallError& error) {
        return fail(log, "the simulation stalled", error.what(), stalled);
    } catch (const OutOfMemory& error) {
        return fail(log, "the machine failed", error.what(), machine_failed);
    } catch (const ProgramStalled& error) {
        return fail(log, "the program stalls", error.what(), stalled);
    } catch (const MachineError& error) {
        return fail(log, "I/O error", error.what(), machine_failed);
    } catch (const LimitReached& limit) {
        return fail(log, "stopped", limit.what(), stalled);
    } catch (const Stopped& stopped) {
        return fail(log, "stopped", stopped.what(), 128 + stopped.signal());
    } catch (const std::system_error& error) {  // of threads, files and folders
        return fail(log, "I/O error", error.what(), machine_failed);
    } catch (const std::bad_alloc&) {
        return fail(log, "the machine failed", "out of memory", machine_failed);
    } catch (const std::exception& error) {
        return fail(log, "internal error, please report it", error.what(), our_bug);
    }
}

}  // namespace npunet::cli
