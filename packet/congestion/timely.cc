#include "packet/congestion/timely.h"

#include "packet/congestion/congestion_parameters.h"

#include "topology/parameters/congestion_parameters.h"

#include <algorithm>

namespace npunet::packet {

Timely::Timely(const topology::CongestionControlChoice& choice, const FlowPath& path)
    : parameters_(resolve(choice, path)), rate_(parameters_.line_rate) {}

Timely::Parameters Timely::resolve(const topology::CongestionControlChoice& choice,
                                   const FlowPath& path) {
    using Parameter = topology::TimelyParameter;
    const CongestionParameters given(choice, path);
    const double t_low = given[Parameter::t_low] + given[Parameter::t_low_round_trips];
    const double t_high = given[Parameter::t_high] + given[Parameter::t_high_round_trips];
    const auto line_rate = static_cast<double>(path.rate);
    return {.ewma_weight = given[Parameter::ewma_weight],
            .beta = given[Parameter::beta],
            .rate_ai = given[Parameter::rate_ai],
            .t_low = t_low,
            .t_high = std::max(t_low, t_high),
            .hai_threshold = given.whole(Parameter::hai_threshold),
            .hai_factor = given[Parameter::hai_factor],
            .segment = static_cast<std::int32_t>(given.whole(Parameter::segment)),
            .every_round_trip = given.flag(Parameter::every_round_trip),
            .min_rate = std::min(given[Parameter::min_rate], line_rate),
            .line_rate = line_rate,
            .round_trip = static_cast<double>(path.round_trip)};
}

std::int64_t Timely::rate(std::int64_t /* now */) {
    return std::max(std::int64_t{1}, rounded(rate_));
}

double Timely::normalized_gradient() const {
    return difference_ / parameters_.round_trip;
}

void Timely::acknowledged(const Acknowledgement& acknowledgement) {
    bytes_ += acknowledgement.bytes;
    if (bytes_ < parameters_.segment || acknowledgement.next <= round_end_) {
        return;
    }
    bytes_ = 0;
    if (parameters_.every_round_trip) {
        round_end_ = acknowledgement.sent;
    }
    update(acknowledgement.round_trip);
}

void Timely::scan(engine::StateScan& scan, const engine::FlowProgress& progress) {
    scan.same(rate_);
    scan_gradient(scan);
    scan.same(round_trip_);
    scan.same(bytes_);
    if (parameters_.every_round_trip) {
        scan.sequence(round_end_, progress);
    }
}

void Timely::average(std::int64_t round_trip) {
    if (round_trip_ >= 0) {
        const double weight = parameters_.ewma_weight;
        difference_ =
            (1 - weight) * difference_ + weight * static_cast<double>(round_trip - round_trip_);
    }
    round_trip_ = round_trip;
    falling_ = normalized_gradient() <= 0 ? falling_ + 1 : 0;
    ++averages_;
}

void Timely::scan_gradient(engine::StateScan& scan) {
    // While all round trips are equal and below T_low, it decays unread.
    scan.fading(difference_, changes_);
    // The exact count beyond the threshold has no effect.
    const auto falling = std::min<std::int64_t>(falling_, parameters_.hai_threshold);
    scan.fading(static_cast<double>(falling), changes_);
    const std::int64_t changes = changes_;
    const std::int64_t averages = averages_;
    scan.count(changes_);
    scan.count(averages_);
    if (changes == changes_) {
        const std::int64_t until = averages_;
        for (averages_ = averages; averages_ < until;) {
            average(round_trip_);
        }
    }
}

void Timely::update(std::int64_t round_trip) {
    const auto time = static_cast<double>(round_trip);
    changes_ += round_trip != round_trip_ || !(time < parameters_.t_low) ? 1 : 0;
    average(round_trip);
    const double gradient = normalized_gradient();
    const double increase = parameters_.rate_ai;
    if (time < parameters_.t_low) {
        rate_ += increase;
    } else if (time > parameters_.t_high) {
        rate_ *= 1 - parameters_.beta * (1 - parameters_.t_high / time);
    } else if (gradient <= 0) {
        const bool hyper = falling_ >= parameters_.hai_threshold;
        rate_ += hyper ? parameters_.hai_factor * increase : increase;
    } else {
        rate_ *= 1 - parameters_.beta * gradient;
    }
    rate_ = std::clamp(rate_, parameters_.min_rate, parameters_.line_rate);
}

}  // namespace npunet::packet
