// Replays the decisions of fast-forwarded ports one by one, without advancing the clock, where
// CreditFastForward cannot move packets by periods.
#pragma once

#include "packet/credit/network_state.h"
#include "packet/credit/port_schedule.h"
#include "packet/credit/switch_step.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class Replay {
public:
    /// `step` must outlive this.
    explicit Replay(SwitchStep& step)
        : state_(step.state()), schedule_(step.schedule()), step_(step) {}

    /// Replays ports that were suspended, in ascending order and without wakes, from the time
    /// `from` of their state on. All their decisions before `until` are made immediately.
    void resume(const std::vector<std::uint32_t>& ports, std::int64_t from, std::int64_t until);

private:
    /// All decisions at `now`, in picoseconds, when the first port is due.
    void decide_at(std::int64_t now);

    CreditNetworkState& state_;
    CreditPortSchedule& schedule_;
    SwitchStep& step_;
};

}  // namespace npunet::packet
