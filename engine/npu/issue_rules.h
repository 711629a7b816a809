// What an operation needs in order to start, and what is preferred when not everything can: the
// dialect and the system in one place.
//
//     const IssueRules rules(system, dialect, compute);
//     FreePlaces free = rules.places();
//     if (rules.holds(operation)) { --free[index_of(rules.resource_of(operation))]; }
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <string>

#include "base/quantities.h"
#include "engine/machine/compute_model.h"
#include "engine/machine/dialect.h"
#include "engine/machine/system_config.h"
#include "engine/npu/ready_set.h"
#include "engine/program/program.h"

namespace npunet::engine {

class IssueRules {
public:
    /// All must outlive this.
    IssueRules(const SystemConfig& system, const Dialect& dialect, const ComputeModel& compute)
        : system_(system), dialect_(dialect), compute_(compute) {}

    /// How many operations of each kind an NPU runs side by side.
    [[nodiscard]] FreePlaces places() const;

    /// The limit on concurrent communication of an NPU, as text for messages; empty if there is
    /// none.
    [[nodiscard]] std::string communication_limit() const;

    [[nodiscard]] Resource resource_of(const ProgramOperation& operation) const;

    /// Whether the operation keeps its place until it ends.
    [[nodiscard]] bool holds(const ProgramOperation& operation) const;

    /// Of operations that wait for the same place, that with the least starts first; `now` is when
    /// the operation becomes ready.
    [[nodiscard]] std::int64_t preference_of(const ProgramOperation& operation, Time now) const;

    /// Whether communication slows the compute that begins beside it, so that it has to be begun
    /// first.
    [[nodiscard]] bool communication_slows() const {
        return dialect_.scheduling_keys_count && (system_.comm_compute_slowdown > 1 || sms() > 0);
    }

    /// How long a GPU operation of `duration` takes that begins beside communication with `blocks`
    /// thread blocks, each of which takes a multiprocessor; rounded up to a picosecond, Time::max()
    /// where it does not fit.
    [[nodiscard]] Time slowed(Time duration, std::int32_t blocks) const;

private:
    /// Of a GPU; 0: thread blocks take nothing from computations.
    [[nodiscard]] std::int32_t sms() const {
        return system_.library == nullptr ? 0 : system_.library->gpu_sms;
    }

    const SystemConfig& system_;
    const Dialect& dialect_;
    const ComputeModel& compute_;
};

}  // namespace npunet::engine
