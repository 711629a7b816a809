#include "cli/validate/kernel_table_options.h"

#include <fmt/format.h>

#include "base/errors.h"

namespace npunet::cli {

void KernelTableArguments::add_to(CLI::App& command, const std::string& device_help) {
    command.add_option("--device", device, device_help)->type_name("NAME|FILE");
    command.add_option("--dtype", type, "Data type, where the file has no column dtype: bf16, fp8")
        ->type_name("TYPE");
    command
        .add_option("--where", where,
                    "Only rows whose column has this text: state=rested; repeat "
                    "for more")
        ->type_name("COLUMN=TEXT");
}

engine::KernelTableOptions KernelTableArguments::options() const {
    engine::KernelTableOptions made{device, type, {}};
    for (const std::string& text : where) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0) {
            throw InputError({"--where", "", fmt::format("'{}'", text), "COLUMN=TEXT",
                              "Such as --where state=rested"});
        }
        made.where.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return made;
}

nlohmann::ordered_json summary_as_json(const study::NamedSummary& one) {
    return {{"which", name_of(one.which)},
            {"rows", one.summary.rows},
            {"answered", one.summary.answered},
            {"mean_percent", one.summary.mean},
            {"percentile_95_percent", one.summary.percentile},
            {"max_percent", one.summary.most},
            {"bias_percent", one.summary.bias}};
}

}  // namespace npunet::cli
