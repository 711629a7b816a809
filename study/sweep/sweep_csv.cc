#include <fmt/format.h>

#include <optional>

#include "base/csv_field.h"
#include "base/json_writer.h"
#include "base/units.h"
#include "report/results/csv.h"
#include "study/sweep/sweep_results.h"

namespace npunet::study {

namespace {

constexpr const char* figure_names[] = {"finish_ns", "compute_ns", "comm_ns", "exposed_comm_ns",
                                        "peak_memory_bytes"};

std::string cells(const Figures& figures) {
    return fmt::format(
        "{},{},{},{},{}", format_ns(figures.finish), format_ns(figures.compute),
        format_ns(figures.communication), format_ns(figures.exposed_communication),
        figures.peak_memory > Bytes(0) ? std::to_string(figures.peak_memory.value()) : "");
}

constexpr const char* rate_names[] = {"tokens_per_s", "samples_per_s", "model_tflops_per_npu",
                                      "mfu_percent", "mfu_palm_percent"};

std::string rate_cells(const std::optional<engine::StepRates>& rates) {
    if (!rates) {
        return ",,,,,";
    }
    std::string cells =
        fmt::format(",{},{},{}", shortest(rates->tokens_per_s), shortest(rates->samples_per_s),
                    shortest(rates->model_tflops_per_npu));
    return cells + (rates->peak_tflops_per_npu > 0
                        ? fmt::format(",{},{}", shortest(rates->mfu_percent),
                                      shortest(rates->mfu_palm_percent))
                        : ",,");
}

}  // namespace

std::string sweep_csv(const DesignSpace& space, const SweepResults& results) {
    const std::vector<std::string> columns = space.columns();
    std::string csv;
    for (const std::string& name : columns) {
        csv += csv_field(name) + ',';
    }
    csv += fmt::format("{},status", fmt::join(figure_names, ","));
    for (const char* name : figure_names) {
        csv += fmt::format(",max_{}", name);
    }
    // Only of generated steps are tokens and FLOPs known.
    const bool with_rates = space.kind == WorkloadKind::Model;
    if (with_rates) {
        csv += fmt::format(",{}", fmt::join(rate_names, ","));
    }
    csv += ",link_bound_ns,fits_memory,note\n";
    for (std::size_t number = 0; number < space.points.size(); ++number) {
        for (const std::string& name : columns) {
            csv += csv_field(space.find(space.points[number], name)->text) + ',';
        }
        const Outcome& outcome = *results.outcomes[number];
        if (!outcome.ok()) {
            csv += with_rates ? ",,,,,error,,,,,,,,,,,,,\n" : ",,,,,error,,,,,,,,\n";
            continue;
        }
        csv += fmt::format("{},ok,{}", cells(outcome.first), cells(outcome.largest));
        if (with_rates) {
            csv += rate_cells(outcome.rates);
        }
        const std::optional<bool> fits = fits_memory(outcome, space.memory_limit);
        csv += fmt::format(",{},{},{}\n", report::ns_field(outcome.link_bound),
                           fits ? (*fits ? "yes" : "no") : "", csv_field(note_of(outcome)));
    }
    return csv;
}

}  // namespace npunet::study
