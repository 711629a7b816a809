#include "study/gap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "report/comparison/comparison.h"
#include "study/gap/attribution.h"
#include "study/gap/critical_path.h"
#include "study/gap/gap_progress.h"
#include "study/gap/isolated_runs.h"
#include "study/gap/link_tap.h"

namespace npunet::study {

namespace {

using report::CommunicationGap;
using report::Gap;

class Explainer {
public:
    Explainer(const engine::Workload& workload, const Machine& machine, const GapOptions& options)
        : workload_(workload),
          machine_(machine),
          progress_(options.watch),
          levels_(machine, options.packet, progress_),
          isolated_(workload, machine, levels_, options.most_isolated_runs),
          estimate_(levels_.run(workload, EffectLevel::Estimate)),
          list_(find_joint_operations(workload, estimate_)),
          communication_of_(workload.ranks()) {
        for (std::size_t rank = 0; rank < workload.ranks(); ++rank) {
            communication_of_[rank].assign(workload.program(Rank(rank)).operations.size(),
                                           LinkTap::none);
        }
        for (std::uint32_t number = 0; number < list_.size(); ++number) {
            for (const Place part : list_[number].parts) {
                communication_of_[part.rank.index()][part.number] = number;
            }
        }
    }

    /// The runs from the least to the most detailed one.
    report::GapExplanation explain(const std::vector<const engine::Results*>& runs) {
        const engine::Results& least = *runs.front();
        const engine::Results& most = *runs.back();
        const EffectSequence high = levels_to(most);
        const EffectSequence low = levels_to(least);
        const RunTimes& times = high.times.back();
        const std::vector<std::uint32_t> path =
            critical_path(workload_, times, list_, communication_of_);
        const std::vector<std::uint32_t> order = order_of_interest(path, times);
        const Attribution up =
            attribute(workload_, levels_, progress_, isolated_, high, list_, order);
        const Attribution down =
            attribute(workload_, levels_, progress_, isolated_, low, list_, order);
        report::GapExplanation why;
        why.total = up.total;
        why.total -= down.total;
        why.notes = high.notes;
        why.notes.insert(why.notes.end(), low.notes.begin(), low.notes.end());
        why.effect_levels = levels_of_gap(high, up.direct);
        describe(times, most, why);
        for (std::size_t i = 0; i < list_.size(); ++i) {
            CommunicationGap& entry = why.communications[i];
            entry.gap = up.of[i];
            entry.gap -= down.of[i];
            entry.others = up.others[i];
            entry.others -= down.others[i];
            entry.measured = up.measured[i] && down.measured[i];
        }
        note_unmeasured(why);
        if (runs.size() > 2) {
            explain_neighbours(runs, order, down.total, high, up, why);
        }
        sum_along(path, most.finish - least.finish, why);
        add_link_contention(high.occupancies, machine_.network.graph, why);
        assert(high.times.back().finish == most.finish && low.times.back().finish == least.finish);
        assert(why.total.total() == most.finish - least.finish);
        return why;
    }

private:
    /// Runs between the least and the most detailed one come last, so that what is found without
    /// them does not depend on them.
    void explain_neighbours(const std::vector<const engine::Results*>& runs,
                            const std::vector<std::uint32_t>& order, const Gap& least,
                            const EffectSequence& to_most, const Attribution& most,
                            report::GapExplanation& why) {
        Gap below = least;
        for (std::size_t i = 1; i < runs.size(); ++i) {
            report::NeighbourGap pair{runs[i - 1]->fidelity, runs[i]->fidelity, most.total, {}};
            if (i + 1 == runs.size()) {
                pair.effect_levels = levels_of_gap(to_most, most.direct);
            } else {
                const EffectSequence sequence = levels_to(*runs[i]);
                const Attribution own =
                    attribute(workload_, levels_, progress_, isolated_, sequence, list_, order);
                pair.gap = own.total;
                pair.effect_levels = levels_of_gap(sequence, own.direct);
                add_notes(sequence.notes, why);
            }
            const Gap total = pair.gap;
            pair.gap -= below;
            below = total;
            assert(pair.gap.total() == runs[i]->finish - runs[i - 1]->finish);
            why.neighbours.push_back(std::move(pair));
        }
    }

    static void add_notes(const std::vector<std::string>& notes, report::GapExplanation& why) {
        for (const std::string& note : notes) {
            if (std::find(why.notes.begin(), why.notes.end(), note) == why.notes.end()) {
                why.notes.push_back(note);
            }
        }
    }

    EffectSequence levels_to(const engine::Results& results) {
        return run_levels(workload_, machine_, levels_, progress_, fidelity_named(results.fidelity),
                          estimate_, communication_of_);
    }

    /// `direct`: what the effect of each step alone adds.
    static std::vector<report::EffectLevelResult> levels_of_gap(const EffectSequence& sequence,
                                                                const std::vector<Time>& direct) {
        std::vector<report::EffectLevelResult> levels{
            {"", sequence.times.front().finish, Time(), Time()}};
        for (std::size_t k = 0; k < sequence.steps.size(); ++k) {
            const Time finish = sequence.times[k + 1].finish;
            levels.push_back({part_name(sequence.steps[k].part), finish, direct[k],
                              finish - levels.back().finish - direct[k]});
        }
        return levels;
    }

    /// What is on the path, then what ends latest against the estimate.
    [[nodiscard]] std::vector<std::uint32_t> order_of_interest(
        const std::vector<std::uint32_t>& path, const RunTimes& times) const {
        std::vector<std::uint32_t> order(list_.size());
        std::iota(order.begin(), order.end(), 0U);
        std::vector<bool> on_path(list_.size());
        for (const std::uint32_t number : path) {
            on_path[number] = true;
        }
        std::vector<Time> later;
        for (const JointOperation& communication : list_) {
            later.push_back(communication.end(times) - communication.end(estimate_));
        }
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return on_path[a] != on_path[b] ? on_path[a] : later[a] > later[b];
        });
        return order;
    }

    /// Names and times.
    void describe(const RunTimes& times, const engine::Results& results,
                  report::GapExplanation& why) const {
        // Collectives of one communicator do not overlap.
        std::map<std::tuple<std::vector<Rank>, Time, Time>, std::int64_t> ids;
        for (const engine::CollectiveResult& result : results.collectives) {
            ids.emplace(std::tuple(result.group, result.first_start, result.end), result.id);
        }
        for (const JointOperation& communication : list_) {
            CommunicationGap entry;
            const Place first = communication.parts.front();
            const engine::RankProgram& program = workload_.program(first.rank);
            const engine::ProgramOperation& operation = program.operations[first.number];
            entry.name = program.names[first.number];
            entry.start = communication.start(times);
            entry.end = communication.end(times);
            if (communication.collective) {
                entry.type = name_of(operation.collective);
                entry.ranks = workload_.groups[workload_.group_of(first.rank, operation)].ranks;
                const auto id = ids.find({entry.ranks, entry.start, entry.end});
                entry.id = id == ids.end() ? -1 : id->second;
            } else {
                entry.type = name_of(Communication::SendReceive);
                entry.ranks = {first.rank, workload_.peer_of(first.rank, operation)};
            }
            why.communications.push_back(std::move(entry));
        }
    }

    static void note_unmeasured(report::GapExplanation& why) {
        const auto count =
            std::count_if(why.communications.begin(), why.communications.end(),
                          [](const CommunicationGap& entry) { return !entry.measured; });
        if (count > 0) {
            why.notes.push_back(
                fmt::format("{} of {} collectives and messages had no isolated run: their "
                            "dependency part is how much later their last rank starts",
                            count, why.communications.size()));
        }
    }

    static void sum_along(const std::vector<std::uint32_t>& path, Time difference,
                          report::GapExplanation& why) {
        Time later;  // of what comes before on the path
        for (const std::uint32_t number : path) {
            CommunicationGap& entry = why.communications[number];
            entry.critical = true;
            why.path += entry.gap;
            why.slack += entry.gap.dependency - later;
            later = entry.gap.total();
        }
        why.path.dependency = Time();
        why.slack += difference - later;
        assert(why.path.total() + why.slack == difference);
    }

    const engine::Workload& workload_;
    const Machine& machine_;
    GapProgress progress_;
    EffectLevels levels_;
    IsolatedRuns isolated_;
    RunTimes estimate_;
    std::vector<JointOperation> list_;
    LinkTap::CommunicationOf communication_of_;
};

}  // namespace

report::GapExplanation explain_gap(const std::vector<engine::Results>& runs,
                                   const engine::Workload& workload, const Machine& machine,
                                   const GapOptions& options) {
    const report::Comparison comparison = report::compare(runs, 0);
    std::vector<const engine::Results*> by_detail;
    for (const std::size_t run : comparison.by_detail) {
        by_detail.push_back(&runs[run]);
    }
    return Explainer(workload, machine, options).explain(by_detail);
}

}  // namespace npunet::study
