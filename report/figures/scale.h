// An axis: which values lie where, which of them get a tick, and in which unit they are read.
//
//     const Scale scale = Scale::over(times, time_units(), {left, right});
//     scale.position(0.0123);                  // in pixels
//     scale.ticks();                           // {value, "12"} ... in scale.unit()
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/quantities.h"

namespace npunet::report {

/// A unit of an axis: its name, and how many base units it is.
using ScaleUnit = std::pair<std::string, double>;

/// ps, ns, us, ms, s; the base is the second.
[[nodiscard]] const std::vector<ScaleUnit>& time_units();
/// B, KiB, MiB, GiB, TiB; the base is the byte.
[[nodiscard]] const std::vector<ScaleUnit>& byte_units();
/// Plain numbers.
[[nodiscard]] const std::vector<ScaleUnit>& no_units();

constexpr double seconds_per_ps = 1e-12;
[[nodiscard]] inline double as_seconds(Time time) {
    return static_cast<double>(time.ps()) * seconds_per_ps;
}

/// The largest unit that the value has one of; the first where there is none.
[[nodiscard]] const ScaleUnit& unit_below(double value, const std::vector<ScaleUnit>& units);

struct Tick {
    double position = 0;
    std::string label;
};

class Scale {
public:
    /// Covers the values, with some space around; from 0 where that is not far. Logarithmic where
    /// they span a factor of 50 or more. `from` and `to` are pixels. No values: 0 to 1.
    [[nodiscard]] static Scale over(const std::vector<double>& values,
                                    const std::vector<ScaleUnit>& units, double from, double to);
    /// Linear from 0 to `most` without space above it.
    [[nodiscard]] static Scale from_zero(double most, const std::vector<ScaleUnit>& units,
                                         double from, double to);
    /// Linear from `low` to `high`, which is above it, without space around them.
    [[nodiscard]] static Scale between(double low, double high, const std::vector<ScaleUnit>& units,
                                       double from, double to);

    [[nodiscard]] double position(double value) const;
    /// Ticks at 1, 2 or 5 times powers of ten, about `count` of them; on a logarithmic axis of
    /// bytes at powers of two, each with its own unit: "64 KiB".
    [[nodiscard]] std::vector<Tick> ticks(int count = 6) const;
    /// Empty where ticks have their own.
    [[nodiscard]] const std::string& unit() const { return unit_.first; }
    [[nodiscard]] bool logarithmic() const { return logarithmic_; }

private:
    void choose_unit(const std::vector<ScaleUnit>& units);
    [[nodiscard]] std::vector<double> logarithmic_ticks(int count) const;
    [[nodiscard]] std::vector<Tick> binary_ticks(int count) const;
    [[nodiscard]] std::vector<double> linear_ticks(int count) const;

    double low_ = 0;
    double high_ = 1;
    double from_ = 0;
    double to_ = 1;
    bool logarithmic_ = false;
    bool binary_ = false;  ///< of bytes, and logarithmic
    ScaleUnit unit_;
};

}  // namespace npunet::report
