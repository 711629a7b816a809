#include "cli/command/commands.h"

#include <memory>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "cli/plan/plan_search.h"
#include "cli/plan/plan_search_options.h"
#include "report/plans/plan_output.h"

namespace npunet::cli {

namespace {

/// By dialect.
report::RankedPlans search(const PlanSearchOptions& options, CommandContext& context) {
    if (!options.homogeneous.empty()) {
        return search_uniform_plans(options);
    }
    return options.dialect == "metis" ? search_as_metis(options, context)
                                      : search_all_plans(options, context);
}

void run_plan(PlanSearchOptions& options, CommandContext& context) {
    options.finish();
    if (!options.search_times.empty()) {
        draw_search_times(options, context);
        return;
    }
    const report::RankedPlans ranked = search(options, context);
    if (!options.csv_file.empty()) {
        AtomicFile file(options.csv_file);
        file.stream() << report::plans_csv(ranked);
        file.commit();
    }
    context.out << (options.json ? report::plans_json(ranked) : report::plan_table(ranked));
}

}  // namespace

void add_plan_command(CLI::App& program, CommandContext& context) {
    const auto options = std::make_shared<PlanSearchOptions>();
    CLI::App* plan =
        program.add_subcommand("plan", "Search for parallel plans on a heterogeneous cluster");
    options->add_to(*plan);
    plan->footer(
        "Example:\n"
        "  npunet plan profiles --from configs/systems/a100.json --hidden 1024 --vocab 51200 \\\n"
        "      --seq 1024 --total-layers 10 --max-micro-batch 16 --scale V100=3.5 "
        "--output-dir profiles\n"
        "  npunet plan hostfile 8 --output hostfile --clusterfile clusterfile.json\n"
        "  npunet plan --hostfile hostfile --clusterfile clusterfile.json --profiles profiles "
        "--batch 64");
    add_plan_profiles_command(*plan, context);
    add_plan_hostfile_command(*plan, context);
    for (CLI::App* command : plan->get_subcommands([](const CLI::App*) { return true; })) {
        command->preparse_callback([command, options](std::size_t) {
            if (options->any_given()) {
                throw InputError({"npunet plan", "",
                                  "options of a search before '" + command->get_name() + "'",
                                  "those of " + command->get_name() + " behind it", ""});
            }
        });
    }
    PlanSearchOptions::add_short_help_to(*plan);
    plan->callback([plan, options, &context] {
        if (plan->get_subcommands().empty()) {
            run_plan(*options, context);
        }
    });
}

}  // namespace npunet::cli
