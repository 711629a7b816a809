#include "report/profile/run_output.h"

#include <fmt/format.h>

#include <functional>

namespace npunet::report {

using analysis::RunProfile;

namespace {

using Numbers = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

/// Gathers the rows of a table whose columns are given one value a row.
class TableRows {
public:
    explicit TableRows(std::string name) : table_(std::move(name)) {}

    TableRows& text(const char* column, std::string value) {
        return add(column, Texts{std::move(value)});
    }
    TableRows& number(const char* column, std::int64_t value) {
        return add(column, Numbers{value});
    }
    TableRows& real(const char* column, double value) {
        return add(column, std::vector<double>{value});
    }
    void end_row() {
        table_.append(std::move(row_));
        row_ = ColumnTable("");
    }

    [[nodiscard]] ColumnTable table() { return std::move(table_); }

private:
    TableRows& add(const char* column, ColumnTable::Values value) {
        row_.column(column, std::move(value));
        return *this;
    }

    ColumnTable table_;
    ColumnTable row_{""};
};

std::string list_of(const std::vector<std::int32_t>& ranks) {
    return fmt::format("{}", fmt::join(ranks, " "));
}

void add_rank(const RunProfile& run, TableRows& rows) {
    for (const auto& rank : run.ranks) {
        rows.text("iteration", run.iteration)
            .number("rank", rank.rank)
            .text("file", rank.file)
            .number("events", static_cast<std::int64_t>(rank.events))
            .number("kernels", static_cast<std::int64_t>(rank.kernels))
            .number("length_ns", rank.span.end - rank.span.start)
            .number("computation_ns", rank.computation_ns)
            .number("communication_ns", rank.communication_ns)
            .number("overlap_ns", rank.overlap_ns)
            .number("memory_ns", rank.memory_ns)
            .number("idle_ns", rank.idle_ns)
            .end_row();
    }
}

void add_classes(const RunProfile& run, TableRows& rows) {
    for (const auto& rank : run.ranks) {
        for (const auto& [name, time] : rank.by_class) {
            rows.text("iteration", run.iteration)
                .number("rank", rank.rank)
                .text("class", name)
                .number("kernels", static_cast<std::int64_t>(time.kernels))
                .number("time_ns", time.time_ns)
                .end_row();
        }
    }
}

void add_micro_batches(const RunProfile& run, TableRows& rows) {
    for (const auto& rank : run.ranks) {
        for (const auto& one : rank.micro_batches) {
            rows.text("iteration", run.iteration)
                .number("rank", rank.rank)
                .text("phase", one.forward ? "forward" : "backward")
                .number("index", one.index)
                .number("start_ns", one.span.start)
                .number("length_ns", one.span.end - one.span.start)
                .number("computation_ns", one.computation_ns)
                .number("communication_ns", one.communication_ns)
                .number("overlap_ns", one.overlap_ns)
                .number("idle_ns", one.idle_ns())
                .end_row();
        }
    }
}

void add_pipelines(const RunProfile& run, TableRows& rows) {
    for (const auto& group : run.pipelines) {
        rows.text("iteration", run.iteration)
            .number("index", static_cast<std::int64_t>(group.index))
            .text("ranks", list_of(group.ranks))
            .text("missing", list_of(group.missing))
            .number("length_ns", group.length_ns)
            .real("bubble", group.bubble)
            .end_row();
    }
}

void add_stages(const RunProfile& run, TableRows& rows) {
    for (const auto& group : run.pipelines) {
        for (std::size_t stage = 0; stage < group.stages.size(); ++stage) {
            rows.text("iteration", run.iteration)
                .number("pipeline_group", static_cast<std::int64_t>(group.index))
                .number("stage", static_cast<std::int64_t>(stage))
                .number("rank", group.stages[stage].rank)
                .number("start_ns", group.stages[stage].span.start)
                .number("end_ns", group.stages[stage].span.end)
                .number("busy_ns", group.stages[stage].busy_ns)
                .end_row();
        }
    }
}

void add_models(const RunProfile& run, TableRows& rows) {
    for (const auto& model : run.models) {
        rows.text("iteration", run.iteration)
            .number("index", static_cast<std::int64_t>(model.index))
            .text("ranks", list_of(model.ranks))
            .text("missing", list_of(model.missing))
            .number("length_ns", model.length_ns)
            .number("critical_stage", model.critical_stage)
            .end_row();
    }
}

void add_clocks(const RunProfile& run, TableRows& rows) {
    for (const auto& clock : run.clocks) {
        rows.text("iteration", run.iteration)
            .number("rank", clock.rank)
            .number("known", clock.known ? 1 : 0)
            .number("offset_ns", clock.offset_ns)
            .number("spread_ns", clock.spread_ns)
            .number("collectives", static_cast<std::int64_t>(clock.collectives))
            .end_row();
    }
}

void add_stragglers(const RunProfile& run, TableRows& rows) {
    for (const auto& one : run.stragglers) {
        rows.text("iteration", run.iteration)
            .number("rank", one.rank)
            .number("last", static_cast<std::int64_t>(one.last))
            .number("collectives", static_cast<std::int64_t>(one.collectives))
            .number("late_ns", one.late_ns)
            .end_row();
    }
}

void add_collectives(const RunProfile& run, TableRows& rows) {
    for (const auto& one : run.speeds) {
        rows.text("iteration", run.iteration)
            .text("type", one.type)
            .text("dimension", std::string(name_of(one.dimension)))
            .number("group_size", one.group_size)
            .number("bytes", one.bytes)
            .number("count", static_cast<std::int64_t>(one.count))
            .number("all_ranks", one.all_ranks ? 1 : 0)
            .number("transfer_ns", one.transfer_ns)
            .number("duration_ns", one.duration_ns)
            .real("bus_GBps", one.bus_GBps)
            .end_row();
    }
}

}  // namespace

std::vector<ColumnTable> run_tables(const std::vector<RunProfile>& runs) {
    const std::vector<std::pair<const char*, std::function<void(const RunProfile&, TableRows&)>>>
        makers = {{"ranks", add_rank},
                  {"classes", add_classes},
                  {"micro_batches", add_micro_batches},
                  {"pipeline_groups", add_pipelines},
                  {"stages", add_stages},
                  {"model_groups", add_models},
                  {"clocks", add_clocks},
                  {"stragglers", add_stragglers},
                  {"collectives", add_collectives}};
    std::vector<ColumnTable> tables;
    for (const auto& [name, maker] : makers) {
        TableRows rows(name);
        for (const RunProfile& run : runs) {
            maker(run, rows);
        }
        ColumnTable table = rows.table();
        if (table.rows() > 0) {
            tables.push_back(std::move(table));
        }
    }
    return tables;
}

}  // namespace npunet::report
