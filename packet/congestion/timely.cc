#include "packet/congestion/timely.h"

#include "topology/parameters/congestion_parameters.h"

#include <algorithm>

namespace npunet::packet {

using topology::TimelyParameter;

Timely::Timely(const topology::CongestionControlChoice& choice, const FlowPath& path)
    : parameters_(choice, path), rate_(static_cast<double>(path.rate)) {}

std::int64_t Timely::rate(std::int64_t /* now */) {
    return std::max(std::int64_t{1}, rounded(rate_));
}

double Timely::normalized_gradient() const {
    return difference_ / static_cast<double>(parameters_.path().round_trip);
}

void Timely::acknowledged(const Acknowledgement& acknowledgement) {
    bytes_ += acknowledgement.bytes;
    if (acknowledgement.round_trip < 0 || bytes_ < parameters_.whole(TimelyParameter::segment) ||
        acknowledgement.next <= round_end_) {
        return;
    }
    bytes_ = 0;
    if (parameters_[TimelyParameter::every_round_trip] > 0) {
        round_end_ = acknowledgement.sent;
    }
    update(acknowledgement.round_trip);
}

void Timely::scan(engine::StateScan& scan, const engine::FlowProgress& progress) {
    scan.same(rate_);
    scan_gradient(scan);
    scan.same(round_trip_);
    scan.same(bytes_);
    if (parameters_[TimelyParameter::every_round_trip] > 0) {
        scan.sequence(round_end_, progress);
    }
}

void Timely::average(std::int64_t round_trip) {
    if (round_trip_ >= 0) {
        const double weight = parameters_[TimelyParameter::ewma_weight];
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
    const auto falling =
        std::min<std::int64_t>(falling_, parameters_.whole(TimelyParameter::hai_threshold));
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
    const double low = low_delay();
    const auto time = static_cast<double>(round_trip);
    changes_ += round_trip != round_trip_ || !(time < low) ? 1 : 0;
    average(round_trip);
    const double gradient = normalized_gradient();
    const double high = std::max(low, parameters_[TimelyParameter::t_high] +
                                          parameters_[TimelyParameter::t_high_round_trips]);
    const double increase = parameters_[TimelyParameter::rate_ai];
    const double beta = parameters_[TimelyParameter::beta];
    if (time < low) {
        rate_ += increase;
    } else if (time > high) {
        rate_ *= 1 - beta * (1 - high / time);
    } else if (gradient <= 0) {
        const bool hyper = falling_ >= parameters_.whole(TimelyParameter::hai_threshold);
        rate_ += hyper ? parameters_[TimelyParameter::hai_factor] * increase : increase;
    } else {
        rate_ *= 1 - beta * gradient;
    }
    const auto line = static_cast<double>(parameters_.path().rate);
    rate_ = std::clamp(rate_, std::min(parameters_[TimelyParameter::min_rate], line), line);
}

}  // namespace npunet::packet
