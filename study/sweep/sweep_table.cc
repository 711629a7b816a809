#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report/results/step_rates.h"
#include "report/tables.h"
#include "report/text_table.h"
#include "study/sweep/sweep_reasons.h"
#include "study/sweep/sweep_results.h"

namespace npunet::study {

namespace {

constexpr std::size_t most_rows = 8;  // of one task
constexpr std::size_t most_errors = 5;
constexpr std::size_t most_reasons = 3;  // tasks

std::string memory_of(const Outcome& outcome) {
    return outcome.memory_known() ? format_bytes(outcome.largest.peak_memory) : "-";
}

/// The link bound, marked if the point finishes before it.
std::string bound_of(const Outcome& outcome) {
    const std::string bound =
        outcome.link_bound == Time::max() ? "never" : format_time(outcome.link_bound);
    return (outcome.beats_link_bound ? "! " : "") + bound;
}

bool fits(const DesignSpace& space, const Outcome& outcome) {
    return fits_memory(outcome, space.memory_limit).value_or(true);
}

std::size_t count_beaten_bounds(const SweepResults& results) {
    return static_cast<std::size_t>(std::count_if(results.outcomes.begin(), results.outcomes.end(),
                                                  [](const std::optional<Outcome>& outcome) {
                                                      return outcome && outcome->beats_link_bound;
                                                  }));
}

class Table {
public:
    Table(const DesignSpace& space, const SweepResults& results)
        : space_(space),
          results_(results),
          names_(space.columns()),
          with_rates_(space.kind == WorkloadKind::Model),
          with_bound_(count_beaten_bounds(results) > 0),
          table_(heading()) {}

    std::string text(std::size_t most_tasks) {
        const std::vector<Group>& groups = results_.ranking.groups;
        const std::size_t rows = groups.size() == 1 ? most_rows : std::size_t{3};
        for (std::size_t i = 0; i < std::min(groups.size(), most_tasks); ++i) {
            add(groups[i], rows);
        }
        std::string text = table_.text();
        if (groups.size() > most_tasks) {
            text += fmt::format("(further tasks, in the results files: {})\n",
                                groups.size() - most_tasks);
        }
        return text;
    }

private:
    std::vector<std::string> heading() const {
        std::vector<std::string> heading{""};
        heading.insert(heading.end(), names_.begin(), names_.end());
        for (const char* figure : {"finish", "compute", "exposed communication", "peak memory"}) {
            heading.emplace_back(figure);
        }
        if (with_rates_) {
            heading.emplace_back("tokens/s");
            heading.emplace_back("MFU");
        }
        if (with_bound_) {
            heading.emplace_back("link bound");
        }
        return heading;
    }

    /// The first ones, the best within the limit and the front.
    void add(const Group& group, std::size_t rows) {
        std::vector<std::size_t> shown(
            group.points.begin(), group.points.begin() + static_cast<std::ptrdiff_t>(
                                                             std::min(rows, group.points.size())));
        const auto show = [&](std::size_t number) {
            if (std::find(shown.begin(), shown.end(), number) == shown.end()) {
                shown.push_back(number);
            }
        };
        if (group.best_within_limit) {
            show(*group.best_within_limit);
        }
        for (std::size_t i = 0; i < std::min(rows, group.pareto.size()); ++i) {
            show(group.pareto[i]);
        }
        const auto place = [&](std::size_t number) {
            return std::find(group.points.begin(), group.points.end(), number) -
                   group.points.begin();
        };
        std::sort(shown.begin(), shown.end(),
                  [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
        for (const std::size_t number : shown) {
            add_row(group, number);
        }
    }

    void add_row(const Group& group, std::size_t number) {
        const Outcome& outcome = *results_.outcomes[number];
        std::string mark;
        const auto with = [&](bool is, const char* word) {
            mark += is ? (mark.empty() ? "" : ", ") + std::string(word) : "";
        };
        with(!fits(space_, outcome), "does not fit");
        with(group.best == number, "best");
        with(space_.memory_limit && group.best_within_limit == number, "best within the limit");
        with(group.pareto.size() > 1 &&
                 std::find(group.pareto.begin(), group.pareto.end(), number) != group.pareto.end(),
             "Pareto");
        std::vector<std::string> row{mark};
        for (const std::string& name : names_) {
            row.push_back(space_.find(space_.points[number], name)->text);
        }
        const SlowestRank& slowest = outcome.slowest;
        row.push_back(format_time(outcome.largest.finish));
        row.push_back(report::format_share(slowest.compute, slowest.finish));
        row.push_back(report::format_share(slowest.exposed_communication, slowest.finish));
        row.push_back(memory_of(outcome));
        if (with_rates_) {
            row.push_back(outcome.rates ? report::format_rate(outcome.rates->tokens_per_s) : "-");
            row.push_back(outcome.rates ? report::format_mfu(outcome.rates->mfu_percent) : "-");
        }
        if (with_bound_) {
            row.push_back(bound_of(outcome));
        }
        table_.add(std::move(row));
    }

    const DesignSpace& space_;
    const SweepResults& results_;
    std::vector<std::string> names_;
    bool with_rates_;
    bool with_bound_;
    report::TextTable table_;
};

std::string failures(const DesignSpace& space, const SweepResults& results) {
    std::string text;
    std::size_t count = 0;
    for (std::size_t number = 0; number < space.points.size(); ++number) {
        const Outcome& outcome = *results.outcomes[number];
        if (outcome.ok() || ++count > most_errors) {
            continue;
        }
        text += fmt::format("failed: {}: {}: {}\n", space.describe(space.points[number]),
                            outcome.failure, outcome.message);
    }
    if (count > most_errors) {
        text += fmt::format("(also failed: {})\n", count - most_errors);
    }
    return text;
}

}  // namespace

std::string sweep_table(const DesignSpace& space, const SweepResults& results,
                        std::size_t most_tasks) {
    const auto failed = static_cast<std::size_t>(
        std::count_if(results.outcomes.begin(), results.outcomes.end(),
                      [](const std::optional<Outcome>& outcome) { return !outcome->ok(); }));
    const auto within = static_cast<std::size_t>(
        std::count_if(results.outcomes.begin(), results.outcomes.end(),
                      [&](const std::optional<Outcome>& outcome) {
                          return outcome->ok() && outcome->memory_known() && space.memory_limit &&
                                 outcome->largest.peak_memory <= *space.memory_limit;
                      }));
    std::string text = fmt::format("{} points, {} failed\n\n", space.points.size(), failed);
    text += Table(space, results).text(most_tasks);
    for (std::size_t i = 0; i < std::min(results.ranking.groups.size(), most_reasons); ++i) {
        text += sweep_reasons(space, results, results.ranking.groups[i]);
    }
    if (space.memory_limit) {
        text += fmt::format("{} points are known to stay within {} of memory\n", within,
                            format_bytes(*space.memory_limit));
    }
    const auto too_large =
        static_cast<std::size_t>(std::count_if(results.outcomes.begin(), results.outcomes.end(),
                                               [&](const std::optional<Outcome>& outcome) {
                                                   return outcome->ok() && !fits(space, *outcome);
                                               }));
    if (too_large > 0) {
        text += fmt::format(
            "{} of {} points do not fit: they need more memory than the NPUs have, "
            "and are ranked last\n",
            too_large, space.points.size());
    }
    if (const std::size_t beaten = count_beaten_bounds(results); beaten > 0) {
        text += fmt::format(
            "note: {} of {} points finish before their busiest link could carry its bytes (! "
            "before "
            "the link bound), as messages do not share links at the analytical fidelity; run them "
            "at fluid or packet before you choose\n",
            beaten, space.points.size());
    }
    return text + failures(space, results);
}

}  // namespace npunet::study
