#include "cli/generate/generate_output.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/ids.h"
#include "chakra/files/trace_writer.h"
#include "cli/command/help_text.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/command/output_options.h"
#include "generators/workload_totals.h"

namespace npunet::cli {

namespace {

using generators::WideCount;

/// Exact where JSON readers can hold it, else the nearest floating-point number.
nlohmann::ordered_json as_json(WideCount value) {
    if (value <= std::numeric_limits<std::int64_t>::max()) {
        return static_cast<std::int64_t>(value);
    }
    return static_cast<double>(value);
}

nlohmann::ordered_json as_json(const generators::WorkloadTotals& totals) {
    nlohmann::ordered_json traffic = nlohmann::ordered_json::array();
    for (const generators::Traffic& row : totals.traffic) {
        traffic.push_back({{"kind", row.kind},
                           {"groups", row.groups},
                           {"nodes", row.nodes},
                           {"bytes", as_json(row.bytes)}});
    }
    return {{"nodes", totals.nodes}, {"flops", as_json(totals.flops)}, {"traffic", traffic}};
}

std::string text_of(const generators::WorkloadTotals& totals) {
    std::string text = fmt::format("{} nodes, {:.4g} FLOPs over all ranks\n", totals.nodes,
                                   static_cast<double>(totals.flops));
    if (totals.traffic.empty()) {
        return text;
    }
    text += fmt::format("{:<16}{:>8}{:>12}  {}\n", "communication", "groups", "nodes",
                        "bytes (comm_size over all ranks)");
    for (const generators::Traffic& row : totals.traffic) {
        text += fmt::format("{:<16}{:>8}{:>12}  {}\n", row.kind, row.groups, row.nodes, row.bytes);
    }
    return text;
}

}  // namespace

void GenerateOutput::print(const std::string& headline, const nlohmann::ordered_json& description,
                           std::ostream& out) const {
    if (json_) {
        print_document(description, out);
    } else if (!quiet_) {
        out << headline;
    }
}

void GenerateOutput::add_to(CLI::App& command, bool folder_required) {
    command.add_option("--output-dir", folder_, "Folder for the files; made when missing")
        ->check(output_folder())
        ->required(folder_required);
    command
        .add_option("--output-name", files_.traces,
                    "Name of the traces; %d is the rank, and without it .%d.et is appended")
        ->group(further_group)
        ->capture_default_str();
    command.add_option("--comm-group-file", files_.groups, "Name of the file of groups")
        ->group(further_group)
        ->capture_default_str();
    command
        .add_option("--chakra-schema-version", schema_,
                    "Form of the traces: v0.0.4, v0.0.1 (says less) or json")
        ->check(one_of({"v0.0.4", "v0.0.1", "json"}))
        ->group(further_group)
        ->capture_default_str();
    add_json_flag(command, json_);
    command.add_flag("--quiet", quiet_, "Print no text");
}

generators::WorkloadFiles GenerateOutput::files() const {
    generators::WorkloadFiles files = files_;
    files.folder = folder_;
    files.form = *chakra::written_form_from(schema_);
    return files;
}

void GenerateOutput::refuse_replacing(const std::string& input, std::int32_t ranks) const {
    const generators::WorkloadFiles files = this->files();
    const auto refuse = [&](const char* option, const std::filesystem::path& target) {
        std::error_code error;
        if (std::filesystem::equivalent(target, input, error)) {
            throw InputError({option, "", fmt::format("{}, which is read", target.string()),
                              "another name than that of the input", ""});
        }
    };
    refuse("--comm-group-file", files.folder / files.groups);
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        refuse("--output-name", generators::trace_file(files, Rank(rank)));
    }
}

void GenerateOutput::report(const std::string& text, nlohmann::ordered_json description,
                            std::int32_t ranks, const chakra::Losses& losses,
                            std::ostream& out) const {
    const generators::WorkloadFiles files = this->files();
    const std::string traces = generators::trace_pattern(files).string();
    const std::string groups = (files.folder / files.groups).string();
    if (json_) {
        description["files"] = {{"traces", traces}, {"comm_group", groups}};
        description["not_carried"] = nlohmann::ordered_json::object();
        for (const auto& [reason, nodes] : losses) {
            description["not_carried"][reason] = nodes;
        }
        print_document(description, out);
    } else if (!quiet_) {
        out << text;
        out << fmt::format("Wrote {} (ranks 0 to {}) and {}\n", traces, ranks - 1, groups);
        for (const auto& [reason, nodes] : losses) {
            out << fmt::format("Not carried by {}: {} ({})\n", schema_, reason,
                               counted(static_cast<std::int64_t>(nodes), "time", "times"));
        }
    }
}

void GenerateOutput::write(const generators::GeneratedWorkload& workload,
                           const std::string& headline, nlohmann::ordered_json description,
                           std::ostream& out) const {
    const chakra::Losses losses = generators::write_workload(workload, files());
    const generators::WorkloadTotals totals = generators::totals_of(workload);
    description["ranks"] = workload.rank_count();
    description.update(as_json(totals));
    report(headline + text_of(totals), std::move(description), workload.rank_count(), losses, out);
}

}  // namespace npunet::cli
