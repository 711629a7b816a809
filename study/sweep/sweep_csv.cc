#include <fmt/format.h>

#include "base/csv_field.h"
#include "base/units.h"
#include "report/csv.h"
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
    csv += ",link_bound_ns,note\n";
    for (std::size_t number = 0; number < space.points.size(); ++number) {
        for (const std::string& name : columns) {
            csv += csv_field(space.find(space.points[number], name)->text) + ',';
        }
        const Outcome& outcome = *results.outcomes[number];
        csv += outcome.ok()
                   ? fmt::format("{},ok,{},{},{}\n", cells(outcome.first), cells(outcome.largest),
                                 report::ns_field(outcome.link_bound), csv_field(note_of(outcome)))
                   : ",,,,,error,,,,,,,\n";
    }
    return csv;
}

}  // namespace npunet::study
