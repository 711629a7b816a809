#include <memory>
#include <string>
#include <vector>

#include "cli/command/commands.h"
#include "cli/command/figure_file.h"
#include "cli/command/messages.h"
#include "cli/command/output_options.h"
#include "engine/collective_library/library_profile.h"
#include "report/comparison/validation_rows.h"
#include "report/figures/validation_figure.h"
#include "study/validation/collective_validation.h"
#include "study/validation/measured_collectives.h"

namespace npunet::cli {

namespace {

struct ValidateCollectivesOptions {
    std::string file;
    std::string collectives = "nccl-2.29";
    std::string figure;
    bool json = false;
};

void run(CommandContext& context, const ValidateCollectivesOptions& options) {
    if (!options.figure.empty()) {
        check_figure_file("--figure", options.figure);
    }
    std::vector<std::string> warnings;
    const engine::LibraryProfile profile =
        engine::find_library_profile(options.collectives, "", warnings);
    const report::ValidationRows rows = study::validate_collectives(
        profile, study::read_measured_collectives(
                     options.file.empty() ? study::measured_collectives_file() : options.file));
    for (const std::string& warning : warnings) {
        log_warning(context.log, warning);
    }
    if (!options.figure.empty()) {
        write_figure_file(options.figure, report::validation_figure(rows));
    }
    context.out << (options.json ? report::validation_json(rows) : report::validation_table(rows));
}

}  // namespace

void add_validate_collectives_command(CLI::App& validate, CommandContext& context) {
    CLI::App* command = validate.add_subcommand(
        "collectives", "Measured collectives beside those of a communication library's profile");
    auto options = std::make_shared<ValidateCollectivesOptions>();
    command
        ->add_option("FILE", options->file,
                     "Measured rows in CSV (default: those that come with npunet)")
        ->type_name("");
    command
        ->add_option("--collectives", options->collectives,
                     "The profile: a library and version, or the path of a file")
        ->capture_default_str();
    command->add_option("--figure", options->figure,
                        "Draw the curves of each device and operation into this file (.svg or "
                        ".png)");
    add_json_flag(*command, options->json);
    command->footer(
        "Example:\n"
        "  npunet validate collectives --figure out/collectives.svg");
    command->callback([options, &context] { run(context, *options); });
}

}  // namespace npunet::cli
