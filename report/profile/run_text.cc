#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/printable.h"
#include "report/profile/run_output.h"
#include "report/text_table.h"

namespace npunet::report {

using analysis::MicroBatch;
using analysis::RunProfile;

namespace {

constexpr std::size_t most_rows = 32;

std::string milliseconds(std::int64_t nanoseconds) {
    return fmt::format("{:.3f}", static_cast<double>(nanoseconds) / 1e6);
}

std::string percent(double share) {
    return fmt::format("{:.1f}", share * 100);
}

/// A heading, the table, and how many rows were left out of it.
std::string section(const std::string& heading, const TextTable& table, std::size_t rows) {
    std::string text = fmt::format("\n{}\n\n{}", heading, table.text());
    if (rows > most_rows) {
        text += fmt::format("... and {} more: --json or --output-dir have all\n", rows - most_rows);
    }
    return text;
}

std::string ranks_text(const RunProfile& run) {
    TextTable table({"rank", "kernels", "length ms", "computation", "communication", "overlap",
                     "copies", "idle"},
                    0);
    for (std::size_t i = 0; i < std::min(run.ranks.size(), most_rows); ++i) {
        const auto& rank = run.ranks[i];
        table.add({std::to_string(rank.rank), std::to_string(rank.kernels),
                   milliseconds(rank.span.end - rank.span.start), milliseconds(rank.computation_ns),
                   milliseconds(rank.communication_ns), milliseconds(rank.overlap_ns),
                   milliseconds(rank.memory_ns), milliseconds(rank.idle_ns)});
    }
    return section("Ranks (ms; unions of kernels)", table, run.ranks.size());
}

std::string classes_text(const RunProfile& run) {
    std::map<std::string, analysis::ClassTime> sums;
    for (const auto& rank : run.ranks) {
        for (const auto& [name, time] : rank.by_class) {
            sums[name].kernels += time.kernels;
            sums[name].time_ns += time.time_ns;
        }
    }
    TextTable table({"class", "kernels", "time ms"});
    for (const auto& [name, time] : sums) {
        table.add({name, std::to_string(time.kernels), milliseconds(time.time_ns)});
    }
    return section("Classes of kernels (all ranks; sums of durations)", table, 0);
}

std::string micro_batches_text(const RunProfile& run) {
    TextTable table({"rank", "phase", "micro-batch", "length ms", "computation", "communication",
                     "overlap", "idle"},
                    2);
    std::size_t rows = 0;
    for (const auto& rank : run.ranks) {
        for (const MicroBatch& one : rank.micro_batches) {
            if (++rows <= most_rows) {
                table.add({std::to_string(rank.rank), one.forward ? "forward" : "backward",
                           std::to_string(one.index), milliseconds(one.span.end - one.span.start),
                           milliseconds(one.computation_ns), milliseconds(one.communication_ns),
                           milliseconds(one.overlap_ns), milliseconds(one.idle_ns())});
            }
        }
    }
    return rows == 0 ? "" : section("Micro-batches (ms)", table, rows);
}

std::string pipelines_text(const RunProfile& run) {
    TextTable table({"pipeline group", "length ms", "bubble %"});
    std::size_t rows = 0;
    for (const auto& group : run.pipelines) {
        if (++rows <= most_rows) {
            const bool whole = group.missing.empty();
            table.add({fmt::format("{}: {}{}", group.index, fmt::join(group.ranks, " "),
                                   whole ? "" : " (incomplete)"),
                       whole ? milliseconds(group.length_ns) : "-",
                       whole ? percent(group.bubble) : "-"});
        }
    }
    return rows == 0 ? "" : section("Pipeline groups", table, rows);
}

std::string models_text(const RunProfile& run) {
    TextTable table({"replica", "length ms", "critical stage", "its busy ms"});
    std::size_t rows = 0;
    for (const auto& model : run.models) {
        if (++rows <= most_rows) {
            const bool known = model.critical_stage >= 0;
            table.add(
                {fmt::format("{}: {} ranks{}", model.index, model.ranks.size(),
                             model.missing.empty() ? "" : " (incomplete)"),
                 model.missing.empty() ? milliseconds(model.length_ns) : "-",
                 known ? std::to_string(model.critical_stage) : "-",
                 known ? milliseconds(
                             model.stage_busy_ns[static_cast<std::size_t>(model.critical_stage)])
                       : "-"});
        }
    }
    return rows == 0 ? "" : section("Model replicas", table, rows);
}

std::string clocks_text(const RunProfile& run) {
    if (run.alignment != analysis::TimeAlignment::Corrected) {
        return "";
    }
    TextTable table({"rank", "ahead us", "spread us", "collectives"}, 0);
    std::size_t rows = 0;
    for (const auto& clock : run.clocks) {
        if (clock.known && ++rows <= most_rows) {
            table.add({std::to_string(clock.rank),
                       fmt::format("{:.3f}", static_cast<double>(clock.offset_ns) / 1e3),
                       fmt::format("{:.3f}", static_cast<double>(clock.spread_ns) / 1e3),
                       std::to_string(clock.collectives)});
        }
    }
    return rows == 0 ? "" : section("Clocks, by the ends of collectives", table, rows);
}

std::string stragglers_text(const RunProfile& run) {
    TextTable table({"rank", "last to arrive", "of collectives", "late ms"}, 0);
    std::size_t rows = 0;
    for (const auto& one : run.stragglers) {
        if (one.last > 0 && ++rows <= most_rows) {
            table.add({std::to_string(one.rank), std::to_string(one.last),
                       std::to_string(one.collectives), milliseconds(one.late_ns)});
        }
    }
    return rows == 0 ? "" : section("Stragglers: whom others waited for", table, rows);
}

std::string speeds_text(const RunProfile& run) {
    TextTable table({"collective", "dimension", "ranks", "bytes", "count", "transfer ms",
                     "with waits", "bus GB/s"},
                    2);
    std::size_t rows = 0;
    for (const auto& one : run.speeds) {
        if (++rows <= most_rows) {
            table.add({one.type, std::string(name_of(one.dimension)),
                       std::to_string(one.group_size), std::to_string(one.bytes),
                       std::to_string(one.count), milliseconds(one.transfer_ns),
                       milliseconds(one.duration_ns),
                       fmt::format("{}{:.2f}", one.all_ranks ? "" : ">= ", one.bus_GBps)});
        }
    }
    return rows == 0 ? "" : section("Collectives (medians)", table, rows);
}

std::string notes_text(const RunProfile& run) {
    std::string text;
    for (const std::string& note : run.notes) {
        text += fmt::format("- {}\n", printable(note));
    }
    // What is the same of every rank is said once.
    std::map<std::string, std::vector<std::int32_t>> of_ranks;
    for (const auto& rank : run.ranks) {
        for (const std::string& note : rank.notes) {
            of_ranks[note].push_back(rank.rank);
        }
    }
    for (const auto& [note, ranks] : of_ranks) {
        const std::string whose =
            ranks.size() == run.ranks.size() ? "every rank"
            : ranks.size() == 1              ? fmt::format("rank {}", ranks.front())
                                : fmt::format("{} ranks (first: {})", ranks.size(), ranks.front());
        text += fmt::format("- {}: {}\n", whose, printable(note));
    }
    return text.empty() ? "" : "\nNotes\n\n" + text;
}

}  // namespace

std::string run_text(const RunProfile& run) {
    return fmt::format("Profiles of {} rank{}{}\n", run.ranks.size(),
                       run.ranks.size() == 1 ? "" : "s",
                       run.iteration.empty() ? "" : ", " + run.iteration) +
           ranks_text(run) + classes_text(run) + micro_batches_text(run) + pipelines_text(run) +
           models_text(run) + clocks_text(run) + stragglers_text(run) + speeds_text(run) +
           notes_text(run);
}

}  // namespace npunet::report
