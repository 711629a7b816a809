// Runs the programs of all ranks against each other: who waits for whom, and does it ever come?
//
// A collective is over when every member of its group has made its k-th call there; a message when
// both ends have posted it. What blocks waits for that; what goes on is waited for later.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generators/megatron/program/rank_calls.h"

namespace npunet::generators::megatron {

/// A message as both ends know it.
struct Delivery {
    ProgramItem sent;
    ProgramItem received;
    Rank from;
    Rank to;
};

class RankMachine {
public:
    explicit RankMachine(const TrainingRun& run)
        : groups_(run.parallelism), calls_(groups_, table_), made_(table_lists()) {
        for (std::int64_t stage = 0; stage < run.parallelism.pp; ++stage) {
            programs_.push_back(make_program(run, stage, 1));
        }
        ranks_.resize(static_cast<std::size_t>(run.world()));
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            ranks_[r].program = &programs_[static_cast<std::size_t>(groups_.stage(Rank(r)))];
            ranks_[r].conditions.resize(ranks_[r].program->items.size());
        }
    }

    /// To the end; otherwise what is wrong.
    std::optional<std::string> run() {
        for (bool progress = true; progress;) {
            progress = false;
            for (std::size_t r = 0; r < ranks_.size(); ++r) {
                while (step(Rank(r))) {
                    progress = true;
                }
            }
        }
        if (!problem_.empty()) {
            return problem_;
        }
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            if (ranks_[r].at < ranks_[r].program->items.size()) {
                const ProgramItem& item = ranks_[r].program->items[ranks_[r].at];
                return fmt::format("rank {} waits for ever at item {}, {} {}", r, ranks_[r].at,
                                   name_of(item.call.operation), item.what);
            }
        }
        return std::nullopt;
    }

    /// All messages, after run().
    [[nodiscard]] std::vector<Delivery> deliveries() const {
        std::vector<Delivery> all;
        for (const auto& [pair, ends] : messages_) {
            for (std::size_t i = 0; i < ends.sent.size() && i < ends.received.size(); ++i) {
                all.push_back({*ends.sent[i], *ends.received[i], pair.first, pair.second});
            }
        }
        return all;
    }

private:
    /// The k-th of a group, or of the messages between two ranks.
    struct Condition {
        std::int32_t group = -1;
        std::pair<Rank, Rank> pair;
        std::size_t number = 0;
    };
    struct Ends {
        std::vector<const ProgramItem*> sent;
        std::vector<const ProgramItem*> received;
    };
    struct RankState {
        const Program* program = nullptr;
        std::size_t at = 0;
        bool posted = false;
        std::vector<Condition> conditions;  ///< by item
    };

    [[nodiscard]] std::size_t table_lists() const {
        return static_cast<std::size_t>(table_.size());
    }

    [[nodiscard]] bool holds(const Condition& condition) const {
        if (condition.group >= 0) {
            for (const Rank member : table_.ranks(condition.group)) {
                const auto& made = made_[static_cast<std::size_t>(condition.group)];
                const auto found = made.find(member.value());
                if (found == made.end() || found->second <= condition.number) {
                    return false;
                }
            }
            return true;
        }
        const auto ends = messages_.find(condition.pair);
        return ends != messages_.end() && ends->second.sent.size() > condition.number &&
               ends->second.received.size() > condition.number;
    }

    void post(Rank rank, std::size_t index) {
        RankState& state = ranks_[rank.index()];
        const ProgramItem& item = state.program->items[index];
        const Call call = calls_.of(item, rank);
        if (is_collective(call.operation)) {
            post_collective(rank, call, state.conditions[index]);
            return;
        }
        const bool sends = is_send(call.operation);
        const std::pair pair = sends ? std::pair(rank, call.peer) : std::pair(call.peer, rank);
        Ends& ends = messages_[pair];
        auto& mine = sends ? ends.sent : ends.received;
        const auto& theirs = sends ? ends.received : ends.sent;
        state.conditions[index] = {-1, pair, mine.size()};
        mine.push_back(&item);
        if (theirs.size() >= mine.size() &&
            payload_bytes(theirs[mine.size() - 1]->call) != payload_bytes(call)) {
            problem_ = fmt::format("message {} from rank {} to rank {} differs", mine.size() - 1,
                                   pair.first.value(), pair.second.value());
        }
    }

    void post_collective(Rank rank, const Call& call, Condition& condition) {
        std::size_t& number = made_[static_cast<std::size_t>(call.group)][rank.value()];
        condition = {call.group, {}, number};
        const auto [first, is_first] = first_calls_.try_emplace({call.group, number}, call);
        const Call& other = first->second;
        if (!is_first && (other.operation != call.operation || other.dtype != call.dtype ||
                          other.shape != call.shape || other.input != call.input ||
                          other.output != call.output || other.reduce_op != call.reduce_op ||
                          other.peer != call.peer)) {
            problem_ =
                fmt::format("call {} of group {}: rank {} calls {}, another {}", number, call.group,
                            rank.value(), name_of(call.operation), name_of(other.operation));
        }
        ++number;
    }

    /// One item further; false where the rank has to wait.
    bool step(Rank rank) {
        RankState& state = ranks_[rank.index()];
        if (!problem_.empty() || state.at == state.program->items.size()) {
            return false;
        }
        const ProgramItem& item = state.program->items[state.at];
        if (item.kind == ProgramItem::Kind::Wait) {
            if (!holds(state.conditions[item.waited])) {
                return false;
            }
        } else if (item.kind == ProgramItem::Kind::Call) {
            if (!state.posted) {
                post(rank, state.at);
                state.posted = true;
            }
            if (!may_go_on(state, item)) {
                return false;
            }
        }
        state.posted = false;
        ++state.at;
        return true;
    }

    [[nodiscard]] bool may_go_on(const RankState& state, const ProgramItem& item) const {
        const Call& call = item.call;
        if (call.asynchronous || call.batch_index + 1 < call.batch_size) {
            return true;
        }
        const auto batch = static_cast<std::size_t>(std::max(call.batch_size, 1));
        for (std::size_t i = 0; i < batch; ++i) {
            if (!holds(state.conditions[state.at - i])) {
                return false;
            }
        }
        return true;
    }

    ProcessGroups groups_;
    GroupTable table_;
    RankCalls calls_;
    std::vector<Program> programs_;
    std::vector<RankState> ranks_;
    std::vector<std::map<std::int32_t, std::size_t>> made_;  ///< by group and rank: calls
    std::map<std::pair<std::int32_t, std::size_t>, Call> first_calls_;
    std::map<std::pair<Rank, Rank>, Ends> messages_;
    std::string problem_;
};

}  // namespace npunet::generators::megatron
