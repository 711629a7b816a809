#include "engine/simulation/periodic_steps.h"

#include <algorithm>

namespace npunet::engine {

namespace {

/// Fewer steps to go are not worth looking for a pattern.
constexpr std::int32_t least_steps = 8;
/// The first look at a collective comes after so many steps.
constexpr std::uint32_t first_steps = 2;
/// States are compared at least so often before an attempt fails.
constexpr std::uint32_t least_looks = 8;
/// Words that may be looked at for each event of the simulation.
constexpr std::uint64_t words_per_event = 1;
/// When all has arrived and packet trains have had their look, before any port chooses.
constexpr std::uint64_t behind_trains = (std::uint64_t{1} << 58) - 1;

}  // namespace

PeriodicSteps::PeriodicSteps(EventQueue& queue, Network& network, Transport& transport,
                             CollectiveEngine& collectives, const std::uint64_t& changes)
    : queue_(queue),
      network_(network),
      transport_(transport),
      collectives_(collectives),
      changes_(changes),
      break_(first_steps),
      search_(least_looks),
      budget_(words_per_event) {
    collectives_.set_step_listener(*this);
}

void PeriodicSteps::on_steps() {
    if (off_) {
        return;
    }
    if (count_.run == CollectiveEngine::StepCount::none) {
        if (queue_.handled() >= next_count_) {
            wait(break_);
        }
        return;
    }
    const std::int32_t steps = collectives_.steps_of(count_);
    if (steps < 0 || changes_ != changes_seen_) {
        count_ = CollectiveEngine::StepCount();
        break_ = first_steps;
        return;
    }
    if (steps <= steps_) {
        return;
    }
    steps_ = steps;
    if (wait_ > 1) {
        --wait_;
        return;
    }
    queue_.schedule(queue_.now(),
                    EventKey::of(Phase::Arbitration, event_kind::fast_forward, behind_trains),
                    *this, ++serial_);
}

void PeriodicSteps::wait(std::uint32_t steps) {
    ++serial_;
    if (queue_.handled() < next_count_) {
        count_ = CollectiveEngine::StepCount();
        return;
    }
    wait_ = steps;
    search_.begin();
    work_ = 0;
    changes_seen_ = changes_;
    count_ = collectives_.find_step_count(least_steps);
    // That was work, too.
    next_count_ = queue_.handled() + count_.looked_at;
    if (count_.run == CollectiveEngine::StepCount::none) {
        return;
    }
    steps_ = collectives_.steps_of(count_);
}

void PeriodicSteps::handle(std::uint64_t serial) {
    if (serial != serial_ || off_ || changes_ != changes_seen_) {
        return;
    }
    if (!queue_.may_run_ahead() || !network_.prepare_scan()) {
        off_ = true;
        return;
    }
    search_.look();
    if (look()) {
        break_ = first_steps;
        wait(first_steps);
    } else if (search_.is_over(break_) || budget_.is_spent(queue_.handled())) {
        break_ = PeriodSearch::break_after(break_ + 1);
        wait(break_);
    }
}

bool PeriodicSteps::look() {
    PendingEvents events(queue_);
    budget_.charge(events.all().size());
    const std::int64_t now = queue_.now().ps();
    if (search_.has_kept()) {
        StateScan comparison(kept_, present_, now, true);
        scan(comparison, events);
        work_ += comparison.size();
        budget_.charge(comparison.size());
        if (comparison.equals()) {
            const std::int64_t times = periods(events.first_left());
            const std::uint64_t events_saved =
                static_cast<std::uint64_t>(times) * (queue_.handled() - kept_events_);
            if (times > 0 && events_saved >= kept_.words.size() / 2) {
                move_on(times);
                return true;
            }
        }
    }
    if (search_.keeps()) {
        StateScan description(kept_, now, true);
        PendingEvents same_events(queue_);
        scan(description, same_events);
        work_ += description.size();
        budget_.charge(description.size());
        kept_events_ = queue_.handled();
        kept_steps_ = steps_;
        search_.kept();
        if (description.differs()) {
            // There is something that cannot be compared.
            break_ = PeriodSearch::break_after(break_);
            wait(break_);
        }
    }
    return false;
}

void PeriodicSteps::scan(StateScan& scan, PendingEvents& events) {
    scan.same(static_cast<std::int64_t>(changes_));
    collectives_.scan(scan, events, count_);
    if (!scan.differs()) {
        transport_.scan(scan, events, count_.rank);
    }
}

std::int64_t PeriodicSteps::periods(Time first_other) const {
    const std::int32_t steps = steps_ - kept_steps_;
    if (steps <= 0) {
        return 0;
    }
    const std::int64_t period = present_.at - kept_.at;
    // Strictly before: what others do at an instant may come before its arbitration.
    const std::int64_t room = (first_other.ps() - present_.at - 1) / period;
    // Nothing may be planned beyond the end of the clock; far from it the check is not needed.
    const std::int64_t clock = (Time::max().ps() / 2 - present_.at) / period;
    return std::min({collectives_.periods_left(steps), room, clock});
}

void PeriodicSteps::move_on(std::int64_t periods) {
    budget_.repay(work_);
    skipped_ +=
        static_cast<std::uint64_t>(periods) * static_cast<std::uint64_t>(steps_ - kept_steps_);
    PendingEvents events(queue_);
    StateScan move(kept_, present_, periods);
    scan(move, events);
    queue_.replace_pending(events.all());
}

}  // namespace npunet::engine
