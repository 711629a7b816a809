#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/json_writer.h"
#include "cli/command/figure_file.h"
#include "cli/plan/plan_search.h"
#include "cli/plan/search_progress.h"
#include "planner/synthetic_profiles.h"
#include "report/figures/search_time_figure.h"
#include "report/text_table.h"

namespace npunet::cli {

namespace {

namespace metis = planner::metis;
using report::SearchTimePlot;
using report::SearchTimePoint;

planner::ProfileSet stretched(const std::vector<planner::ProfileFile>& samples, std::int64_t layers,
                              const PlanSearchOptions& options) {
    std::vector<planner::LayerProfile> profiles;
    profiles.reserve(samples.size());
    for (const planner::ProfileFile& file : samples) {
        profiles.push_back(planner::with_layers(file, layers));
    }
    return {std::move(profiles), options.profiles};
}

/// Searches every number of layers by both strategies, each so many times as --trials says.
std::vector<SearchTimePoint> measure(const PlanSearchOptions& options, CommandContext& context) {
    MetisTask task(options);
    task.arguments.keep = 1;
    const std::vector<planner::ProfileFile> samples = planner::read_profile_files(options.profiles);
    SearchProgress progress(context, options.quiet, "inter-stage plans");
    std::vector<SearchTimePoint> points;
    for (const metis::Strategy strategy : {metis::Strategy::Metis, metis::Strategy::Headroom}) {
        task.arguments.strategy = strategy;
        for (const std::int64_t layers : options.layers_list) {
            task.arguments.num_layers = layers;
            task.inputs.profiles = stretched(samples, layers, options);
            double ms = 0;
            std::uint64_t steps = 0;
            for (std::int64_t trial = 0; trial < options.trials; ++trial) {
                const TimedSearch search = timed_search(
                    task.inputs, task.arguments, [&](std::uint64_t done, std::uint64_t total) {
                        return progress.update(done, total);
                    });
                progress.end();
                ms += search.ms;
                steps = search.result.steps();
            }
            points.push_back({layers, strategy == metis::Strategy::Headroom ? 1U : 0U,
                              ms * 1e-3 / static_cast<double>(options.trials), steps});
        }
    }
    return points;
}

std::string json_of(const SearchTimePlot& plot, const std::string& file) {
    using Layout = JsonWriter::Layout;
    JsonWriter json;
    json.begin_object(Layout::Lines).member("figure", file);
    json.key("searches").begin_array(Layout::Lines);
    for (const SearchTimePoint& point : plot.points) {
        json.begin_object()
            .member("strategy", plot.series[point.series])
            .member("layers", point.layers)
            .member("steps", point.steps);
        json.key("performance").begin_object().member("average_ms", 1e3 * point.seconds);
        json.end_object().end_object();
    }
    json.end_array().end_object();
    return json.text() + "\n";
}

std::string table_of(const SearchTimePlot& plot) {
    report::TextTable table({"strategy", "layers", "steps", "time (ms)"});
    for (const SearchTimePoint& point : plot.points) {
        table.add({plot.series[point.series], std::to_string(point.layers),
                   std::to_string(point.steps), fmt::format("{:.3f}", 1e3 * point.seconds)});
    }
    return table.text();
}

}  // namespace

void draw_search_times(const PlanSearchOptions& options, CommandContext& context) {
    if (!options.homogeneous.empty()) {
        throw InputError(
            {"--search-times", "", "beside --homogeneous", "a search of the cluster", ""});
    }
    check_figure_file("--search-times", options.search_times);
    const SearchTimePlot plot{
        fmt::format("Searches for plans, {} samples a step", options.gbs.value()),
        {"metis", "headroom"},
        measure(options, context)};
    write_figure_file(options.search_times, report::search_time_figure(plot));
    context.out << (options.json ? json_of(plot, options.search_times) : table_of(plot));
}

}  // namespace npunet::cli
