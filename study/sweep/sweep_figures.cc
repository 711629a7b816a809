#include "study/sweep/sweep_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "study/sweep/parameters.h"

namespace npunet::study {

namespace {

/// The folders and the name of a path.
std::vector<std::string> parts_of(const std::string& path) {
    std::vector<std::string> parts;
    for (const auto& part : std::filesystem::path(path)) {
        parts.push_back(part.string());
    }
    return parts;
}

/// Paths without what they all begin with and end with; one alone keeps its name.
std::vector<std::string> told_apart(const std::vector<std::string>& paths) {
    std::vector<std::vector<std::string>> lists;
    std::size_t shortest = parts_of(paths.front()).size();
    for (const std::string& path : paths) {
        lists.push_back(parts_of(path));
        shortest = std::min(shortest, lists.back().size());
    }
    const auto& first = lists.front();
    const auto all_have = [&](const auto& part_at) {
        return std::all_of(lists.begin(), lists.end(),
                           [&](const auto& list) { return part_at(list) == part_at(first); });
    };
    std::size_t front = 0;
    while (front + 1 < shortest && all_have([&](const auto& list) { return list[front]; })) {
        ++front;
    }
    std::size_t back = 0;
    while (paths.size() > 1 && front + back + 1 < shortest &&
           all_have([&](const auto& list) { return list[list.size() - 1 - back]; })) {
        ++back;
    }
    std::vector<std::string> names;
    for (const auto& list : lists) {
        std::filesystem::path name;
        for (std::size_t i = front; i + back < list.size(); ++i) {
            name /= list[i];
        }
        if (back == 0) {
            name = name.parent_path() / name.stem();
        }
        names.push_back(name.string());
    }
    return names;
}

/// The columns whose values differ somewhere.
std::vector<std::string> varied(const DesignSpace& space) {
    const std::vector<std::string> columns = space.columns();
    std::vector<std::string> names;
    for (const Axis& axis : space.axes) {
        for (std::size_t i = 0; i < axis.names.size(); ++i) {
            std::set<std::string> texts;
            for (const auto& row : axis.rows) {
                texts.insert(row[i].text);
            }
            const bool replayed = axis.names[i] == "fidelity" && space.replay;
            const bool column =
                std::find(columns.begin(), columns.end(), axis.names[i]) != columns.end();
            if (column && (texts.size() > 1 || replayed)) {
                names.push_back(axis.names[i]);
            }
        }
    }
    return names;
}

/// How values are called in figures: "dp=4", but "mesh-4x4" and "all_reduce", which speak for
/// themselves.
class Labels {
public:
    explicit Labels(const DesignSpace& space) : space_(space) {
        const std::vector<Parameter> parameters = parameters_of(space.kind);
        for (const Axis& axis : space.axes) {
            for (std::size_t i = 0; i < axis.names.size(); ++i) {
                add(find_parameter(parameters, axis.names[i], {}), axis, i);
            }
        }
    }

    [[nodiscard]] std::string of(const Point& point, const std::vector<std::string>& names) const {
        std::string label;
        for (const std::string& name : names) {
            const std::string& text = space_.find(point, name)->text;
            const auto known = labels_.find({name, text});
            label += (label.empty() ? "" : " ") + (known == labels_.end() ? text : known->second);
        }
        return label;
    }

private:
    void add(const Parameter& parameter, const Axis& axis, std::size_t column) {
        std::vector<std::string> texts;
        for (const auto& row : axis.rows) {
            const bool is_path = !row[column].path.empty();
            const bool number =
                parameter.kind == ValueKind::Count || parameter.kind == ValueKind::Switch;
            std::string& label = labels_[{parameter.name, row[column].text}];
            label =
                number ? fmt::format("{}={}", parameter.name, row[column].text) : row[column].text;
            if (is_path) {
                texts.push_back(row[column].text);
            }
        }
        if (!texts.empty()) {
            const std::vector<std::string> names = told_apart(texts);
            for (std::size_t i = 0; i < texts.size(); ++i) {
                labels_[{parameter.name, texts[i]}] = names[i];
            }
        }
    }

    const DesignSpace& space_;
    std::map<std::pair<std::string, std::string>, std::string> labels_;
};

/// What tells the points apart: the parameters of the task, and the others.
struct Names {
    std::vector<std::string> task;
    std::vector<std::string> plan;
};

Names names_of(const DesignSpace& space, const Ranking& ranking) {
    Names names;
    for (const std::string& name : varied(space)) {
        const bool task = !ranking.groups.empty() &&
                          std::any_of(ranking.groups[0].task.begin(), ranking.groups[0].task.end(),
                                      [&](const auto& entry) { return entry.first == name; });
        (task ? names.task : names.plan).push_back(name);
    }
    return names;
}

std::string title_of(const DesignSpace& space, const Labels& labels) {
    const Point& point = space.points.front();
    if (space.kind == WorkloadKind::Collective) {
        return "Collectives: ";
    }
    if (space.kind == WorkloadKind::Stage) {
        return "STAGE: ";
    }
    if (space.kind == WorkloadKind::Traces) {
        return "";
    }
    const std::vector<std::string> names = varied(space);
    return std::find(names.begin(), names.end(), "model") == names.end()
               ? labels.of(point, {"model"}) + ": "
               : "Models: ";
}

/// "Finish time" where nothing stands before it.
std::string titled(std::string text) {
    text[0] = text[0] >= 'a' && text[0] <= 'z' ? static_cast<char>(text[0] - 'a' + 'A') : text[0];
    return text;
}

std::string title(const DesignSpace& space, const Labels& labels, const std::string& what) {
    const std::string subject = title_of(space, labels);
    return subject.empty() ? titled(what) : subject + what;
}

}  // namespace

report::TimeMemoryPlot time_memory_plot(const DesignSpace& space, const SweepResults& results) {
    const Names names = names_of(space, results.ranking);
    const Labels labels(space);
    report::TimeMemoryPlot plot;
    plot.title = title(space, labels, "finish time against peak memory");
    plot.limit = space.memory_limit;
    for (const Group& group : results.ranking.groups) {
        plot.series.push_back(labels.of(space.points[group.points.front()], names.task));
        for (const std::size_t number : group.points) {
            const Outcome& outcome = *results.outcomes[number];
            report::TimeMemoryPoint point;
            point.time = outcome.largest.finish;
            point.memory = outcome.largest.peak_memory;
            point.series = plot.series.size() - 1;
            point.label = labels.of(space.points[number], names.plan);
            point.front =
                std::find(group.pareto.begin(), group.pareto.end(), number) != group.pareto.end();
            point.best = group.best == number;
            point.best_within_limit = group.best_within_limit == number;
            plot.points.push_back(std::move(point));
        }
    }
    const bool any_known = std::any_of(plot.points.begin(), plot.points.end(),
                                       [](const auto& point) { return point.memory > Bytes(0); });
    if (!any_known) {
        plot.title = title(space, labels, "finish time");
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
    const Labels labels(space);
    plot.title = title(space, labels, "where the time goes");
    const std::vector<std::string> names = varied(space);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (std::size_t place = 0; place < shown[i]; ++place) {
            const std::size_t number = groups[i].points[place];
            const SlowestRank& rank = results.outcomes[number]->slowest;
            plot.bars.push_back({labels.of(space.points[number], names), rank.finish, rank.compute,
                                 rank.exposed_communication, rank.exposed_memory, rank.idle});
        }
    }
    plot.subtitle = all > plot.bars.size()
                        ? fmt::format("the fastest {} of {} runs", plot.bars.size(), all)
                        : fmt::format("{} {}, the fastest first", all, all == 1 ? "run" : "runs");
    return plot;
}

}  // namespace npunet::study
