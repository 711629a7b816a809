// HPCC's sender: Y. Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019,
// algorithm 1.
//
// The utilisation of each link, with rate B, is estimated from the telemetry of two
// acknowledgements, dt apart, with T the round trip of the idle path:
//
//     u = min(queue, previous queue) / (B T) + (bytes sent meanwhile) / (dt B)
//
// The largest u enters U = (1 - tau / T) U + tau / T u, with tau = min(its dt, T). W_c is the
// window at the last update: once a round trip, at the first acknowledgement of data sent after the
// previous update.
//
//     W = W_c eta / U + W_AI    where U >= eta, or after max_stage additive increases in a row
//     W = W_c + W_AI            otherwise
//
// The rate is W / T. W starts at, and never exceeds, (rate of the first link) x T: it could not
// send faster. U starts at 1.
#pragma once

#include "packet/congestion/congestion_control.h"

#include <vector>

namespace npunet::packet {

class Hpcc : public CongestionControl {
public:
    /// `choice` is of HPCC.
    Hpcc(const topology::CongestionControlChoice& choice, const FlowPath& path);

    void acknowledged(const Acknowledgement& acknowledgement) override;
    std::int64_t window() const override;
    std::int64_t rate(std::int64_t now) override;

    /// U, the utilisation of the most loaded link.
    double utilization() const { return utilisation_; }

private:
    /// The parameters of one queue pair.
    struct Parameters {
        double eta;
        std::int64_t max_stage;
        double window_ai;     ///< W_AI, bytes
        double max_window;    ///< what the first link sends in a round trip, bytes
        double round_trip;    ///< T, ps
        std::int64_t rate;    ///< of the first link, bytes/s
        std::int64_t packet;  ///< bytes of a full packet
    };

    static Parameters resolve(const topology::CongestionControlChoice& choice,
                              const FlowPath& path);

    /// The previous telemetry of a port.
    struct Link {
        std::int64_t time;   ///< ps
        std::int64_t sent;   ///< bytes
        std::int64_t queue;  ///< bytes
    };

    /// Stores the telemetry for the next acknowledgement.
    void keep(const Acknowledgement& acknowledgement);

    /// MeasureInflight() of algorithm 1; the telemetry must be of the stored links.
    void measure(const Acknowledgement& acknowledgement);

    /// ComputeWind() of algorithm 1. `first`: at the first acknowledgement of a round trip.
    void compute(bool first);

    Parameters parameters_;
    std::vector<Link> links_;      ///< as of the last acknowledgement
    double window_;                ///< W, bytes
    double reference_;             ///< W_c, bytes
    double utilisation_ = 1;       ///< U
    std::uint64_t round_end_ = 0;  ///< data from this number on belongs to the next round trip
    std::int32_t stage_ = 0;       ///< additive increases in a row
};

}  // namespace npunet::packet
