/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_CATCH_UP_H
#define NPU_CATCH_UP_H

#include "packet/credit/switch_step.h"
#include "packet/credit/network_state.h"
#include "packet/credit/port_schedule.h"
#include "packet/credit/fast_forward/credit_fast_forward.h"

#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Packet trains: lets ports that stood still make up for lost time, choice by choice, while the
 * simulation's clock stands.
 */
class CatchUp final : public SteadyTrafficHost
{
  public:
    /**
     * @param mover makes the decisions of ports; must outlive this
     */
    explicit CatchUp(PacketMover& mover);

    void Resume(const std::vector<std::uint32_t>& ports,
                std::int64_t from,
                std::int64_t until) override;

  private:
    /**
     * Makes the choices of ports that make up for lost time.
     * @param now when the first of them is due, in picoseconds
     */
    void DecideAt(std::int64_t now);

    PacketState& m_state; ///< of the ports
    PortAgenda& m_agenda; ///< when they decide
    PacketMover& m_mover; ///< makes their decisions
};

} // namespace npunet::packet

#endif /* NPU_CATCH_UP_H */
