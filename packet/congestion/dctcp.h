/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_DCTCP_H
#define NPU_DCTCP_H

#include "packet/congestion/congestion_parameters.h"

namespace npunet::packet
{

/**
 * @ingroup npunet
 * DCTCP's sender: M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1, and
 * S. Bensley et al., RFC 8257, sections 3.3 to 3.5.
 *
 * Once for each window of data, with the fraction F of its bytes that came marked,
 *
 *     alpha = (1 - g) alpha + g F
 *
 * A marked acknowledgement cuts the window W to W (1 - alpha / 2), once a window of data at most;
 * until what was in flight then is acknowledged, W does not grow. Otherwise n acknowledged bytes
 * make it grow by n in slow start, which ends at the first mark or loss, and by window_ai
 * packets x n / W after that. A loss halves W, once a window of data at most; a timeout sets it to
 * min_window, with slow start up to half of what it was.
 */
class Dctcp : public CongestionControl
{
  public:
    /**
     * @param choice of DCTCP; outlives this
     * @param path of the queue pair
     */
    Dctcp(const topology::CongestionControlChoice& choice, const FlowPath& path);

    void Acknowledged(const Acknowledgement& acknowledgement) override;
    void Lost(std::int64_t now, bool timeout) override;
    std::int64_t Window() const override;
    void Scan(engine::StateScan& scan, const engine::FlowProgress& progress) override;

    /**
     * @return the estimate of the fraction of marked bytes
     */
    double
    Alpha() const
    {
        return m_alpha;
    }

  private:
    /**
     * Multiplies the window, and leaves slow start. No growth and no other cut until everything
     * that has been sent is acknowledged.
     * @param factor below 1
     */
    void Cut(double factor);

    /**
     * @param scan of the whole network
     */
    void ScanAlpha(engine::StateScan& scan);

    /**
     * Another window of data is in alpha.
     * @param fraction of its bytes that came marked
     */
    void Average(double fraction);

    /**
     * @param bytes newly acknowledged
     */
    void Grow(double bytes);

    /**
     * Keeps the window within its bounds.
     */
    void Bound();

    CongestionParameters m_parameters; ///< with the path
    double m_window;                   ///< W, bytes
    double m_threshold;                ///< slow start ends there, bytes
    double m_alpha;                    ///< estimate of the fraction of marked bytes
    std::int64_t m_averages = 0;       ///< windows of data that are in alpha
    std::int64_t m_marks = 0;          ///< acknowledgements with marks
    std::int64_t m_acknowledged = 0;   ///< bytes of this window of data
    std::int64_t m_marked = 0;         ///< of them marked
    std::uint64_t m_windowEnd = 0;     ///< this window of data ends when it is acknowledged
    std::uint64_t m_recovery = 0;      ///< the window may be cut again when it is acknowledged
    std::uint64_t m_next = 1;          ///< what the receiver expected at the last acknowledgement
    std::uint64_t m_sent = 1;          ///< what was to be sent next at the last acknowledgement
};

} // namespace npunet::packet

#endif /* NPU_DCTCP_H */
