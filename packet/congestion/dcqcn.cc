#include "packet/congestion/dcqcn.h"

#include "topology/parameters/congestion_parameters.h"

#include <algorithm>

namespace npunet::packet {

using topology::DcqcnParameter;

namespace {

/// By squaring, as results of std::pow() differ between libraries. `base` is from 0 to 1,
/// `exponent` not negative.
double power(double base, std::int64_t exponent) {
    double result = 1;
    for (; exponent > 0 && result > 0; exponent /= 2) {
        if (exponent % 2 == 1) {
            result *= base;
        }
        base *= base;
    }
    return result;
}

}  // namespace

Dcqcn::Dcqcn(const topology::CongestionControlChoice& choice, const FlowPath& path)
    : parameters_(choice, path), rate_(path.rate), target_(path.rate) {}

double Dcqcn::current_alpha(std::int64_t now) const {
    if (notified_ < 0) {
        return alpha_;
    }
    const std::int64_t periods = (now - notified_) / parameters_.whole(DcqcnParameter::alpha_timer);
    return alpha_ * power(1 - parameters_[DcqcnParameter::gain], periods);
}

std::int64_t Dcqcn::rate(std::int64_t now) {
    advance(now);
    return rate_;
}

void Dcqcn::packet_sent(std::int64_t now, std::int64_t wire) {
    if (notified_ < 0) {
        return;
    }
    advance(now);
    const std::int64_t counter = parameters_.whole(DcqcnParameter::byte_counter);
    bytes_ += wire;
    for (; bytes_ >= counter; bytes_ -= counter) {
        ++byte_periods_;
        increase();
    }
}

void Dcqcn::notified(std::int64_t now) {
    advance(now);
    const double alpha = current_alpha(now);
    const double gain = parameters_[DcqcnParameter::gain];
    const std::int64_t least =
        std::clamp(parameters_.whole(DcqcnParameter::min_rate), std::int64_t{1}, rate_);
    if (ticks_ > 0 || parameters_[DcqcnParameter::clamp_target_rate] != 0) {
        target_ = rate_;
    }
    rate_ = std::max(least, rounded(static_cast<double>(rate_) * (1 - alpha / 2)));
    alpha_ = (1 - gain) * alpha + gain;
    notified_ = now;
    bytes_ = 0;
    ticks_ = 0;
    byte_periods_ = 0;
}

void Dcqcn::advance(std::int64_t now) {
    if (notified_ < 0) {
        return;
    }
    const std::int64_t ticks =
        (now - notified_) / parameters_.whole(DcqcnParameter::increase_timer);
    if (ticks > ticks_) {
        tick(ticks - ticks_);
    }
}

void Dcqcn::tick(std::int64_t ticks) {
    const auto threshold = parameters_.whole(DcqcnParameter::fast_recovery);
    while (ticks > 0) {
        const std::int64_t line = parameters_.path().rate;
        if (rate_ == line) {
            ticks_ += ticks;
            return;
        }
        const std::int64_t gap = target_ - rate_;
        ++ticks_;
        --ticks;
        increase();
        // Once T has passed the threshold, every further tick raises the target by the same amount.
        // When the gap between rate and target is constant, both rise by that amount per tick.
        const std::int64_t raise = rate_raise();
        if (ticks_ > threshold && target_ - rate_ == gap && raise > 0) {
            const std::int64_t steps = std::min(ticks, (line - target_) / raise);
            target_ += steps * raise;
            rate_ += steps * raise;
            ticks_ += steps;
            ticks -= steps;
        }
    }
}

std::int64_t Dcqcn::rate_raise() const {
    const std::int64_t threshold = parameters_.whole(DcqcnParameter::fast_recovery);
    if (std::max(ticks_, byte_periods_) < threshold) {
        return 0;
    }
    const bool hyper = std::min(ticks_, byte_periods_) > threshold;
    const std::size_t step = hyper ? DcqcnParameter::rate_hai : DcqcnParameter::rate_ai;
    return std::max(std::int64_t{1}, parameters_.whole(step));
}

void Dcqcn::scan(engine::StateScan& scan, const engine::FlowProgress& /* progress */) {
    scan.same(rate_);
    scan.same(alpha_);
    scan.same(std::int64_t{notified_ < 0});
    if (rate_ == parameters_.path().rate) {
        // Increases have no effect, and the next CNP resets everything but alpha.
        scan.lasting(notified_);
        return;
    }
    scan.same(target_);
    scan.instant(notified_);
    scan.same(bytes_);
    scan.same(ticks_);
    scan.same(byte_periods_);
}

void Dcqcn::increase() {
    target_ = std::min(target_ + rate_raise(), parameters_.path().rate);
    rate_ += (target_ - rate_ + 1) / 2;
}

}  // namespace npunet::packet
