#include "study/gap/attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/errors.h"

namespace npunet::study {

namespace {

using report::Gap;

/// The first line of an error, for a note.
std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

/// Ends of a communication in the isolated runs of one step.
struct Ends {
    std::vector<Time> before;   ///< A(k - 1, s(k - 1)), by part
    std::vector<Time> delayed;  ///< A(k, s(k - 1))
    std::vector<Time> after;    ///< A(k, s(k))
};

Time last_of(const std::vector<Time>& ends) {
    return *std::max_element(ends.begin(), ends.end());
}

class Attributor {
public:
    Attributor(const engine::Workload& workload, const EffectLevels& levels, GapProgress& progress,
               IsolatedRuns& isolated, const EffectSequence& sequence,
               const std::vector<JointOperation>& communications)
        : workload_(workload),
          levels_(levels),
          progress_(progress),
          isolated_(isolated),
          sequence_(sequence),
          communications_(communications),
          ends_(communications.size()) {
        result_.of.resize(communications.size());
        result_.others.resize(communications.size());
        result_.measured.resize(communications.size());
    }

    Attribution attribute(const std::vector<std::uint32_t>& first) {
        if (sequence_.steps.empty()) {
            result_.measured.assign(communications_.size(), true);
            return std::move(result_);
        }
        progress_.enter("collectives and messages in isolated runs", first.size());
        for (std::size_t done = 0; done < first.size(); ++done) {
            progress_.to(done);
            measure(first[done]);
        }
        for (std::size_t k = 0; k < sequence_.steps.size(); ++k) {
            measure_run(k);
        }
        return std::move(result_);
    }

private:
    [[nodiscard]] EffectLevel level(std::size_t k) const {
        return k == 0 ? EffectLevel::Estimate : sequence_.steps[k - 1].level;
    }

    /// If a communication cannot be run in isolation, the start of its last part replaces its end.
    [[nodiscard]] std::vector<Ends> stand_ins(const JointOperation& communication) const {
        const auto ends_at = [&](std::size_t k) {
            return std::vector<Time>(communication.parts.size(),
                                     communication.last_start(sequence_.times[k]));
        };
        std::vector<Ends> list;
        for (std::size_t k = 1; k <= sequence_.steps.size(); ++k) {
            list.push_back({ends_at(k - 1), ends_at(k - 1), ends_at(k)});
        }
        return list;
    }

    /// Empty if one of them is unknown.
    std::vector<Ends> isolated_on_all_levels(const JointOperation& communication) {
        std::vector<Ends> list;
        std::vector<Time> starts = communication.starts(sequence_.times.front());
        std::vector<Time> before = isolated_.ends(level(0), communication, starts);
        for (std::size_t k = 1; k <= sequence_.steps.size() && !before.empty(); ++k) {
            Ends ends;
            ends.before = std::move(before);
            ends.delayed = isolated_.ends(level(k), communication, starts);
            starts = communication.starts(sequence_.times[k]);
            ends.after = isolated_.ends(level(k), communication, starts);
            if (ends.delayed.empty() || ends.after.empty()) {
                return {};
            }
            before = ends.after;
            list.push_back(std::move(ends));
        }
        return list;
    }

    void measure(std::uint32_t number) {
        const JointOperation& communication = communications_[number];
        std::vector<Ends>& ends = ends_[number];
        ends = isolated_on_all_levels(communication);
        result_.measured[number] = !ends.empty();
        if (ends.empty()) {
            ends = stand_ins(communication);
        }
        for (std::size_t k = 0; k < sequence_.steps.size(); ++k) {
            const Time end_before = communication.end(sequence_.times[k]);
            const Time end_after = communication.end(sequence_.times[k + 1]);
            const Time before = last_of(ends[k].before);
            const Time delayed = last_of(ends[k].delayed);
            const Time after = last_of(ends[k].after);
            const Time by_itself = delayed - before;
            const Time others = (end_after - after) - (end_before - before);
            const Time dependency = after - delayed;
            assert(by_itself + others + dependency == end_after - end_before);
            result_.of[number].*sequence_.steps[k].part += by_itself + others;
            result_.others[number].*sequence_.steps[k].part += others;
            result_.of[number].dependency += dependency;
        }
    }

    /// The finish if every communication starts as on level k and takes as long as on k + 1.
    [[nodiscard]] Time finish_with_old_starts(std::size_t k) const {
        const RunTimes& old = sequence_.times[k];
        const RunTimes& now = sequence_.times[k + 1];
        engine::FixedTimes fixed(workload_.ranks());
        bool all_old = true;
        bool all_new = true;
        for (std::size_t number = 0; number < communications_.size(); ++number) {
            const std::vector<Place>& parts = communications_[number].parts;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                const Ends& ends = ends_[number][k];
                const Time end = now.of(parts[i]).end - (ends.after[i] - ends.delayed[i]);
                const Time start = old.of(parts[i]).start;
                all_old = all_old && end == old.of(parts[i]).end;
                all_new = all_new && end == now.of(parts[i]).end && start == now.of(parts[i]).start;
                fixed.set(parts[i].rank, parts[i].number, start, end);
            }
        }
        // Nothing to replay if all times equal those of a run.
        return all_old   ? old.finish
               : all_new ? now.finish
                         : levels_.replay(workload_, fixed).finish;
    }

    void measure_run(std::size_t k) {
        const Time before = sequence_.times[k].finish;
        const Time after = sequence_.times[k + 1].finish;
        const Time old_starts = finish_with_old_starts(k);
        const Time direct = old_starts - before;
        const Time dependency = after - old_starts;
        assert(direct + dependency == after - before);
        result_.total.*sequence_.steps[k].part += direct;
        result_.direct.push_back(direct);
        result_.total.dependency += dependency;
    }

    const engine::Workload& workload_;
    const EffectLevels& levels_;
    GapProgress& progress_;
    IsolatedRuns& isolated_;
    const EffectSequence& sequence_;
    const std::vector<JointOperation>& communications_;
    std::vector<std::vector<Ends>> ends_;  ///< by communication, then step
    Attribution result_;
};

}  // namespace

EffectSequence run_levels(const engine::Workload& workload, const Machine& machine,
                          EffectLevels& levels, GapProgress& progress, Fidelity fidelity,
                          const RunTimes& estimate,
                          const LinkTap::CommunicationOf& communication_of) {
    EffectSequence sequence;
    sequence.times.push_back(estimate);
    const std::vector<Step> steps = levels_of(fidelity, machine);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step step = steps[i];
        const auto leave_out = [&](const std::exception& error) {
            if (i + 1 == steps.size()) {
                throw;
            }
            sequence.notes.push_back(fmt::format(
                "{} is part of {}, as a network with the one and without the other cannot be "
                "simulated: {}",
                part_name(step.part), part_name(steps[i + 1].part), first_line(error.what())));
        };
        progress.enter(fmt::format("nodes of the traces, with {}", part_name(step.part)), 0);
        try {
            if (step.part == &Gap::contention && step.level != EffectLevel::Messages &&
                machine.dialect.event_order == engine::EventQueue::Order::Content) {
                LinkTap tap(machine.network, communication_of);
                sequence.times.push_back(levels.run(workload, step.level, nullptr, tap.wrap()));
                sequence.occupancies = tap.occupancies();
            } else {
                sequence.times.push_back(levels.run(workload, step.level));
            }
            sequence.steps.push_back(step);
        } catch (const StallError& error) {
            leave_out(error);
        } catch (const InputError& error) {
            leave_out(error);
        }
    }
    return sequence;
}

Attribution attribute(const engine::Workload& workload, const EffectLevels& levels,
                      GapProgress& progress, IsolatedRuns& isolated, const EffectSequence& sequence,
                      const std::vector<JointOperation>& communications,
                      const std::vector<std::uint32_t>& first) {
    return Attributor(workload, levels, progress, isolated, sequence, communications)
        .attribute(first);
}

}  // namespace npunet::study
