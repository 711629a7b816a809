// Steady state of collective steps: a collective that goes on in equal steps (a ring) settles into
// a pattern that repeats itself step by step. Of such a pattern one period is simulated and the
// others are counted.
//
// When everything that decides how the simulation goes on, in the engine and in the network, is the
// same at t as at t - P, except that all times are later by P and all steps are so many further on,
// then from t on happens what has happened since t - P, over and over, until
// - a phase of a collective ends or begins to gather what it has reduced, or
// - something happens at a time of its own: a computation ends, a job begins, ...
// Before that the whole simulation is moved on by as many whole periods as there are: all times by
// their length, all steps, message ids and counts by what a period has added to them. The results
// are those of all steps one by one, in every figure.
//
// What is looked at is the state after the arrivals of an instant and before its arbitration, when
// a collective has made a step. Networks that cannot be scanned (Network::prepare_scan()) are left
// alone, and so are simulations whose clock others share: they could look in between.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/clock/event_queue.h"
#include "engine/clock/period_search.h"
#include "engine/clock/state_scan.h"
#include "engine/collective/collective_engine.h"
#include "engine/network/network.h"
#include "engine/network/transport.h"

namespace npunet::engine {

class PeriodicSteps final : private EventHandler, private StepListener {
public:
    /// All references must outlive this. `changes` grows whenever an operation begins or ends.
    PeriodicSteps(EventQueue& queue, Network& network, Transport& transport,
                  CollectiveEngine& collectives, const std::uint64_t& changes);
    PeriodicSteps(const PeriodicSteps&) = delete;
    PeriodicSteps& operator=(const PeriodicSteps&) = delete;

    /// Steps that were counted and not simulated, of the collective by which they were counted.
    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

private:
    void on_steps() override;
    void handle(std::uint64_t serial) override;
    /// Waits for so many steps of whichever collective comes first.
    void wait(std::uint32_t steps);
    /// Looks whether the state was there before; true when the simulation has been moved on.
    bool look();
    void scan(StateScan& scan, PendingEvents& events);
    /// Comparing: how many periods may be counted.
    [[nodiscard]] std::int64_t periods(Time first_other) const;
    void move_on(std::int64_t periods);

    EventQueue& queue_;
    Network& network_;
    Transport& transport_;
    CollectiveEngine& collectives_;
    const std::uint64_t& changes_;
    bool off_ = false;
    CollectiveEngine::StepCount count_;  ///< by which steps are counted
    std::int32_t steps_ = 0;             ///< of count_, when they were looked at last
    std::uint32_t wait_ = 0;             ///< steps before the next look
    std::uint64_t next_count_ = 0;       ///< events before another count_ is looked for
    std::uint64_t changes_seen_ = 0;
    std::uint64_t serial_ = 0;  ///< looks with others are stale
    std::uint32_t break_;       ///< before the next attempt
    PeriodSearch search_;
    LookBudget budget_;
    std::uint64_t work_ = 0;         ///< words of this attempt
    std::uint64_t kept_events_ = 0;  ///< handled until the kept state
    std::int32_t kept_steps_ = 0;    ///< until the kept state
    StateSample kept_;               ///< an earlier state
    StateSample present_;            ///< without words: they are the same
    std::uint64_t skipped_ = 0;
};

}  // namespace npunet::engine
