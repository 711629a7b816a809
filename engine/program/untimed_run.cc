#include "engine/program/untimed_run.h"

#include <algorithm>

namespace npunet::engine {

UntimedRun::UntimedRun(const Workload& workload, const WorkPattern& pattern,
                       const std::vector<TraceNumbers>& numbers)
    : workload_(workload), pattern_(pattern), numbers_(numbers), groups_(pattern.groups.size()) {
    const std::vector<std::size_t> counts = collective_counts(workload, pattern);
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        groups_[group].came.assign(counts[group], 0);
        groups_[group].ended.assign(counts[group], never);
    }
    for (const WorkPattern::Actor& actor : pattern.actors) {
        std::vector<std::uint32_t> waiting;
        for (const ProgramOperation& operation : workload.program(actor.rank).operations) {
            waiting.push_back(operation.dependencies);
        }
        waiting_.push_back(std::move(waiting));
    }
}

std::vector<std::size_t> UntimedRun::collective_counts(const Workload& workload,
                                                       const WorkPattern& pattern) {
    std::vector<std::size_t> counts(pattern.groups.size(), 0);
    for (std::size_t group = 0; group < counts.size(); ++group) {
        for (const WorkPattern::Place& part : pattern.groups[group].parts) {
            const RankProgram& program = workload.program(pattern.actors[part.actor].rank);
            counts[group] = std::max(
                counts[group], program.collectives_of[static_cast<std::size_t>(part.slot)].size());
        }
    }
    return counts;
}

std::vector<std::vector<std::uint32_t>> UntimedRun::rounds() {
    run();
    std::vector<std::vector<std::uint32_t>> result;
    for (Group& group : groups_) {
        result.push_back(std::move(group.ended));
    }
    return result;
}

std::vector<CollectiveOrder> UntimedRun::order_like(std::vector<CollectiveOrder> preferred) {
    in_order_ = true;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        Group& own = groups_[group];
        own.order = std::move(preferred[group]);
        own.turn.resize(own.order.size());
        for (std::uint32_t turn = 0; turn < own.order.size(); ++turn) {
            own.turn[own.order[turn]] = turn;
        }
    }
    run();
    std::vector<CollectiveOrder> result;
    for (Group& group : groups_) {
        for (const std::uint32_t number : group.order) {
            if (group.ended[number] == never) {
                group.found.push_back(number);
            }
        }
        result.push_back(std::move(group.found));
    }
    return result;
}

void UntimedRun::run() {
    hand_out_first();
    do {
        end_what_is_handed_out();
        ++round_;
    } while (end_receives() || end_out_of_turn());
}

void UntimedRun::hand_out_first() {
    for (std::uint32_t actor = 0; actor < waiting_.size(); ++actor) {
        for (std::uint32_t number = 0; number < waiting_[actor].size(); ++number) {
            if (waiting_[actor][number] == 0) {
                handed_out_.emplace_back(actor, number);
            }
        }
    }
}

void UntimedRun::end_what_is_handed_out() {
    while (!handed_out_.empty()) {
        const Step step = handed_out_.back();
        handed_out_.pop_back();
        hand_out(step);
    }
}

void UntimedRun::hand_out(Step step) {
    // Not a structured binding: clang 14 has none in lambdas.
    const auto actor = step.first;
    const auto number = step.second;
    const ProgramOperation& operation = program(actor).operations[number];
    const auto peer = [&]() -> const WorkPattern::Place& {
        return pattern_.actors[actor].peers[static_cast<std::size_t>(operation.peer)];
    };
    if (exchanges_messages(operation)) {
        come(pattern_.actors[actor].groups[static_cast<std::size_t>(operation.group)],
             number_of(step));
        return;
    }
    if (operation.kind == OperationKind::Receive && !operation.nothing) {
        Channel& channel = channels_[{actor, operation.peer, operation.tag}];
        channel.receiver = actor;
        channel.receives.push_back(number);
        touch(channel);
        return;
    }
    if (operation.kind == OperationKind::Send && !operation.nothing && peer().slot >= 0) {
        Channel& channel = channels_[{peer().actor, peer().slot, operation.tag}];
        ++channel.sends;
        touch(channel);
    }
    end(step);
}

void UntimedRun::touch(Channel& channel) {
    if (!channel.touched) {
        channel.touched = true;
        touched_.push_back(&channel);
    }
}

void UntimedRun::end(Step step) {
    const RankProgram& own = program(step.first);
    for (std::uint32_t c = own.child_begin[step.second]; c < own.child_begin[step.second + 1];
         ++c) {
        if (--waiting_[step.first][own.children[c]] == 0) {
            handed_out_.emplace_back(step.first, own.children[c]);
        }
    }
}

bool UntimedRun::complete(std::uint32_t group, std::uint32_t number) const {
    const WorkPattern::Group& members = pattern_.groups[group];
    return members.everyone && groups_[group].came[number] == members.parts.size();
}

void UntimedRun::come(std::uint32_t group, std::uint32_t number) {
    ++groups_[group].came[number];
    if (!complete(group, number)) {
        return;
    }
    if (!in_order_) {
        end_collective(group, number);
        return;
    }
    end_in_turn(group);
    if (groups_[group].ended[number] == never) {
        early_.emplace_back(group, groups_[group].turn[number]);
    }
}

void UntimedRun::end_in_turn(std::uint32_t group) {
    Group& own = groups_[group];
    for (; own.next < own.order.size(); ++own.next) {
        const std::uint32_t number = own.order[own.next];
        if (own.ended[number] != never) {
            continue;
        }
        if (!complete(group, number)) {
            return;
        }
        end_collective(group, number);
    }
}

void UntimedRun::end_collective(std::uint32_t group, std::uint32_t number) {
    groups_[group].ended[number] = round_;
    groups_[group].found.push_back(number);
    for (const WorkPattern::Place& part : pattern_.groups[group].parts) {
        const auto slot = static_cast<std::size_t>(part.slot);
        end({part.actor, program(part.actor).collectives_of[slot][number]});
    }
}

bool UntimedRun::end_receives() {
    bool any = false;
    for (Channel* channel : touched_) {
        channel->touched = false;
        const auto posted_now =
            channel->receives.begin() + static_cast<std::ptrdiff_t>(channel->settled);
        std::sort(posted_now, channel->receives.end(), [&](std::uint32_t a, std::uint32_t b) {
            return number_of({channel->receiver, a}) < number_of({channel->receiver, b});
        });
        channel->settled = channel->receives.size();
        for (; channel->ended < std::min(channel->sends, channel->settled); ++channel->ended) {
            end({channel->receiver, channel->receives[channel->ended]});
            any = true;
        }
    }
    touched_.clear();
    return any;
}

bool UntimedRun::end_out_of_turn() {
    // In the order of their turns: that in which they came depends on that of the ranks.
    std::sort(early_.begin(), early_.end());
    bool any = false;
    for (const auto& [group, turn] : early_) {
        const std::uint32_t number = groups_[group].order[turn];
        if (groups_[group].ended[number] == never) {
            end_collective(group, number);
            any = true;
        }
    }
    early_.clear();
    return any;
}

}  // namespace npunet::engine
