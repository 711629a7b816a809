#pragma once

#include "packet/congestion/congestion_parameters.h"

#include "topology/congestion_parameters.h"

namespace npunet::packet {

/// TIMELY's rate computation: R. Mittal et al., "TIMELY: RTT-based Congestion Control for the
/// Datacenter", SIGCOMM 2015, section 4.3, algorithm 1.
///
/// Whenever a segment's worth of bytes has been acknowledged, with every_round_trip also not before
/// what was sent after the last update, the round trip t is compared with the last one, t':
///
///     d = (1 - alpha) d + alpha (t - t'),  gradient = d / (round trip of the idle path)
///
///     R = R + delta                        where t < T_low
///     R = R (1 - beta (1 - T_high / t))    where t > T_high
///     R = R + N delta                      where gradient <= 0
///     R = R (1 - beta gradient)            otherwise
///
/// N is 1, and hai_factor from the fifth (hai_threshold) update in a row with gradient <= 0 on. R
/// begins at, and never exceeds, the rate of the link. T_low = t_low + t_low_round_trips x the idle
/// round trip, T_high likewise, and at least T_low.
class Timely : public CongestionControl {
public:
    /// @param choice of TIMELY; outlives this
    /// @param path of the queue pair
    Timely(const topology::CongestionControlChoice& choice, const FlowPath& path);

    void acknowledged(const Acknowledgement& acknowledgement) override;
    std::int64_t rate(std::int64_t now) override;
    void scan(engine::StateScan& scan, const engine::FlowProgress& progress) override;

    /// @return the normalized gradient of round trips
    double normalized_gradient() const;

private:
    /// Algorithm 1.
    /// @param round_trip ps
    void update(std::int64_t round_trip);

    /// The first part of it: d, and how often in a row the gradient was not above 0.
    /// @param round_trip ps
    void average(std::int64_t round_trip);

    /// @return T_low
    double low_delay() const {
        return parameters_[topology::TimelyParameter::t_low] +
               parameters_[topology::TimelyParameter::t_low_round_trips];
    }

    /// @param scan of the whole network
    void scan_gradient(engine::StateScan& scan);

    CongestionParameters parameters_;  ///< with the path
    double rate_;                      ///< R, bytes/s
    double difference_ = 0;            ///< d, ps
    std::int64_t round_trip_ = -1;     ///< t', ps; -1: there was none
    std::int64_t bytes_ = 0;           ///< acknowledged since the last update
    std::uint64_t round_end_ = 0;      ///< no update before it is acknowledged
    std::int32_t falling_ = 0;         ///< updates in a row with gradient <= 0
    std::int64_t averages_ = 0;        ///< updates
    std::int64_t changes_ = 0;         ///< of them those for which the gradient could matter
};

}  // namespace npunet::packet
