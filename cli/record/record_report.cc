#include "cli/record/record_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/command/messages.h"

namespace npunet::cli {

namespace {

using generators::recorded::RecordedMatches;
using generators::recorded::RecordedSummary;
using generators::recorded::Recording;

std::string text_of(const Recording& recording, const RecordedSummary& summary) {
    std::string text = fmt::format(
        "{} recorded of {}: {}, {} of them tensor operations; {:.4g} FLOPs in matrix products and "
        "{:.4g} in others over all ranks\n",
        counted(static_cast<std::int64_t>(recording.recorded.size()), "rank", "ranks"),
        recording.ranks, counted(summary.totals.nodes, "node", "nodes"), summary.totals.operations,
        static_cast<double>(summary.totals.product_flops),
        static_cast<double>(summary.totals.other_flops));
    if (!summary.totals.kinds.empty()) {
        text += fmt::format("{:<24}{:>12}  {}\n", "communication", "nodes",
                            "bytes (comm_size over all ranks)");
    }
    for (const auto& [name, kind] : summary.totals.kinds) {
        text += fmt::format("{:<24}{:>12}  {}\n", name, kind.nodes, kind.bytes);
    }
    return text;
}

nlohmann::ordered_json document_of(const Recording& recording, const RecordedSummary& summary) {
    nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
    for (const auto& [name, kind] : summary.totals.kinds) {
        kinds[name] = {{"nodes", kind.nodes}, {"bytes", kind.bytes}};
    }
    nlohmann::ordered_json warnings = nlohmann::ordered_json::array();
    for (const auto& warning : summary.warnings) {
        warnings.push_back({{"at", warning.place}, {"message", warning.message}});
    }
    return {{"ranks", recording.ranks},
            {"recorded", recording.recorded.size()},
            {"traces", summary.traces},
            {"nodes", summary.totals.nodes},
            {"operations", summary.totals.operations},
            {"product_flops", summary.totals.product_flops},
            {"other_flops", summary.totals.other_flops},
            {"groups", summary.groups},
            {"traffic", kinds},
            {"warnings", warnings}};
}

/// Operators that take no time from the profile, by FLOPs, then by number.
std::vector<std::pair<std::string, RecordedMatches::Operations>> unmatched_of(
    const RecordedSummary& summary) {
    const auto& unmatched = summary.totals.matches.unmatched;
    std::vector<std::pair<std::string, RecordedMatches::Operations>> rows(unmatched.begin(),
                                                                          unmatched.end());
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.flops, a.second.count) >
               std::pair(b.second.flops, b.second.count);
    });
    return rows;
}

double percent(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string text_of_matches(const RecordedSummary& summary, const std::string& file) {
    constexpr std::size_t most_rows = 10;
    const RecordedMatches& matches = summary.totals.matches;
    const std::int64_t flops = summary.totals.product_flops + summary.totals.other_flops;
    std::string text = fmt::format(
        "{} of {} tensor operations ({:.1f} %), with {:.1f} % of the FLOPs, take their times from "
        "{}: {:.4g} ms over all ranks\n",
        matches.matched.count, summary.totals.operations,
        percent(matches.matched.count, summary.totals.operations),
        percent(matches.matched.flops, flops), file,
        static_cast<double>(matches.measured_ns) / 1e6);
    const auto rows = unmatched_of(summary);
    if (!rows.empty()) {
        text +=
            fmt::format("{:<40}{:>12}{:>12}  {}\n", "others", "nodes", "FLOPs", "in the profile");
    }
    for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
        const auto& [name, operations] = rows[i];
        text += fmt::format("{:<40}{:>12}{:>12.4g}  {}\n", name, operations.count,
                            static_cast<double>(operations.flops),
                            summary.known_operators.count(name) > 0 ? "with other inputs" : "no");
    }
    if (rows.size() > most_rows) {
        text += fmt::format(
            "and {} more (--json lists them)\n",
            counted(static_cast<std::int64_t>(rows.size() - most_rows), "operator", "operators"));
    }
    return text;
}

nlohmann::ordered_json json_of_matches(const RecordedSummary& summary, const std::string& file) {
    const RecordedMatches& matches = summary.totals.matches;
    nlohmann::ordered_json unmatched = nlohmann::ordered_json::array();
    for (const auto& [name, operations] : unmatched_of(summary)) {
        unmatched.push_back({{"operator", name},
                             {"operations", operations.count},
                             {"flops", operations.flops},
                             {"with_other_inputs", summary.known_operators.count(name) > 0}});
    }
    return {{"file", file},
            {"operations", matches.matched.count},
            {"flops", matches.matched.flops},
            {"measured_ns", matches.measured_ns},
            {"unmatched", unmatched}};
}

}  // namespace

std::string record_text(const Recording& recording, const RecordedSummary& summary,
                        const std::string& profile, const std::string& megatron) {
    return text_of(recording, summary) +
           (profile.empty() ? "" : text_of_matches(summary, profile)) +
           (megatron.empty() ? ""
                             : fmt::format("Wrote logs for npunet megatron to {}\n", megatron));
}

nlohmann::ordered_json record_document(const Recording& recording, const RecordedSummary& summary,
                                       const std::string& profile, const std::string& megatron) {
    nlohmann::ordered_json document = document_of(recording, summary);
    if (!profile.empty()) {
        document["kernels"] = json_of_matches(summary, profile);
    }
    if (!megatron.empty()) {
        document["megatron_logs"] = megatron;
    }
    return document;
}

}  // namespace npunet::cli
