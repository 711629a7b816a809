#pragma once

#include "packet/congestion/congestion_parameters.h"

namespace npunet::packet {

/// DCQCN's reaction point: Y. Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
/// SIGCOMM 2015, section 3.1, figure 7.
///
/// A queue pair starts at its link's rate with alpha = 1. A CNP sets (equation 1)
///
///     R_T = R_C,  R_C = R_C (1 - alpha / 2),  alpha = (1 - g) alpha + g
///
/// (without clamp_target_rate R_T only where T > 0: several CNPs in a row, with no tick of the
/// increase timer between them, are one congestion, and recovery leads back to the rate before it)
/// and starts the timers and the byte counter anew. Each alpha_timer without a CNP (equation 2):
///
///     alpha = (1 - g) alpha
///
/// Each increase_timer (T in all since the CNP) and each byte_counter bytes sent (B in all) the
/// rate moves half-way to the target, R_C = (R_T + R_C) / 2, after the target was left alone (fast
/// recovery, max(T, B) < F), raised by R_HAI (hyper increase, min(T, B) > F) or raised by R_AI
/// (additive increase, otherwise) (equations 3 and 4).
///
/// Rates are whole bytes per second, halves rounded up, and alpha is computed from its value at the
/// last CNP: so it makes no difference how often the timers are looked at, and after any pause the
/// state is up to date after some 10^2 operations.
class Dcqcn : public CongestionControl {
public:
    /// @param choice of DCQCN; outlives this
    /// @param path of the queue pair
    Dcqcn(const topology::CongestionControlChoice& choice, const FlowPath& path);

    void packet_sent(std::int64_t now, std::int64_t wire) override;
    void notified(std::int64_t now) override;
    std::int64_t rate(std::int64_t now) override;
    void scan(engine::StateScan& scan, const engine::FlowProgress& progress) override;

    /// @param now ps
    /// @return the estimate of congestion, 0 to 1
    double current_alpha(std::int64_t now) const;

    /// @return R_T as of the last call, in bytes/s
    std::int64_t target_delay() const { return target_; }

private:
    /// Lets the increase timer run up to now.
    /// @param now ps
    void advance(std::int64_t now);

    /// Many ticks of the increase timer.
    /// @param ticks how many
    void tick(std::int64_t ticks);

    /// @return by how much the target is raised by an increase with ticks_ and byte_periods_ as
    ///         they are
    std::int64_t rate_raise() const;

    /// One increase of the rate.
    void increase();

    CongestionParameters parameters_;  ///< with the path
    std::int64_t rate_;                ///< R_C
    std::int64_t target_;              ///< R_T
    double alpha_ = 1;                 ///< at notified_
    std::int64_t notified_ = -1;       ///< time of the last CNP; -1: there was none
    std::int64_t bytes_ = 0;           ///< sent since the byte counter ran out
    std::int64_t ticks_ = 0;           ///< T
    std::int64_t byte_periods_ = 0;    ///< B
};

}  // namespace npunet::packet
