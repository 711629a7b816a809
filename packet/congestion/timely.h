// TIMELY's rate computation: R. Mittal et al., "TIMELY: RTT-based Congestion Control for the
// Datacenter", SIGCOMM 2015, section 4.3, algorithm 1.
//
// An update happens once a segment of bytes has been acknowledged and, with every_round_trip, data
// sent after the previous update. It compares the round trip t with t' of the previous update:
//
//     d = (1 - alpha) d + alpha (t - t'),  gradient = d / (round trip of the idle path)
//
//     R = R + delta                        where t < T_low
//     R = R (1 - beta (1 - T_high / t))    where t > T_high
//     R = R + N delta                      where gradient <= 0
//     R = R (1 - beta gradient)            otherwise
//
// N is hai_factor from the hai_threshold-th consecutive update with gradient <= 0 on, else 1. R
// starts at, and never exceeds, the rate of the link. T_low = t_low + t_low_round_trips x the idle
// round trip; T_high is computed in the same way and is at least T_low.
#pragma once

#include "packet/congestion/congestion_control.h"

namespace npunet::packet {

class Timely : public CongestionControl {
public:
    /// `choice` is of TIMELY.
    Timely(const topology::CongestionControlChoice& choice, const FlowPath& path);

    void acknowledged(const Acknowledgement& acknowledgement) override;
    std::int64_t rate(std::int64_t now) override;
    void scan(engine::StateScan& scan, const engine::FlowProgress& progress) override;

    double normalized_gradient() const;

private:
    /// The parameters of one queue pair.
    struct Parameters {
        double ewma_weight;  ///< alpha
        double beta;
        double rate_ai;  ///< delta, bytes/s
        double t_low;    ///< T_low, ps
        double t_high;   ///< T_high, ps
        std::int64_t hai_threshold;
        double hai_factor;     ///< N
        std::int32_t segment;  ///< bytes, at most 10^9
        bool every_round_trip;
        double min_rate;    ///< bytes/s, at most line_rate
        double line_rate;   ///< of the first link, bytes/s
        double round_trip;  ///< of the idle path, ps
    };

    static Parameters resolve(const topology::CongestionControlChoice& choice,
                              const FlowPath& path);

    /// Algorithm 1, for a round trip in ps.
    void update(std::int64_t round_trip);

    /// Its first part: updates d and falling_.
    void average(std::int64_t round_trip);

    void scan_gradient(engine::StateScan& scan);

    Parameters parameters_;
    double rate_;                   ///< R, bytes/s
    double difference_ = 0;         ///< d, ps
    std::int64_t round_trip_ = -1;  ///< t', ps; -1: none yet
    std::int64_t bytes_ = 0;        ///< acknowledged since the last update
    std::uint64_t round_end_ = 0;   ///< no update before this number is acknowledged
    std::int32_t falling_ = 0;      ///< consecutive updates with gradient <= 0
    std::int64_t averages_ = 0;     ///< updates
    std::int64_t changes_ = 0;      ///< of these, updates for which the gradient could matter
};

}  // namespace npunet::packet
