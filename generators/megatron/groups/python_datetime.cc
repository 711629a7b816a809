#include "generators/megatron/groups/python_datetime.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/ascii.h"
#include "base/errors.h"

namespace npunet::generators::megatron {

namespace {

int days_of(int year, int month) {
    constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

bool exists(const PythonDatetime& time) {
    return time.year >= 1 && time.month >= 1 && time.month <= 12 && time.day >= 1 &&
           time.day <= days_of(time.year, time.month) && time.hour < 24 && time.minute < 60 &&
           time.second < 60;
}

/// The digits where the pattern has letters of a part of the time; the rest must be equal.
std::optional<PythonDatetime> matched(std::string_view text, std::string_view pattern) {
    if (text.size() != pattern.size()) {
        return std::nullopt;
    }
    PythonDatetime time{0, 0, 0, 0, 0, 0, 0};
    constexpr std::string_view letters = "YmdHMSf";
    const std::array<int*, 7> parts = {&time.year,   &time.month,  &time.day,        &time.hour,
                                       &time.minute, &time.second, &time.microsecond};
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t letter = letters.find(pattern[i]);
        if (letter == std::string_view::npos ? text[i] != pattern[i] : !is_digit(text[i])) {
            return std::nullopt;
        }
        if (letter != std::string_view::npos) {
            *parts[letter] = *parts[letter] * 10 + (text[i] - '0');
        }
    }
    return time;
}

std::optional<PythonDatetime> parsed(std::string text) {
    const std::size_t dot = text.find('.');
    if (dot != std::string::npos && dot + 1 < text.size()) {
        text.resize(std::max(text.size(), dot + 7), '0');
    }
    for (const std::string_view pattern :
         {"YYYYmmdd_HHMMSS", "YYYY-mm-dd HH:MM:SS", "YYYY-mm-dd HH:MM:SS.ffffff"}) {
        const std::optional<PythonDatetime> time = matched(text, pattern);
        if (time && exists(*time)) {
            return time;
        }
    }
    return std::nullopt;
}

}  // namespace

std::string PythonDatetime::text() const {
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}{}", year, month, day, hour, minute,
                       second, microsecond == 0 ? "" : fmt::format(".{:06}", microsecond));
}

std::string PythonDatetime::compact() const {
    return fmt::format("{:04}{:02}{:02}_{:02}{:02}{:02}", year, month, day, hour, minute, second);
}

PythonDatetime python_datetime(const std::string& text, const std::string& source) {
    const std::optional<PythonDatetime> time = parsed(text);
    if (!time) {
        throw InputError({source, "", fmt::format("'{}'", text),
                          "a time as 2026-02-10 16:38:51, 2026-02-10 16:38:51.123456 or "
                          "20260210_163851",
                          "Give a day of the calendar and a time of 24 hours"});
    }
    return *time;
}

}  // namespace npunet::generators::megatron
