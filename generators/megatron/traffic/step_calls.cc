#include "generators/megatron/traffic/step_calls.h"

#include <fmt/format.h>

#include <utility>

#include "base/errors.h"
#include "generators/megatron/logs/call_log_reader.h"

namespace npunet::generators::megatron {

namespace {

/// The reported loss: its sum, and the number of tokens.
constexpr std::int64_t loss_elements = 2;

}  // namespace

StepCallFinder::StepCallFinder(Rank rank, const ProcessGroups& groups, GroupTable& table,
                               std::string file)
    : rank_(rank),
      groups_(groups),
      table_(table),
      file_(std::move(file)),
      data_group_(table.add(groups.of(GroupRole::DataContext, rank))) {}

void StepCallFinder::check_ranks(const LoggedCall& event) const {
    const auto check = [&](Rank rank) {
        if (rank.value() >= groups_.world()) {
            throw InputError({file_, fmt::format("call_id {}", event.call_id),
                              fmt::format("rank {}", rank.value()),
                              fmt::format("a rank of the run, 0 to {}", groups_.world() - 1),
                              "Correct the log, or the sizes in config.json and summary.json"});
        }
    };
    check(event.call.peer);
    if (event.call.group >= 0) {
        for (const Rank rank : table_.ranks(event.call.group)) {
            check(rank);
        }
    }
}

void StepCallFinder::add(const LoggedCall& event) {
    const Call& call = event.call;
    if (call.operation == Operation::InitProcessGroup || call.operation == Operation::NewGroup) {
        return;
    }
    check_ranks(event);
    Event kept;
    kept.call.operation = call.operation;
    kept.call.group = is_message(call.operation) ? -1 : call.group;
    kept.call.peer = call.peer;
    kept.call.bytes = call.operation == Operation::Scatter
                          ? *call.output.elements() * size_of(call.dtype)
                          : payload_bytes(call);
    kept.phase = event.phase;
    kept.dimensions = call.has_shape ? call.shape.dimensions() : 0;
    kept.elements = call.has_shape ? *call.shape.elements() : 0;
    events_.push_back(kept);
}

std::size_t StepCallFinder::end_of_set_up() const {
    std::size_t after_barrier = 0;
    std::size_t end = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
        if (is_message(events_[i].call.operation)) {
            return after_barrier;
        }
        if (events_[i].call.operation == Operation::Barrier) {
            after_barrier = i + 1;
        } else {
            end = after_barrier;
        }
    }
    return end;
}

bool StepCallFinder::reduces_over_copies(const Event& event) const {
    return event.call.operation == Operation::AllReduce && event.dimensions == 1 &&
           event.call.group == data_group_;
}

std::size_t StepCallFinder::start_of_update(std::size_t end_of_set_up) const {
    for (std::size_t i = events_.size(); i > end_of_set_up; --i) {
        if (reduces_over_copies(events_[i - 1]) && events_[i - 1].elements != loss_elements) {
            return i - 1;
        }
    }
    return events_.size();
}

void StepCallFinder::find_phases() {
    const std::size_t set_up = end_of_set_up();
    const std::size_t update = start_of_update(set_up);
    const std::int64_t stage = groups_.stage(rank_);
    const bool last_stage = stage + 1 == groups_.parallelism().pp;
    Phase current = Phase::Forward;
    for (std::size_t i = 0; i < events_.size(); ++i) {
        Event& event = events_[i];
        StepCall& call = event.call;
        const bool message = is_message(call.operation) && call.peer.valid();
        const bool to_earlier = message && groups_.stage(call.peer) < stage;
        const bool to_later = message && groups_.stage(call.peer) > stage;
        if (call.operation == Operation::Broadcast || (is_receive(call.operation) && to_earlier)) {
            current = Phase::Forward;
        } else if (is_receive(call.operation) && to_later) {
            current = Phase::Backward;
        }
        call.phase = i < set_up                 ? Phase::SetUp
                     : i >= update              ? Phase::Update
                     : !is_send(call.operation) ? current
                     : to_earlier               ? Phase::Backward
                     : to_later                 ? Phase::Forward
                                                : current;
        if (last_stage && reduces_over_copies(event) && event.elements == loss_elements) {
            current = Phase::Backward;
        }
        call.phase = event.phase.value_or(call.phase);
    }
}

std::vector<StepCall> StepCallFinder::take() {
    find_phases();
    std::vector<StepCall> calls;
    for (const Event& event : events_) {
        const StepCall& call = event.call;
        const bool sends = is_send(call.operation) && call.peer.valid() && call.peer != rank_;
        const bool collects = is_collective(call.operation) &&
                              call.operation != Operation::Barrier && call.group >= 0 &&
                              table_.ranks(call.group).size() > 1;
        if (sends || collects) {
            calls.push_back(call);
            calls.back().owner = rank_;
        }
    }
    return calls;
}

std::vector<StepCall> read_step_calls(const LogFolder& folder, Rank rank,
                                      const ProcessGroups& groups, GroupTable& table) {
    const std::filesystem::path& log = folder.logs[rank.index()];
    StepCallFinder finder(rank, groups, table, log.string());
    read_call_log(log, rank, table, [&](const LoggedCall& event) { finder.add(event); });
    return finder.take();
}

}  // namespace npunet::generators::megatron
