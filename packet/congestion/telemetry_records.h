/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_TELEMETRY_RECORDS_H
#define NPU_TELEMETRY_RECORDS_H

#include "packet/congestion/congestion_control.h"
#include "packet/base/voq.h"

#include <cstdint>
#include <vector>

namespace npunet::packet
{

/// Bytes by which a packet grows at each port that writes HopTelemetry into it, that of its source
/// not being one (HPCC, section 3.2).
inline constexpr std::uint32_t TELEMETRY_BYTES = 8;

/**
 * @ingroup npunet
 * What ports have written into the packets under way.
 */
class TelemetryRecords
{
  public:
    /**
     * @return a place with an empty record
     */
    std::uint32_t
    Take()
    {
        if (m_free.empty())
        {
            m_records.emplace_back();
            return static_cast<std::uint32_t>(m_records.size() - 1);
        }
        const std::uint32_t place = m_free.back();
        m_free.pop_back();
        return place;
    }

    /**
     * @param place of a record that is not needed any more; NONE: nothing happens
     */
    void
    Free(std::uint32_t place)
    {
        if (place != NONE)
        {
            m_records[place].clear();
            m_free.push_back(place);
        }
    }

    /**
     * @param place as Take() gave it
     * @return what was written, hop by hop
     */
    std::vector<HopTelemetry>&
    operator[](std::uint32_t place)
    {
        return m_records[place];
    }

  private:
    std::vector<std::vector<HopTelemetry>> m_records; ///< places, used and free
    std::vector<std::uint32_t> m_free;                ///< free places
};

} // namespace npunet::packet

#endif /* NPU_TELEMETRY_RECORDS_H */
