#include "report/profile/run_output.h"

#include "base/json_writer.h"

namespace npunet::report {

using analysis::RankProfile;
using analysis::RunProfile;

namespace {

using Layout = JsonWriter::Layout;

template <class Numbers>
void write_list(const char* key, const Numbers& numbers, JsonWriter& json) {
    json.key(key).begin_array();
    for (const auto number : numbers) {
        json.value(static_cast<std::int64_t>(number));
    }
    json.end_array();
}

void write_notes(const std::vector<std::string>& notes, JsonWriter& json) {
    json.key("notes").begin_array();
    for (const std::string& note : notes) {
        json.value(note);
    }
    json.end_array();
}

void write_classes(const RankProfile& rank, JsonWriter& json) {
    json.key("by_class").begin_object();
    for (const auto& [name, time] : rank.by_class) {
        json.key(name).begin_object();
        json.member("kernels", time.kernels).member("time_ns", time.time_ns).end_object();
    }
    json.end_object();
}

void write_micro_batches(const RankProfile& rank, JsonWriter& json) {
    json.key("micro_batches").begin_array(Layout::Lines);
    for (const analysis::MicroBatch& one : rank.micro_batches) {
        json.begin_object();
        json.member("phase", one.forward ? "forward" : "backward").member("index", one.index);
        json.member("start_ns", one.span.start)
            .member("length_ns", one.span.end - one.span.start)
            .member("computation_ns", one.computation_ns)
            .member("communication_ns", one.communication_ns)
            .member("overlap_ns", one.overlap_ns)
            .member("idle_ns", one.idle_ns());
        json.end_object();
    }
    json.end_array();
}

void write_reference_kernels(const RankProfile& rank, JsonWriter& json) {
    json.key("classes").begin_object(Layout::Lines);
    for (const auto& [name, kernels] : rank.reference_kernels) {
        json.key(name).begin_array(Layout::Lines);
        for (const analysis::ReferenceKernel& one : kernels) {
            json.begin_object();
            json.member("ts_ns", one.start_ns)
                .member("dur_ns", one.duration_ns)
                .member("name", std::string_view(one.name))
                .member("launch", std::string_view(one.launch))
                .member("correlation", one.correlation)
                .member("step_ts_ns", one.step_start_ns)
                .member("step_name", std::string_view(one.step));
            json.end_object();
        }
        json.end_array();
    }
    json.end_object();
}

void write_rank(const RunProfile& run, const RankProfile& rank, JsonWriter& json) {
    json.begin_object(Layout::Lines);
    json.member("iteration", std::string_view(run.iteration))
        .member("rank", rank.rank)
        .member("file", std::string_view(rank.file))
        .member("events", rank.events)
        .member("kernels", rank.kernels)
        .member("length_ns", rank.span.end - rank.span.start)
        .member("computation_ns", rank.computation_ns)
        .member("communication_ns", rank.communication_ns)
        .member("overlap_ns", rank.overlap_ns)
        .member("memory_ns", rank.memory_ns)
        .member("idle_ns", rank.idle_ns);
    write_classes(rank, json);
    write_micro_batches(rank, json);
    if (!rank.reference_kernels.empty()) {
        write_reference_kernels(rank, json);
    }
    write_notes(rank.notes, json);
    json.end_object();
}

void write_pipeline(const RunProfile& run, const analysis::PipelineGroup& group, JsonWriter& json) {
    json.begin_object();
    json.member("iteration", std::string_view(run.iteration))
        .member("index", static_cast<std::uint64_t>(group.index));
    write_list("ranks", group.ranks, json);
    write_list("missing", group.missing, json);
    if (group.missing.empty()) {
        json.member("length_ns", group.length_ns).member("bubble", group.bubble);
        json.key("stages").begin_array();
        for (const analysis::PipelineRank& stage : group.stages) {
            json.begin_object();
            json.member("rank", stage.rank)
                .member("start_ns", stage.span.start)
                .member("end_ns", stage.span.end)
                .member("busy_ns", stage.busy_ns);
            json.end_object();
        }
        json.end_array();
    }
    json.end_object();
}

void write_model(const RunProfile& run, const analysis::ModelGroup& model, JsonWriter& json) {
    json.begin_object();
    json.member("iteration", std::string_view(run.iteration))
        .member("index", static_cast<std::uint64_t>(model.index));
    write_list("ranks", model.ranks, json);
    write_list("missing", model.missing, json);
    write_list("pipeline_groups", model.pipelines, json);
    if (model.missing.empty()) {
        json.member("length_ns", model.length_ns);
        write_list("stage_busy_ns", model.stage_busy_ns, json);
        json.member("critical_stage", model.critical_stage);
    }
    json.end_object();
}

void write_clock(const RunProfile& run, const analysis::ClockOffset& clock, JsonWriter& json) {
    json.begin_object();
    json.member("iteration", std::string_view(run.iteration)).member("rank", clock.rank);
    if (clock.known) {
        json.member("offset_ns", clock.offset_ns)
            .member("spread_ns", clock.spread_ns)
            .member("collectives", clock.collectives);
    }
    json.end_object();
}

void write_straggler(const RunProfile& run, const analysis::Straggler& one, JsonWriter& json) {
    json.begin_object();
    json.member("iteration", std::string_view(run.iteration))
        .member("rank", one.rank)
        .member("last", one.last)
        .member("collectives", one.collectives)
        .member("late_ns", one.late_ns);
    json.end_object();
}

void write_speed(const RunProfile& run, const analysis::CollectiveSpeed& one, JsonWriter& json) {
    json.begin_object();
    json.member("iteration", std::string_view(run.iteration))
        .member("type", std::string_view(one.type))
        .member("dimension", name_of(one.dimension))
        .member("group_size", one.group_size)
        .member("bytes", one.bytes)
        .member("count", one.count)
        .key("all_ranks")
        .boolean(one.all_ranks)
        .member("transfer_ns", one.transfer_ns)
        .member("duration_ns", one.duration_ns)
        .member("bus_GBps", one.bus_GBps);
    json.end_object();
}

template <class Entry, class Write>
void write_all(const char* key, const std::vector<RunProfile>& runs,
               std::vector<Entry> RunProfile::*list, Write&& write, JsonWriter& json) {
    json.key(key).begin_array(Layout::Lines);
    for (const RunProfile& run : runs) {
        for (const Entry& entry : run.*list) {
            write(run, entry, json);
        }
    }
    json.end_array();
}

}  // namespace

std::string run_json(const std::vector<RunProfile>& runs, const std::string& dialect,
                     const std::string& alignment, const std::string& command) {
    JsonWriter json;
    json.begin_object(Layout::Lines);
    json.member("schema", 1);
    if (!command.empty()) {
        json.member("command", command);
    }
    json.member("dialect", std::string_view(dialect))
        .member("time_alignment", std::string_view(alignment));
    write_all("ranks", runs, &RunProfile::ranks, write_rank, json);
    write_all("pipeline_groups", runs, &RunProfile::pipelines, write_pipeline, json);
    write_all("model_groups", runs, &RunProfile::models, write_model, json);
    write_all("clocks", runs, &RunProfile::clocks, write_clock, json);
    write_all("stragglers", runs, &RunProfile::stragglers, write_straggler, json);
    write_all("collectives", runs, &RunProfile::speeds, write_speed, json);
    std::vector<std::string> notes;
    for (const RunProfile& run : runs) {
        for (const std::string& note : run.notes) {
            notes.push_back(runs.size() == 1 ? note : run.iteration + ": " + note);
        }
    }
    write_notes(notes, json);
    json.end_object();
    return json.text();
}

}  // namespace npunet::report
