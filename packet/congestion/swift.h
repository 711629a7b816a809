#pragma once

#include "packet/congestion/congestion_parameters.h"

namespace npunet::packet {

/// Swift's fabric window: G. Kumar et al., "Swift: Delay is Simple and Effective for Congestion
/// Control in the Datacenter", SIGCOMM 2020, algorithm 1 and section 3.5.
///
/// An acknowledgement with the round trip t, of n packets, changes the window w (in packets) by
///
///     w = w + ai n / w                                          where t < target, w >= 1
///     w = w + ai n                                              where t < target, w < 1
///     w = w max(1 - beta (t - target) / t, 1 - max_mdf)         otherwise, once a round trip at
/// most
///
/// with the target delay
///
///     base_target + hops x hop_scaling + max(0, min(a / sqrt(w) + b, fs_range)),
///     a = fs_range / (1 / sqrt(fs_min_window) - 1 / sqrt(fs_max_window)),
///     b = -a / sqrt(fs_max_window).
///
/// A loss multiplies w by 1 - max_mdf, once a round trip at most; after reset_timeouts timeouts in
/// a row w is min_window. Below one packet, one packet is in flight at a time, at the rate w / t.
/// base_target_round_trips and fs_range_round_trips add multiples of the idle round trip to their
/// namesakes. There is no endpoint window: NPUs take in packets as fast as they arrive, so t is the
/// delay of the fabric alone.
class Swift : public CongestionControl {
public:
    /// @param choice of Swift; outlives this
    /// @param path of the queue pair
    Swift(const topology::CongestionControlChoice& choice, const FlowPath& path);

    void acknowledged(const Acknowledgement& acknowledgement) override;
    void lost(std::int64_t now, bool timeout) override;
    std::int64_t window() const override;
    std::int64_t rate(std::int64_t now) override;
    void scan(engine::StateScan& scan, const engine::FlowProgress& progress) override;

    /// @return the window in packets, which may be a fraction of one
    double packets() const { return window_; }

    /// @return the target delay for the window as it is, in ps
    double target_delay() const;

private:
    /// Multiplies the window, unless it was decreased less than a round trip ago.
    /// @param now ps
    /// @param factor below 1
    void decrease(std::int64_t now, double factor);

    /// Keeps the window within its bounds.
    void bound();

    CongestionParameters parameters_;  ///< with the path
    double window_;                    ///< packets
    std::int64_t round_trip_;          ///< of the last acknowledgement that knew it, ps
    std::int64_t decreased_;           ///< when the window was decreased last, ps
    std::int64_t calls_ = 0;           ///< of decrease()
    std::int32_t timeouts_ = 0;        ///< in a row
};

}  // namespace npunet::packet
