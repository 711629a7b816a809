#include "packet/congestion/swift.h"

#include "topology/parameters/congestion_parameters.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace npunet::packet {

using topology::SwiftParameter;

Swift::Swift(const topology::CongestionControlChoice& choice, const FlowPath& path)
    : parameters_(choice, path),
      window_(parameters_[SwiftParameter::initial_window] / static_cast<double>(path.packet)),
      round_trip_(path.round_trip),
      decreased_(std::numeric_limits<std::int64_t>::min() / 2) {
    bound();
}

std::int64_t Swift::window() const {
    const std::int64_t packet = parameters_.path().packet;
    const double bytes = window_ * static_cast<double>(packet);
    return std::max(packet, rounded(bytes));
}

std::int64_t Swift::rate(std::int64_t /* now */) {
    if (window_ >= 1) {
        return no_pacing;
    }
    const double bytes = window_ * static_cast<double>(parameters_.path().packet);
    const double rate = bytes * 1e12 / static_cast<double>(round_trip_);
    return std::max(std::int64_t{1}, rounded(rate));
}

double Swift::target_delay() const {
    const double range =
        parameters_[SwiftParameter::fs_range] + parameters_[SwiftParameter::fs_range_round_trips];
    const double at_least = 1 / std::sqrt(parameters_[SwiftParameter::fs_min_window]);
    const double at_most = 1 / std::sqrt(parameters_[SwiftParameter::fs_max_window]);
    const double slope = range / (at_least - at_most);
    const double scaling = slope * (1 / std::sqrt(window_) - at_most);
    return parameters_[SwiftParameter::base_target] +
           parameters_[SwiftParameter::base_target_round_trips] +
           parameters_.path().hops * parameters_[SwiftParameter::hop_scaling] +
           std::clamp(scaling, 0.0, range);
}

void Swift::acknowledged(const Acknowledgement& acknowledgement) {
    timeouts_ = 0;
    if (acknowledgement.round_trip < 0) {
        return;
    }
    round_trip_ = std::max(std::int64_t{1}, acknowledgement.round_trip);
    const auto delay = static_cast<double>(round_trip_);
    const double target = target_delay();
    if (delay < target) {
        const double packets = static_cast<double>(acknowledgement.bytes) /
                               static_cast<double>(parameters_.path().packet);
        window_ += parameters_[SwiftParameter::window_ai] * packets / std::max(window_, 1.0);
        bound();
        return;
    }
    decrease(acknowledgement.now,
             std::max(1 - parameters_[SwiftParameter::beta] * (delay - target) / delay,
                      1 - parameters_[SwiftParameter::max_mdf]));
}

void Swift::lost(std::int64_t now, bool timeout) {
    timeouts_ = timeout ? timeouts_ + 1 : 0;
    if (timeouts_ >= parameters_.whole(SwiftParameter::reset_timeouts)) {
        window_ = 0;
        bound();
        return;
    }
    decrease(now, 1 - parameters_[SwiftParameter::max_mdf]);
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
    const double most = std::max(1.0, parameters_[SwiftParameter::max_window] /
                                          static_cast<double>(parameters_.path().packet));
    window_ = std::clamp(window_, parameters_[SwiftParameter::min_window], most);
}

}  // namespace npunet::packet
