#include "engine/npu/hold_ups.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "engine/npu/interval_union.h"

namespace npunet::engine {

namespace {

enum class State : std::uint8_t {
    Computes,
    Carries,
    AwaitsMember,
    AccessesMemory,
    AwaitsSender,
    None
};

struct Stretch {
    Interval span;
    State state = State::None;
    Parallelism dimension = Parallelism::Other;  ///< of Carries and AwaitsMember
    Rank awaited = Rank();                       ///< of AwaitsMember and AwaitsSender
};

/// Lower first.
int precedence_of(const Stretch& stretch) {
    const auto place = std::find(parallelism_by_precedence.begin(), parallelism_by_precedence.end(),
                                 stretch.dimension) -
                       parallelism_by_precedence.begin();
    const int communication = 1 + 2 * static_cast<int>(place);
    constexpr int behind = 1 + 2 * static_cast<int>(parallelisms);
    switch (stretch.state) {
        case State::Computes:
            return 0;
        case State::Carries:
            return communication;
        case State::AwaitsMember:
            return communication + 1;
        case State::AccessesMemory:
            return behind;
        case State::AwaitsSender:
            return behind + 1;
        case State::None:
            break;
    }
    return behind + 2;
}

/// Of stretches that overlap, at every instant the first by precedence, then by end, then by whom
/// they wait for; with stretches of State::None between them, from 0 on.
std::vector<Stretch> foremost(const std::vector<Stretch>& all) {
    struct Change {
        Time at;
        std::size_t stretch;
        bool begins;
    };
    std::vector<Change> changes;
    for (std::size_t i = 0; i < all.size(); ++i) {
        changes.push_back({all[i].span.start, i, true});
        changes.push_back({all[i].span.end, i, false});
    }
    std::sort(changes.begin(), changes.end(),
              [](const Change& a, const Change& b) { return a.at < b.at; });
    std::set<std::tuple<int, Time, Rank, std::size_t>> active;
    std::vector<Stretch> result;
    Time from;
    for (const Change& change : changes) {
        if (change.at > from) {
            Stretch next = active.empty() ? Stretch() : all[std::get<3>(*active.begin())];
            next.span = {from, change.at};
            result.push_back(next);
            from = change.at;
        }
        const Stretch& stretch = all[change.stretch];
        const std::tuple entry(precedence_of(stretch), stretch.span.end, stretch.awaited,
                               change.stretch);
        if (change.begins) {
            active.insert(entry);
        } else {
            active.erase(entry);
        }
    }
    return result;
}

class Causes {
public:
    Causes(const Workload& workload, const Fold& fold, const std::vector<RankRecord>& records,
           LateMembers& late)
        : workload_(workload), fold_(fold), records_(records), late_(late) {}

    HoldUps of(Rank rank) {
        HoldUps hold_ups;
        path_.insert(rank);
        const std::vector<Stretch>& stretches = stretches_of(rank);
        for (const Stretch& stretch : stretches) {
            if (stretch.state != State::Computes && stretch.state != State::AccessesMemory) {
                const bool idle =
                    stretch.state == State::AwaitsSender || stretch.state == State::None;
                add(stretch, stretch.span, idle ? hold_ups.idle : hold_ups.exposed);
            }
        }
        const Time end = stretches.empty() ? Time() : stretches.back().span.end;
        hold_ups.idle.unknown += records_[fold_.representative(rank).index()].finish - end;
        return hold_ups;
    }

private:
    const std::vector<Stretch>& stretches_of(Rank rank) {
        const auto [entry, is_new] = stretches_.try_emplace(rank);
        if (is_new) {
            entry->second = foremost(all_of(rank));
        }
        return entry->second;
    }

    /// Whatever the rank does and waits for.
    std::vector<Stretch> all_of(Rank rank) {
        const std::vector<ProgramOperation>& operations = workload_.program(rank).operations;
        const RankRecord& record = records_[fold_.representative(rank).index()];
        const std::vector<LateMember> late = late_.of(rank);
        auto next_late = late.begin();
        std::vector<Stretch> all;
        const auto add = [&all](Time start, Time end, const Stretch& stretch) {
            if (end > start) {
                all.push_back(stretch);
                all.back().span = {start, end};
            }
        };
        for (std::uint32_t i = 0; i < operations.size(); ++i) {
            const ProgramOperation& operation = operations[i];
            const bool is_late = next_late != late.end() && next_late->operation == i;
            const LateMember member = is_late ? *next_late++ : LateMember();
            const Time start = record.start[i];
            const Time end = record.end[i];
            if (operation.nothing || start == end) {
                continue;
            }
            const Parallelism dimension = workload_.dimension_of(rank, i);
            const Time from = std::min(std::max(record.communication_from[i], member.begun), end);
            switch (operation.kind) {
                case OperationKind::Compute:
                case OperationKind::Cpu:
                    add(start, end, {{}, State::Computes});
                    break;
                case OperationKind::Memory:
                    add(start, end, {{}, State::AccessesMemory});
                    break;
                case OperationKind::Receive:
                    add(start, from,
                        {{}, State::AwaitsSender, dimension, workload_.peer_of(rank, operation)});
                    add(from, end, {{}, State::Carries, dimension});
                    break;
                case OperationKind::Send:
                case OperationKind::Collective:
                    add(start, from, {{}, State::AwaitsMember, dimension, member.rank});
                    add(from, end, {{}, State::Carries, dimension});
                    break;
            }
        }
        return all;
    }

    void add(const Stretch& stretch, Interval span, HoldUps::Part& part) {
        const Time length = span.end - span.start;
        switch (stretch.state) {
            case State::Computes:
                part.compute += length;
                return;
            case State::Carries:
                part.carried_by(stretch.dimension) += length;
                return;
            case State::AccessesMemory:
                part.memory += length;
                return;
            case State::AwaitsMember:
            case State::AwaitsSender:
                add(stretch.awaited, span, part);
                return;
            case State::None:
                part.unknown += length;
                return;
        }
    }

    /// What that rank does in the span.
    void add(Rank rank, Interval span, HoldUps::Part& part) {
        if (!path_.insert(rank).second) {
            part.unknown += span.end - span.start;
            return;
        }
        const std::vector<Stretch>& list = stretches_of(rank);
        auto stretch = std::upper_bound(
            list.begin(), list.end(), span.start,
            [](Time at, const Stretch& candidate) { return at < candidate.span.end; });
        for (; stretch != list.end() && span.start < span.end; ++stretch) {
            const Time end = std::min(span.end, stretch->span.end);
            add(*stretch, {span.start, end}, part);
            span.start = end;
        }
        part.unknown += span.end - span.start;
        path_.erase(rank);
    }

    const Workload& workload_;
    const Fold& fold_;
    const std::vector<RankRecord>& records_;
    LateMembers& late_;
    std::map<Rank, std::vector<Stretch>> stretches_;
    std::set<Rank> path_;  ///< each waits for the next
};

}  // namespace

HoldUps hold_ups_of(Rank rank, const Workload& workload, const Fold& fold,
                    const std::vector<RankRecord>& records, LateMembers& late) {
    return Causes(workload, fold, records, late).of(rank);
}

}  // namespace npunet::engine
