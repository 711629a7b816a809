// A date and time as Python prints it, and as names of files have it.
//
//     const PythonDatetime time = python_datetime("2026-02-10 16:38:51.123456", "--timestamp");
//     time.text();       // "2026-02-10 16:38:51.123456", str(datetime): no fraction where it is 0
//     time.compact();    // "20260210_163851", strftime("%Y%m%d_%H%M%S")
#pragma once

#include <string>

namespace npunet::generators::megatron {

struct PythonDatetime {
    int year = 2000;
    int month = 1;
    int day = 1;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int microsecond = 0;

    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string compact() const;
};

/// From either form, with 1 to 6 digits of a second's fraction in the first. Throws InputError that
/// names `source` for anything else and for days that no calendar has.
[[nodiscard]] PythonDatetime python_datetime(const std::string& text, const std::string& source);

}  // namespace npunet::generators::megatron
