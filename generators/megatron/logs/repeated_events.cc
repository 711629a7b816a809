#include "generators/megatron/logs/repeated_events.h"

#include <utility>

namespace npunet::generators::megatron {

namespace {

constexpr std::int64_t times_initialised = 3;
constexpr std::int64_t times_grouped = 4;

/// How often the tracer logs one such call.
std::int64_t repetitions(Operation operation) {
    switch (operation) {
        case Operation::InitProcessGroup:
            return times_initialised;
        case Operation::NewGroup:
            return times_grouped;
        default:
            return 1;
    }
}

bool same_but_number(const LoggedCall& a, const LoggedCall& b) {
    return a.call.operation == b.call.operation && a.call.group == b.call.group &&
           a.backend == b.backend && a.world_size == b.world_size;
}

}  // namespace

RepeatedEvents::RepeatedEvents(Dialect dialect, CallVisitor visitor)
    : dialect_(dialect), visitor_(std::move(visitor)) {}

void RepeatedEvents::add(const LoggedCall& event) {
    if (length_ > 0 && same_but_number(first_, event)) {
        ++length_;
        return;
    }
    finish();
    if (dialect_ == Dialect::Npunet || repetitions(event.call.operation) == 1) {
        visitor_(event);
        return;
    }
    first_ = event;
    length_ = 1;
}

void RepeatedEvents::finish() {
    const std::int64_t times = repetitions(first_.call.operation);
    const std::int64_t calls = length_ % times == 0 ? length_ / times : length_;
    length_ = 0;
    for (std::int64_t i = 0; i < calls; ++i) {
        visitor_(first_);
        ++first_.call_id;
    }
}

}  // namespace npunet::generators::megatron
