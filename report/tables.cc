#include "report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/printable.h"
#include "base/units.h"
#include "engine/npu/statistics.h"
#include "report/results/npu_summary.h"
#include "report/results/step_summary.h"
#include "report/text_table.h"

namespace npunet::report {

namespace {

/// Keeps the classes that finish last, in order of their number.
void keep_latest(std::vector<NpuClass>& classes, std::size_t count) {
    if (classes.size() <= count) {
        return;
    }
    std::stable_sort(classes.begin(), classes.end(), [](const NpuClass& a, const NpuClass& b) {
        return a.slowest->finish > b.slowest->finish;
    });
    classes.resize(count);
    std::sort(classes.begin(), classes.end(),
              [](const NpuClass& a, const NpuClass& b) { return a.number < b.number; });
}

const char* ending_of(const engine::Results& results) {
    return results.partial ? "PARTIAL, stopped" : "finished";
}

std::string partial_line(const engine::Results& results) {
    return results.partial ? "partial: " + engine::describe(*results.partial) + "\n\n" : "";
}

}  // namespace

std::string format_share(Time part, Time whole) {
    if (whole == Time()) {
        return "-";
    }
    return fmt::format("{:.1f}%",
                       100.0 * static_cast<double>(part.ps()) / static_cast<double>(whole.ps()));
}

std::string with_share(Time part, Time whole) {
    return fmt::format("{} ({})", format_time(part), format_share(part, whole));
}

std::string summary_table(const engine::Results& results, std::size_t most_classes,
                          bool with_bubble) {
    std::vector<NpuClass> classes = npu_classes(results);
    const std::size_t all = classes.size();
    keep_latest(classes, most_classes);
    const bool with_memory = std::any_of(
        classes.begin(), classes.end(),
        [](const NpuClass& members) { return members.slowest->exposed_memory != Time(); });
    std::vector<std::string> heading{
        "ranks", "finish", "compute", "communication", "exposed communication", "idle"};
    if (with_memory) {
        heading.insert(heading.end() - 1, "exposed memory");
    }
    if (with_bubble) {
        heading.emplace_back("bubble");
    }
    TextTable table(std::move(heading));
    for (const NpuClass& members : classes) {
        const engine::NpuResult& npu = *members.slowest;
        std::vector<std::string> row{format_ranks(members.ranks),
                                     format_time(npu.finish),
                                     with_share(npu.compute, npu.finish),
                                     with_share(npu.communication, npu.finish),
                                     with_share(npu.exposed_communication, npu.finish),
                                     with_share(npu.idle, npu.finish)};
        if (with_memory) {
            row.insert(row.end() - 1, with_share(npu.exposed_memory, npu.finish));
        }
        if (with_bubble) {
            const double bubble = bubble_of_step_percent(npu, results.finish);
            row.push_back(std::isfinite(bubble) ? fmt::format("{:.1f}%", bubble) : "-");
        }
        table.add(std::move(row));
    }
    const std::string warning = engine::capacity_note(results);
    std::string text = warning.empty() ? "" : fmt::format("WARNING: {}\n\n", warning);
    text +=
        fmt::format("{}: {} after {} ({} ns), {} ranks\n\n", results.fidelity, ending_of(results),
                    format_time(results.finish), format_ns(results.finish), results.npus.size());
    text += partial_line(results);
    if (const std::string summary = step_summary_text(results); !summary.empty()) {
        text += summary + '\n';
    }
    text += table.text();
    if (classes.size() < all) {
        text += fmt::format("(classes of NPUs that finish earlier: {})\n", all - classes.size());
    }
    for (const std::string& note : results.notes) {
        text += note == warning ? "" : "note: " + printable(note) + '\n';
    }
    return text;
}

std::string jobs_table(const engine::JobsResults& results) {
    TextTable table({"job", "NPUs", "start", "finish", "duration"}, 2);
    std::string notes;
    for (const std::string& note : results.all.notes) {
        notes += fmt::format("note: {}\n", note);
    }
    for (const engine::JobResult& job : results.jobs) {
        std::vector<Rank> npus;
        for (const NodeId npu : job.npus) {
            npus.emplace_back(npu.value());
        }
        std::sort(npus.begin(), npus.end());
        const std::optional<engine::Partial>& partial = job.results.partial;
        table.add({job.name, format_ranks(npus), format_time(job.start),
                   partial ? "-" : format_time(job.finish()),
                   partial ? fmt::format("{} of {} nodes", partial->nodes_done, partial->nodes)
                           : format_time(job.duration())});
        for (const std::string& note : job.results.notes) {
            notes += fmt::format("note: {}: {}\n", printable(job.name), printable(note));
        }
    }
    return fmt::format("{}: {} job{} {} after {} ({} ns)\n\n", results.all.fidelity,
                       results.jobs.size(), results.jobs.size() == 1 ? "" : "s",
                       ending_of(results.all), format_time(results.all.finish),
                       format_ns(results.all.finish)) +
           partial_line(results.all) + table.text() + notes;
}

std::vector<std::size_t> hot_links(const engine::Results& results, std::size_t count) {
    std::vector<std::size_t> order(results.links.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const engine::LinkResult& x = results.links[a];
        const engine::LinkResult& y = results.links[b];
        return std::tie(y.busy, y.wire, a) < std::tie(x.busy, x.wire, b);
    });
    order.erase(std::find_if(order.begin(), order.end(),
                             [&](std::size_t i) { return results.links[i].wire == Bytes(0); }),
                order.end());
    order.resize(std::min(order.size(), count));
    return order;
}

}  // namespace npunet::report
