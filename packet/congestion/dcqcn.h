// DCQCN's reaction point: Y. Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
// SIGCOMM 2015, section 3.1, figure 7. Its congestion point, which marks packets, is EcnMarks
// (packet/ethernet/ecn_marks.h); its notification point, which sends CNPs, TransportReceiver
// (packet/transport/receiver.h).
//
// A queue pair starts at its link's rate with alpha = 1. A CNP sets (equation 1)
//
//     R_T = R_C,  R_C = R_C (1 - alpha / 2),  alpha = (1 - g) alpha + g
//
// and restarts the timers and the byte counter. Without clamp_target_rate, only CNPs with T > 0 set
// R_T: several CNPs without a tick of the increase timer between them count as one congestion
// event, and recovery returns to the rate before it. Each alpha_timer without a CNP (equation 2)
//
//     alpha = (1 - g) alpha
//
// T counts ticks of increase_timer since the last CNP, B byte counters of byte_counter bytes sent.
// Each of these events first leaves R_T unchanged (fast recovery, max(T, B) < F), raises it by
// R_HAI (hyper increase, min(T, B) > F) or by R_AI (additive increase, otherwise), and then sets
// R_C = (R_T + R_C) / 2 (equations 3 and 4).
//
// Rates are whole bytes per second, halves rounded up, and alpha is computed from its value at the
// last CNP. So results do not depend on how often the timers are evaluated, and some 10^2
// operations bring the state up to date after any pause.
#pragma once

#include "packet/congestion/congestion_control.h"

namespace npunet::packet {

class Dcqcn : public CongestionControl {
public:
    /// `choice` is of DCQCN.
    Dcqcn(const topology::CongestionControlChoice& choice, const FlowPath& path);

    void packet_sent(std::int64_t now, std::int64_t wire) override;
    void notified(std::int64_t now) override;
    std::int64_t rate(std::int64_t now) override;
    void scan(engine::StateScan& scan, const engine::FlowProgress& progress) override;

    bool has_no_past() const override { return notified_ < 0; }

    double congestion(std::int64_t now) const override { return current_alpha(now); }

    /// alpha, from 0 to 1.
    double current_alpha(std::int64_t now) const;

    /// R_T as of the last call, in bytes/s.
    std::int64_t target_rate() const { return target_; }

private:
    /// The parameters of one queue pair.
    struct Parameters {
        double gain;                  ///< g
        std::int64_t alpha_timer;     ///< ps
        std::int64_t increase_timer;  ///< ps
        std::int64_t byte_counter;    ///< bytes
        std::int64_t fast_recovery;   ///< F
        std::int64_t rate_ai;         ///< R_AI, bytes/s
        std::int64_t rate_hai;        ///< R_HAI, bytes/s
        std::int64_t min_rate;        ///< bytes/s
        std::int64_t line_rate;       ///< of the first link, bytes/s
        bool clamp_target_rate;
    };

    static Parameters resolve(const topology::CongestionControlChoice& choice,
                              const FlowPath& path);

    /// Applies the ticks of the increase timer up to now.
    void advance(std::int64_t now);

    void tick(std::int64_t ticks);

    /// By how much an increase raises the target with the present ticks_ and byte_periods_.
    std::int64_t rate_raise() const;

    void increase();

    Parameters parameters_;
    std::int64_t rate_;              ///< R_C
    std::int64_t target_;            ///< R_T
    double alpha_ = 1;               ///< at notified_
    std::int64_t notified_ = -1;     ///< time of the last CNP; -1: none yet
    std::int64_t bytes_ = 0;         ///< sent since the byte counter expired
    std::int64_t ticks_ = 0;         ///< T
    std::int64_t byte_periods_ = 0;  ///< B
};

}  // namespace npunet::packet
