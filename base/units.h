// Numbers with units, as people write them in options and files: read in one place, printed in one.
//
//     parse_bytes("64MiB", "--size")      ->  Bytes{67108864}
//     parse_time("500ns", "--latency")    ->  Time::ns(500)
//     parse_rate("400Gbps", "--rate")     ->  Rate{50'000'000'000}
//     parse_tflops("989 TFLOPS", "--peak") ->  989
//
// Other spellings of a unit ("400gbps", "400 Gbit/s", "64M") are rejected with a suggestion.
// KB/MB/GB/TB are steps of 1000, KiB/MiB/GiB/TiB of 1024; bps is bits, B/s bytes per second.
#pragma once

#include <string>
#include <string_view>

#include "base/quantities.h"

namespace npunet {

/// A size: a number and B, KB, MB, GB, TB, KiB, MiB, GiB or TiB (none: bytes). Must come to a whole
/// number of bytes, 0 to 2^62. Throws InputError that names `where`.
[[nodiscard]] Bytes parse_bytes(std::string_view text, std::string_view where);

/// A time: a number and ps, ns, us, ms or s (none is an error, unless the number is 0).
/// Rounded to the nearest picosecond. Throws InputError that names `where`.
[[nodiscard]] Time parse_time(std::string_view text, std::string_view where);

/// A rate: a number and bps, Kbps, Mbps, Gbps, Tbps (bits) or B/s, KB/s, ..., GiB/s (bytes).
/// Rounded to the nearest byte per second, at least 1. Throws InputError that names `where`.
[[nodiscard]] Rate parse_rate(std::string_view text, std::string_view where);

/// Operations per second, in 10^12: a number and FLOPS, MFLOPS, GFLOPS, TFLOPS, PFLOPS or EFLOPS,
/// or the same with FLOP/s. Throws InputError that names `where`.
[[nodiscard]] double parse_tflops(std::string_view text, std::string_view where);

/// Nanoseconds with up to three decimals, exact: 583'200 ps -> "583.2"; 5000 ps -> "5".
[[nodiscard]] std::string format_ns(Time time);

/// For people: three or more significant digits and the unit that fits ("1.234 ms").
[[nodiscard]] std::string format_time(Time time);

/// For people: "64 MiB", "1.5 GiB", "12345 B" (binary steps; exact multiples without decimals).
[[nodiscard]] std::string format_bytes(Bytes bytes);

}  // namespace npunet
