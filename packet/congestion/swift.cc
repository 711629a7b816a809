#include "packet/congestion/swift.h"

#include "packet/congestion/congestion_parameters.h"

#include "topology/parameters/congestion_parameters.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace npunet::packet {

Swift::Swift(const topology::CongestionControlChoice& choice, const FlowPath& path)
    : parameters_(resolve(choice, path)),
      window_(parameters_.initial_window),
      round_trip_(path.round_trip),
      decreased_(std::numeric_limits<std::int64_t>::min() / 2) {
    bound();
}

Swift::Parameters Swift::resolve(const topology::CongestionControlChoice& choice,
                                 const FlowPath& path) {
    using Parameter = topology::SwiftParameter;
    const CongestionParameters given(choice, path);
    const auto packet = static_cast<double>(path.packet);
    const double fs_range = given[Parameter::fs_range] + given[Parameter::fs_range_round_trips];
    const double fs_most = 1 / std::sqrt(given[Parameter::fs_min_window]);
    const double fs_least = 1 / std::sqrt(given[Parameter::fs_max_window]);
    return {.window_ai = given[Parameter::window_ai],
            .beta = given[Parameter::beta],
            .max_mdf = given[Parameter::max_mdf],
            .base_target = given[Parameter::base_target] +
                           given[Parameter::base_target_round_trips] +
                           path.hops * given[Parameter::hop_scaling],
            .fs_range = fs_range,
            .fs_slope = fs_range / (fs_most - fs_least),
            .fs_least = fs_least,
            .initial_window = given[Parameter::initial_window] / packet,
            .min_window = given[Parameter::min_window],
            .max_window = std::max(1.0, given[Parameter::max_window] / packet),
            .reset_timeouts = given.whole(Parameter::reset_timeouts),
            .packet = path.packet};
}

std::int64_t Swift::window() const {
    const double bytes = window_ * static_cast<double>(parameters_.packet);
    return std::max(parameters_.packet, rounded(bytes));
}

std::int64_t Swift::rate(std::int64_t /* now */) {
    if (window_ >= 1) {
        return no_pacing;
    }
    const double bytes = window_ * static_cast<double>(parameters_.packet);
    const double rate = bytes * 1e12 / static_cast<double>(round_trip_);
    return std::max(std::int64_t{1}, rounded(rate));
}

double Swift::target_delay() const {
    const double scaling = parameters_.fs_slope * (1 / std::sqrt(window_) - parameters_.fs_least);
    return parameters_.base_target + std::clamp(scaling, 0.0, parameters_.fs_range);
}

void Swift::acknowledged(const Acknowledgement& acknowledgement) {
    timeouts_ = 0;
    round_trip_ = std::max(std::int64_t{1}, acknowledgement.round_trip);
    const auto delay = static_cast<double>(round_trip_);
    const double target = target_delay();
    if (delay < target) {
        const double packets =
            static_cast<double>(acknowledgement.bytes) / static_cast<double>(parameters_.packet);
        window_ += parameters_.window_ai * packets / std::max(window_, 1.0);
        bound();
        return;
    }
    decrease(acknowledgement.now,
             std::max(1 - parameters_.beta * (delay - target) / delay, 1 - parameters_.max_mdf));
}

void Swift::lost(std::int64_t now, bool timeout) {
    timeouts_ = timeout ? timeouts_ + 1 : 0;
    if (timeouts_ >= parameters_.reset_timeouts) {
        window_ = 0;
        bound();
        return;
    }
    decrease(now, 1 - parameters_.max_mdf);
}

void Swift::decrease(std::int64_t now, double factor) {
    ++calls_;
    if (decreased_ > now - round_trip_) {
        return;
    }
    const double before = window_;
    window_ *= factor;
    bound();
    if (window_ < before) {
        decreased_ = now;
    }
}

void Swift::scan(engine::StateScan& scan, const engine::FlowProgress& /* progress */) {
    scan.same(window_);
    scan.same(round_trip_);
    scan.same(std::int64_t{timeouts_});
    // As long as decrease() is not called, the time of the last decrease has no effect.
    scan.same(calls_);
}

void Swift::bound() {
    window_ = std::clamp(window_, parameters_.min_window, parameters_.max_window);
}

}  // namespace npunet::packet
