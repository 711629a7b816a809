#include "topology/parameters/congestion_parameters.h"

#include <iterator>

#include "topology/parameters/congestion_control.h"

namespace npunet::topology {

namespace {

/// Initialized at compile time: ns-3 asks for attributes before main().
using Row = CongestionParameter;

constexpr ParameterUnit time = ParameterUnit::Time;
constexpr ParameterUnit rate = ParameterUnit::Rate;
constexpr ParameterUnit size = ParameterUnit::Size;
constexpr ParameterUnit ratio = ParameterUnit::Ratio;
constexpr ParameterUnit count = ParameterUnit::Count;
constexpr ParameterUnit flag = ParameterUnit::Flag;
constexpr ParameterScale none = ParameterScale::None;
constexpr ParameterScale per_25_gbps = ParameterScale::Per25Gbps;
constexpr ParameterScale per_bandwidth_delay = ParameterScale::PerBandwidthDelay;
constexpr ParameterScale per_round_trip = ParameterScale::PerRoundTrip;

constexpr double ns = 1e3;         // ps
constexpr double us = 1e6;         // ps
constexpr double s = 1e12;         // ps
constexpr double mbps = 1e6 / 8;   // bytes/s
constexpr double tbps = 1e12 / 8;  // bytes/s
constexpr double kb = 1e3;         // bytes
constexpr double mb = 1e6;         // bytes

// Zhu et al., SIGCOMM 2015, figure 14 and section 3.3. It gives neither R_HAI nor a minimum rate:
// the former is ten times R_AI as in QCN's defaults, the latter is our choice. clamp_target_rate:
// NVIDIA's NICs have CLAMP_TGT_RATE off and CLAMP_TGT_RATE_AFTER_TIME_INC on by default, and HPCC's
// simulator is configured the same way (CLAMP_TARGET_RATE 0); equation 1 of the paper sets R_T at
// every CNP.
constexpr Row dcqcn[] = {
    {"gain", ratio, none, 0.0001, 1, 1.0 / 256, 1.0 / 256, "g: weight of a CNP in alpha"},
    {"alpha_timer", time, none, 100 * ns, s, 55 * us, 55 * us,
     "without a CNP for so long, alpha decays"},
    {"cnp_interval", time, none, 100 * ns, s, 50 * us, 50 * us,
     "least time between two CNPs of a receiver for a queue pair"},
    {"increase_timer", time, none, 100 * ns, s, 55 * us, 55 * us, "time between rate increases"},
    {"byte_counter", size, none, kb, 1e12, 10 * mb, 10 * mb, "bytes between rate increases"},
    {"fast_recovery", count, none, 1, 1000, 5, 5, "F: increases of fast recovery"},
    {"rate_ai", rate, per_25_gbps, 1, tbps, 25 * mbps, 40 * mbps, "R_AI: additive increase"},
    {"rate_hai", rate, per_25_gbps, 1, tbps, 250 * mbps, 400 * mbps, "R_HAI: hyper increase"},
    {"min_rate", rate, per_25_gbps, 1, tbps, 10 * mbps, 10 * mbps, "never slower"},
    {"clamp_target_rate", flag, none, 0, 1, 0, 1,
     "whether every CNP sets R_T, or the first after an increase by the timer"},
};

// Li et al., SIGCOMM 2019, sections 3.3 and 5.1: W_AI = W_init (1 - eta) / N for N flows; N = 100
// there (80 bytes at 100 Gb/s and 13 us), 8 here.
constexpr Row hpcc[] = {
    {"eta", ratio, none, 0.1, 1, 0.95, 0.95, "target utilisation of links"},
    {"max_stage", count, none, 0, 1000, 5, 5, "additive increases before a multiplicative step"},
    {"window_ai", ratio, per_bandwidth_delay, 0, 1, 0.00625, 0.0005, "W_AI: additive increase"},
};

// Mittal et al., SIGCOMM 2015, section 4; the weight of the average as in Zhu et al., CoNEXT 2016,
// table 2. The least rate is ours.
constexpr Row timely[] = {
    {"ewma_weight", ratio, none, 0.001, 1, 0.875, 0.875,
     "alpha: weight of the newest difference of round trips"},
    {"beta", ratio, none, 0, 1, 0.8, 0.8, "multiplicative decrease"},
    {"rate_ai", rate, per_25_gbps, 1, tbps, 25 * mbps, 10 * mbps, "delta: additive increase"},
    {"t_low", time, none, 0, s, 0, 50 * us, "round trips below it only increase the rate"},
    {"t_low_round_trips", ratio, per_round_trip, 0, 1000, 1.5, 0, "is added to t_low"},
    {"t_high", time, none, 0, s, 0, 500 * us, "round trips above it only decrease the rate"},
    {"t_high_round_trips", ratio, per_round_trip, 0, 1000, 4, 0, "is added to t_high"},
    {"hai_threshold", count, none, 1, 1000, 5, 5,
     "updates in a row with a falling round trip until hyper increase"},
    {"hai_factor", count, none, 1, 1000, 5, 5, "N: hyper increase / additive increase"},
    {"segment", size, none, 1, 1e9, 1, 16 * kb, "acknowledged bytes from update to update"},
    {"every_round_trip", flag, none, 0, 1, 1, 0,
     "whether an update waits for what was sent after the one before"},
    {"min_rate", rate, per_25_gbps, 1, tbps, 10 * mbps, 10 * mbps, "never slower"},
};

// Kumar et al., SIGCOMM 2020, sections 3.1 to 3.5. The paper gives hop_scaling, fs_range and the
// bounds of the window by symbol only.
constexpr Row swift[] = {
    {"window_ai", ratio, none, 0, 1000, 1, 1, "ai: packets a round trip"},
    {"beta", ratio, none, 0, 10, 0.8, 0.8, "multiplicative decrease"},
    {"max_mdf", ratio, none, 0, 0.99, 0.5, 0.5, "the largest decrease of the window at a time"},
    {"base_target", time, none, 0, s, 0, 25 * us, "target delay of a path without hops"},
    {"base_target_round_trips", ratio, per_round_trip, 0, 1000, 1.25, 0, "is added to base_target"},
    {"hop_scaling", time, none, 0, s, 0, 1 * us, "target delay for each hop"},
    {"fs_range", time, none, 0, s, 0, 125 * us, "the most that flow scaling adds to the target"},
    {"fs_range_round_trips", ratio, per_round_trip, 0, 1000, 1, 0, "is added to fs_range"},
    {"fs_min_window", ratio, none, 0.0001, 1, 0.1, 0.1, "packets at which fs_range is added"},
    {"fs_max_window", ratio, none, 1.5, 100000, 300, 100, "packets from which nothing is added"},
    {"initial_window", ratio, per_bandwidth_delay, 0, 1000, 1, 1, "window of a new queue pair"},
    {"min_window", ratio, none, 0.0001, 1, 0.001, 0.001, "packets, never less"},
    {"max_window", ratio, per_bandwidth_delay, 1, 1000, 4, 4, "never more"},
    {"reset_timeouts", count, none, 1, 1000, 5, 5,
     "timeouts in a row that lead to the least window"},
};

// Alizadeh et al., SIGCOMM 2010, section 3; RFC 8257. The paper's senders start as TCP does.
constexpr Row dctcp[] = {
    {"gain", ratio, none, 0.001, 1, 1.0 / 16, 1.0 / 16, "g: weight of a window's marks in alpha"},
    {"initial_alpha", ratio, none, 0, 1, 1, 1, "alpha of a new queue pair"},
    {"initial_window", ratio, per_bandwidth_delay, 0, 1000, 1, 0, "window of a new queue pair"},
    {"slow_start", flag, none, 0, 1, 1, 1, "whether the window doubles until the first mark"},
    {"window_ai", ratio, none, 0, 1000, 1, 1, "packets a round trip without slow start"},
    {"min_window", count, none, 1, 1000, 1, 2, "packets, never less"},
    {"max_window", ratio, per_bandwidth_delay, 1, 1000, 4, 4, "never more"},
};

// Handley et al. (NDP), SIGCOMM 2017; Cho et al. (ExpressPass), SIGCOMM 2017; Olteanu et al.
// (EQDS), NSDI 2022.
constexpr Row receiver_credit[] = {
    {"initial_window", ratio, per_bandwidth_delay, 0, 1000, 1, 1, "sent without credit"},
    {"credit_rate", ratio, none, 0.01, 1, 1, 1, "rate of credits / rate of the receiver's link"},
    {"trimming", flag, none, 0, 1, 0, 1,
     "whether switches without room cut packets to their header"},
};

template <std::size_t N>
std::vector<CongestionParameter> table(const Row (&rows)[N]) {
    return {std::begin(rows), std::end(rows)};
}

}  // namespace

const std::vector<CongestionParameter>& parameters_of(CongestionAlgorithm algorithm) {
    static const std::vector<std::vector<CongestionParameter>> tables{
        {},           table(dcqcn),           table(hpcc), table(timely), table(swift),
        table(dctcp), table(receiver_credit), {}};
    return tables[static_cast<std::size_t>(algorithm)];
}

}  // namespace npunet::topology
