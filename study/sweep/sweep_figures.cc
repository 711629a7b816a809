#include "study/sweep/sweep_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

namespace npunet::study {

namespace {

std::string short_name(const Value& value) {
    return value.path.empty() ? value.text : std::filesystem::path(value.text).stem().string();
}

/// The columns whose values differ somewhere.
std::vector<std::string> varied(const DesignSpace& space) {
    std::vector<std::string> names;
    for (const Axis& axis : space.axes) {
        for (std::size_t i = 0; axis.listed && i < axis.names.size(); ++i) {
            std::set<std::string> texts;
            for (const auto& row : axis.rows) {
                texts.insert(row[i].text);
            }
            const bool replayed = axis.names[i] == "fidelity" && space.replay;
            if (texts.size() > 1 || replayed) {
                names.push_back(axis.names[i]);
            }
        }
    }
    return names;
}

/// "dp=4 tp=2": the values of some parameters at a point; file names without folder and ending,
/// and words that speak for themselves without the name of the parameter.
std::string label_of(const DesignSpace& space, const Point& point,
                     const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        const Value& value = *space.find(point, name);
        const bool speaks = !value.number && name != "system";
        text += fmt::format("{}{}{}", text.empty() ? "" : " ", speaks ? "" : name + "=",
                            short_name(value));
    }
    return text;
}

/// What tells the points apart: the parameters of the task, and the others.
struct Names {
    std::vector<std::string> task;
    std::vector<std::string> plan;
};

Names names_of(const DesignSpace& space, const Ranking& ranking) {
    Names names;
    for (const std::string& name : varied(space)) {
        const bool task =
            !ranking.groups.empty() &&
            std::any_of(ranking.groups[0].task.begin(), ranking.groups[0].task.end(),
                        [&](const auto& entry) { return entry.first == name; });
        (task ? names.task : names.plan).push_back(name);
    }
    return names;
}

std::string title_of(const DesignSpace& space) {
    const Point& point = space.points.front();
    std::string title;
    if (space.kind == WorkloadKind::Model) {
        title = short_name(*space.find(point, "model")) + ": ";
    } else if (space.kind == WorkloadKind::Collective) {
        title = "Collectives: ";
    }
    return title;
}

bool one_value(const DesignSpace& space, const std::string& name) {
    const std::vector<std::string> names = varied(space);
    return std::find(names.begin(), names.end(), name) == names.end();
}

}  // namespace

report::TimeMemoryPlot time_memory_plot(const DesignSpace& space, const SweepResults& results) {
    const Names names = names_of(space, results.ranking);
    report::TimeMemoryPlot plot;
    plot.title = (one_value(space, "model") ? title_of(space) : "Models: ") +
                 "finish time against peak memory";
    plot.limit = space.memory_limit;
    for (const Group& group : results.ranking.groups) {
        plot.series.push_back(label_of(space, space.points[group.points.front()], names.task));
        for (const std::size_t number : group.points) {
            const Outcome& outcome = *results.outcomes[number];
            report::TimeMemoryPoint point;
            point.time = outcome.largest.finish;
            point.memory = outcome.largest.peak_memory;
            point.series = plot.series.size() - 1;
            point.label = label_of(space, space.points[number], names.plan);
            point.front = std::find(group.pareto.begin(), group.pareto.end(), number) !=
                          group.pareto.end();
            point.best = group.best == number;
            point.best_within_limit = group.best_within_limit == number;
            plot.points.push_back(std::move(point));
        }
    }
    const bool any_known =
        std::any_of(plot.points.begin(), plot.points.end(),
                    [](const auto& point) { return point.memory > Bytes(0); });
    if (!any_known) {
        plot.title = (one_value(space, "model") ? title_of(space) : "Models: ") + "finish time";
    }
    return plot;
}

report::BreakdownPlot breakdown_plot(const DesignSpace& space, const SweepResults& results,
                                     std::size_t most) {
    const std::vector<Group>& groups = results.ranking.groups;
    std::vector<std::size_t> shown(groups.size(), 0);
    std::size_t all = 0;
    for (const Group& group : groups) {
        all += group.points.size();
    }
    for (std::size_t left = std::min(most, all), place = 0; left > 0; ++place) {
        for (std::size_t i = 0; i < groups.size() && left > 0; ++i) {
            if (place < groups[i].points.size()) {
                ++shown[i];
                --left;
            }
        }
    }
    report::BreakdownPlot plot;
    plot.title = (one_value(space, "model") ? title_of(space) : "Models: ") +
                 "where the time goes";
    const std::vector<std::string> names = varied(space);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (std::size_t place = 0; place < shown[i]; ++place) {
            const std::size_t number = groups[i].points[place];
            const SlowestRank& rank = results.outcomes[number]->slowest;
            plot.bars.push_back({label_of(space, space.points[number], names), rank.finish,
                                 rank.compute, rank.exposed_communication, rank.exposed_memory,
                                 rank.idle});
        }
    }
    plot.subtitle = all > plot.bars.size()
                        ? fmt::format("the fastest {} of {} runs", plot.bars.size(), all)
                        : fmt::format("{} {}, the fastest first", all, all == 1 ? "run" : "runs");
    return plot;
}

}  // namespace npunet::study
