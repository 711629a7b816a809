#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/errors.h"

namespace npunet {

namespace {

struct Unit {
    std::string_view name;
    long double factor;
};

constexpr long double kilo = 1000.0L;
constexpr long double kibi = 1024.0L;

constexpr std::array<Unit, 10> byte_units{{{"", 1.0L},
                                           {"B", 1.0L},
                                           {"KB", kilo},
                                           {"MB", kilo* kilo},
                                           {"GB", kilo* kilo* kilo},
                                           {"TB", kilo* kilo* kilo* kilo},
                                           {"KiB", kibi},
                                           {"MiB", kibi* kibi},
                                           {"GiB", kibi* kibi* kibi},
                                           {"TiB", kibi* kibi* kibi* kibi}}};

constexpr std::array<Unit, 5> time_units{
    {{"ps", 1.0L}, {"ns", 1e3L}, {"us", 1e6L}, {"ms", 1e9L}, {"s", 1e12L}}};

constexpr std::array<Unit, 14> rate_units{{{"bps", 0.125L},
                                           {"Kbps", 125.0L},
                                           {"Mbps", 125e3L},
                                           {"Gbps", 125e6L},
                                           {"Tbps", 125e9L},
                                           {"B/s", 1.0L},
                                           {"KB/s", kilo},
                                           {"MB/s", kilo* kilo},
                                           {"GB/s", kilo* kilo* kilo},
                                           {"TB/s", kilo* kilo* kilo* kilo},
                                           {"KiB/s", kibi},
                                           {"MiB/s", kibi* kibi},
                                           {"GiB/s", kibi* kibi* kibi},
                                           {"TiB/s", kibi* kibi* kibi* kibi}}};

/// In 10^12 operations per second.
constexpr std::array<Unit, 6> operation_units{{{"FLOPS", 1e-12L},
                                               {"MFLOPS", 1e-6L},
                                               {"GFLOPS", 1e-3L},
                                               {"TFLOPS", 1.0L},
                                               {"PFLOPS", 1e3L},
                                               {"EFLOPS", 1e6L}}};

constexpr long double largest = 4.6e18L;

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), ascii_lower);
    return text;
}

/// A normalised unit name: without spaces, in lower case except for B (B is a byte, b a bit), and
/// with spelled-out words abbreviated.
std::string plain_name(std::string_view unit) {
    std::string name;
    for (const char letter : unit) {
        if (letter != ' ') {
            name += letter == 'B' ? letter : ascii_lower(letter);
        }
    }
    constexpr std::array<std::pair<std::string_view, std::string_view>, 21> words{
        {{"Bytes", "B"},     {"bytes", "B"}, {"Byte", "B"}, {"byte", "B"},  {"Bits", "b"},
         {"bits", "b"},      {"Bit", "b"},   {"bit", "b"},  {"micro", "u"}, {"\xC2\xB5", "u"},
         {"\xCE\xBC", "u"},  {"milli", "m"}, {"nano", "n"}, {"pico", "p"},  {"seconds", "s"},
         {"second", "s"},    {"secs", "s"},  {"sec", "s"},  {"bps", "b/s"}, {"Bps", "B/s"},
         {"flop/s", "flops"}}};
    for (const auto& [word, letters] : words) {
        if (const std::size_t at = name.find(word); at != std::string::npos) {
            name.replace(at, word.size(), letters);
        }
    }
    return name;
}

/// "Did you mean 64MB or 64MiB?": units with that name or prefix, in any case; empty if there are
/// none.
template <std::size_t N>
std::string did_you_mean(std::string_view number, std::string_view name,
                         const std::array<Unit, N>& units) {
    const std::string wanted = plain_name(name);
    const std::array<bool (*)(const std::string&, const std::string&), 3> alike{
        [](const std::string& unit, const std::string& text) { return unit == text; },
        [](const std::string& unit, const std::string& text) {
            return unit.compare(0, text.size(), text) == 0;
        },
        [](const std::string& unit, const std::string& text) {
            return lower_case(unit) == lower_case(text);
        }};
    // A unit spelled with "bit" never means bytes.
    const bool bits = lower_case(std::string(name)).find("bit") != std::string::npos;
    const std::size_t rules = wanted.empty() ? 0 : bits ? 2 : alike.size();
    for (std::size_t i = 0; i < rules; ++i) {
        std::vector<std::string> meant;
        for (const Unit& unit : units) {
            if (alike[i](plain_name(unit.name), wanted)) {
                meant.push_back(fmt::format("{}{}", number, unit.name));
            }
        }
        if (!meant.empty()) {
            return fmt::format("Did you mean {}?", fmt::join(meant, " or "));
        }
    }
    return "";
}

[[noreturn]] void refuse(std::string_view text, std::string_view where, const char* expected,
                         const std::string& suggestion = "") {
    throw InputError({std::string(where), "", fmt::format("'{}'", text), expected,
                      suggestion.empty() ? "Give a number and a unit" : suggestion});
}

[[noreturn]] void refuse_large(std::string_view text, std::string_view where) {
    throw InputError({std::string(where), "", fmt::format("'{}'", text),
                      "less: counts of bytes, of bytes per second and of picoseconds end at 2^62",
                      ""});
}

/// The number times its unit's factor; refuses what is not a number, negative, or has no such unit.
template <std::size_t N>
long double scaled(std::string_view text, const std::array<Unit, N>& units, std::string_view where,
                   const char* expected) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || !std::isfinite(number) || number < 0) {
        refuse(text, where, expected);
    }
    std::string_view name(end, static_cast<std::size_t>(text.data() + text.size() - end));
    while (!name.empty() && name.front() == ' ') {
        name.remove_prefix(1);
    }
    if (name.empty() && number == 0) {
        return 0;
    }
    for (const Unit& unit : units) {
        if (unit.name == name) {
            const long double value = static_cast<long double>(number) * unit.factor;
            if (value > largest) {
                refuse_large(text, where);
            }
            return value;
        }
    }
    const auto digits = static_cast<std::size_t>(end - text.data());
    refuse(text, where, expected, did_you_mean(text.substr(0, digits), name, units));
}

/// A whole number is read as such: doubles are exact to 2^53 only.
bool parse_whole(std::string_view text, std::int64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && value >= 0 &&
           static_cast<long double>(value) <= largest;
}

std::string with_digits(double value, std::string_view unit) {
    const int decimals = value >= 100 ? 1 : value >= 10 ? 2 : 3;
    return fmt::format("{:.{}f} {}", value, decimals, unit);
}

}  // namespace

Bytes parse_bytes(std::string_view text, std::string_view where) {
    constexpr const char* expected =
        "a size such as 4096, 64KiB, 64MiB or 1GB (a whole number of bytes, at most 4 EiB)";
    std::int64_t whole = 0;
    if (parse_whole(text, whole)) {
        return Bytes(whole);
    }
    const long double value = scaled(text, byte_units, where, expected);
    if (value != std::floor(value)) {
        refuse(text, where, expected);
    }
    return Bytes(static_cast<std::int64_t>(value));
}

Time parse_time(std::string_view text, std::string_view where) {
    return Time::ps(std::llround(scaled(text, time_units, where, "a time such as 500ns or 2ms")));
}

Rate parse_rate(std::string_view text, std::string_view where) {
    constexpr const char* expected = "a rate such as 400Gbps or 50GB/s, at least 1 B/s";
    const long double value = scaled(text, rate_units, where, expected);
    if (value < 1) {
        refuse(text, where, expected);
    }
    return Rate(std::llround(value));
}

double parse_tflops(std::string_view text, std::string_view where) {
    constexpr std::string_view per_second = "FLOP/s";
    std::string short_text(text);
    if (text.size() > per_second.size() &&
        text.substr(text.size() - per_second.size()) == per_second) {
        short_text.replace(text.size() - per_second.size(), per_second.size(), "FLOPS");
    }
    return static_cast<double>(
        scaled(short_text, operation_units, where, "operations per second such as 989 TFLOPS"));
}

std::string format_ns(Time time) {
    const std::int64_t ps = time.ps();
    const std::uint64_t magnitude =
        ps < 0 ? 0 - static_cast<std::uint64_t>(ps) : static_cast<std::uint64_t>(ps);
    std::string text = fmt::format("{}{}", ps < 0 ? "-" : "", magnitude / 1000);
    if (const std::uint64_t rest = magnitude % 1000; rest != 0) {
        text += fmt::format(".{:03}", rest);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text;
}

std::string format_time(Time time) {
    const double ps = static_cast<double>(time.ps());
    const double magnitude = std::abs(ps);
    if (magnitude >= 1e12) {
        return with_digits(ps / 1e12, "s");
    }
    if (magnitude >= 1e9) {
        return with_digits(ps / 1e9, "ms");
    }
    if (magnitude >= 1e6) {
        return with_digits(ps / 1e6, "us");
    }
    return format_ns(time) + " ns";
}

std::string format_bytes(Bytes bytes) {
    constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> steps{
        {{std::int64_t{1} << 40, "TiB"},
         {std::int64_t{1} << 30, "GiB"},
         {std::int64_t{1} << 20, "MiB"},
         {std::int64_t{1} << 10, "KiB"}}};
    for (const auto& [size, name] : steps) {
        if (bytes.value() >= size) {
            if (bytes.value() % size == 0) {
                return fmt::format("{} {}", bytes.value() / size, name);
            }
            return with_digits(static_cast<double>(bytes.value()) / static_cast<double>(size),
                               name);
        }
    }
    return fmt::format("{} B", bytes.value());
}

}  // namespace npunet
