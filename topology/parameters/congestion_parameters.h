// The places of the parameters of each congestion control algorithm in
// CongestionControlChoice::values, named as their keys in network.yml.
//
//     choice.values[SwiftParameter::max_mdf]
//
// For the algorithms; a parameter's unit, range and meaning stand in the tables of
// congestion_parameters.cc, which have the same order.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstddef>

namespace npunet::topology {

struct DcqcnParameter {
    enum : std::size_t {
        gain,
        alpha_timer,
        cnp_interval,
        increase_timer,
        byte_counter,
        fast_recovery,
        rate_ai,
        rate_hai,
        min_rate,
        clamp_target_rate,
        count
    };
};

struct HpccParameter {
    enum : std::size_t { eta, max_stage, window_ai, count };
};

struct TimelyParameter {
    enum : std::size_t {
        ewma_weight,
        beta,
        rate_ai,
        t_low,
        t_low_round_trips,
        t_high,
        t_high_round_trips,
        hai_threshold,
        hai_factor,
        segment,
        every_round_trip,
        min_rate,
        count
    };
};

struct SwiftParameter {
    enum : std::size_t {
        window_ai,
        beta,
        max_mdf,
        base_target,
        base_target_round_trips,
        hop_scaling,
        fs_range,
        fs_range_round_trips,
        fs_min_window,
        fs_max_window,
        initial_window,
        min_window,
        max_window,
        reset_timeouts,
        count
    };
};

struct DctcpParameter {
    enum : std::size_t {
        gain,
        initial_alpha,
        initial_window,
        slow_start,
        window_ai,
        min_window,
        max_window,
        count
    };
};

struct ReceiverCreditParameter {
    enum : std::size_t { initial_window, credit_rate, trimming, count };
};

}  // namespace npunet::topology
