#include "report/figures/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace npunet::report {

namespace {

constexpr double wide_span = 50;

/// 1, 2 or 5 times a power of ten, not below `value`.
double nice_above(double value) {
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double digit : {1.0, 2.0, 5.0}) {
        if (digit * power >= value * (1 - 1e-9)) {
            return digit * power;
        }
    }
    return 10 * power;
}

}  // namespace

const std::vector<ScaleUnit>& time_units() {
    static const std::vector<ScaleUnit> units{
        {"ps", 1e-12}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    return units;
}

const std::vector<ScaleUnit>& byte_units() {
    static const std::vector<ScaleUnit> units{
        {"B", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
    return units;
}

const std::vector<ScaleUnit>& no_units() {
    static const std::vector<ScaleUnit> units{{"", 1}};
    return units;
}

const ScaleUnit& unit_below(double value, const std::vector<ScaleUnit>& units) {
    const ScaleUnit* below = &units.front();
    for (const ScaleUnit& unit : units) {
        if (value >= unit.second) {
            below = &unit;
        }
    }
    return *below;
}

Scale Scale::over(const std::vector<double>& values, const std::vector<ScaleUnit>& units,
                  double from, double to) {
    Scale scale;
    scale.from_ = from;
    scale.to_ = to;
    if (!values.empty()) {
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        scale.logarithmic_ = *least > 0 && *most >= wide_span * *least;
        if (scale.logarithmic_) {
            const double space = std::pow(*most / *least, 0.08);
            scale.low_ = *least / space;
            scale.high_ = *most * space;
        } else {
            const double span = std::max({*most - *least, *most * 0.02, 1e-15});
            const bool zero_is_near = *least < *most * 0.5 || *least == *most;
            scale.low_ = zero_is_near ? 0 : std::max(0.0, *least - 0.12 * span);
            scale.high_ = *most + 0.12 * span;
        }
    }
    scale.choose_unit(units);
    return scale;
}

Scale Scale::from_zero(double most, const std::vector<ScaleUnit>& units, double from, double to) {
    return between(0, most > 0 ? most : 1, units, from, to);
}

Scale Scale::between(double low, double high, const std::vector<ScaleUnit>& units, double from,
                     double to) {
    Scale scale;
    scale.from_ = from;
    scale.to_ = to;
    scale.low_ = low;
    scale.high_ = high;
    scale.choose_unit(units);
    return scale;
}

void Scale::choose_unit(const std::vector<ScaleUnit>& units) {
    binary_ = logarithmic_ && &units == &byte_units();
    if (binary_) {
        unit_ = no_units().front();
        return;
    }
    unit_ = units.front();
    const double most = std::max(std::abs(low_), std::abs(high_));
    for (const ScaleUnit& unit : units) {
        // A tenth of the top may still be read as 0.5 of a unit.
        if (most >= 2 * unit.second) {
            unit_ = unit;
        }
    }
}

double Scale::position(double value) const {
    const double part = logarithmic_ ? std::log(value / low_) / std::log(high_ / low_)
                                     : (value - low_) / (high_ - low_);
    return from_ + part * (to_ - from_);
}

std::vector<double> Scale::linear_ticks(int count) const {
    const double low = low_ / unit_.second;
    const double high = high_ / unit_.second;
    const double step = nice_above((high - low) / count);
    std::vector<double> values;
    for (double i = std::ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); ++i) {
        values.push_back(i * step + 0.0);  // no negative zero
    }
    return values;
}

std::vector<double> Scale::logarithmic_ticks(int count) const {
    const double low = low_ / unit_.second;
    const double high = high_ / unit_.second;
    const double decades = std::log10(high / low);
    const int skip = std::max(1, static_cast<int>(std::ceil(decades / count)));
    std::vector<double> digits{1};
    if (decades * 3 <= count + 2) {
        digits = {1, 2, 5};
    }
    std::vector<double> values;
    const int first = static_cast<int>(std::floor(std::log10(low)));
    for (int power = first; std::pow(10, power) <= high; ++power) {
        for (const double digit : digits) {
            const double value = digit * std::pow(10, power);
            if (power % skip == 0 && value >= low && value <= high) {
                values.push_back(value);
            }
        }
    }
    return values;
}

std::vector<Tick> Scale::binary_ticks(int count) const {
    const double octaves = std::log2(high_ / low_);
    int step = 20;
    for (const int finer : {10, 5, 2, 1}) {  // each unit is 10 octaves above the one before
        if (octaves <= finer * count) {
            step = finer;
        }
    }
    std::vector<Tick> ticks;
    const int first = static_cast<int>(std::ceil(std::log2(low_) / step));
    for (int i = std::max(0, first); std::exp2(i * step) <= high_; ++i) {
        const double bytes = std::exp2(i * step);
        const ScaleUnit& unit = unit_below(bytes, byte_units());
        ticks.push_back(
            {position(bytes), fmt::format("{:.0f} {}", bytes / unit.second, unit.first)});
    }
    return ticks;
}

std::vector<Tick> Scale::ticks(int count) const {
    if (binary_) {
        return binary_ticks(count);
    }
    const std::vector<double> values =
        logarithmic_ ? logarithmic_ticks(count) : linear_ticks(count);
    int decimals = 0;
    if (!logarithmic_ && values.size() > 1) {
        decimals =
            std::max(0, static_cast<int>(-std::floor(std::log10(values[1] - values[0]) + 1e-9)));
    }
    std::vector<Tick> ticks;
    for (const double value : values) {
        ticks.push_back({position(value * unit_.second),
                         logarithmic_ ? fmt::format("{:.6g}", value)
                                      : fmt::format("{:.{}f}", value, decimals)});
    }
    return ticks;
}

}  // namespace npunet::report
