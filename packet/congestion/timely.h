/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_TIMELY_H
#define NPU_TIMELY_H

#include "packet/congestion/congestion_parameters.h"

#include "topology/congestion_parameters.h"

namespace npunet::packet
{

/**
 * @ingroup npunet
 * TIMELY's rate computation: R. Mittal et al., "TIMELY: RTT-based Congestion Control for the
 * Datacenter", SIGCOMM 2015, section 4.3, algorithm 1.
 *
 * Whenever a segment's worth of bytes has been acknowledged, with every_round_trip also not before
 * what was sent after the last update, the round trip t is compared with the last one, t':
 *
 *     d = (1 - alpha) d + alpha (t - t'),  gradient = d / (round trip of the idle path)
 *
 *     R = R + delta                        where t < T_low
 *     R = R (1 - beta (1 - T_high / t))    where t > T_high
 *     R = R + N delta                      where gradient <= 0
 *     R = R (1 - beta gradient)            otherwise
 *
 * N is 1, and hai_factor from the fifth (hai_threshold) update in a row with gradient <= 0 on. R
 * begins at, and never exceeds, the rate of the link. T_low = t_low + t_low_round_trips x the idle
 * round trip, T_high likewise, and at least T_low.
 */
class Timely : public CongestionControl
{
  public:
    /**
     * @param choice of TIMELY; outlives this
     * @param path of the queue pair
     */
    Timely(const topology::CongestionControlChoice& choice, const FlowPath& path);

    void Acknowledged(const Acknowledgement& acknowledgement) override;
    std::int64_t Rate(std::int64_t now) override;
    void Scan(engine::StateScan& scan, const engine::FlowProgress& progress) override;

    /**
     * @return the normalized gradient of round trips
     */
    double Gradient() const;

  private:
    /**
     * Algorithm 1.
     * @param roundTrip ps
     */
    void Update(std::int64_t roundTrip);

    /**
     * The first part of it: d, and how often in a row the gradient was not above 0.
     * @param roundTrip ps
     */
    void Average(std::int64_t roundTrip);

    /**
     * @return T_low
     */
    double
    Low() const
    {
        return m_parameters[topology::TimelyParameter::t_low] +
               m_parameters[topology::TimelyParameter::t_low_round_trips];
    }

    /**
     * @param scan of the whole network
     */
    void ScanGradient(engine::StateScan& scan);

    CongestionParameters m_parameters; ///< with the path
    double m_rate;                     ///< R, bytes/s
    double m_difference = 0;           ///< d, ps
    std::int64_t m_roundTrip = -1;     ///< t', ps; -1: there was none
    std::int64_t m_bytes = 0;          ///< acknowledged since the last update
    std::uint64_t m_roundEnd = 0;      ///< no update before it is acknowledged
    std::int32_t m_falling = 0;        ///< updates in a row with gradient <= 0
    std::int64_t m_averages = 0;       ///< updates
    std::int64_t m_changes = 0;        ///< of them those for which the gradient could matter
};

} // namespace npunet::packet

#endif /* NPU_TIMELY_H */
