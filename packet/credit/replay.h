#pragma once

#include "packet/credit/fast_forward/credit_fast_forward.h"
#include "packet/credit/network_state.h"
#include "packet/credit/port_schedule.h"
#include "packet/credit/switch_step.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Packet trains: lets ports that stood still make up for lost time, choice by choice, while the
/// simulation's clock stands.
class Replay final : public CreditFastForwardHost {
public:
    /// @param step makes the decisions of ports; must outlive this
    explicit Replay(SwitchStep& step);

    void resume(const std::vector<std::uint32_t>& ports, std::int64_t from,
                std::int64_t until) override;

private:
    /// Makes the choices of ports that make up for lost time.
    /// @param now when the first of them is due, in picoseconds
    void decide_at(std::int64_t now);

    CreditNetworkState& state_;     ///< of the ports
    CreditPortSchedule& schedule_;  ///< when they decide
    SwitchStep& step_;              ///< makes their decisions
};

}  // namespace npunet::packet
