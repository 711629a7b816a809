#include "packet/congestion/hpcc.h"

#include "packet/congestion/congestion_parameters.h"

#include "topology/parameters/congestion_parameters.h"

#include <algorithm>

namespace npunet::packet {

Hpcc::Hpcc(const topology::CongestionControlChoice& choice, const FlowPath& path)
    : parameters_(resolve(choice, path)),
      window_(parameters_.max_window),
      reference_(parameters_.max_window) {}

Hpcc::Parameters Hpcc::resolve(const topology::CongestionControlChoice& choice,
                               const FlowPath& path) {
    using Parameter = topology::HpccParameter;
    const CongestionParameters given(choice, path);
    const auto round_trip = static_cast<double>(path.round_trip);
    return {.eta = given[Parameter::eta],
            .max_stage = given.whole(Parameter::max_stage),
            .window_ai = given[Parameter::window_ai],
            .max_window = static_cast<double>(path.rate) * round_trip / 1e12,
            .round_trip = round_trip,
            .rate = path.rate,
            .packet = path.packet};
}

std::int64_t Hpcc::window() const {
    // Rounded up to whole packets; the rate applies the exact value.
    const std::int64_t packet = parameters_.packet;
    const std::int64_t packets = (rounded(window_) + packet - 1) / packet;
    return std::max(packets, std::int64_t{1}) * packet;
}

std::int64_t Hpcc::rate(std::int64_t /* now */) {
    const double rate = window_ * 1e12 / parameters_.round_trip;
    return std::clamp(rounded(rate), std::int64_t{1}, parameters_.rate);
}

void Hpcc::acknowledged(const Acknowledgement& acknowledgement) {
    if (acknowledgement.hops == 0) {
        return;
    }
    // A utilisation needs two samples of the same links.
    if (links_.size() != acknowledgement.hops) {
        round_end_ = acknowledgement.sent;
        keep(acknowledgement);
        return;
    }
    measure(acknowledgement);
    const bool first = acknowledgement.next > round_end_;
    compute(first);
    if (first) {
        round_end_ = acknowledgement.sent;
    }
    keep(acknowledgement);
}

void Hpcc::keep(const Acknowledgement& acknowledgement) {
    links_.resize(acknowledgement.hops);
    for (std::uint32_t hop = 0; hop < acknowledgement.hops; ++hop) {
        const HopTelemetry& seen = acknowledgement.telemetry[hop];
        links_[hop] = {seen.time, seen.sent, seen.queue};
    }
}

void Hpcc::measure(const Acknowledgement& acknowledgement) {
    const double round_trip = parameters_.round_trip;
    double largest = -1;
    double interval = 0;
    for (std::uint32_t hop = 0; hop < acknowledgement.hops; ++hop) {
        const HopTelemetry& now = acknowledgement.telemetry[hop];
        const Link& before = links_[hop];
        if (now.time <= before.time) {
            continue;
        }
        const auto rate = static_cast<double>(now.rate) / 1e12;
        const auto elapsed = static_cast<double>(now.time - before.time);
        const auto waiting = static_cast<double>(std::min(now.queue, before.queue));
        const double utilisation = waiting / (rate * round_trip) +
                                   static_cast<double>(now.sent - before.sent) / (elapsed * rate);
        if (utilisation > largest) {
            largest = utilisation;
            interval = elapsed;
        }
    }
    if (largest >= 0) {
        const double weight = std::min(interval, round_trip) / round_trip;
        utilisation_ = (1 - weight) * utilisation_ + weight * largest;
    }
}

void Hpcc::compute(bool first) {
    const double eta = parameters_.eta;
    const bool multiplicative = utilisation_ >= eta || stage_ >= parameters_.max_stage;
    // An idle path may have a utilisation of 0.
    const double scaled =
        multiplicative ? reference_ * eta / std::max(utilisation_, 1e-9) : reference_;
    window_ = std::min(scaled + parameters_.window_ai, parameters_.max_window);
    if (first) {
        stage_ = multiplicative ? 0 : stage_ + 1;
        reference_ = window_;
    }
}

}  // namespace npunet::packet
