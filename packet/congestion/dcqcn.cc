#include "packet/congestion/dcqcn.h"

#include "packet/congestion/congestion_parameters.h"

#include "topology/parameters/congestion_parameters.h"

#include <algorithm>

namespace npunet::packet {

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
    : parameters_(resolve(choice, path)), rate_(path.rate), target_(path.rate) {}

Dcqcn::Parameters Dcqcn::resolve(const topology::CongestionControlChoice& choice,
                                 const FlowPath& path) {
    using Parameter = topology::DcqcnParameter;
    const CongestionParameters given(choice, path);
    return {.gain = given[Parameter::gain],
            .alpha_timer = given.whole(Parameter::alpha_timer),
            .increase_timer = given.whole(Parameter::increase_timer),
            .byte_counter = given.whole(Parameter::byte_counter),
            .fast_recovery = given.whole(Parameter::fast_recovery),
            .rate_ai = std::max(std::int64_t{1}, given.whole(Parameter::rate_ai)),
            .rate_hai = std::max(std::int64_t{1}, given.whole(Parameter::rate_hai)),
            .min_rate = given.whole(Parameter::min_rate),
            .line_rate = path.rate,
            .clamp_target_rate = given.flag(Parameter::clamp_target_rate)};
}

double Dcqcn::current_alpha(std::int64_t now) const {
    if (notified_ < 0) {
        return alpha_;
    }
    const std::int64_t periods = (now - notified_) / parameters_.alpha_timer;
    return alpha_ * power(1 - parameters_.gain, periods);
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
    bytes_ += wire;
    for (; bytes_ >= parameters_.byte_counter; bytes_ -= parameters_.byte_counter) {
        ++byte_periods_;
        increase();
    }
}

void Dcqcn::notified(std::int64_t now) {
    advance(now);
    const double alpha = current_alpha(now);
    const std::int64_t least = std::clamp(parameters_.min_rate, std::int64_t{1}, rate_);
    if (ticks_ > 0 || parameters_.clamp_target_rate) {
        target_ = rate_;
    }
    rate_ = std::max(least, rounded(static_cast<double>(rate_) * (1 - alpha / 2)));
    alpha_ = (1 - parameters_.gain) * alpha + parameters_.gain;
    notified_ = now;
    bytes_ = 0;
    ticks_ = 0;
    byte_periods_ = 0;
}

void Dcqcn::advance(std::int64_t now) {
    if (notified_ < 0) {
        return;
    }
    const std::int64_t ticks = (now - notified_) / parameters_.increase_timer;
    if (ticks > ticks_) {
        tick(ticks - ticks_);
    }
}

void Dcqcn::tick(std::int64_t ticks) {
    const std::int64_t line = parameters_.line_rate;
    while (ticks > 0) {
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
        if (ticks_ > parameters_.fast_recovery && target_ - rate_ == gap && raise > 0) {
            const std::int64_t steps = std::min(ticks, (line - target_) / raise);
            target_ += steps * raise;
            rate_ += steps * raise;
            ticks_ += steps;
            ticks -= steps;
        }
    }
}

std::int64_t Dcqcn::rate_raise() const {
    if (std::max(ticks_, byte_periods_) < parameters_.fast_recovery) {
        return 0;
    }
    const bool hyper = std::min(ticks_, byte_periods_) > parameters_.fast_recovery;
    return hyper ? parameters_.rate_hai : parameters_.rate_ai;
}

void Dcqcn::scan(engine::StateScan& scan, const engine::FlowProgress& /* progress */) {
    scan.same(rate_);
    scan.same(alpha_);
    scan.same(std::int64_t{notified_ < 0});
    if (rate_ == parameters_.line_rate) {
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
    target_ = std::min(target_ + rate_raise(), parameters_.line_rate);
    rate_ += (target_ - rate_ + 1) / 2;
}

}  // namespace npunet::packet
