// Swift's fabric window: G. Kumar et al., "Swift: Delay is Simple and Effective for Congestion
// Control in the Datacenter", SIGCOMM 2020, algorithm 1 and section 3.5.
//
// An acknowledgement of n packets with the round trip t changes the window w (in packets):
//
//     w = w + ai n / w                                      where t < target, w >= 1
//     w = w + ai n                                          where t < target, w < 1
//     w = w max(1 - beta (t - target) / t, 1 - max_mdf)     otherwise, at most once a round trip
//
// The target delay is
//
//     base_target + hops x hop_scaling + max(0, min(a / sqrt(w) + b, fs_range)),
//     a = fs_range / (1 / sqrt(fs_min_window) - 1 / sqrt(fs_max_window)),
//     b = -a / sqrt(fs_max_window)
//
// where base_target_round_trips and fs_range_round_trips add multiples of the idle round trip to
// base_target and fs_range. A loss multiplies w by 1 - max_mdf, at most once a round trip;
// reset_timeouts consecutive timeouts set w to min_window. Below one packet, one packet at a time
// is in flight, at the rate w / t. There is no endpoint window: NPUs accept packets at line rate,
// so t is the delay of the fabric alone.
#pragma once

#include "packet/congestion/congestion_control.h"

namespace npunet::packet {

class Swift : public CongestionControl {
public:
    /// `choice` is of Swift.
    Swift(const topology::CongestionControlChoice& choice, const FlowPath& path);

    void acknowledged(const Acknowledgement& acknowledgement) override;
    void lost(std::int64_t now, bool timeout) override;
    std::int64_t window() const override;
    std::int64_t rate(std::int64_t now) override;
    void scan(engine::StateScan& scan, const engine::FlowProgress& progress) override;

    /// The window in packets, possibly below 1.
    double packets() const { return window_; }

    /// The target delay for the present window, in ps.
    double target_delay() const;

private:
    /// The parameters of one queue pair.
    struct Parameters {
        double window_ai;  ///< ai, packets
        double beta;
        double max_mdf;
        double base_target;     ///< with its round trips and the hops, ps
        double fs_range;        ///< with its round trips, ps
        double fs_slope;        ///< a, ps
        double fs_least;        ///< 1 / sqrt(fs_max_window)
        double initial_window;  ///< packets
        double min_window;      ///< packets
        double max_window;      ///< packets
        std::int64_t reset_timeouts;
        std::int64_t packet;  ///< bytes of a full packet
    };

    static Parameters resolve(const topology::CongestionControlChoice& choice,
                              const FlowPath& path);

    /// Multiplies the window by a factor below 1, unless it was decreased less than a round trip
    /// ago.
    void decrease(std::int64_t now, double factor);

    /// Clamps the window.
    void bound();

    Parameters parameters_;
    double window_;              ///< packets
    std::int64_t round_trip_;    ///< of the last acknowledgement, ps
    std::int64_t decreased_;     ///< when the window was last decreased, ps
    std::int64_t calls_ = 0;     ///< of decrease()
    std::int32_t timeouts_ = 0;  ///< consecutive
};

}  // namespace npunet::packet
