#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "report/comparison/validation_rows.h"
#include "report/library_profile_text.h"
#include "study/validation/collective_validation.h"
#include "study/validation/library_fit.h"
#include "study/validation/nccl_tests_log.h"

namespace npunet::cli {

namespace {

struct CollectiveFitOptions {
    std::vector<std::string> files;
    std::string gpu;
    std::string architecture;
    std::string library = "nccl-2.29.2";
    std::string output;
    study::NcclTestsRun run;
    bool quiet = false;
};

std::vector<study::MeasuredCollective> rows_of(const CollectiveFitOptions& options) {
    std::vector<study::MeasuredCollective> rows;
    for (const std::string& file : options.files) {
        std::vector<study::MeasuredCollective> own =
            study::is_nccl_tests_log(file) ? study::read_nccl_tests_log(file, options.run)
                                           : study::read_measured_collectives(file);
        for (study::MeasuredCollective& row : own) {
            // Columns that a file lacks say nothing about the GPU: it is the one of --gpu.
            const bool has_gpu = !row.gpu.empty() && row.gpu != options.gpu;
            if (row.skipped.empty() && has_gpu) {
                row.skipped = fmt::format("of another GPU, {}", row.gpu);
            }
            row.gpu = options.gpu;
            row.device = row.device.empty() ? options.gpu : row.device;
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

engine::LibraryProfile profile_of(const CollectiveFitOptions& options) {
    engine::LibraryProfile profile;
    const std::size_t dash = options.library.rfind('-');
    const auto version =
        dash == std::string::npos
            ? std::nullopt
            : engine::LibraryVersion::named(std::string_view(options.library).substr(dash + 1));
    if (!version || dash == 0) {
        throw InputError({"--library", "", options.library,
                          "a library and its version, such as nccl-2.29.2", ""});
    }
    profile.library = options.library.substr(0, dash);
    profile.version = *version;
    profile.sources["calibrated"] = {
        "fitted by npunet collective fit to the files under "
        "calibrated-on",
        true};
    profile.sources["start"] = {
        "no measured row depends on it: from NCCL's tuner and the rates of the links", false};
    return profile;
}

void run(const CommandContext& context, CollectiveFitOptions options) {
    if (options.files.empty()) {
        options.files.push_back(study::measured_collectives_file());
    }
    engine::LibraryProfile profile = profile_of(options);
    const std::vector<study::MeasuredCollective> rows = rows_of(options);
    const engine::GpuArchitecture& architecture =
        *engine::GpuArchitecture::named(options.architecture);
    const study::FittedGpu fitted = study::fit_library_gpu(architecture, profile.version, rows);
    if (fitted.rows == 0) {
        throw InputError(
            {options.files.front(), "", "no row that can be fitted to",
             "times of all-reduces, all-gathers, reduce-scatters or all-to-alls of " + options.gpu,
             "npunet validate collectives FILE says what becomes of each row"});
    }
    engine::LibraryGpu gpu;
    gpu.name = options.gpu;
    gpu.architecture = &architecture;
    gpu.constants = fitted.constants;
    std::string open;
    for (std::size_t number = 0; number < engine::library_constants; ++number) {
        gpu.sources[number] = fitted.calibrated[number] ? "calibrated" : "start";
        if (!fitted.calibrated[number]) {
            open += fmt::format("{}{}", open.empty() ? "" : ", ",
                                engine::all_library_constants()[number].name);
        }
    }
    profile.gpus.push_back(gpu);
    for (const study::MeasuredCollective& row : rows) {
        if (row.skipped.empty() &&
            (profile.calibrated_on.empty() || profile.calibrated_on.back() != row.group)) {
            profile.calibrated_on.push_back(row.group);
        }
    }
    AtomicFile file(options.output);
    file.stream() << report::library_profile_text(profile);
    file.commit();
    report::ValidationRows shown = study::validate_collectives(profile, rows);
    shown.title = fmt::format("{} of {}, fitted", options.gpu, options.library);
    context.out << report::validation_table(shown);
    if (!options.quiet) {
        log_line(context.log, fmt::format("{} rows, mean |ln error| {:.1f} %, written to {}",
                                          fitted.rows, 100 * fitted.mean_error, options.output));
        if (!open.empty()) {
            log_line(context.log, fmt::format("no row depends on {}", open));
        }
    }
}

}  // namespace

void add_collective_fit_command(CLI::App& collective, CommandContext& context) {
    CLI::App* command = collective.add_subcommand(
        "fit", "A profile of a communication library from your own measurements");
    auto options = std::make_shared<CollectiveFitOptions>();
    command->add_option("FILES", options->files,
                        "What nccl-tests print, a file a collective, or measured rows in CSV "
                        "(default: the rows that come with npunet)");
    command->add_option("--gpu", options->gpu, "Name of the GPU in the profile, such as h100")
        ->required();
    command->add_option("--architecture", options->architecture, "Its generation")
        ->check(one_of({"ampere", "hopper", "blackwell"}))
        ->required();
    command->add_option("--output", options->output, "The profile")->required();
    command->add_option("--library", options->library, "Library and version that was measured")
        ->capture_default_str();
    command->add_option("--type", options->run.type,
                        "The collective of logs that do not say it: all_reduce, ...");
    command
        ->add_option("--npus,--gpus", options->run.gpus,
                     "Of logs (default: the ranks that they list)")
        ->check(whole_number(2, 1 << 20));
    command
        ->add_option("--npus-per-node,--gpus-per-node", options->run.gpus_per_node,
                     "Of logs (default: all are on one node)")
        ->check(whole_number(1, 1 << 20));
    command->add_flag("--quiet", options->quiet, "Nothing on stderr");
    command->footer(
        "Example:\n"
        "  npunet collective fit --gpu h100 --architecture hopper --output out/mine.json");
    command->callback([options, &context] { run(context, *options); });
}

}  // namespace npunet::cli
