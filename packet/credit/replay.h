// Replays the decisions of fast-forwarded ports one by one, without advancing the clock.
#pragma once

#include "packet/credit/fast_forward/credit_fast_forward.h"
#include "packet/credit/network_state.h"
#include "packet/credit/port_schedule.h"
#include "packet/credit/switch_step.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class Replay final : public CreditFastForwardHost {
public:
    /// `step` must outlive this.
    explicit Replay(SwitchStep& step);

    void resume(const std::vector<std::uint32_t>& ports, std::int64_t from,
                std::int64_t until) override;

private:
    /// All decisions at `now`, in picoseconds, when the first port is due.
    void decide_at(std::int64_t now);

    CreditNetworkState& state_;
    CreditPortSchedule& schedule_;
    SwitchStep& step_;
};

}  // namespace npunet::packet
