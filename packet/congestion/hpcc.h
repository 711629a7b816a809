#pragma once

#include "packet/congestion/congestion_parameters.h"

#include <vector>

namespace npunet::packet {

/// HPCC's sender: Y. Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019,
/// algorithm 1.
///
/// Of each link the utilisation is estimated from two acknowledgements' telemetry, dt apart,
///
///     u = min(queue, queue before) / (B T) + (bytes sent meanwhile) / (dt B)
///
/// with its rate B and the round trip T of the idle path; the largest one, with its dt = tau up to
/// T, goes into U = (1 - tau / T) U + tau / T u. With W_c, the window at the last acknowledgement
/// for what was sent after the one before (once a round trip),
///
///     W = W_c eta / U + W_AI    where U >= eta, or after max_stage additive increases in a row,
///     W = W_c + W_AI            otherwise,
///
/// and the rate is W / T. A new queue pair has W = (rate of its link) T, which is also the most: it
/// could send no faster. U begins at 1.
class Hpcc : public CongestionControl {
public:
    /// @param choice of HPCC; outlives this
    /// @param path of the queue pair
    Hpcc(const topology::CongestionControlChoice& choice, const FlowPath& path);

    void acknowledged(const Acknowledgement& acknowledgement) override;
    std::int64_t window() const override;
    std::int64_t rate(std::int64_t now) override;

    /// @return U, the utilisation of the fullest link
    double utilization() const { return utilisation_; }

private:
    /// What is kept of a port's telemetry.
    struct Link {
        std::int64_t time;   ///< ps
        std::int64_t sent;   ///< bytes
        std::int64_t queue;  ///< bytes
    };

    /// Keeps the telemetry of an acknowledgement for the next one.
    /// @param acknowledgement with telemetry
    void keep(const Acknowledgement& acknowledgement);

    /// MeasureInflight() of the algorithm.
    /// @param acknowledgement with telemetry of the links that are kept
    void measure(const Acknowledgement& acknowledgement);

    /// ComputeWind() of the algorithm.
    /// @param first of its round trip
    void compute(bool first);

    CongestionParameters parameters_;  ///< with the path
    std::vector<Link> links_;          ///< as of the last acknowledgement
    double window_;                    ///< W, bytes
    double reference_;                 ///< W_c, bytes
    double utilisation_ = 1;           ///< U
    std::uint64_t round_end_ = 0;      ///< what is sent from here on belongs to the next round trip
    std::int32_t stage_ = 0;           ///< additive increases in a row
};

}  // namespace npunet::packet
