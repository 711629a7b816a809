#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/output_options.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "base/printable.h"
#include "cli/validate/kernel_table_options.h"
#include "engine/device/device_profile.h"
#include "study/kernels/profile_fit.h"

namespace npunet::cli {

namespace {

struct FitOptions {
    std::vector<std::string> files;
    KernelTableArguments table;
    std::string name;
    std::string output;
    std::string source;
    bool json = false;
};

using Json = nlohmann::ordered_json;

Json errors_as_json(const study::KernelErrors& errors) {
    Json list = Json::array();
    for (const study::NamedSummary& one : errors) {
        list.push_back(summary_as_json(one));
    }
    return list;
}

void print(const std::vector<study::KernelFit>& fits, std::ostream& out) {
    out << fmt::format("{:<30}{:<34}{:>7}{:>18}{:>18}\n", "values", "rows", "", "in sample",
                       "groups left out");
    for (const study::KernelFit& fit : fits) {
        for (std::size_t i = 0; i < fit.in_sample.size(); ++i) {
            const study::ErrorSummary& in = fit.in_sample[i].summary;
            const study::ErrorSummary& left = fit.left_out[i].summary;
            out << printable(
                       fmt::format("{:<30}{:<34}{:>7}{:>9.1f} %{:>5.0f} %{:>9.1f} %{:>5.0f} %",
                                   i == 0 ? fit.key : "", name_of(fit.in_sample[i].which),
                                   in.answered, in.mean, in.percentile, left.mean, left.percentile))
                << '\n';
        }
    }
    out << "Mean and 95th percentile of |predicted / measured - 1|\n";
}

void run(const FitOptions& options, CommandContext& context) {
    engine::DeviceProfile profile = engine::load_device_profile(options.table.device);
    const std::string base = std::filesystem::path(profile.file).stem().string();
    std::vector<study::KernelFit> fits;
    for (const std::string& file : options.files) {
        engine::KernelTable table = engine::read_kernel_table(file, options.table.options());
        for (engine::KernelRow& row : table.rows) {
            const std::string own = row.gpu.empty() ? "" : engine::device_of_gpu(row.gpu);
            if (!row.gpu.empty() && own != base && row.gpu != profile.name) {
                row.skipped = "of another device";
            }
        }
        const std::string file_name = std::filesystem::path(file).filename().string();
        std::string source = "fitted to " + file_name + ",";
        for (const std::string& condition : options.table.where) {
            source += " " + condition + ",";
        }
        source.back() = ';';
        source += options.source.empty() ? "" : " " + options.source;
        std::vector<study::KernelFit> made = study::fit_profile(profile, table, source);
        if (made.empty()) {
            throw InputError({file, "", "no row of " + profile.name, "kernel times of the device",
                              "Check --device and the column gpu"});
        }
        fits.insert(fits.end(), made.begin(), made.end());
    }
    if (!options.name.empty()) {
        profile.name = options.name;
    }
    AtomicFile file(options.output);
    file.stream() << engine::device_profile_text(profile);
    file.commit();
    if (!options.json) {
        print(fits, context.out);
        return;
    }
    Json document{{"file", options.output}, {"fits", Json::array()}};
    for (const study::KernelFit& fit : fits) {
        document["fits"].push_back({{"values", fit.key},
                                    {"file", fit.file},
                                    {"rows", fit.rows},
                                    {"in_sample", errors_as_json(fit.in_sample)},
                                    {"left_out", errors_as_json(fit.left_out)}});
    }
    print_document(document, context.out);
}

}  // namespace

void add_device_fit_command(CLI::App& device, CommandContext& context) {
    const auto options = std::make_shared<FitOptions>();
    CLI::App* command = device.add_subcommand(
        "fit", "Make a device profile from measured kernel times, with its error");
    command->add_option("FILES", options->files, "Kernel times, .csv: see validate kernels --help")
        ->type_name("FILE")
        ->required();
    options->table.add_to(*command,
                          "Profile to start from: hardware numbers, and values of kernels without "
                          "times");
    command->get_option("--device")->required();
    command->add_option("--name", options->name, "Name of the new profile")->type_name("NAME");
    command->add_option("--source", options->source, "Where the times come from, for the profile")
        ->type_name("TEXT");
    command->add_option("--output", options->output, "The profile, a .json")
        ->type_name("FILE")
        ->required();
    add_json_flag(*command, options->json);
    command->footer(
        "Example:\n"
        "  npunet device fit validation/kernels-h100-attention.csv --where kernel=cudnn \\\n"
        "      --device h100-sxm5-80gb --dtype bf16 --output h100-cudnn.json");
    command->callback([options, &context] { run(*options, context); });
}

}  // namespace npunet::cli
