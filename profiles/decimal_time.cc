#include "profiles/decimal_time.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/ascii.h"

namespace npunet::profiles {

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr double most_as_double = 9.2e18;

std::optional<std::int64_t> scaled_double(std::string_view text, double scale) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() ||
        !(std::abs(value * scale) < most_as_double)) {
        return std::nullopt;
    }
    return std::llround(value * scale);
}

/// The number times 10^decimals, further decimals rounded.
std::optional<std::int64_t> scaled(std::string_view text, int decimals) {
    const std::string_view whole_text = text;
    const bool negative = !text.empty() && text.front() == '-';
    text.remove_prefix(negative ? 1 : 0);
    std::int64_t value = 0;
    int left = -1;  // decimals still to come; -1 before the point
    bool digits = false;
    bool up = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '.' && left < 0) {
            left = decimals;
        } else if (!is_digit(c)) {
            return scaled_double(whole_text, decimals == 0 ? 1 : 1000);
        } else if (left != 0) {
            if (value > (most - 9) / 10) {
                return std::nullopt;
            }
            value = value * 10 + (c - '0');
            left -= left > 0 ? 1 : 0;
            digits = true;
            up = left == 0 && i + 1 < text.size() && text[i + 1] >= '5' && is_digit(text[i + 1]);
        } else if (decimals == 0 && c != '0') {
            return std::nullopt;
        }
    }
    for (left = left < 0 ? decimals : left; left > 0; --left) {
        if (value > most / 10) {
            return std::nullopt;
        }
        value *= 10;
    }
    value += up ? 1 : 0;
    return digits ? std::optional(negative ? -value : value) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> nanoseconds_of(std::string_view microseconds) {
    return scaled(microseconds, 3);
}

std::optional<std::int64_t> whole_number_of(std::string_view text) {
    return scaled(text, 0);
}

}  // namespace npunet::profiles
