// Time, Bytes and Rate: the three physical quantities of the project, each a type of its own.
//
// Time is a signed 64-bit count of picoseconds (a 4 KiB packet at 900 GB/s lasts 4.6 ns, so
// nanoseconds are too coarse; 2^63 ps are 106 days). A rate is a whole number of bytes per second.
//
//     Time t = Time::ns(500) + transfer_time(Bytes{4160}, Rate{50'000'000'000});   // 583'200 ps
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <limits>

namespace npunet {

/// An instant or a span of simulated time, in picoseconds.
class Time {
public:
    constexpr Time() = default;
    [[nodiscard]] static constexpr Time ps(std::int64_t value) { return Time(value); }
    [[nodiscard]] static constexpr Time ns(std::int64_t value) { return Time(value * 1000); }
    [[nodiscard]] static constexpr Time max() {
        return Time(std::numeric_limits<std::int64_t>::max());
    }

    [[nodiscard]] constexpr std::int64_t ps() const { return ps_; }

    constexpr Time& operator+=(Time other) {
        ps_ += other.ps_;
        return *this;
    }
    constexpr Time& operator-=(Time other) {
        ps_ -= other.ps_;
        return *this;
    }
    friend constexpr Time operator+(Time a, Time b) { return Time(a.ps_ + b.ps_); }
    friend constexpr Time operator-(Time a, Time b) { return Time(a.ps_ - b.ps_); }
    friend constexpr Time operator*(std::int64_t n, Time t) { return Time(n * t.ps_); }
    friend constexpr bool operator==(Time a, Time b) { return a.ps_ == b.ps_; }
    friend constexpr bool operator!=(Time a, Time b) { return a.ps_ != b.ps_; }
    friend constexpr bool operator<(Time a, Time b) { return a.ps_ < b.ps_; }
    friend constexpr bool operator>(Time a, Time b) { return a.ps_ > b.ps_; }
    friend constexpr bool operator<=(Time a, Time b) { return a.ps_ <= b.ps_; }
    friend constexpr bool operator>=(Time a, Time b) { return a.ps_ >= b.ps_; }

private:
    constexpr explicit Time(std::int64_t value) : ps_(value) {}
    std::int64_t ps_ = 0;
};

/// An amount of data, in bytes.
class Bytes {
public:
    constexpr Bytes() = default;
    constexpr explicit Bytes(std::int64_t value) : value_(value) {}

    [[nodiscard]] constexpr std::int64_t value() const { return value_; }

    constexpr Bytes& operator+=(Bytes other) {
        value_ += other.value_;
        return *this;
    }
    constexpr Bytes& operator-=(Bytes other) {
        value_ -= other.value_;
        return *this;
    }
    friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes(a.value_ + b.value_); }
    friend constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes(a.value_ - b.value_); }
    friend constexpr Bytes operator*(std::int64_t n, Bytes b) { return Bytes(n * b.value_); }
    friend constexpr bool operator==(Bytes a, Bytes b) { return a.value_ == b.value_; }
    friend constexpr bool operator!=(Bytes a, Bytes b) { return a.value_ != b.value_; }
    friend constexpr bool operator<(Bytes a, Bytes b) { return a.value_ < b.value_; }
    friend constexpr bool operator>(Bytes a, Bytes b) { return a.value_ > b.value_; }
    friend constexpr bool operator<=(Bytes a, Bytes b) { return a.value_ <= b.value_; }
    friend constexpr bool operator>=(Bytes a, Bytes b) { return a.value_ >= b.value_; }

private:
    std::int64_t value_ = 0;
};

/// How fast data flows, in whole bytes per second; positive.
class Rate {
public:
    constexpr Rate() = default;
    constexpr explicit Rate(std::int64_t bytes_per_second) : bytes_per_second_(bytes_per_second) {}

    [[nodiscard]] constexpr std::int64_t bytes_per_second() const { return bytes_per_second_; }

    friend constexpr bool operator==(Rate a, Rate b) {
        return a.bytes_per_second_ == b.bytes_per_second_;
    }
    friend constexpr bool operator!=(Rate a, Rate b) { return !(a == b); }
    friend constexpr bool operator<(Rate a, Rate b) {
        return a.bytes_per_second_ < b.bytes_per_second_;
    }

private:
    std::int64_t bytes_per_second_ = 0;
};

/// from + span, or Time::max() where that lies beyond it; neither is negative.
[[nodiscard]] constexpr Time later(Time from, Time span) {
    return span > Time::max() - from ? Time::max() : from + span;
}

/// a x b, or 2^63 - 1 where that is more; neither is negative.
[[nodiscard]] constexpr std::int64_t capped_product(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return a > 0 && b > most / a ? most : a * b;
}

/// A number without its fraction, from -2^60 to 2^60, so that sums of a few stay numbers; 0 for
/// what is none.
[[nodiscard]] constexpr std::int64_t capped_whole(double value) {
    constexpr std::int64_t most = std::int64_t{1} << 60;
    constexpr auto limit = static_cast<double>(most);
    if (!(value > -limit && value < limit)) {
        return value > 0 ? most : value < 0 ? -most : 0;
    }
    return static_cast<std::int64_t>(value);
}

/// ceil(amount x 10^12 / per_second) picoseconds; the product is formed in 128 bits.
/// amount >= 0 and per_second > 0; a result beyond 2^63 ps is clamped to Time::max().
[[nodiscard]] constexpr Time time_for(std::int64_t amount, std::int64_t per_second) {
    // Where the sum stays below 2^64 the division is a short one.
    constexpr std::int64_t short_amount = 9'000'000;
    constexpr std::int64_t short_rate = 9'000'000'000'000'000'000;
    if (amount <= short_amount && per_second <= short_rate) {
        const auto divisor = static_cast<std::uint64_t>(per_second);
        const std::uint64_t product = static_cast<std::uint64_t>(amount) * 1'000'000'000'000ULL;
        const std::uint64_t quotient = (product + divisor - 1) / divisor;
        return Time::ps(static_cast<std::int64_t>(quotient));
    }
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(amount) * 1'000'000'000'000ULL;
    const Wide divisor = static_cast<Wide>(per_second);
    const Wide quotient = (product + divisor - 1) / divisor;
    return quotient > static_cast<Wide>(Time::max().ps())
               ? Time::max()
               : Time::ps(static_cast<std::int64_t>(quotient));
}

/// How long `bytes` occupy a link of the given rate: ceil(bytes x 10^12 / rate) ps.
[[nodiscard]] constexpr Time transfer_time(Bytes bytes, Rate rate) {
    return time_for(bytes.value(), rate.bytes_per_second());
}

/// Part `index` of `parts` of a buffer: floor(S (i+1)/n) - floor(S i/n). The parts sum to `total`
/// and differ by at most one byte. 0 <= index < parts.
[[nodiscard]] constexpr Bytes part_of(Bytes total, std::int64_t index, std::int64_t parts) {
    __extension__ using Wide = __int128;
    const Wide size = total.value();
    return Bytes(static_cast<std::int64_t>(size * (index + 1) / parts) -
                 static_cast<std::int64_t>(size * index / parts));
}

}  // namespace npunet
